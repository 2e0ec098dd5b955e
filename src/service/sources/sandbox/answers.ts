// The pages and metrics of the invented world. They need the world and an engine; its options do not.
import { googleEngine } from '../../engines/google/index.ts';
import { ServiceError } from '../../model/errors.ts';
import { keywordKey } from '../../model/results/keyword-data.ts';
import { parseLocation } from '../../model/results/location.ts';
import type { MetricsSource, PageRequest, SerpSource, SourceContext } from '../../model/source.ts';
import { listMetrics } from './metrics.ts';
import { composePage } from './page/compose.ts';
import { areaOf } from './page/local.ts';
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

export function sandboxPages({ seed, sites, blockedShare }: PagesOptions): SerpSource {
  const world = createWorld(seed, sites);
  return {
    name,
    kind: 'sandbox',
    async fetchPage(request, context) {
      refuseAborted(context);
      const day = Math.floor(context.at / dayMs);
      const isBlocked = unit(blockKey(request, seed, day)) < blockedShare;
      const text = isBlocked ? captchaPage(request.keyword) : render(world, request, day);
      return { body: { contentType: 'text/html', text }, observedAt: context.at };
    },
    editionAt: (at) => String(Math.floor(at / dayMs)),
    readPage(body, request) {
      const { keyword, mobile, language, location } = request;
      const where = location === undefined ? {} : { location, language };
      return googleEngine.parse(body.text, { keyword, mobile, ...where });
    },
  };
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

function render(world: World, request: PageRequest, day: number): string {
  const { country, language, mobile, location } = request;
  const where = location === undefined ? undefined : parseLocation(location);
  const search = { keyword: keywordKey(request.keyword), country, language, mobile };
  const ranking = world.rank(where === undefined ? search : { ...search, area: areaOf(where) }, day);
  const page = composePage(ranking, request.keyword, request.page, where);
  return mobile ? renderMobile(page) : renderDesktop(page);
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
