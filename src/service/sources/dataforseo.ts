// DataForSEO: result pages as JSON, live in one call, or cheaper through its queue; and Google Maps, live.
import * as z from 'zod';
import { placeInAddress, rejectOtherPlace } from '../engines/page/other-market.ts';
import { rejectOtherQuery } from '../engines/page/query.ts';
import { ServiceError } from '../model/errors.ts';
import { keywordKey } from '../model/results/keyword-data.ts';
import type { ReadPage } from '../model/results/serp.ts';
import type { AiAnswer, AnswerEngine, AnswerRequest, PageRequest, SourceFacts } from '../model/source.ts';
import { type Fields, present, ShapeError } from '../net/fields.ts';
import {
  authorization,
  complaint,
  decodedKeyword,
  encodedKeyword,
  findResult,
  findTask,
  login,
  nothingFound,
  pageSize,
  password,
  probe,
  queueComplaint,
  readCharge,
  readCost,
  refusals,
  rejectOtherTask,
  targetOf,
  taskFor,
} from './dataforseo/api.ts';
import { readAnswer } from './dataforseo/page.ts';
import { QueuedSource } from './dataforseo/queue.ts';
import { answersExample, citationsIn, defineAnswers } from './vendor-kit/answers.ts';
import { defineVendor, openVendorClient, type Vendor, type VendorForm, vendorOptions } from './vendor-kit/define.ts';
import { mapMiddle, readMapPage } from './vendor-kit/elements.ts';
import { mapFacts } from './vendor-kit/facts.ts';
import { languageParameter, locationCode } from './vendor-kit/market.ts';
import {
  defineMetrics,
  type KnownMetrics,
  metricsExample,
  namedIn,
  orderMetrics,
  roomIn,
} from './vendor-kit/metrics.ts';
import { plannerLevels, plannerMarket, plannerTakes } from './vendor-kit/planner.ts';
import { numberAt, objectAt, objectsAt, wordsAt } from './vendor-kit/values.ts';

const name = 'dataforseo';
const price = (mode: string, microUsd: number) => ({
  mode,
  unit: 'micro_usd' as const,
  firstPage: microUsd,
  // later pages are cheaper within one task only, and each page is a separate task here
  furtherPage: microUsd,
  unitMicroUsd: { least: 1, most: 1 },
  asOf: '2026-08',
});

const facts: SourceFacts = {
  title: 'DataForSEO',
  prices: [price('method: live', 2000), price('method: queued', 600), price('method: queued, priority: high', 1200)],
  failureCharge: 'unknown',
  failureRule: 'Each answer states the cost of its task: an error of the engine (40101) is charged, a refusal is not.',
  emptyRule: 'An empty page says so: task status 40102. Beyond page 1 an empty list alone proves nothing.',
  pageSize,
  rate: { requestsPerSecond: 33, concurrency: 30 },
  devices: ['desktop', 'mobile'],
  hasCountries: true,
  locations: ['place', 'coordinate'],
  hasLocalResults: true,
  example: [
    'mode: embedded',
    `source: ${name}`,
    `login: \${DATAFORSEO_LOGIN}`,
    `password: \${DATAFORSEO_PASSWORD}`,
  ].join('\n'),
};

const options = vendorOptions
  .omit({ apiKey: true })
  .extend({
    login: login.optional(),
    password: password.optional(),
    accounts: z
      .array(z.strictObject({ login, password }))
      .min(1)
      .max(50)
      .optional()
      .describe('Instead of login and password: several accounts, used in turn.'),
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
    loadAiOverview: z
      .boolean()
      .default(false)
      .describe(
        'Waits for an AI overview that the engine loads later, which costs 600 to 1,200 micro-USD more. Default: only what the page shows at once.',
      ),
  })
  .superRefine((given, { addIssue }) => {
    const isPair = given.login !== undefined && given.password !== undefined;
    const isNamed = given.login !== undefined || given.password !== undefined;
    if (given.accounts === undefined ? isPair : !isNamed) return;
    addIssue({ code: 'custom', message: 'write login and password, or accounts with a list of them' });
  });

type DataForSeoOptions = z.output<typeof options>;

/** One text an account: `login:password`. */
function keysOf(given: DataForSeoOptions): readonly string[] {
  const accounts = given.accounts ?? [{ login: given.login ?? '', password: given.password ?? '' }];
  return accounts.map((account) => `${account.login}:${account.password}`);
}

const form: VendorForm<DataForSeoOptions> = {
  name,
  facts,
  options,
  baseUrl: 'https://api.dataforseo.com',
  keysOf,
  call: (asked, key, choices) => ({
    method: 'POST',
    path: '/v3/serp/google/organic/live/advanced',
    headers: authorization(key),
    json: [taskFor(asked, choices)],
  }),
  complaint,
  outOfBandError: (_headers, _status, root) => ({ charged: root === undefined ? undefined : readCharge(root) }),
  nothingFound,
  refusals,
  read: readAnswer,
  probe,
};

