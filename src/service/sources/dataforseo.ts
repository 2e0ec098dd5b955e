// DataForSEO: result pages, live or cheaper through its queue, Google Maps, keyword metrics, and AI answers, as JSON.
import * as z from 'zod';
import { keywordKey } from '../model/results/keyword-data.ts';
import type { AiAnswer, AnswerEngine, AnswerRequest, PageRequest, SerpSource, SourceFacts } from '../model/source.ts';
import { type Fields, ShapeError } from '../net/fields.ts';
import {
  balance,
  complaint,
  decodedKeyword,
  encodedKeyword,
  findResult,
  findTask,
  languageCode,
  login,
  nothingFound,
  pageIn,
  pageLanguages,
  pagesAtOnce,
  password,
  queueComplaint,
  readCharge,
  readCost,
  refusals,
  resultIn,
  targetOf,
  taskFor,
} from './dataforseo/api.ts';
import { listItems, readPage } from './dataforseo/page.ts';
import { TaskQueue, taskTag } from './dataforseo/queue.ts';
import { type AnswersForm, citationsIn, defineAnswers } from './vendor-kit/answers.ts';
import { basic, type OutOfBandError } from './vendor-kit/client.ts';
import {
  accountOptions,
  defineVendor,
  isOneOrSeveral,
  openVendorClient,
  type Vendor,
  type VendorForm,
} from './vendor-kit/define.ts';
import { mapMiddle, readMapPage } from './vendor-kit/elements.ts';
import { besideExample, mapFacts, pagePrice, vendorExample, webFacts } from './vendor-kit/facts.ts';
import { locationCode, refusePage } from './vendor-kit/market.ts';
import { defineMetrics, type KnownMetrics, namedIn, orderMetrics, roomIn } from './vendor-kit/metrics.ts';
import { plannerLevels, plannerLimits, plannerMarket, plannerTakes } from './vendor-kit/planner.ts';
import { numberAt, objectsAt, wordsAt } from './vendor-kit/values.ts';

const name = 'dataforseo';
const variables = { login: 'DATAFORSEO_LOGIN', password: 'DATAFORSEO_PASSWORD' };

/** What every product of the vendor has in common. */
const account = {
  baseUrl: 'https://api.dataforseo.com',
  proof: basic,
  complaint,
  refusals,
  outOfBandError: (_headers: unknown, _status: number, root: Fields | undefined): OutOfBandError => ({
    charged: root && readCharge(root),
  }),
};

const facts: SourceFacts = {
  ...webFacts,
  title: 'DataForSEO',
  prices: [
    { mode: 'method: live', ...pagePrice(2000, '2026-08') },
    { mode: 'method: queued', ...pagePrice(600, '2026-08') },
    { mode: 'method: queued, priority: high', ...pagePrice(1200, '2026-08') },
  ],
  failureCharge: 'unknown',
  failureRule: 'Each answer states the cost of its task: an error of the engine (40101) is charged, a refusal is not.',
  emptyRule: 'An empty page says so: task status 40102. Beyond page 1 an empty list alone proves nothing.',
  rate: { requestsPerSecond: 33, concurrency: 30 },
  languages: pageLanguages,
  example: vendorExample(name, variables),
};

const queueOptions = {
  method: z
    .enum(['live', 'queued'])
    .default('live')
    .describe('`live` answers within seconds; `queued` costs less, and takes minutes per page.'),
  priority: z
    .enum(['normal', 'high'])
    .default('normal')
    .describe('For `method: queued`: `normal` takes about 5 minutes, `high` about 1 and costs twice as much.'),
  waitMinutes: z
    .int()
    .min(1)
    .max(120)
    .default(15)
    .describe('For `method: queued`: maximum wait for a page. Its task stays valid: the next attempt finds it.'),
};

const mapOptions = accountOptions
  .extend({
    login: login.optional(),
    password: password.optional(),
    accounts: z
      .array(z.strictObject({ login, password }))
      .min(1)
      .max(50)
      .optional()
      .describe('Instead of login and password: several accounts, used in turn.'),
    ...queueOptions,
    loadAiOverview: z
      .boolean()
      .default(false)
      .describe(
        'Waits for an AI overview that the engine loads later, which costs 600 to 1,200 micro-USD more. Default: only what the page shows at once.',
      ),
  })
  .superRefine((given, { addIssue }) => {
    if (isOneOrSeveral([given.login, given.password], given.accounts)) return;
    addIssue({ code: 'custom', message: 'write login and password, or accounts with a list of them' });
  });

const options = mapOptions.safeExtend({
  wholeDepth: z
    .boolean()
    .default(false)
    .describe(
      'Buys pages 1 to 10 in one task, where single pages are expected to cost more: each page after the first costs 25 % less. Default: page by page.',
    ),
});

