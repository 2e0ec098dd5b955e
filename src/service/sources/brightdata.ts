// Bright Data, and Thordata in its format: the URL of a page goes in, its parts come out. And Bright Data's AI answers.
import type { IncomingHttpHeaders } from 'node:http';
import * as z from 'zod';
import { searchRequest } from '../engines/google/urls.ts';
import { ServiceError } from '../model/errors.ts';
import type { AnswerEngine, PageRequest } from '../model/source.ts';
import { boundedJson, type Fields, ShapeError, vendorBounds } from '../net/fields.ts';
import { readPage } from './brightdata/page.ts';
import { citationsIn, defineAnswers } from './vendor-kit/answers.ts';
import { bearer, type OutOfBandError } from './vendor-kit/client.ts';
import { defineVendor, vendorOptions } from './vendor-kit/define.ts';
import { mapMiddle, readMapPage } from './vendor-kit/elements.ts';
import { besideExample, creditPrice, mapFacts, pagePrice, vendorExample, webFacts } from './vendor-kit/facts.ts';
import { languageParameter } from './vendor-kit/market.ts';
import type { RefusalRule } from './vendor-kit/refusals.ts';
import type { Echo } from './vendor-kit/validator.ts';
import { isList, numberAt, objectsAt, valueAt, wordsAt } from './vendor-kit/values.ts';

const placeText = z.string().min(1).max(300).optional();

/** The address of the page as one would open it, with what the vendor wants in it besides. */
function buildUrl(asked: PageRequest, besides: Readonly<Record<string, string | undefined>>): string {
  const url = new URL(searchRequest({ ...asked, language: languageParameter(asked.language) }).url);
  for (const [name, value] of Object.entries(besides)) {
    // the place of a search stands before the place of the service
    const isTaken = name === 'uule' && asked.location !== undefined;
    if (value !== undefined && !isTaken) url.searchParams.set(name, value);
  }
  return url.href;
}

const zone = z
  .string()
  .regex(/^[\w-]{1,100}$/, 'a name of letters, digits, _ and -')
  .describe('Name of the SERP API zone.');

/** Texts that must be the requested query. */
const queries = [
  'general.query',
  'general.detected_query',
  'search_information.query_displayed',
  'spelling.auto_corrected_text',
];

/** What the pages of both vendors have in common. */
const pages = {
  echo: {
    places: ['general.location'],
    placesFrom: 'footer',
    parameters: {
      gl: ['general.country_code'],
      isMobile: ['general.mobile', 'general.is_mobile'],
      page: ['pagination.current_page'],
      engine: ['general.search_engine'],
      type: ['general.search_type'],
    },
    address: 'input.original_url',
    addressNames: ['market'],
    queries,
  } satisfies Echo,
  // where a query was corrected or cut short, the page is another one's
  searchedInstead: (root: Fields) =>
    valueAt(root, 'spelling.original_empty') === true ? 'a query that finds something' : undefined,
  // only a count of 0 says that nothing was found
  saysEmpty(root: Fields) {
    const counts = ['general.results_cnt', 'search_information.total_results', 'search_information.results_cnt'];
    return numberAt(root, ...counts) === 0 || valueAt(root, 'general.is_empty') === true;
  },
  list: 'organic',
};

/** What both kinds of pages of Bright Data have in common. */
const account = {
  baseUrl: 'https://api.brightdata.com',
  proof: bearer,
  complaint: (root: Fields) => (root.raw('general') === undefined ? wordsAt(root, 'error', 'message') : undefined),
  outOfBandError,
  refusals: [
    { words: /zone\b.*\bnot found|zone_not_found/i, means: 'bad_key', hint: 'Check the option zone, and its key.' },
    { words: /suspend|balance|not active|client_10020/i, means: 'out_of_credits' },
    { words: /^(?:sr_rate_limit|bucket_rate_limit|client_10110)/, means: 'throttled', pauseMs: 60_000 },
    // one query rests, not the whole account
    { words: /^(?:failed|repeat)_query_rejected/, means: 'failed', charged: 'no', pauseMs: 15_000 },
    { words: /^(?:verifying|captcha)/, means: 'blocked', charged: 'no', pauseMs: 15_000 },
    { words: /^unexpected_q/, means: 'other_query', charged: 'no', pauseMs: 15_000 },
    { words: /^policy_/, means: 'forbidden' },
    { words: /^the engine answered/, means: 'blocked' },
    { status: 407, means: 'bad_key', hint: 'Check the key of brightdata, and the option zone.' },
  ] satisfies RefusalRule[],
  account: {
    path: '/customer/balance',
    left(root: Fields) {
      const usd = numberAt(root, 'balance');
      // accounts that pay by invoice have no balance
      return usd === undefined || usd <= 0 ? null : Math.round(usd * 1_000_000);
    },
  },
};