const live = defineVendor(form);

/** Searches of Google Maps, live. Form: the vendor's documentation of 2026-06. */
export const maps = defineVendor({
  ...form,
  name: 'dataforseo-maps',
  facts: {
    ...facts,
    ...mapFacts,
    title: 'DataForSEO, Google Maps',
    prices: [
      { unit: 'micro_usd', firstPage: 2000, furtherPage: 2000, unitMicroUsd: { least: 1, most: 1 }, asOf: '2026-11' },
    ],
    emptyRule: 'An empty page says so: task status 40102.',
    example: facts.example.replace(`source: ${name}`, 'source: dataforseo-maps'),
  },
  options: options,
  call: (asked, key) => ({
    method: 'POST',
    path: '/v3/serp/google/maps/live/advanced',
    headers: authorization(key),
    json: [mapTaskFor(asked)],
  }),
  read: readMap,
});

export const vendor: Vendor = {
  facts,
  options,
  create(given, dependencies) {
    const chosen = options.parse(given);
    const source = live.create(chosen, dependencies);
    if (chosen.method === 'live' || source.serp === undefined) return source;
    const line = openVendorClient({ ...form, complaint: queueComplaint }, chosen, dependencies);
    return { serp: new QueuedSource({ name, line, choices: chosen, reader: source.serp, ...dependencies }) };
  },
};

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

function readMap(root: Fields, asked: PageRequest): ReadPage {
  if (nothingFound.test(complaint(root) ?? '')) return { serp: {}, features: [] };
  const task = findTask(root);
  if (task === undefined) throw new ShapeError('the answer has no task');
  const result = findResult(root);
  for (const echo of [objectAt(task, 'data'), result]) rejectOtherTask(asked, echo);
  const echoed = wordsAt(result, 'keyword');
  rejectOtherPlace(asked, [placeInAddress(wordsAt(result, 'check_url'))], { shownIn: 'echo' });
  rejectOtherQuery(asked.keyword, [echoed === encodedKeyword(asked.keyword) ? undefined : echoed]);
  const places = objectsAt(result, 'items').filter((item) => /^maps_/.test(wordsAt(item, 'type') ?? ''));
  const first = (asked.page - 1) * mapFacts.pageSize;
  return readMapPage(places.slice(first), { saysEmpty: false, hasList: false });
}

const accountOptions = vendorOptions.omit({ apiKey: true }).extend({ login, password });

