// The answers of the invented world: pages, places, metrics and AI answers, equal for equal request and UTC day.
import { googleEngine } from '../../engines/google/index.ts';
import { pageFailure } from '../../engines/page/failure.ts';
import { rejectOtherPlace } from '../../engines/page/other-market.ts';
import { rejectOtherQuery } from '../../engines/page/query.ts';
import { type PageBody, ServiceError } from '../../model/errors.ts';
import { keywordKey } from '../../model/results/keyword-data.ts';
import { parseLocation } from '../../model/results/location.ts';
import {
  type AnswerCitation,
  type AnswerRequest,
  type AnswerSource,
  answerEngines,
  type MetricsSource,
  type PageRequest,
  type SerpSource,
  type SourceContext,
} from '../../model/source.ts';
import { dayMs } from '../../model/time/clock.ts';
import { Fields } from '../../net/fields.ts';
import { readMapPage } from '../vendor-kit/elements.ts';
import { objectsAt, wordsAt } from '../vendor-kit/values.ts';
import { readDemand } from './events.ts';
import { listMetrics } from './keywords.ts';
import { atOnceRange, plantedFeatures, type SandboxOptions } from './options.ts';
import { captchaPage, composePage, Page } from './page.ts';
import { areaOf, listPlaces, wholeMap } from './places.ts';
import { derive, hashText, noise, unit } from './random.ts';
import { buildUrl, toSlug } from './sites.ts';
import { createWorld, type Ranking, type Search, type World } from './world.ts';

const name = 'sandbox';

/** All sources of one world. */
export function openWorld(options: SandboxOptions) {
  const world = createWorld(options.seed, options.sites, options.events);
  return {
    pages: pagesOf(world, options),
    maps: mapsOf(world, options),
    metrics: metricsOf(options),
    answers: answersOf(world, options),
  };
}

/** Stands before each page of a body that has several. */
const pageMark = (page: number): string => `<!-- page ${page} of several -->\n`;

/** Keywords which the engine reads as they are written. The HTML of all others, such as addresses, is parsed. */
const plainKeyword = /^[\p{L}\p{N}]+(?: [\p{L}\p{N}]+)*$/u;

/** The ranking that is sold for a request on a day. */
function rankingOf(world: World, request: PageRequest, day: number, options: SandboxOptions): Ranking {
  const { keyword, country, language, mobile, location } = request;
  const where = location === undefined ? undefined : areaOf(parseLocation(location));
  return soldRanking(world, { keyword: keywordKey(keyword), country, language, mobile, ...where }, day, options);
}

const staleDays = 7;
/** A keyword that no other search has. */
const padding = 'padding of a source';
/** Every so many results one is invented. */
const paddedEvery = 4;

/** The true ranking, or that of a lie. Pages still name the search that was asked for. */
function soldRanking(world: World, search: Search, day: number, { lie, lieFrom }: SandboxOptions): Ranking {
  const from = lieFrom === undefined ? 0 : Date.parse(lieFrom) / dayMs;
  const truth = world.rank(search, day);
  const other = (changed: Partial<Search>, onDay = day) => ({
    ...world.rank({ ...search, ...changed }, onDay),
    search,
  });
  switch (day < from ? undefined : lie) {
    case 'stale':
      return other({}, day - staleDays);
    case 'frozen':
      return other({}, from);
    case 'place':
      return other({ country: search.country === 'ZA' ? 'IE' : 'ZA' });
    case 'device':
      return other({ mobile: !search.mobile });
    case 'featureless':
      return { ...truth, features: new Map(plantedFeatures.map((name) => [name, false])) };
    case 'padded':
      return padded(truth, other({ keyword: padding }));
    case 'shuffled':
      return shuffled(truth);
    case 'partial':
      return unit(derive(truth.searchKey, 7)) < 0.5 ? truth : shuffled(truth);
    case undefined:
      return truth;
  }
}

function padded(ranking: Ranking, other: Ranking): Ranking {
  return {
    ...ranking,
    at(index) {
      const before = Math.floor(index / paddedEvery);
      if (index % paddedEvery < paddedEvery - 1) return ranking.at(index - before);
      return other.at(before) ?? ranking.at(index);
    },
  };
}

