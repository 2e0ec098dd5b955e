// SearXNG: a self-hosted metasearch engine. Free, without countries and devices, good for a trial.
import * as z from 'zod';
import { ServiceError } from '../model/errors.ts';
import type { KnowledgePanel, ReadPage } from '../model/results/serp.ts';
import { Fields } from '../net/fields.ts';
import { accountOptions, defineVendor } from './vendor-kit/define.ts';
import {
  factOf,
  feature,
  organicList,
  organicResult,
  pageWith,
  panelIn,
  panelLinks,
  pictureAt,
  searchesIn,
  textExtensions,
} from './vendor-kit/elements.ts';
import { noResults } from './vendor-kit/validator.ts';
import { numbered, objectsAt, textListAt, wordsAt } from './vendor-kit/values.ts';

const options = accountOptions.extend({
  baseUrl: z.url().describe('Address of the instance: `https://search.example.com`, `http://192.168.0.5:8080`.'),
  allowPrivate: z
    .boolean()
    .default(false)
    .describe('Allows a baseUrl on this machine or in your own network, also over plain http.'),
  engines: z
    .array(z.string().regex(/^[\w .-]{1,60}$/, 'the name of an engine'))
    .min(1)
    .max(20)
    .default(['google'])
    .describe(
      'Engines that the instance queries, by their names in its settings. Name one: only results of a single engine are in order of rank.',
    ),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, 'an ISO 3166 code such as DE')
    .optional()
    .describe('Country in which the instance runs. Its pages are those of this country; other countries are rejected.'),
});

const enable = 'Enable the engine in the settings.yml of the instance, or name others under engines.';

export const vendor = defineVendor({
  name: 'searxng',
  facts: {
    title: 'SearXNG',
    prices: [],
    failureCharge: 'no',
    failureRule: 'Your own instance charges nothing.',
    emptyRule: 'SearXNG does not say that nothing was found: an empty list alone proves nothing.',
    pageSize: 10,
    rate: { requestsPerSecond: 0.5, concurrency: 2 },
    devices: ['desktop'],
    hasCountries: false,
    example: 'mode: embedded\nsource: searxng\nbaseUrl: http://localhost:8080\nallowPrivate: true\nengines: [google]',
  },
  options,
  baseUrl: '',
  // `bing news` is one of Bing
  enginesOf: ({ engines }) => engines.map((engine) => engine.split(' ')[0]?.toLowerCase() ?? engine),
  factsFor: (facts, { country }) => (country === undefined ? facts : { ...facts, countries: [country] }),
  call: ({ keyword, language, page }, { engines }) => ({
    path: '/search',
    query: { q: keyword, format: 'json', pageno: page, engines: engines.join(','), language: toLocale(language) },
  }),
  complaint(root, { engines }) {
    const results = objectsAt(root, 'results');
    const silent = silentEngines(root).filter(([name]) => results.length === 0 || engines.includes(name));
    if (silent.length > 0) return silent.map(([name, reason]) => `${name}: ${reason}`).join(', ');
    const others = results.flatMap(listEngines).filter((name) => !engines.includes(name));
    if (others.length > 0) return `the results come from ${others[0]}, which was not queried`;
    return root.raw('results') === undefined ? wordsAt(root, 'error', 'message') : undefined;
  },
  refusals: [
    {
      status: 403,
      means: 'forbidden',
      hint: 'The instance does not return JSON: add json to search.formats in its settings.yml.',
    },
    {
      status: 429,
      means: 'throttled',
      pauseMs: 30_000,
      hint: 'The limiter of the instance blocks rankledger: allow this address in its limiter.toml, or lower requestsPerSecond.',
    },
    { words: /which was not queried$/, means: 'forbidden', hint: enable },
    { words: /captcha|suspended|too many requests|denied/i, means: 'blocked' },
    { words: /timeout/i, means: 'timeout' },
    { status: 200, means: 'failed' },
  ],
  echo: { queries: ['query'] },
  read: readPage,
  listsNothing: () => true,
  account: {
    path: '/config',
    left(root, { engines }) {
      const there = objectsAt(root, 'engines').map((engine) => wordsAt(engine, 'name'));
      const missing = engines.filter((name) => !there.includes(name));
      if (missing.length === 0) return null;
      throw new ServiceError('INVALID_REQUEST', `The instance of searxng has no engine ${missing.join(', ')}.`, {
        hint: enable,
      });
    },
  },
});

/** What the instance takes: a language with or without a country. */
function toLocale(language: string): string {
  return /^[a-z]{2,3}(?:-[A-Z]{2})?$/.test(language) ? language : (language.split('-')[0] ?? language);
}

/** Engines that did not answer, each with its reason. */
function silentEngines(root: Fields): (readonly [string, string])[] {
  const listed = root.raw('unresponsive_engines');
  if (!Array.isArray(listed)) return [];
  return listed.flatMap((each): (readonly [string, string])[] => {
    const [name, reason] = Array.isArray(each) ? each : [each];
    return typeof name === 'string' ? [[name, typeof reason === 'string' ? reason : 'no answer']] : [];
  });
}

function listEngines(result: Fields): string[] {
  const names = textListAt(result, 'engines');
  const one = wordsAt(result, 'engine');
  return names.length > 0 || one === undefined ? names : [one];
}

/** That an engine did not answer is said beside an empty list; that it found nothing is not. */
function readPage(root: Fields): ReadPage {
  const results = root.array('results');
  if (results === undefined) throw noResults();
  const ordered = new Fields({ results: inOrder(results) }, 'page', root.engines);
  const [box] = objectsAt(root, 'infoboxes');
  const serp = {
    organic: organicList(ordered, 'results', (item, index) => ({
      ...organicResult(item, index, resultNames, textExtensions({ date: wordsAt(item, 'publishedDate') })),
      image: pictureAt(item, 'thumbnail', 'img_src'),
    })),
    knowledge: box && readKnowledge(box),
    related: numbered(searchesIn(root, ['suggestions'], [])),
  };
  const answers = feature('answer_box', objectsAt(root, 'answers'), 'url');
  return pageWith(serp, [...panelLinks(root, 'infoboxes'), ...answers]);
}

const resultNames = { link: ['url'], description: ['content'], displayLink: ['pretty_url'] };
const panelNames = { name: ['infobox', 'title'], description: ['content'], description_source: ['engine'] };

/** The order of the engine if only one was queried: the instance groups results of a kind. */
function inOrder(results: readonly unknown[]): readonly unknown[] {
  const placed = results.map((result) => ({ result, place: readPosition(result) }));
  const places = new Set(placed.map(({ place }) => place));
  if (places.has(undefined) || places.size < placed.length) return results;
  const engines = new Set(results.map((result) => listEngines(new Fields(result, 'result')).join()));
  if (engines.size !== 1) return results;
  return placed.sort((one, other) => (one.place ?? 0) - (other.place ?? 0)).map(({ result }) => result);
}

/** The only place that a result has with the engine that found it. */
function readPosition(result: unknown): number | undefined {
  if (typeof result !== 'object' || result === null || !('positions' in result)) return undefined;
  const { positions } = result;
  const [place, another] = Array.isArray(positions) ? positions : [];
  return another === undefined && Number.isSafeInteger(place) ? place : undefined;
}

function readKnowledge(box: Fields): KnowledgePanel | undefined {
  if (wordsAt(box, ...panelNames.name) === undefined) return undefined;
  const facts = objectsAt(box, 'attributes').flatMap((each) => factOf(wordsAt(each, 'label'), wordsAt(each, 'value')));
  return panelIn(box, panelNames, facts);
}
