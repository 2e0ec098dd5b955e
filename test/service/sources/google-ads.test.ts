// Google Ads only: access tokens, the account's currency, close variants, bids, and error messages.
import { afterEach, expect, it } from 'vitest';
import { createMetricsSource, type MetricsSource, type ServiceError } from '../../../src/service/index.ts';
import {
  type Reply,
  type SeenRequest,
  startVendorServer,
  type VendorServer,
} from '../../contract/sources/vendor-server.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';

let vendor: VendorServer;
let source: MetricsSource;
let clock: FakeClock;

afterEach(async () => {
  await source.close?.();
});

interface World {
  readonly currency?: string;
  readonly token?: (request: SeenRequest) => Reply;
  readonly metrics?: Record<string, unknown>;
  readonly results?: readonly unknown[];
  readonly ideas?: readonly unknown[];
  readonly refuse?: Reply;
}

async function start(world: World = {}, more: object = {}) {
  vendor = await startVendorServer();
  clock = new FakeClock();
  let tokens = 0;
  vendor.script = (request) => {
    if (request.path === '/token') {
      const answer = { access_token: `ya29.token-number-${++tokens}`, expires_in: 3600 };
      return world.token?.(request) ?? { body: answer };
    }
    if (request.path.endsWith('/googleAds:search')) {
      return { body: { results: [{ customer: { currencyCode: world.currency ?? 'USD' } }] } };
    }
    if (world.refuse !== undefined) return world.refuse;
    if (request.path.endsWith(':generateKeywordIdeas')) return { body: { results: world.ideas ?? [] } };
    return { body: { results: world.results ?? [{ text: 'shoes', keywordMetrics: world.metrics ?? {} }] } };
  };
  const options = {
    developerToken: 'developer-token',
    clientId: 'client',
    clientSecret: 'client-secret',
    refreshToken: 'refresh-token',
    customerId: 1234567890,
    baseUrl: vendor.url,
    authUrl: vendor.url,
    allowLoopback: true,
    requestsPerSecond: 1000,
    ...more,
  };
  source = await createMetricsSource('google-ads', options, { clock });
}