/** Each ten results in the order of their keys. */
function shuffled(ranking: Ranking): Ranking {
  return {
    ...ranking,
    at(index) {
      const first = Math.floor(index / 10) * 10;
      const size = Math.min(10, ranking.length - first);
      const order = Array.from({ length: Math.max(0, size) }, (_, at) => first + at);
      const keyOf = (at: number) => unit(derive(ranking.searchKey, 600 + at));
      const found = order.sort((a, b) => keyOf(a) - keyOf(b))[index - first];
      return found === undefined ? undefined : ranking.at(found);
    },
  };
}

/** Whether a page comes as a captcha: the same all day. */
function isBlocked(request: PageRequest, { seed, blockedShare }: SandboxOptions, day: number): boolean {
  const { country, language, mobile, keyword, location, page } = request;
  const search = [country, language, mobile, keyword, ...(location === undefined ? [] : [location])].join('\n');
  return unit(derive(derive(hashText(search, derive(seed, 3)), page), day)) < blockedShare;
}

function pagesOf(world: World, options: SandboxOptions): SerpSource {
  const range = atOnceRange(options);
  const pageOf = (request: PageRequest, at: number): PageBody => {
    const { keyword, location } = request;
    const day = Math.floor(at / dayMs);
    if (isBlocked(request, options, day)) return { contentType: 'text/html', text: captchaPage(keyword) };
    return composePage(rankingOf(world, request, day, options), keyword, request.page, location);
  };
  return {
    name,
    kind: 'sandbox',
    range,
    async fetchPage(request, context) {
      refuseAborted(context);
      const { through } = request;
      if (through === undefined) return { body: pageOf(request, context.at), observedAt: context.at };
      const pages = Array.from({ length: through }, (_, index) => index + 1);
      const texts = pages.map((page) => `${pageMark(page)}${pageOf({ ...request, page }, context.at).text}`);
      const body: PageBody = { contentType: 'text/html', text: texts.join('') };
      return { body, observedAt: context.at, creditsStated: range?.credits(through) };
    },
    readPage(several, { keyword, mobile, language, location, page }) {
      const body = several instanceof Page ? several : onePage(several, page);
      const isKnown = body instanceof Page && body.keyword === keyword && body.location === location;
      if (isKnown && plainKeyword.test(keyword) && body.read.serp.organic !== undefined) return body.read;
      // its pages name places in English
      const where = location === undefined || !/^en\b/.test(language) ? {} : { location, language };
      return googleEngine.parse(body.text, { keyword, mobile, ...where });
    },
  };
}

/** A page of a body that has several; a body of one page is that page. */
function onePage(body: PageBody, page: number): PageBody {
  if (!body.text.startsWith(pageMark(1))) return body;
  const [, from = ''] = body.text.split(pageMark(page));
  return { ...body, text: from.split(pageMark(page + 1), 1)[0] ?? '' };
}

/** Google Maps of the same world: JSON with a list of places. The whole country is searched in its middle. */
function mapsOf(world: World, options: SandboxOptions): SerpSource {
  return {
    name: `${name}-maps`,
    kind: 'sandbox',
    bodyType: 'application/json',
    async fetchPage(request, context) {
      refuseAborted(context);
      const { keyword, country, location, page } = request;
      const day = Math.floor(context.at / dayMs);
      const blocked = isBlocked(request, options, day);
      const area = location ?? country;
      const ranking = rankingOf(world, { ...request, location: area }, day, options);
      const places = blocked || page > 1 ? [] : listPlaces(ranking, parseLocation(area), wholeMap);
      const answer = { keyword, location, isBlocked: blocked, places };
      return { body: { contentType: 'application/json', text: JSON.stringify(answer) }, observedAt: context.at };
    },
    readPage(body, asked) {
      const root = new Fields(JSON.parse(body.text), 'page');
      if (root.raw('isBlocked') === true) throw pageFailure('blocked', body.text);
      rejectOtherQuery(asked.keyword, [wordsAt(root, 'keyword')]);
      rejectOtherPlace(asked, [wordsAt(root, 'location')], { shownIn: 'echo' });
      return readMapPage(objectsAt(root, 'places'));
    },
  };
}

