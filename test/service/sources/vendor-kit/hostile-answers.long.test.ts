// Memory and time that hostile answers of a vendor take, measured in a separate process.
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { beforeAll, it } from 'vitest';
import { type Reply, startVendorServer, type VendorServer } from '../../../contract/sources/vendor-server.ts';
import { expectOutcomes, hostileNumber } from '../../../helpers/hunger.ts';

const mebibyte = 1024 * 1024;
const gzip = { 'content-encoding': 'gzip' };
const spaces = Buffer.alloc(200 * mebibyte, 32);
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
const unreadable = 'UNREADABLE_RESPONSE unknown';
const noResults = 'SERP_FAILED no_organic_results yes';

const allAnswers: readonly (readonly [string, string, () => Reply])[] = [
  ['200 MiB in 200 KiB', unreadable, () => ({ headers: gzip, body: gzipSync(spaces) })],
  [
    '200 MiB by br',
    unreadable,
    () => ({ headers: { 'content-encoding': 'br' }, body: brotliCompressSync(spaces, quality) }),
  ],
  ['200 MiB by zstd', unreadable, () => ({ headers: { 'content-encoding': 'zstd' }, body: zstdCompressSync(spaces) })],
  ['60 MB of spaces', unreadable, () => ({ body: spaces.subarray(0, 60_000_000) })],
  ['4 MB of spaces', unreadable, () => ({ body: spaces.subarray(0, 4_000_000) })],
  ['20,000 nested arrays', unreadable, () => ({ body: `{"organic":${'['.repeat(20_000)}${']'.repeat(20_000)}}` })],
  ['truncated JSON', unreadable, () => ({ body: `{"organic":[{"title":"${'x'.repeat(3_000_000)}` })],
  ['HTML', unreadable, () => ({ body: `<!doctype html><html>${'<b>x</b>'.repeat(500_000)}` })],
  ['escaped surrogates', noResults, () => ({ body: `{"a":"${'\\ud800'.repeat(650_000)}"}` })],
  ['UTF-16', unreadable, () => ({ body: Buffer.from(`{"a":"${'x'.repeat(1_900_000)}"}`, 'utf16le') })],
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

it("a vendor's answer takes at most 96 MiB", async () => {
  const ready = allAnswers.map(([, , reply]) => reply());
  vendor.script = ({ json }) => {
    const { q } = json as { q: string };
    const body = { searchParameters: { q }, organic: [{ title: 'A', link: 'https://a.example/' }] };
    return ready[hostileNumber(q) ?? -1] ?? { body };
  };
  const options = { apiKey: 'first-key-123', baseUrl: vendor.url, allowLoopback: true, requestsPerSecond: 1000 };
  await expectOutcomes(
    'serper',
    options,
    allAnswers.map(([name, outcome]) => [name, outcome]),
  );
});