type MapOptions = z.output<typeof mapOptions>;
type DataForSeoOptions = z.output<typeof options>;

const form: VendorForm<MapOptions> = {
  ...account,
  name,
  facts,
  options: mapOptions,
  // one text an account
  keysOf: ({ accounts, login: one = '', password: secret = '' }) =>
    (accounts ?? [{ login: one, password: secret }]).map((each) => `${each.login}:${each.password}`),
  call: (asked, choices) => ({
    path: '/v3/serp/google/organic/live/advanced',
    json: [taskFor(asked, choices)],
  }),
  nothingFound,
  pageIn,
  echo: { address: 'check_url', addressNames: ['place', 'market'], queries: ['keyword'], encode: encodedKeyword },
  // of other spellings the page only speaks
  searchedInstead: (result) =>
    /^(?:showing_results_for|no_results_found_for)$/.test(wordsAt(result, 'spell.type') ?? '')
      ? wordsAt(result, 'spell.keyword')
      : undefined,
  read: readPage,
  // an empty list beyond the first page is the end of the results
  listsNothing: (result, page) => page > 1 && listItems(result).length === 0,
  account: balance,
};

const live = defineVendor({
  ...form,
  options,
  range: ({ wholeDepth }) => (wholeDepth ? pagesAtOnce : undefined),
});

/** Searches of Google Maps, live. Form: the vendor's documentation of 2026-06. */
export const maps = defineVendor({
  ...form,
  name: 'dataforseo-maps',
  facts: {
    ...facts,
    ...mapFacts,
    title: 'DataForSEO, Google Maps',
    prices: [pagePrice(2000, '2026-11')],
    emptyRule: 'An empty page says so: task status 40102.',
    example: vendorExample('dataforseo-maps', variables),
  },
  call: (asked) => ({
    path: '/v3/serp/google/maps/live/advanced',
    json: [mapTaskFor(asked)],
  }),
  echo: { ...form.echo, addressNames: ['place'] },
  pageIn: resultIn,
  searchedInstead: () => undefined,
  read(result, { page }) {
    const places = objectsAt(result, 'items').filter((item) => /^maps_/.test(wordsAt(item, 'type') ?? ''));
    return readMapPage(places.slice((page - 1) * mapFacts.pageSize));
  },
  listsNothing: () => false,
});

/**
 * The vendor sells lists from the first place on, up to 100 places at one price. A coordinate has a zoom instead of the
 * radius of results pages.
 */
function mapTaskFor(asked: PageRequest): Record<string, unknown> {
  const middle = mapMiddle(asked.location)?.slice(1);
  return {
    keyword: encodedKeyword(asked.keyword),
    ...targetOf(asked),
    ...(middle !== undefined && { location_coordinate: middle }),
    depth: asked.page * mapFacts.pageSize,
  };
}

export const vendor: Vendor<typeof options> = {
  ...live,
  create(given, dependencies) {
    const chosen = options.parse(given);
    const source = live.create(chosen, dependencies);
    if (chosen.method === 'live' || source.serp === undefined) return source;
    const line = openVendorClient({ ...form, complaint: queueComplaint }, chosen, dependencies);
    const queue = new TaskQueue({ name, path: '/v3/serp/google/organic', line, ...chosen, ...dependencies });
    return { serp: queuedPages(source.serp, queue, chosen) };
  },
};

/** The pages of `reader`, bought through the queue: each is a task, found again under the key of its purchase. */
function queuedPages(reader: SerpSource, queue: TaskQueue, choices: DataForSeoOptions): SerpSource {
  const { bodyType, range, probe } = reader;
  return {
    name,
    kind: 'live',
    keepsKeys: true,
    requestTimeoutMs: queue.requestTimeoutMs,
    ...{ bodyType, range, probe },
    async fetchPage(asked, { signal, idempotencyKey }) {
      refusePage(name, facts, asked);
      const { keyword, country, language, mobile, page, location, through } = asked;
      const where = location === undefined ? [] : [location];
      // the page of several that is asked for first makes no other task
      const which = through === undefined ? [page] : [1, { through }];
      const tag = taskTag(idempotencyKey, [keyword, country, language, mobile, ...which, ...where]);
      const { body, observedAt } = await queue.fetch(tag, taskFor(asked, choices), signal);
      return { body, observedAt };
    },
    // a task may have ended long before its answer is collected: its page has the time of the task
    readPage: (body, asked) => reader.readPage(body, asked),
    async close() {
      await Promise.all([queue.close(), reader.close?.()]);
    },
  };
}

const oneAccountOptions = accountOptions.extend({ login, password });
type OneAccount = z.output<typeof oneAccountOptions>;

