// DataForSEO metrics only: the cost of tasks, codes in a 200, language names of the planner.
import { afterEach, expect, it } from 'vitest';
import { createMetricsSource, type MetricsSource, type ServiceError, systemClock } from '../../../src/service/index.ts';
import { type Script, startVendorServer, type VendorServer } from '../../contract/sources/vendor-server.ts';

let vendor: VendorServer;
let source: MetricsSource;

afterEach(async () => {
  await source.close?.();
});

async function start(script: Script) {
  vendor = await startVendorServer();
  vendor.script = script;
  const credentials = { login: 'me@acme.example', password: 'password-of-mine' };
  const options = { ...credentials, baseUrl: vendor.url, allowLoopback: true, requestsPerSecond: 1000 };
  source = await createMetricsSource('dataforseo', options, { clock: systemClock });
}

const ask = (limit = 1, language = 'en') =>
  source.fetchMetrics(
    { keyword: 'shoes', country: 'US', language, limit },
    { signal: new AbortController().signal, at: 0 },
  );

function answer(result: unknown, code = 20_000, cost: number | null = 0.075) {
  const task = { status_code: code, status_message: 'Told.', result, ...(cost !== null && { cost }) };
  return { body: { status_code: 20_000, tasks: [task] } };
}

const row = (keyword: string, more: object = {}) => ({ keyword, search_volume: 90, cpc: 1.5, ...more });

it('the requested keyword among its related ones needs no second task', async () => {
  await start(() => answer([row('boots'), row('Shoes', { competition: 'HIGH', competition_index: 90 })]));
  const rows = await ask(10);
  expect(rows).toMatchObject([
    { keyword: 'shoes', competition: 90, related_keywords: ['boots'] },
    { keyword: 'boots' },
  ]);
  expect(vendor.requests.map(({ path }) => path)).toEqual(['/v3/keywords_data/google_ads/keywords_for_keywords/live']);
});

it('numbers of another country or language are refused', async () => {
  let market: object = {};
  await start(() => answer([row('shoes', market)]));
  for (const own of [{}, { location_code: 2840, language_code: 'en' }, { language_code: null }]) {
    market = own;
    expect(await ask()).toMatchObject([{ keyword: 'shoes', search_volume: 90 }]);
  }
  for (const other of [{ location_code: 2276 }, { language_code: 'de' }]) {
    market = other;
    await expect(ask()).rejects.toMatchObject({ code: 'WORKER_FAILED', disposition: 'abandon', charged: 'yes' });
  }
});

it('twenty thousand keywords are read, and the most related are kept', async () => {
  const months = Array.from({ length: 12 }, (_, nth) => ({ year: 2026, month: nth + 1, search_volume: 10 * nth }));
  const many = Array.from({ length: 20_000 }, (_, nth) => row(`shoes ${nth}`, { monthly_searches: months }));
  await start(() => answer([...many, row('shoes')]));
  const rows = await ask(3);
  expect(rows.map(({ keyword }) => keyword)).toEqual(['shoes', 'shoes 0', 'shoes 1']);
});

it.each([
  [40_202, 0, 'RATE_LIMIT_EXCEEDED', 'wait', 'no'],
  [40_203, 0, 'INSUFFICIENT_CREDITS', 'halt', 'no'],
  [40_501, 0, 'INVALID_REQUEST', 'abandon', 'no'],
  [40_101, 0.075, 'WORKER_FAILED', 'retry', 'yes'],
  [50_000, 0, 'WORKER_FAILED', 'retry', 'no'],
  [50_000, null, 'WORKER_FAILED', 'retry', 'unknown'],
])(
  'a task that ends with %i and cost %s is %s, %s, charged: %s',
  async (code, cost, expected, disposition, charged) => {
    await start(() => answer(null, code, cost));
    const error = await ask().catch((thrown: unknown) => thrown as ServiceError);
    expect(error).toMatchObject({ code: expected, disposition, charged });
  },
);

it.each([
  ['en-GB', 'en'],
  ['pt-BR', 'pt'],
  ['he', 'iw'],
  ['nb', 'no'],
  ['zh', 'zh_CN'],
  ['zh-HK', 'zh_TW'],
  ['fil', 'tl'],
])('the language %s is sent as %s', async (language, code) => {
  await start(() => answer([row('shoes')]));
  await ask(1, language);
  expect(vendor.requests[0]?.json).toMatchObject([
    { language_code: code, location_code: 2840, search_partners: false },
  ]);
});