function metricsOf({ seed, events = [] }: SandboxOptions): MetricsSource {
  const demand = readDemand(events);
  return {
    name,
    kind: 'sandbox',
    async fetchMetrics(request, context) {
      refuseAborted(context);
      const date = new Date(context.at);
      return listMetrics({ ...request, month: (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth() }, seed, demand);
    },
  };
}

function refuseAborted({ signal }: SourceContext): void {
  if (!signal.aborted) return;
  const text = 'The request was cancelled before it was answered.';
  throw new ServiceError('ABORTED', text, { cause: signal.reason, charged: 'no' });
}

/** Play money, about what vendors ask. */
const priceMicroUsd = 5_000;
/** Results that an engine reads before it answers. */
const resultsRead = 20;
const citationsMax = 8;
/** How fast the chance of a citation falls with the rank, in ranks. */
const rankScale = 7;
const topShare = 0.85;
/** Days in which the taste of an engine changes noticeably. */
const tasteDays = 45;
/** Share of cited sites that the text also names, and of the best uncited ones. */
const namedShare = 0.8;
const namedUncitedShare = 0.25;

/** The same prompt, engine, market, UTC day and sample always give the same answer. */
function answersOf(world: World, { seed }: SandboxOptions): AnswerSource {
  return {
    name,
    kind: 'sandbox',
    engines: answerEngines,
    concurrency: 4,
    priceMicroUsd: () => priceMicroUsd,
    async fetchAnswer(request, context) {
      refuseAborted(context);
      const answer = composeAnswer(world, request, Math.floor(context.at / dayMs), derive(seed, 4));
      const body = { contentType: 'application/json', text: JSON.stringify(answer) } as const;
      return { ...answer, model: `sandbox-${request.engine}`, body, observedAt: context.at };
    },
  };
}

/** Cites other pages in each sample, more often those that rank well and suit the engine. */
function composeAnswer(world: World, request: AnswerRequest, day: number, seed: number) {
  const { prompt, engine, country, language, sample } = request;
  const ranking = world.rank({ keyword: keywordKey(prompt), country, language, mobile: false }, day);
  const engineKey = derive(seed, answerEngines.indexOf(engine));
  const sampleKey = derive(derive(hashText(prompt, engineKey), day), sample);
  const slug = toSlug(prompt);
  const candidates = Array.from({ length: resultsRead }, (_, rank) => ({ rank, result: ranking.at(rank) })).flatMap(
    ({ rank, result }) => {
      if (result === undefined) return [];
      const taste = 1 + 0.9 * noise(derive(result.key, engineKey), day / tasteDays);
      const chance = Math.min(0.97, taste * topShare * Math.exp(-rank / rankScale));
      const roll = (part: number): number => unit(derive(derive(sampleKey, result.key), part));
      return { url: buildUrl(result, slug, day), title: result.site.name, chance, roll };
    },
  );
  const chosen = candidates.filter(({ roll, chance }) => roll(1) < chance);
  const cited = (chosen.length > 0 ? chosen : candidates.slice(0, 1))
    .toSorted((a, b) => a.roll(2) / a.chance - b.roll(2) / b.chance)
    .slice(0, citationsMax);
  const others = candidates.filter((each) => !cited.includes(each) && each.roll(3) < namedUncitedShare * each.chance);
  const lines = [
    `There are several good answers to "${prompt}".`,
    ...cited.map(({ title, roll }, index) =>
      roll(4) < namedShare
        ? `- ${title} is a frequent recommendation. [${index + 1}]`
        : `- One overview compares the usual choices. [${index + 1}]`,
    ),
    ...others.map(({ title }) => `- ${title} is worth a look, too.`),
  ];
  const citations: AnswerCitation[] = cited.map(({ url, title }) => ({ url, title }));
  return { text: lines.join('\n'), citations };
}