/** Of the products beside results pages: one account. */
const oneAccount = {
  ...account,
  options: oneAccountOptions,
  keysOf: (given: OneAccount) => [`${given.login}:${given.password}`],
};

/** Metrics from Google's planner, by task: related keywords, usually with the requested one. */
export const metrics = defineMetrics({
  ...oneAccount,
  name,
  facts: {
    title: 'DataForSEO',
    prices: [
      {
        unit: 'micro_usd',
        perRequest: 75_000,
        perWanted: 0,
        perRelated: 0,
        unitMicroUsd: { least: 1, most: 1 },
        asOf: '2026-08',
      },
    ],
    failureCharge: 'unknown',
    failureRule: 'Each answer states the cost of its task.',
    knows: ['search_volume', 'cpc', 'competition', 'related_keywords'],
    keywordsMax: 1000,
    // twelve calls a minute
    rate: { requestsPerSecond: 0.2, concurrency: 4 },
    ...plannerLimits,
    note: 'A task costs the same for one keyword and for thousands. A keyword that is not among its own related keywords takes a second task.',
    example: besideExample('metrics', name, variables),
  },
  nothingFound,
  // up to 20,000 keywords, each with its months
  sizes: { bytesMax: 96 * 1024 * 1024, valuesMax: 3_000_000 },
  takes: plannerTakes,
  async fetch(asked, ask) {
    const { location, languageCode } = plannerMarket(asked);
    const common = { location_code: location, language_code: languageCode, search_partners: false };
    const carryOut = async (path: string, keywords: readonly string[], more: Readonly<Record<string, string>> = {}) => {
      const json = [{ keywords, ...common, ...more }];
      const root = await ask({ path: `${base}${path}`, json });
      const rows = objectsAt(findTask(root), 'result');
      const isOther = (row: Fields) =>
        (numberAt(row, 'location_code') ?? location) !== location ||
        (wordsAt(row, 'language_code') ?? languageCode).toLowerCase() !== languageCode.toLowerCase();
      if (rows.some(isOther)) throw new ShapeError('a row is of another country or language');
      return rows.flatMap(toMetrics);
    };
    const measure = () => carryOut('/search_volume/live', namedIn(asked));
    const relatives = () => carryOut('/keywords_for_keywords/live', [asked.keyword], { sort_by: 'relevance' });
    if (asked.wanted.length > 0)
      return orderMetrics(asked, await measure(), roomIn(asked) < 1 ? [] : await relatives());
    const ideas = asked.limit === 1 ? [] : await relatives();
    const isAmong = ideas.some(({ keyword }) => keywordKey(keyword) === keywordKey(asked.keyword));
    return orderMetrics(asked, isAmong ? ideas : await measure(), ideas);
  },
  account: balance,
});

const base = '/v3/keywords_data/google_ads';

function toMetrics(row: Fields): KnownMetrics[] {
  const keyword = wordsAt(row, 'keyword');
  if (keyword === undefined) return [];
  return [
    {
      keyword,
      search_volume: numberAt(row, 'search_volume'),
      cpc: numberAt(row, 'cpc'),
      // `competition` is a word here, and a fraction in other parts of the same vendor
      competition: numberAt(row, 'competition_index'),
      competition_level: plannerLevels.get(wordsAt(row, 'competition')),
    },
  ];
}

const apiModel = 'sonar';

const paths: Readonly<Partial<Record<AnswerEngine, string>>> = {
  'ai-mode': '/v3/serp/google/ai_mode/live/advanced',
  chatgpt: '/v3/ai_optimization/chat_gpt/llm_scraper/live/advanced',
  gemini: '/v3/ai_optimization/gemini/llm_scraper/live/advanced',
  perplexity: '/v3/ai_optimization/perplexity/llm_responses/live',
};

const price = { microUsdMax: 10_000, asOf: '2026-08' };

/** As dataforseo.com/pricing/serp/google-ai-mode-serp-api has it, read 2026-11. */
const aiModeMicroUsd = { live: 4_000, normal: 1_200, high: 2_400 };

const answerOptions = oneAccountOptions.extend({
  method: queueOptions.method.describe(
    'For `ai-mode`: `live` answers within seconds; `queued` costs a third, and takes minutes. Other engines answer live.',
  ),
  priority: queueOptions.priority,
  waitMinutes: queueOptions.waitMinutes,
});

/** Answers that may wait at once: a post of the queue. */
const answersWaitingMax = 100;

