// Google Ads: the keyword planner of your own account. Free, slow, and in the currency of the account.
import * as z from 'zod';
import type { Clock } from '../model/ports.ts';
import { keywordKey } from '../model/results/keyword-data.ts';
import { metricsGoods } from '../model/search-limits.ts';
import type {
  MetricsFacts,
  MetricsModule,
  MetricsRequest,
  MetricsSource,
  SourceContext,
  SourceDependencies,
  SourceProbe,
} from '../model/source.ts';
import { boundedJson, type Fields, ShapeError, vendorBounds } from '../net/fields.ts';
import { bearer, type OutOfBandError, type VendorClient } from './vendor-kit/client.ts';
import { openVendorClient, vendorOptions } from './vendor-kit/define.ts';
import { besideExample } from './vendor-kit/facts.ts';
import { refuseUnsold } from './vendor-kit/market.ts';
import {
  type AskedMetrics,
  type KnownMetrics,
  metricsFailure,
  namedIn,
  orderMetrics,
  roomIn,
  togetherOrAlone,
  toRows,
  withWanted,
} from './vendor-kit/metrics.ts';
import { Access, refreshGrant, tokenComplaint, tokenRefusals } from './vendor-kit/oauth-access.ts';
import { plannerLevels, plannerLimits, plannerMarket, plannerTakes } from './vendor-kit/planner.ts';
import { probing, testOutcome } from './vendor-kit/probe.ts';
import type { RefusalRule } from './vendor-kit/refusals.ts';
import { numberAt, objectAt, objectsAt, wordsAt } from './vendor-kit/values.ts';

const name = 'google-ads';

const facts: MetricsFacts = {
  title: 'Google Ads',
  prices: [],
  failureCharge: 'no',
  failureRule: 'Nothing is charged; the operations of a day are limited by the access level of the developer token.',
  knows: ['search_volume', 'cpc', 'competition', 'related_keywords'],
  keywordsMax: 1000,
  rate: { requestsPerSecond: 1, concurrency: 1 },
  ...plannerLimits,
  note: 'The cost per click is the average cost, or else the middle of the top-of-page bids. In a currency other than USD it is unknown without usdPerUnit. Close variants share their numbers.',
  example: besideExample('metrics', name, {
    developerToken: 'ADS_DEVELOPER_TOKEN',
    clientId: 'ADS_CLIENT_ID',
    clientSecret: 'ADS_CLIENT_SECRET',
    refreshToken: 'ADS_REFRESH_TOKEN',
    customerId: 'ADS_CUSTOMER_ID',
  }),
};

const text = z.string().regex(/^[\x21-\x7e]{1,2000}$/, 'printable characters without spaces');

/** `123-456-7890`, with or without its hyphens. */
const account = z
  .union([z.string(), z.int().positive().transform(String)])
  .transform((id) => id.replaceAll('-', '').trim())
  .refine((id) => /^\d{1,20}$/.test(id), 'must be the number of an account, such as 123-456-7890');

const options = vendorOptions.omit({ apiKey: true }).extend({
  developerToken: text.describe('Developer token of the manager account.'),
  clientId: text.describe('OAuth client.'),
  clientSecret: text.describe('Its secret.'),
  refreshToken: text.describe('Refresh token of a user with access to the account, for the scope adwords.'),
  customerId: account.describe('Account to query: 123-456-7890.'),
  loginCustomerId: account.optional().describe('Manager account that gives access to it. Default: none.'),
  version: z
    .string()
    .regex(/^v\d{1,3}$/, 'must be like v26')
    .default('v26')
    .describe('Version of the API: each is served for about a year.'),
  usdPerUnit: z
    .number()
    .positive()
    .max(1000)
    .optional()
    .describe("US dollars per unit of the account's currency, if it is not USD: 1.08."),
  partners: z.boolean().default(false).describe('Includes searches on partner sites.'),
  authUrl: z.url().optional().describe('Another URL of the token server, without /token.'),
});

type Options = z.output<typeof options>;

/** What the codes of an error mean, as `complaint` writes them. */
const refusals: readonly RefusalRule[] = [
  { words: /RESOURCE_EXHAUSTED|RESOURCE_TEMPORARILY_EXHAUSTED|EXCESSIVE_/, means: 'throttled', pauseMs: 5000 },
  {
    words: /DEVELOPER_TOKEN_NOT_APPROVED/,
    means: 'forbidden',
    hint: 'The developer token is for test accounts only: apply for Basic access.',
  },
  { words: /UNSUPPORTED_VERSION/, means: 'wrong_address', hint: 'Name a version that is still served: version: v27.' },
  {
    words: /USER_PERMISSION_DENIED|NOT_ADS_USER|CUSTOMER_NOT_ENABLED/,
    means: 'forbidden',
    hint: 'Check customerId and loginCustomerId.',
  },
  { words: /UNAUTHENTICATED|OAUTH_TOKEN|DEVELOPER_TOKEN_(?:INVALID|PROHIBITED|PARAMETER_MISSING)/, means: 'bad_key' },
  { words: /PERMISSION_DENIED|SERVICE_DISABLED/, means: 'forbidden' },
  { words: /DEADLINE_EXCEEDED/, means: 'timeout' },
];