export const brightData = defineVendor({
  ...account,
  ...pages,
  name: 'brightdata',
  facts: {
    ...webFacts,
    title: 'Bright Data',
    // paid as one goes; plans sell it for less
    prices: [pagePrice(1500, '2026-08')],
    failureCharge: 'no',
    failureRule: 'Only delivered pages are billed, unless the zone sends custom headers or cookies.',
    emptyRule: 'An empty page says so: a count of 0, or `is_empty`. Beyond page 1 an empty list alone proves nothing.',
    rate: { requestsPerSecond: 15, concurrency: 20 },
    example: `${vendorExample('brightdata', { apiKey: 'BRIGHTDATA_KEY' })}\nzone: serp_api1`,
  },
  options: vendorOptions.extend({
    zone,
    uule: placeText.describe('Location of the searcher, as the vendor lists it: `New York,New York,United States`.'),
    aiOverview: z
      .boolean()
      .default(false)
      .describe('Waits for the AI overview of a page, which takes up to a minute and fails more often.'),
  }),
  call: (asked, { zone, uule, aiOverview }) => ({
    path: '/request',
    json: {
      zone,
      url: buildUrl(asked, {
        brd_json: '1',
        brd_mobile: asked.mobile ? '1' : '0',
        brd_ai_overview: aiOverview ? '2' : undefined,
        uule,
      }),
      format: 'raw',
    },
  }),
  read: (root) => readPage(root, true),
});

/** Searches of Google Maps. Form: the vendor's documentation of its addresses and fields, read in 2026-11. */
export const brightDataMaps = defineVendor({
  ...account,
  name: 'brightdata-maps',
  facts: {
    ...brightData.facts,
    ...mapFacts,
    title: 'Bright Data, Google Maps',
    emptyRule: 'The vendor does not say that nothing was found: an empty list alone proves nothing.',
    devices: ['desktop'],
    locations: ['coordinate'],
    example: brightData.facts.example.replace('source: brightdata', 'source: brightdata-maps'),
  },
  options: vendorOptions.extend({ zone }),
  call: (asked, { zone }) => ({
    path: '/request',
    json: { zone, url: mapUrl(asked), format: 'raw' },
  }),
  echo: {
    address: 'input.original_url',
    addressNames: ['place'],
    queries: ['general.query', 'general.detected_query'],
  },
  read: (root) => readMapPage(objectsAt(root, 'organic'), ['link']),
  listsNothing: (root) => isList(root, 'organic'),
});

function mapUrl({ keyword, country, language, page, location }: PageRequest): string {
  const query = new URLSearchParams({
    hl: languageParameter(language),
    gl: country.toLowerCase(),
    ...(page > 1 && { start: String((page - 1) * mapFacts.pageSize) }),
    brd_json: '1',
  });
  return `https://www.google.com/maps/search/${encodeURIComponent(keyword)}/${mapMiddle(location) ?? ''}?${query}`;
}

/** An accepted request gets status 200 even if it fails; headers hold its real status and error. */
function outOfBandError(headers: IncomingHttpHeaders, http: number): OutOfBandError {
  const textOf = (name: string) => {
    const value = headers[name];
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
  };
  const code = textOf('x-brd-error-code') ?? textOf('x-brd-err-code');
  const message = textOf('x-brd-error') ?? textOf('x-brd-err-msg');
  const engine = Number(textOf('x-brd-status-code') ?? 200);
  const isEngineGood = !Number.isInteger(engine) || (engine >= 200 && engine < 300);
  const periodMs = Number(textOf('x-brd-rate-limit-period-ms') ?? Number.NaN);
  const stated = [code, message].filter((each) => each !== undefined).join(': ');
  const words = stated !== '' ? stated : isEngineGood ? undefined : `the engine answered ${engine}`;
  if (words === undefined) return {};
  const status = http >= 300 ? http : isEngineGood ? 502 : engine;
  return { status, words, pauseMs: Number.isFinite(periodMs) ? periodMs : undefined };
}

export const thordata = defineVendor({
  ...pages,
  name: 'thordata',
  facts: {
    ...webFacts,
    title: 'Thordata',
    prices: [creditPrice(1, [700, 1200], '2026-08')],
    failureCharge: 'no',
    failureRule: 'Only answers with status 200 are billed.',
    emptyRule: 'An empty page says so: a count of 0, or `is_empty`. Beyond page 1 an empty list alone proves nothing.',
    rate: { requestsPerSecond: 5, concurrency: 10 },
    devices: ['desktop'],
    example: vendorExample('thordata', { apiKey: 'THORDATA_TOKEN' }),
  },
  options: vendorOptions.extend({
    uule: placeText.describe('Location of the searcher, encoded for the engine: `w+CAIQICIN...`.'),
  }),
  baseUrl: 'https://scraperapi.thordata.com',
  proof: bearer,
  call: (asked, { uule }) => ({
    path: '/request',
    json: { url: buildUrl(asked, { json: '1', uule }) },
  }),
  complaint: (root) =>
    root.raw('organic') === undefined ? wordsAt(root, 'msg', 'message', 'error', 'detail') : undefined,
  // its own code counts, not the HTTP status
  outOfBandError(_headers, _status, root) {
    const code = numberAt(root, 'code');
    return code === undefined || code === 200 ? {} : { status: code, words: errorWords(root, code) };
  },
  refusals: [
    { words: /balance|credit|quota|expired/i, means: 'out_of_credits' },
    { words: /token|api.?key|auth/i, means: 'bad_key' },
    { status: 403, means: 'blocked' },
    { status: 404, means: 'failed' },
    { status: 300, means: 'failed' },
    { status: 200, means: 'failed' },
  ],
  // its `global_rank` is documented as the site's position in the whole web
  read: (root) => readPage(root, false),
});