export const metrics = defineMetrics<z.output<typeof accountOptions>>({
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
    note: 'A task costs the same for one keyword and for thousands. A keyword that is not among its own related keywords takes a second task.',
    example: metricsExample(name, { login: 'DATAFORSEO_LOGIN', password: 'DATAFORSEO_PASSWORD' }),
  },
  options: accountOptions,
  baseUrl: 'https://api.dataforseo.com',
  keysOf: ({ login, password }) => [`${login}:${password}`],
  complaint,
  nothingFound,
  refusals,
  outOfBandError: (_headers, _status, root) => ({ charged: root === undefined ? undefined : readCharge(root) }),
  // up to 20,000 keywords, each with its months
  sizes: { bytesMax: 96 * 1024 * 1024, valuesMax: 3_000_000 },
  takes: plannerTakes,
  async fetch(asked, ask) {
    const { location, languageCode } = plannerMarket(asked, name);
    const common = { location_code: location, language_code: languageCode, search_partners: false };
    const carryOut = async (path: string, keywords: readonly string[], more: Readonly<Record<string, string>> = {}) => {
      const json = [{ keywords, ...common, ...more }];
      const root = await ask((key) => ({ method: 'POST', path: `${base}${path}`, headers: authorization(key), json }));
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
  probe,
});

const base = '/v3/keywords_data/google_ads';

function toMetrics(row: Fields): KnownMetrics[] {
  const keyword = wordsAt(row, 'keyword');
  if (keyword === undefined) return [];
  return [
    present<KnownMetrics>({
      keyword,
      search_volume: numberAt(row, 'search_volume'),
      cpc: numberAt(row, 'cpc'),
      // `competition` is a word here, and a fraction in other parts of the same vendor
      competition: numberAt(row, 'competition_index'),
      competition_level: plannerLevels.get(wordsAt(row, 'competition')),
    }),
  ];
}

/** The vendor refuses longer prompts to the API of an assistant. */
const apiPromptCharactersMax = 500;
const apiModel = 'sonar';

const paths: Readonly<Partial<Record<AnswerEngine, string>>> = {
  'ai-mode': '/v3/serp/google/ai_mode/live/advanced',
  chatgpt: '/v3/ai_optimization/chat_gpt/llm_scraper/live/advanced',
  gemini: '/v3/ai_optimization/gemini/llm_scraper/live/advanced',
  perplexity: '/v3/ai_optimization/perplexity/llm_responses/live',
};

export const answers = defineAnswers<z.output<typeof accountOptions>>({
  name,
  facts: {
    title: 'DataForSEO',
    engines: [
      {
        engine: 'ai-mode',
        microUsdMax: 10_000,
        asOf: '2026-08',
        format: 'docs.dataforseo.com, serp/google/ai_mode (page of 2026-06-06), read 2026-11',
      },
      {
        engine: 'chatgpt',
        microUsdMax: 10_000,
        asOf: '2026-08',
        format: 'docs.dataforseo.com, ai_optimization/chat_gpt/llm_scraper, read 2026-11',
      },
      {
        engine: 'gemini',
        microUsdMax: 10_000,
        asOf: '2026-08',
        format: 'docs.dataforseo.com, ai_optimization/gemini/llm_scraper, read 2026-11',
      },
      {
        engine: 'perplexity',
        microUsdMax: 30_000,
        asOf: '2026-08',
        format: `docs.dataforseo.com, ai_optimization/perplexity/llm_responses (model ${apiModel}), read 2026-11: the API of the assistant, not its page`,
      },
    ],
    failureCharge: 'unknown',
    failureRule: 'Each answer states the cost of its task.',
    rate: { requestsPerSecond: 10, concurrency: 10 },
    example: answersExample(name, { login: 'DATAFORSEO_LOGIN', password: 'DATAFORSEO_PASSWORD' }),
  },
  options: accountOptions,
  baseUrl: 'https://api.dataforseo.com',
  keysOf: ({ login, password }) => [`${login}:${password}`],
  complaint,
  refusals,
  outOfBandError: (_headers, _status, root) => ({ charged: root === undefined ? undefined : readCharge(root) }),
  call: (request, key) => ({
    method: 'POST',
    path: paths[request.engine] ?? '',
    headers: authorization(key),
    json: [taskOf(request)],
  }),
  read(root, engine) {
    const result = findResult(root);
    const prompt = promptIn(root);
    return { ...readText(result, engine), ...(prompt !== undefined && { prompt }) };
  },
  stated: (root) => readCost(findTask(root)),
});

function taskOf({ engine, prompt, country, language }: AnswerRequest): Record<string, unknown> {
  if (engine === 'perplexity') {
    if (prompt.length > apiPromptCharactersMax)
      throw answerRefusal(`has no answers to prompts of more than ${apiPromptCharactersMax} characters`);
    return { user_prompt: prompt, model_name: apiModel, web_search_country_iso_code: country };
  }
  const location = locationCode(country);
  if (location === undefined) throw answerRefusal(`has no code for the country ${country}`);
  return {
    keyword: encodedKeyword(prompt),
    location_code: location,
    language_code: languageParameter(language),
    ...(engine === 'ai-mode' && { device: 'desktop' }),
  };
}

/** Of the result, else of the request that the task repeats. */
function promptIn(root: Fields): string | undefined {
  const asked = objectAt(findTask(root), 'data');
  const keyword = wordsAt(findResult(root), 'keyword') ?? wordsAt(asked, 'keyword');
  return keyword === undefined ? wordsAt(asked, 'user_prompt') : decodedKeyword(keyword);
}

function readText(result: Fields | undefined, engine: AnswerEngine): AiAnswer {
  if (engine === 'ai-mode') return readAiMode(result);
  return engine === 'perplexity' ? readApiAnswer(result) : readPageAnswer(result);
}

function readAiMode(result: Fields | undefined): AiAnswer {
  const overviews = objectsAt(result, 'items').filter((item) => wordsAt(item, 'type') === 'ai_overview');
  const elements = overviews.flatMap((item) => objectsAt(item, 'items'));
  const written = overviews.flatMap((item) => wordsAt(item, 'markdown') ?? []);
  const texts = written.length > 0 ? written : elements.flatMap((item) => wordsAt(item, 'markdown', 'text') ?? []);
  const references = [...overviews, ...elements].flatMap((item) => objectsAt(item, 'references'));
  return { text: texts.join('\n\n'), citations: citationsIn(references) };
}

/** Its `search_results` are pages that were searched; `sources` are those that the answer cites. */
function readPageAnswer(result: Fields | undefined): AiAnswer {
  const model = wordsAt(result, 'model');
  return {
    text: wordsAt(result, 'markdown') ?? '',
    citations: citationsIn(objectsAt(result, 'sources')),
    ...(model !== undefined && { model }),
  };
}

function readApiAnswer(result: Fields | undefined): AiAnswer {
  const messages = objectsAt(result, 'items').filter((item) => wordsAt(item, 'type') === 'message');
  const sections = messages.flatMap((item) => objectsAt(item, 'sections'));
  const model = wordsAt(result, 'model_name');
  return {
    text: sections.flatMap((section) => wordsAt(section, 'text') ?? []).join('\n\n'),
    citations: citationsIn(sections.flatMap((section) => objectsAt(section, 'annotations'))),
    ...(model !== undefined && { model }),
  };
}

function answerRefusal(what: string): ServiceError {
  return new ServiceError('INVALID_REQUEST', `${name} ${what}.`, { hint: 'Use another source of AI answers for it.' });
}