const form = {
  name,
  facts,
  baseUrl: 'https://googleads.googleapis.com',
  keysOf: ({ developerToken }: Options) => [developerToken],
  secretsOf: ({ clientSecret, refreshToken }: Options) => [clientSecret, refreshToken],
  complaint,
  refusals,
  parse: parseAnswer,
  outOfBandError: (_headers: unknown, _status: number, root: Fields | undefined) => pauseIn(root),
};

export const vendor: MetricsModule<typeof options> = {
  facts,
  options,
  create: (given, dependencies) => new GoogleAds(options.parse(given), dependencies),
};

class GoogleAds implements MetricsSource {
  readonly name = name;
  readonly kind = 'live';
  readonly #options: Options;
  readonly #line: VendorClient;
  readonly #access: Access;
  /** The account's currency, after its first query. */
  #currency: string | undefined;

  constructor(given: Options, dependencies: SourceDependencies) {
    this.#options = given;
    this.#line = openVendorClient<Options>(form, given, dependencies);
    const clock: Clock = dependencies.clock;
    const tokenOptions = { ...given, baseUrl: given.authUrl };
    const tokenForm = { ...form, baseUrl: 'https://oauth2.googleapis.com', refusals: tokenRefusals };
    this.#access = new Access(
      openVendorClient<Options>(tokenForm, tokenOptions, dependencies),
      refreshGrant(given),
      clock,
    );
  }

  async fetchMetrics(request: MetricsRequest, { signal, wanted = [] }: SourceContext) {
    const asked = withWanted(request, wanted, plannerTakes);
    try {
      refuseUnsold(name, facts, request, metricsGoods);
      return toRows(await togetherOrAlone(asked, async (each) => await this.#fetch(each, signal)), asked);
    } catch (error) {
      throw metricsFailure(error, form);
    }
  }

  async #fetch(asked: AskedMetrics, signal: AbortSignal): Promise<readonly KnownMetrics[]> {
    const { location, languageConstant } = plannerMarket(asked);
    const question = {
      language: `languageConstants/${languageConstant}`,
      geoTargetConstants: [`geoTargetConstants/${location}`],
      keywordPlanNetwork: this.#options.partners ? 'GOOGLE_SEARCH_AND_PARTNERS' : 'GOOGLE_SEARCH',
      historicalMetricsOptions: { includeAverageCpc: true },
    };
    const rows = async (method: string, more: object) =>
      objectsAt(await this.#ask(method, { ...question, ...more }, signal), 'results');
    const usdPerUnit = await this.#usdPerUnit(signal);
    const named = namedIn(asked);
    const found = await rows(':generateKeywordHistoricalMetrics', { keywords: named });
    const measured = named.flatMap((keyword) => {
      const row = findRow(found, keyword);
      return row === undefined ? [] : [toMetrics(row, keyword, usdPerUnit)];
    });
    if (roomIn(asked) < 1) return orderMetrics(asked, measured, []);
    const seed = { keywordSeed: { keywords: [asked.keyword] }, pageSize: asked.limit };
    const ideas = await rows(':generateKeywordIdeas', seed);
    const same = new Set(named.map((keyword) => findRow(ideas, keyword)));
    const related = ideas.flatMap((row) => {
      const keyword = wordsAt(row, 'text');
      return keyword === undefined || same.has(row) ? [] : [toMetrics(row, keyword, usdPerUnit)];
    });
    return orderMetrics(asked, measured, related);
  }

  async probe({ signal }: SourceContext): Promise<SourceProbe> {
    return await probing(async () => {
      this.#currency = undefined;
      const usdPerUnit = await this.#usdPerUnit(signal, true).catch((error: unknown) => {
        throw metricsFailure(error, form);
      });
      const cost =
        usdPerUnit === null
          ? ` Its currency is ${this.#currency}: the cost per click is unknown without usdPerUnit.`
          : '';
      return testOutcome(true, `${name} answers.${cost}`);
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.#line.close(), this.#access.close()]);
  }

  /** What a unit of the account's currency is worth; null if unknown. */
  async #usdPerUnit(signal: AbortSignal, isProbe = false): Promise<number | null> {
    const { usdPerUnit } = this.#options;
    if (usdPerUnit !== undefined && !isProbe) return usdPerUnit;
    if (this.#currency === undefined) {
      const query = 'SELECT customer.currency_code FROM customer LIMIT 1';
      const [row] = objectsAt(await this.#ask('/googleAds:search', { query }, signal), 'results');
      const currency = wordsAt(objectAt(row, 'customer'), 'currencyCode');
      if (currency === undefined) throw new ShapeError('it names no currency of the account');
      this.#currency = currency;
    }
    return usdPerUnit ?? (this.#currency === 'USD' ? 1 : null);
  }

  async #ask(method: string, json: object, signal: AbortSignal): Promise<Fields> {
    const { version, customerId, loginCustomerId, developerToken } = this.#options;
    return await this.#access.use(this.#line, signal, async (token) => {
      const headers = {
        ...bearer(token).headers,
        'developer-token': developerToken,
        ...(loginCustomerId !== undefined && { 'login-customer-id': loginCustomerId }),
      };
      const path = `/${version}/customers/${customerId}${method}`;
      return (await this.#line.send({ path, headers, json }, signal)).root;
    });
  }
}

