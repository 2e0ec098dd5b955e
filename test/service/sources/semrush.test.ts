// Semrush only: errors as lines of text, tables with columns in any order, databases, intents.
import { afterEach, expect, it } from 'vitest';
import { createMetricsSource, type MetricsSource, type ServiceError, systemClock } from '../../../src/service/index.ts';
import { type Reply, startVendorServer, type VendorServer } from '../../contract/sources/vendor-server.ts';

let vendor: VendorServer;
let source: MetricsSource;

afterEach(async () => {
  await source.close?.();
});

async function ask(body: string, more: Partial<Reply> & { country?: string } = {}) {
  const { country = 'US', ...reply } = more;
  vendor = await startVendorServer();
  vendor.script = () => ({ body, ...reply });
  const options = { apiKey: 'key-of-semrush', baseUrl: vendor.url, allowLoopback: true };
  source = await createMetricsSource('semrush', options, { clock: systemClock });
  const request = { keyword: 'shoes', country, language: 'en', limit: 1 };
  return await source.fetchMetrics(request, { signal: new AbortController().signal, at: 0 });
}

it.each([
  ['ERROR 120 :: WRONG KEY - ID PAIR', 'INVALID_API_KEY', 'halt'],
  ['ERROR 122 :: WRONG FORMAT OR EMPTY KEY', 'INVALID_API_KEY', 'halt'],
  ['ERROR 130 :: API DISABLED', 'IP_NOT_WHITELISTED', 'halt'],
  ['ERROR 131 :: LIMIT EXCEEDED', 'INSUFFICIENT_CREDITS', 'halt'],
  ['ERROR 132 :: API UNITS BALANCE IS ZERO', 'INSUFFICIENT_CREDITS', 'halt'],
  ['ERROR 133 :: DB ACCESS DENIED', 'INVALID_REQUEST', 'abandon'],
  ['ERROR 134 :: TOTAL LIMIT EXCEEDED', 'INSUFFICIENT_CREDITS', 'halt'],
  ['ERROR 135 :: API REPORT TYPE DISABLED', 'IP_NOT_WHITELISTED', 'halt'],
  ['ERROR 43 :: MANDATORY PARAMETER "phrase" NOT SET OR EMPTY', 'INVALID_REQUEST', 'abandon'],
  ['ERROR 429 :: TOO MANY REQUESTS', 'RATE_LIMIT_EXCEEDED', 'wait'],
  ['ERROR 500 :: SOMETHING NEW', 'WORKER_FAILED', 'retry'],
])('%s in a 200 costs nothing and is %s', async (line, code, disposition) => {
  const error = await ask(line).catch((thrown: unknown) => thrown as ServiceError);
  expect(error).toMatchObject({ code, disposition, charged: 'no', message: expect.stringContaining(line) });
});

it('columns are found by their headers, in any order and number', async () => {
  const [row] = await ask('Trends;Intent;Competition;CPC;Search Volume;Keyword\n0.5,1;3,1;0.335;2.5;880;shoes\n');
  expect(row).toMatchObject({ search_volume: 880, cpc: 2.5, competition: 34, intent: 'transactional' });
});

it.each([
  ['0', 'commercial'],
  ['1', 'informational'],
  ['2', 'navigational'],
  ['3', 'transactional'],
  ['"1,0"', 'informational'],
  ['', null],
  ['7', null],
])('the intent %s is %s', async (cell, intent) => {
  const [row] = await ask(`Keyword;Search Volume;CPC;Competition;Intent\nshoes;10;1;0.1;${cell}`);
  expect(row?.intent).toBe(intent);
});

it('an empty cell is unknown, and a keyword may contain the delimiter', async () => {
  const rows = await ask('Keyword;Search Volume;CPC;Competition;Intent\r\n"shoes; ""red""";;;;\r\n');
  // unknown values are omitted
  expect(rows).toEqual([]);
  const known = 'Keyword;Search Volume;CPC;Competition;Intent\r\n"shoes";10;;;\r\n';
  await vendor.close();
  await source.close?.();
  expect((await ask(known))[0]).toMatchObject({ search_volume: 10, cpc: null, competition: null, intent: null });
});

it.each([
  ['a row that is cut off', 'Keyword;Search Volume;CPC;Competition;Intent\nshoes;10;1'],
  ['a table of something else', 'Domain;Rank\nacme.example;1'],
  ['words', 'Come back later'],
])('%s is not an answer', async (_name, body) => {
  const error = await ask(body).catch((thrown: unknown) => thrown as ServiceError);
  expect(error).toMatchObject({ code: 'UNREADABLE_RESPONSE', charged: 'unknown', disposition: 'abandon' });
});

it('a cell that is not a number makes the answer unreadable: it is paid, and nothing is invented', async () => {
  const body = 'Keyword;Search Volume;CPC;Competition;Intent\nshoes;10K-100K;1;0.1;1';
  const error = await ask(body).catch((thrown: unknown) => thrown as ServiceError);
  expect(error).toMatchObject({ code: 'WORKER_FAILED', charged: 'yes', disposition: 'abandon' });
});

it('a database is named after the country', async () => {
  for (const [country, database] of [
    ['GB', 'uk'],
    ['DE', 'de'],
  ] as const) {
    await ask('ERROR 50 :: NOTHING FOUND', { country });
    expect(vendor.requests[0]?.query.get('database')).toBe(database);
    await vendor.close();
    await source.close?.();
  }
  await ask('ERROR 50 :: NOTHING FOUND');
});
