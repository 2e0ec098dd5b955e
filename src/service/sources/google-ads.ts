// Google Ads: the keyword planner of your own account. Free, slow, and in the currency of the account.
import * as z from 'zod';
import { ServiceError } from '../model/errors.ts';
import type { Clock } from '../model/ports.ts';
import type {
  MetricsFacts,
  MetricsModule,
  MetricsRequest,
  MetricsSource,
  SourceContext,
  SourceDependencies,
  SourceProbe,
} from '../model/source.ts';
import { type Fields, ShapeError } from '../net/fields.ts';
import { complaint, findRow, parseAnswer, pauseIn, refusals, toMetrics } from './google-ads/answer.ts';
import { Access, refreshGrant, tokenRefusals } from './vendor-kit/client/oauth-access.ts';
import { probing, testOutcome } from './vendor-kit/client/probe.ts';
import type { VendorClient } from './vendor-kit/client/vendor-client.ts';
import { metricsExample } from './vendor-kit/metrics/metrics.ts';
import { metricsFailure } from './vendor-kit/metrics/metrics-failure.ts';
import {
  type AskedMetrics,
  type KnownMetrics,
  namedIn,
  orderMetrics,
  roomIn,
  togetherOrAlone,
  toRows,
  withWanted,
} from './vendor-kit/metrics/metrics-list.ts';
import { plannerMarket, plannerTakes } from './vendor-kit/metrics/planner.ts';
import { openVendorClient, vendorOptions } from './vendor-kit/pages/define.ts';
import { objectAt, objectsAt, wordsAt } from './vendor-kit/values.ts';

const name = 'google-ads';

const facts: MetricsFacts = {
  title: 'Google Ads',
  prices: [],
  failureCharge: 'no',
  failureRule: 'Nothing is charged; the operations of a day are limited by the access level of the developer token.',
  knows: ['search_volume', 'cpc', 'competition', 'related_keywords'],
  keywordsMax: 1000,
  rate: { requestsPerSecond: 1, concurrency: 1 },
  note: 'The cost per click is the average cost, or else the middle of the top-of-page bids. In a currency other than USD it is unknown without usdPerUnit. Close variants share their numbers.',
  example: metricsExample(name, {
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

export const vendor: MetricsModule = {
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
      return toRows(await togetherOrAlone(asked, async (each) => await this.#fetch(each, signal)), asked);
    } catch (error) {
      throw metricsFailure(error, form);
    }
  }

  async #fetch(asked: AskedMetrics, signal: AbortSignal): Promise<readonly KnownMetrics[]> {
    const { location, languageConstant } = plannerMarket(asked, name);
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
    const { version, customerId, loginCustomerId } = this.#options;
    const token = await this.#access.token(signal);
    this.#line.addSecret(token);
    try {
      const { root } = await this.#line.send(
        (developerToken) => ({
          method: 'POST',
          path: `/${version}/customers/${customerId}${method}`,
          headers: {
            authorization: `Bearer ${token}`,
            'developer-token': developerToken,
            ...(loginCustomerId !== undefined && { 'login-customer-id': loginCustomerId }),
          },
          json,
        }),
        signal,
      );
      return root;
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'INVALID_API_KEY') this.#access.forget();
      throw error;
    }
  }
}