async function ask(limit = 1, keyword = 'shoes') {
  const context = { signal: new AbortController().signal, at: 0 };
  const request = { keyword, country: 'US', language: 'en', limit };
  const asking = source.fetchMetrics(request, context);
  // the client waits a millisecond between its calls
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  asking.then(over, over);
  while (!isOver) {
    await clock.advance(1);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return await asking;
}

const failure = async (): Promise<ServiceError> =>
  await ask().then(
    () => expect.fail('metrics came'),
    (error: unknown) => error as ServiceError,
  );

const paths = () => vendor.requests.map(({ path }) => path.replace('/v26/customers/1234567890', ''));

it('the access token and the currency are requested once, and a token again before it expires', async () => {
  await start({ metrics: { avgMonthlySearches: '90' } });
  await ask();
  await ask();
  expect(paths()).toEqual([
    '/token',
    '/googleAds:search',
    ':generateKeywordHistoricalMetrics',
    ':generateKeywordHistoricalMetrics',
  ]);
  const [token] = vendor.requests;
  expect(Object.fromEntries(new URLSearchParams(token?.text))).toEqual({
    grant_type: 'refresh_token',
    client_id: 'client',
    client_secret: 'client-secret',
    refresh_token: 'refresh-token',
  });
  await clock.advance(3_541_000);
  await ask();
  expect(paths().slice(4)).toEqual(['/token', ':generateKeywordHistoricalMetrics']);
  expect(vendor.requests.at(-1)?.headers.authorization).toBe('Bearer ya29.token-number-2');
  expect(vendor.requests.at(-1)?.headers['login-customer-id']).toBeUndefined();
});

it('a token that is refused is not used again', async () => {
  await start({ refuse: { status: 401, body: { error: { code: 401, status: 'UNAUTHENTICATED', message: 'No.' } } } });
  expect(await failure()).toMatchObject({ code: 'INVALID_API_KEY', disposition: 'halt', charged: 'no' });
  await clock.advance(60_000);
  await failure();
  expect(paths().filter((path) => path === '/token')).toHaveLength(2);
});

it('a refresh token that is revoked halts with a remedy', async () => {
  const reply = { status: 400, body: { error: 'invalid_grant', error_description: 'Token has been revoked.' } };
  await start({ token: () => reply });
  const error = await failure();
  expect(error).toMatchObject({ code: 'INVALID_API_KEY', disposition: 'halt', charged: 'no' });
  expect(`${error.message} ${error.hint}`).toMatch(/invalid_grant: Token has been revoked.*new refresh token/);
});

it('a truncated access token is not stored', async () => {
  await start({ token: () => ({ body: '{"access_token":"ya29.half-of-a-tok' }) });
  const error = await failure();
  expect(error).toMatchObject({ code: 'WORKER_FAILED', charged: 'no' });
  expect(error.body).toBeUndefined();
  expect(`${error.message}${String(error.cause)}`).not.toContain('ya29');
});

it('a token that the vendor repeats is hidden', async () => {
  const body = { error: { code: 400, status: 'INVALID_ARGUMENT', message: 'ya29.token-number-1 and client-secret' } };
  await start({ refuse: { status: 400, body } });
  const error = await failure();
  expect(error).toMatchObject({ code: 'INVALID_REQUEST', disposition: 'abandon', charged: 'no' });
  expect(error.message).toBe('google-ads answered 400: INVALID_ARGUMENT: *** and ***');
});

it('a cost is the average one, else the middle of both bids, else unknown', async () => {
  const cases: [Record<string, unknown>, number | null][] = [
    [{ averageCpcMicros: '1230000', lowTopOfPageBidMicros: '1', highTopOfPageBidMicros: '3' }, 1.23],
    [{ lowTopOfPageBidMicros: '1000000', highTopOfPageBidMicros: '4000000' }, 2.5],
    [{ lowTopOfPageBidMicros: '1000000' }, null],
    [{}, null],
  ];
  for (const [metrics, cpc] of cases) {
    await start({ metrics: { avgMonthlySearches: '10', ...metrics } });
    expect((await ask())[0]?.cpc).toBe(cpc);
    await vendor.close();
    await source.close?.();
  }
  await start();
});

it('a cost in another currency is unknown, unless the options give the exchange rate', async () => {
  const metrics = { avgMonthlySearches: '10', averageCpcMicros: '2000000' };
  await start({ currency: 'EUR', metrics });
  expect((await ask())[0]).toMatchObject({ cpc: null, search_volume: 10 });
  const probe = source.probe?.({ signal: new AbortController().signal, at: 0 });
  await clock.advance(10_000);
  expect((await probe)?.message).toContain('Its currency is EUR');
  await vendor.close();
  await source.close?.();
  await start({ currency: 'EUR', metrics }, { usdPerUnit: 1.08 });
  expect((await ask())[0]?.cpc).toBe(2.16);
  expect(paths()).not.toContain('/googleAds:search');
});

it('64-bit numbers arrive as texts; absent or null is unknown; a level is independent of its index', async () => {
  await start({ metrics: { avgMonthlySearches: '0', competition: 'LOW', competitionIndex: null } });
  const [row] = await ask();
  expect(row).toMatchObject({ search_volume: 0, competition: null, competition_level: 'low', cpc: null });
});

it('a keyword that was merged with another one has the numbers of both, under its own name', async () => {
  const row = { text: 'car', closeVariants: ['cars', 'shoes'], keywordMetrics: { avgMonthlySearches: '700' } };
  const idea = { text: 'car', closeVariants: ['shoes'], keywordIdeaMetrics: { avgMonthlySearches: '700' } };
  const other = { text: 'boots', keywordIdeaMetrics: { avgMonthlySearches: '5' } };
  await start({ results: [row], ideas: [idea, other] });
  const rows = await ask(10);
  expect(rows.map(({ keyword, search_volume }) => [keyword, search_volume])).toEqual([
    ['shoes', 700],
    ['boots', 5],
  ]);
  expect(rows[0]?.related_keywords).toEqual(['boots']);
});

it.each([
  ['RESOURCE_EXHAUSTED', 429, {}, 'RATE_LIMIT_EXCEEDED', 'wait'],
  ['PERMISSION_DENIED', 403, { authorizationError: 'DEVELOPER_TOKEN_NOT_APPROVED' }, 'IP_NOT_WHITELISTED', 'halt'],
  ['PERMISSION_DENIED', 403, { authorizationError: 'USER_PERMISSION_DENIED' }, 'IP_NOT_WHITELISTED', 'halt'],
  ['INVALID_ARGUMENT', 400, { requestError: 'UNSUPPORTED_VERSION' }, 'NOT_FOUND', 'halt'],
  ['INVALID_ARGUMENT', 400, { keywordPlanIdeaError: 'INVALID_VALUE' }, 'INVALID_REQUEST', 'abandon'],
  ['UNAVAILABLE', 503, {}, 'WORKER_FAILED', 'retry'],
  ['DEADLINE_EXCEEDED', 504, {}, 'TIMEOUT', 'retry'],
])('%s (%i, %j) is %s', async (status, code, errorCode, expected, disposition) => {
  const error = { code, status, message: 'Told.', details: [{ errors: [{ errorCode, message: 'In detail.' }] }] };
  await start({ refuse: { status: code, body: [{ error }] } });
  const failed = await failure();
  expect([failed.code, failed.disposition, failed.charged]).toEqual([expected, disposition, 'no']);
  expect(failed.message).toContain('In detail.');
});

it('a quota without a delay is waited for by default, and one with a delay as long as it says', async () => {
  const errors = [
    { errorCode: { quotaError: 'RESOURCE_EXHAUSTED' }, details: { quotaErrorDetails: { retryDelay: '812.4s' } } },
  ];
  const error = { code: 429, status: 'RESOURCE_EXHAUSTED', details: [{ errors }] };
  await start({ refuse: { status: 429, body: { error } } });
  expect(await failure()).toMatchObject({ retryAfterMs: 812_400 });
});

it('accounts are numbers with or without hyphens', async () => {
  await start({}, { customerId: '123-456-7890', loginCustomerId: '999-888-7777' });
  await ask();
  expect(vendor.requests.at(-1)).toMatchObject({
    path: '/v26/customers/1234567890:generateKeywordHistoricalMetrics',
    headers: { 'login-customer-id': '9998887777' },
  });
  const wrong = { developerToken: 'd', clientId: 'c', clientSecret: 's', refreshToken: 'r', customerId: 'acme/../x' };
  await expect(createMetricsSource('google-ads', wrong, { clock })).rejects.toThrow('customerId: must be the number');
});
