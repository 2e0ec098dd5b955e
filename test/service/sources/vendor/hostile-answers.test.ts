// What hostile answers of a vendor take of memory and time, measured in a process of its own.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Reply, startVendorServer, type VendorServer } from '../../../contract/sources/vendor-server.ts';

const run = promisify(execFile);
const child = join(import.meta.dirname, '..', '..', '..', 'helpers', 'hungry-child.ts');
const mebibyte = 1024 * 1024;
const gzip = { 'content-encoding': 'gzip' };
const unreadable = 'UNREADABLE_RESPONSE unknown';
const noResults = 'SERP_FAILED no_organic_results yes';

const answers: readonly (readonly [string, string, () => Reply])[] = [
  ['200 MiB in 200 KiB', unreadable, () => ({ headers: gzip, body: gzipSync(Buffer.alloc(200 * mebibyte, 32)) })],
  ['64 MiB', unreadable, () => ({ body: Buffer.alloc(64 * mebibyte, 32) })],
  ['four million brackets', unreadable, () => ({ body: '['.repeat(4 * mebibyte) })],
  ['a million objects', unreadable, () => ({ body: `{"organic":[${'{},'.repeat(1_000_000)}{}]}` })],
  ['45,000 objects', 'SERP_FAILED unparseable yes', () => ({ body: `{"organic":[${'{},'.repeat(45_000)}{}]}` })],
  [
    '95,000 fields',
    noResults,
    () => ({ body: `{${Array.from({ length: 95_000 }, (_, at) => `"field${at}":${at}`).join(',')}}` }),
  ],
  [
    'four MB of Latin-1',
    noResults,
    () => ({ body: Buffer.concat([Buffer.from('{"a":"'), Buffer.alloc(4_000_000, 233), Buffer.from('"}')]) }),
  ],
  ['two million quotes', noResults, () => ({ body: `{"a":"${'\\"'.repeat(2_000_000)}"}` })],
];

let vendor: VendorServer;

beforeAll(async () => {
  vendor = await startVendorServer();
});

afterAll(async () => {
  await vendor.close();
});

it.each(answers)('%s takes at most 64 MiB', { timeout: 60_000 }, async (name, outcome, reply) => {
  const hostile = reply();
  const warm = { searchParameters: { q: 'warm' }, organic: [{ title: 'A', link: 'https://a.example/' }] };
  vendor.script = ({ json }) => ((json as { q: string }).q === 'warm' ? { body: warm } : hostile);
  const options = { apiKey: 'first-key-123', baseUrl: vendor.url, allowLoopback: true, requestsPerSecond: 1000 };
  const { stdout } = await run(process.execPath, [child, 'serper', JSON.stringify(options)]);
  const told = JSON.parse(stdout) as { outcome: string; ms: number; moreMiB: number };
  console.info(`${name}: ${told.moreMiB} MiB, ${told.ms} ms`);
  expect(told.outcome).toBe(outcome);
  expect(told.moreMiB).toBeLessThanOrEqual(64);
});