/** An object, or a list that has one in it: both forms are sent. */
function parseAnswer(text: string): unknown {
  const value = boundedJson(text, vendorBounds);
  return Array.isArray(value) ? value[0] : value;
}

/** `RESOURCE_EXHAUSTED quotaError RESOURCE_EXHAUSTED: Too many requests.`; undefined for an answer without an error. */
function complaint(root: Fields): string | undefined {
  const error = objectAt(root, 'error');
  if (error === undefined) return tokenComplaint(root);
  const failures = listFailures(error);
  const codes = failures.flatMap((failure) => Object.entries((failure.raw('errorCode') as object | undefined) ?? {}));
  const words = wordsAt(failures[0], 'message') ?? wordsAt(error, 'message') ?? 'without a message';
  return `${[wordsAt(error, 'status') ?? 'ERROR', ...codes.flat()].join(' ')}: ${words}`;
}

/** How long to wait, as it stands in the details of an error. */
function pauseIn(root: Fields | undefined): OutOfBandError {
  const failures = listFailures(objectAt(root, 'error'));
  const delay = failures.map((failure) =>
    wordsAt(objectAt(objectAt(failure, 'details'), 'quotaErrorDetails'), 'retryDelay'),
  );
  const seconds = Number(/^(\d+(?:\.\d+)?)s$/.exec(delay.find((each) => each !== undefined) ?? '')?.[1]);
  return Number.isFinite(seconds) ? { pauseMs: Math.ceil(seconds * 1000) } : {};
}

function listFailures(error: Fields | undefined): readonly Fields[] {
  return objectsAt(error, 'details').flatMap((detail) => objectsAt(detail, 'errors'));
}

/** The row of a keyword: under its own name, or as a close variant of another one, whose numbers are for both. */
function findRow(rows: readonly Fields[], keyword: string): Fields | undefined {
  const key = keywordKey(keyword);
  const isText = (text: unknown): boolean => typeof text === 'string' && keywordKey(text) === key;
  return rows.find((row) => isText(row.raw('text'))) ?? rows.find((row) => row.array('closeVariants')?.some(isText));
}

/**
 * The metrics of a row. Numbers of 64 bits come as texts; one that is absent is unknown. The cost of a click is the
 * average one, or where there is none the middle of what the top of the page costs; `usdPerUnit` is what a unit of the
 * account's currency is worth, null where that is not known.
 */
function toMetrics(row: Fields, keyword: string, usdPerUnit: number | null): KnownMetrics {
  const metrics = objectAt(row, 'keywordMetrics') ?? objectAt(row, 'keywordIdeaMetrics');
  const [low, high] = [numberAt(metrics, 'lowTopOfPageBidMicros'), numberAt(metrics, 'highTopOfPageBidMicros')];
  const middle = low === undefined || high === undefined ? undefined : (low + high) / 2;
  const micros = numberAt(metrics, 'averageCpcMicros') ?? middle;
  return {
    keyword,
    search_volume: numberAt(metrics, 'avgMonthlySearches'),
    cpc: micros === undefined || usdPerUnit === null ? undefined : Math.round(micros * usdPerUnit) / 1_000_000,
    competition: numberAt(metrics, 'competitionIndex'),
    competition_level: plannerLevels.get(wordsAt(metrics, 'competition')),
  };
}
