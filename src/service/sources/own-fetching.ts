// Engines that are fetched by oneself: their config options, and the fetcher that they select.

import * as z from 'zod';
import { regionCountries } from '../engines/duckduckgo/regions.ts';
import type { Engine } from '../engines/engine.ts';
import { loadEngine } from '../engines/registry.ts';
import type { Clock } from '../model/ports.ts';
import type { Source, SourceDependencies, SourceFacts } from '../model/source.ts';
import { dayMs } from '../model/time/clock.ts';
import { type NetworkPolicy, rejectPrivateUrl } from '../net/public-network.ts';
import { BrowserFetcher } from './fetchers/browser.ts';
import type { Fetcher } from './fetchers/fetcher.ts';
import { HttpFetcher, type HttpFetcherOptions } from './fetchers/http.ts';
import { SearchSource } from './fetchers/search-source.ts';
import { UnlockerFetcher } from './fetchers/unlocker.ts';
import { rateOptions } from './vendor-kit/define.ts';

const proxy = z
  .string()
  .regex(/^https?:\/\/\S+$/i, 'an http or https address')
  .refine((address) => URL.canParse(address), 'an http or https address');

const options = z.strictObject({
  fetcher: z
    .enum(['http', 'unlocker', 'browser'])
    .default('http')
    .describe(
      'How pages are fetched: over plain HTTP, by an API that takes a URL and returns the page, or by your own Chromium.',
    ),
  template: z
    .string()
    .max(2000)
    .regex(/^https?:\/\/[^\s]*\{url\}/, 'a URL with {url} in it')
    .optional()
    .describe(
      'URL of the API, for `fetcher: unlocker`: `{url}` is the page; also `{country}`, `{language}` and `{device}` if the API needs them.',
    ),
  bodyPath: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe(
      'Path of the page in the JSON of the API, such as `result` or `data.0.html`. Default: the whole answer is the page.',
    ),
  chargesFailures: z.enum(['no', 'yes', 'unknown']).default('unknown').describe('Whether the API charges for errors.'),
  executablePath: z
    .string()
    .min(1)
    .optional()
    .describe('Path of the Chromium program for `fetcher: browser`. Default: the installed Chrome.'),
  proxies: z
    .array(proxy)
    .max(1000)
    .default([])
    .describe('Proxies, used in turn: `http://user:password@host:port`. Default: direct requests to the engine.'),
  coolDownMs: z
    .int()
    .min(1000)
    .max(dayMs)
    .default(600_000)
    .describe('How long a proxy is not used after the engine blocks it; doubles with each further block.'),
  ...rateOptions,
  baseUrl: z.url().optional().describe('A URL to use instead of that of the engine.'),
});

/** Options per fetcher; the other fetchers ignore them. */
const fetchOptions = options.superRefine((given, { addIssue }) => {
  const complain = (option: keyof typeof given, message: string): void =>
    addIssue({ code: 'custom', path: [option], message });
  const { fetcher, template, executablePath, proxies } = given;
  if (fetcher === 'unlocker') {
    if (template === undefined)
      complain('template', 'is missing: `fetcher: unlocker` needs a template, the URL of the API with {url} in it');
    if (proxies.length > 0) complain('proxies', 'is for `fetcher: http` and `fetcher: browser`');
  } else if (template !== undefined) complain('template', 'is for `fetcher: unlocker`');
  if (fetcher !== 'browser' && executablePath !== undefined) complain('executablePath', 'is for `fetcher: browser`');
});

type FetchOptions = z.output<typeof fetchOptions>;

/** Throws Error for a base URL that is not allowed. */
function createSearchSource(
  engine: Engine,
  facts: SourceFacts,
  options: FetchOptions,
  { clock }: SourceDependencies,
): Source {
  const network: NetworkPolicy = { allowLoopback: options.allowLoopback };
  if (options.baseUrl !== undefined) refuseUnusable(new URL(options.baseUrl), network);
  const rate = {
    requestsPerSecond: options.requestsPerSecond ?? facts.rate.requestsPerSecond,
    concurrency: options.concurrency ?? facts.rate.concurrency,
  };
  const fetcher = createFetcher(options, { network, ...rate }, clock);
  return { serp: new SearchSource(engine, facts, fetcher, clock, options.baseUrl) };
}

type FetchLimits = Pick<HttpFetcherOptions, 'network' | 'concurrency' | 'requestsPerSecond'>;

function createFetcher(options: FetchOptions, limits: FetchLimits, clock: Clock): Fetcher {
  const { fetcher, template, bodyPath, executablePath, proxies, coolDownMs } = options;
  if (fetcher === 'http') return new HttpFetcher({ proxies, coolDownMs, ...limits }, clock);
  if (fetcher === 'browser') return new BrowserFetcher({ executablePath, proxies, coolDownMs, ...limits }, clock);
  return new UnlockerFetcher(
    { template: String(template), bodyPath, failureCharge: options.chargesFailures, ...limits },
    clock,
  );
}

/** For engines whose pages link to the next one. */
const walkedPages =
  'A page that is not requested right after the previous one takes a request for each page before it: through an unlocker ten at most, each paid once, so that it sells ten pages of a search.';

/** The most requests that one page may take through an unlocker: each is paid. */
const walkedMax = 10;

type Own = Pick<SourceFacts, 'devices' | 'countries' | 'locations' | 'hasLocalResults' | 'pagingRule'>;

function ownFetching(source: string, title: string, own: Own) {
  const facts: SourceFacts = {
    prices: [],
    failureCharge: 'no',
    failureRule:
      'Pages that you fetch yourself cost nothing. An unlocker charges for pages, and for errors if `chargesFailures` is set.',
    emptyRule: 'An empty page says so, in the words of the engine.',
    pageSize: 10,
    rate: { requestsPerSecond: 1, concurrency: 4 },
    hasCountries: true,
    ...own,
    title: `${title} (own fetching)`,
    example: `mode: embedded\nsource: ${source}\nproxies: ["\${PROXY_URL}"]\nrequestsPerSecond: 0.5`,
  };
  const factsFor = (options: unknown): SourceFacts =>
    own.pagingRule !== undefined && fetchOptions.parse(options).fetcher === 'unlocker'
      ? { ...facts, pagesMax: walkedMax }
      : facts;
  return {
    facts,
    factsFor,
    options: fetchOptions,
    async create(options: unknown, dependencies: SourceDependencies): Promise<Source> {
      return createSearchSource(await loadEngine(source), factsFor(options), fetchOptions.parse(options), dependencies);
    },
  };
}

export const google = ownFetching('google', 'Google', {
  devices: ['desktop', 'mobile'],
  locations: ['place', 'coordinate'],
  hasLocalResults: true,
});
export const bing = ownFetching('bing', 'Bing', { devices: ['desktop', 'mobile'], pagingRule: walkedPages });
// phones are shown the same page
export const duckDuckGo = ownFetching('duckduckgo', 'DuckDuckGo', {
  devices: ['desktop'],
  countries: regionCountries,
  pagingRule: walkedPages,
});

/** Rejects a path in `baseUrl`, because it would silently be replaced by the path of the request. */
function refuseUnusable(base: URL, network: NetworkPolicy): void {
  rejectPrivateUrl(base, network);
  if (base.pathname !== '/' || base.search !== '')
    throw new Error('baseUrl: a host without a path: pages have the paths of the engine');
}