/** AI Mode, ChatGPT and Gemini as their pages show them, and Perplexity's API. */
const answersForm: AnswersForm<z.output<typeof answerOptions>> = {
  ...oneAccount,
  options: answerOptions,
  name,
  facts: {
    title: 'DataForSEO',
    engines: [
      {
        engine: 'ai-mode',
        microUsdMax: aiModeMicroUsd.live,
        asOf: '2026-11',
        languages: pageLanguages,
        keyword: { charactersMax: 700 },
        format: 'docs.dataforseo.com, serp/google/ai_mode (page of 2026-06-06), read 2026-11',
      },
      {
        ...price,
        engine: 'chatgpt',
        format: 'docs.dataforseo.com, ai_optimization/chat_gpt/llm_scraper, read 2026-11',
      },
      { ...price, engine: 'gemini', format: 'docs.dataforseo.com, ai_optimization/gemini/llm_scraper, read 2026-11' },
      {
        ...price,
        engine: 'perplexity',
        microUsdMax: 30_000,
        keyword: { charactersMax: 500 },
        format: `docs.dataforseo.com, ai_optimization/perplexity/llm_responses (model ${apiModel}), read 2026-11: the API of the assistant, not its page`,
      },
    ],
    failureCharge: 'unknown',
    failureRule: 'Each answer states the cost of its task.',
    rate: { requestsPerSecond: 10, concurrency: 10 },
    example: besideExample('answers', name, variables),
  },
  call: (request) => ({ path: paths[request.engine] ?? '', json: [taskOf(request)] }),
  read: (root, engine) => ({ ...readText(findResult(root), engine), prompt: promptIn(root) }),
  stated: (root) => readCost(findTask(root)),
  factsFor({ method, priority }) {
    const microUsdMax = aiModeMicroUsd[method === 'live' ? method : priority];
    const { facts } = answersForm;
    const engines = facts.engines.map((each) => (each.engine === 'ai-mode' ? { ...each, microUsdMax } : each));
    return { ...facts, engines };
  },
  queue(options, dependencies) {
    if (options.method === 'live') return undefined;
    const line = openVendorClient({ ...answersForm, complaint: queueComplaint }, options, dependencies);
    const queue = new TaskQueue({ name, path: '/v3/serp/google/ai_mode', line, ...options, ...dependencies });
    return {
      engines: ['ai-mode'],
      concurrency: answersWaitingMax,
      requestTimeoutMs: queue.requestTimeoutMs,
      async fetch(request, { signal, idempotencyKey }) {
        const { engine, prompt, country, language } = request;
        const tag = taskTag(idempotencyKey, [engine, prompt, country, language]);
        return await queue.fetch(tag, taskOf(request), signal);
      },
      close: () => queue.close(),
    };
  },
};

export const answers = defineAnswers(answersForm);

function taskOf({ engine, prompt, country, language }: AnswerRequest): Record<string, unknown> {
  if (engine === 'perplexity')
    return { user_prompt: prompt, model_name: apiModel, web_search_country_iso_code: country };
  return {
    keyword: encodedKeyword(prompt),
    location_code: locationCode(country),
    language_code: languageCode(language),
    ...(engine === 'ai-mode' && { device: 'desktop' }),
  };
}

/** Of the result, else of the request that the task repeats. */
function promptIn(root: Fields): string | undefined {
  const task = findTask(root);
  const keyword = wordsAt(task, 'result.keyword', 'data.keyword');
  return keyword === undefined ? wordsAt(task, 'data.user_prompt') : decodedKeyword(keyword);
}

function readText(result: Fields | undefined, engine: AnswerEngine): AiAnswer {
  if (engine === 'ai-mode') return readAiMode(result);
  if (engine === 'perplexity') return readApiAnswer(result);
  // its `search_results` are pages that were searched; `sources` are those that the answer cites
  const citations = citationsIn(objectsAt(result, 'sources'));
  return { text: wordsAt(result, 'markdown') ?? '', citations, model: wordsAt(result, 'model') };
}

function readAiMode(result: Fields | undefined): AiAnswer {
  const overviews = objectsAt(result, 'items').filter((item) => wordsAt(item, 'type') === 'ai_overview');
  const elements = overviews.flatMap((item) => objectsAt(item, 'items'));
  const written = overviews.flatMap((item) => wordsAt(item, 'markdown') ?? []);
  const texts = written.length > 0 ? written : elements.flatMap((item) => wordsAt(item, 'markdown', 'text') ?? []);
  const references = [...overviews, ...elements].flatMap((item) => objectsAt(item, 'references'));
  return { text: texts.join('\n\n'), citations: citationsIn(references) };
}

function readApiAnswer(result: Fields | undefined): AiAnswer {
  const messages = objectsAt(result, 'items').filter((item) => wordsAt(item, 'type') === 'message');
  const sections = messages.flatMap((item) => objectsAt(item, 'sections'));
  const text = sections.flatMap((section) => wordsAt(section, 'text') ?? []).join('\n\n');
  const citations = citationsIn(sections.flatMap((section) => objectsAt(section, 'annotations')));
  return { text, citations, model: wordsAt(result, 'model_name') };
}
