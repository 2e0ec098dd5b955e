// The pages and metrics of the invented world. They need the world and an engine; its options do not.
import { googleEngine } from '../../engines/google/index.ts';
import { pageFailure } from '../../engines/page/failure.ts';
import { rejectOtherPlace } from '../../engines/page/other-place.ts';
import { rejectOtherQuery } from '../../engines/page/other-query.ts';
import { type PageBody, ServiceError } from '../../model/errors.ts';
import { keywordKey } from '../../model/results/keyword-data.ts';
import { parseLocation } from '../../model/results/location.ts';
import type { MetricsSource, PageRequest, SerpSource, SourceContext } from '../../model/source.ts';
import { Fields } from '../../net/fields.ts';
import { readMapPage } from '../vendor-kit/pages/map-page.ts';
import { objectsAt, wordsAt } from '../vendor-kit/values.ts';
import { listMetrics } from './metrics.ts';
import { composePage } from './page/compose.ts';
import { areaOf, localPlaces, map, spotOf } from './page/local.ts';
import type { Page } from './page/page.ts';
import { readComposed } from './page/read-composed.ts';
import { createScene } from './page/scene.ts';
import { captchaPage } from './render/html.ts';
import { renderDesktop } from './render/render-desktop.ts';
import { renderMobile } from './render/render-mobile.ts';
import { derive, hashText, unit } from './world/random.ts';
import { createWorld, type World } from './world/world.ts';

const dayMs = 86_400_000;
const name = 'sandbox';

interface PagesOptions {
  readonly seed: number;
  readonly sites: readonly string[];
  /** From 0 to 1. */
  readonly blockedShare: number;
}

interface Parts {
  readonly page: Page;
  readonly request: PageRequest;
}

/**
 * A body that is rendered when its text is first read: its HTML is kept or sent for few pages. A getter in an object
 * literal, or a WeakMap, would keep the parts of each page in memory until V8 collects old garbage.
 */
class LazyBody implements PageBody {
  readonly contentType = 'text/html';
  readonly #render: () => string;
  readonly #parts: Parts | undefined;
  #text: string | undefined;

  constructor(render: () => string, parts?: Parts) {
    this.#render = render;
    this.#parts = parts;
    Object.freeze(this);
  }

  get text(): string {
    this.#text ??= this.#render();
    return this.#text;
  }

  /** Queues carry a page as JSON, in which a getter of a class has no place. */
  toJSON(): PageBody {
    return { contentType: this.contentType, text: this.text };
  }

  /** What the body was composed of, if it can be read without its text. */
  static partsOf(body: PageBody): Parts | undefined {
    return body instanceof LazyBody ? body.#parts : undefined;
  }
}

/** Keywords which the engine reads as they are written. The HTML of all others is parsed. */
const plainKeyword = /^[\p{L}\p{N}]+(?: [\p{L}\p{N}]+)*$/u;

export function sandboxPages({ seed, sites, blockedShare }: PagesOptions): SerpSource {
  const world = createWorld(seed, sites);
  return {
    name,
    kind: 'sandbox',
    async fetchPage(request, context) {
      refuseAborted(context);
      const day = Math.floor(context.at / dayMs);
      const isBlocked = unit(blockKey(request, seed, day)) < blockedShare;
      if (isBlocked) return { body: new LazyBody(() => captchaPage(request.keyword)), observedAt: context.at };
      const page = compose(world, request, day);
      const isKnown = page.blocks.length > 0 && isPlain(request.keyword);
      const render = () => (request.mobile ? renderMobile(page) : renderDesktop(page));
      return { body: new LazyBody(render, isKnown ? { page, request } : undefined), observedAt: context.at };
    },
    editionAt: (at) => String(Math.floor(at / dayMs)),
    readPage(body, request) {
      const { keyword, mobile, language, location } = request;
      const known = LazyBody.partsOf(body);
      if (known !== undefined && known.request.keyword === keyword && known.request.location === location)
        return readComposed(known.page, known.request.mobile);
      // its pages name places in English
      const where = location === undefined || !/^en\b/.test(language) ? {} : { location, language };
      return googleEngine.parse(body.text, { keyword, mobile, ...where });
    },
  };
}

/** Google Maps of the same world: JSON with a list of places. The whole country is searched in its middle. */
export function sandboxMapPages({ seed, sites, blockedShare }: PagesOptions): SerpSource {
  const world = createWorld(seed, sites);
  return {
    name: `${name}-maps`,
    kind: 'sandbox',
    bodyType: 'application/json',
    async fetchPage(request, context) {
      refuseAborted(context);
      const day = Math.floor(context.at / dayMs);
      const isBlocked = unit(blockKey(request, seed, day)) < blockedShare;
      const places = isBlocked || request.page > 1 ? [] : listPlaces(world, request, day);
      const answer = { keyword: request.keyword, location: request.location, isBlocked, places };
      return { body: { contentType: 'application/json', text: JSON.stringify(answer) }, observedAt: context.at };
    },
    editionAt: (at) => String(Math.floor(at / dayMs)),
    readPage(body, asked) {
      const root = new Fields(JSON.parse(body.text), 'page');
      if (root.raw('isBlocked') === true) throw pageFailure('blocked', body.text);
      rejectOtherQuery(asked.keyword, [wordsAt(root, 'keyword')]);
      rejectOtherPlace(asked, [wordsAt(root, 'location')], { shownIn: 'echo' });
      return readMapPage(objectsAt(root, 'places'), { saysEmpty: true, hasList: true });
    },
  };
}

function listPlaces(world: World, request: PageRequest, day: number): object[] {
  const { country, language, mobile, location = country } = request;
  const where = parseLocation(location);
  const area = { area: areaOf(where), spot: spotOf(where) };
  const search = { keyword: keywordKey(request.keyword), country, language, mobile, ...area };
  return localPlaces(createScene(world.rank(search, day)), where, map).map(({ rating, votes, street, ...place }) => ({
    ...place,
    rating: Number(rating),
    reviews: votes,
    address: street,
  }));
}

export function sandboxMetrics(seed: number): MetricsSource {
  return {
    name,
    kind: 'sandbox',
    async fetchMetrics(request, context) {
      refuseAborted(context);
      const date = new Date(context.at);
      return listMetrics({ ...request, month: (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth() }, seed);
    },
  };
}

function compose(world: World, request: PageRequest, day: number): Page {
  const { country, language, mobile, location } = request;
  const where = location === undefined ? undefined : parseLocation(location);
  const search = { keyword: keywordKey(request.keyword), country, language, mobile };
  const ranking = world.rank(
    where === undefined ? search : { ...search, area: areaOf(where), spot: spotOf(where) },
    day,
  );
  return composePage(ranking, request.keyword, request.page, where);
}

function isPlain(keyword: string): boolean {
  // The lower case of some letters is longer, and related searches print a part of it.
  return plainKeyword.test(keyword) && keyword.toLowerCase().length === keyword.length;
}

function blockKey(request: PageRequest, seed: number, day: number): number {
  const where = request.location === undefined ? [] : [request.location];
  const search = [request.country, request.language, request.mobile, request.keyword, ...where].join('\n');
  return derive(derive(hashText(search, derive(seed, 3)), request.page), day);
}

function refuseAborted({ signal }: SourceContext): void {
  if (signal.aborted)
    throw new ServiceError('ABORTED', 'The request was cancelled before it was answered.', {
      cause: signal.reason,
      charged: 'no',
    });
}