function errorWords(root: Fields | undefined, code: number): string {
  return wordsAt(root, 'msg', 'message', 'error', 'detail') ?? `code ${code}`;
}

const name = 'brightdata';

/** Dataset of each scraper, and the page that it opens. Source: docs.brightdata.com and public clients, 2026-11. */
const scrapers: Readonly<Record<AnswerEngine, { readonly dataset: string; readonly url: string }>> = {
  'ai-mode': { dataset: 'gd_mcswdt6z2elth3zqr2', url: 'https://google.com/aimode' },
  chatgpt: { dataset: 'gd_m7aof0k82r803d5bjm', url: 'https://chatgpt.com/' },
  perplexity: { dataset: 'gd_m7dhdot1vw9a7gc1n', url: 'https://www.perplexity.ai/' },
  gemini: { dataset: 'gd_mbz66arm2mf9cu856y', url: 'https://gemini.google.com/' },
  copilot: { dataset: 'gd_m7di5jy6s9geokz8w', url: 'https://copilot.microsoft.com/chats' },
};

export const answers = defineAnswers<z.output<typeof vendorOptions>>({
  name,
  facts: {
    title: 'Bright Data',
    engines: (Object.keys(scrapers) as AnswerEngine[]).map((engine) => ({
      engine,
      // paid as one goes; plans sell it for less
      microUsdMax: 1_500,
      asOf: '2026-08',
      format:
        engine === 'chatgpt'
          ? 'docs.brightdata.com, chatgpt-search-by-prompt, read 2026-11'
          : 'fields of public clients of the scraper, read 2026-11',
    })),
    failureCharge: 'unknown',
    failureRule: 'Only delivered records are billed; an answer that was ordered and not collected may be.',
    rate: { requestsPerSecond: 5, concurrency: 10 },
    example: besideExample('answers', name, { apiKey: 'BRIGHTDATA_KEY' }),
  },
  options: vendorOptions,
  baseUrl: 'https://api.brightdata.com',
  // records are a list; while they are made, and for a refusal, there is an object or a line of text
  parse(text) {
    const root = boundedJson(text, vendorBounds);
    return Array.isArray(root) ? { records: root } : root;
  },
  complaint: (root) => (root.raw('records') === undefined ? wordsAt(root, 'error', 'validation_errors') : undefined),
  refusals: [
    { words: /suspend|balance|not active|customer_not/i, means: 'out_of_credits' },
    { words: /token|credential|auth/i, means: 'bad_key' },
    { status: 402, means: 'out_of_credits' },
    { status: 429, means: 'throttled', pauseMs: 30_000 },
    { status: 400, means: 'bad_request' },
    { status: 200, means: 'failed' },
  ],
  proof: bearer,
  call: ({ engine, prompt, country }) => ({
    path: '/datasets/v3/scrape',
    query: { dataset_id: scrapers[engine].dataset, format: 'json', include_errors: 'true' },
    json: { input: [{ url: scrapers[engine].url, prompt, country }] },
  }),
  collect({ status, root }) {
    const snapshot = wordsAt(root, 'snapshot_id');
    if (status !== 202 || snapshot === undefined) return undefined;
    return { path: `/datasets/v3/snapshot/${encodeURIComponent(snapshot)}`, query: { format: 'json' } };
  },
  read(root) {
    const [record] = objectsAt(root, 'records');
    // one record that is delivered alone may come without its list
    const found = record ?? (root.raw('prompt') === undefined ? undefined : root);
    if (found === undefined) throw new ShapeError('it has no record');
    const error = wordsAt(found, 'error', 'warning');
    const text = wordsAt(found, 'answer_text_markdown', 'answer_text') ?? '';
    if (error !== undefined && text === '')
      throw new ServiceError('WORKER_FAILED', `${name} delivered an error: ${error}`, { charged: 'no' });
    return {
      text,
      citations: citationsIn(citedBy(found)),
      model: wordsAt(found, 'model'),
      prompt: wordsAt(found, 'prompt'),
    };
  },
});

/** In their order. Pages that were searched, and entries that say that they are not cited, are left out. */
function citedBy(record: Fields): readonly Fields[] {
  const lists = ['citations', 'sources'].map((list) => objectsAt(record, list));
  const entries = lists.find((list) => list.length > 0) ?? [];
  return entries
    .filter((entry) => entry.raw('cited') !== false)
    .toSorted((a, b) => (numberAt(a, 'position') ?? 0) - (numberAt(b, 'position') ?? 0));
}
