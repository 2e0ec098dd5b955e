// Memory and time that hostile pages take in direct fetching, measured in a separate process for every engine.
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, it } from 'vitest';
import { expectOutcomes, hostileNumber } from '../../../helpers/hunger.ts';
import { bingPage, bingResult } from '../../engines/bing/pages.ts';
import { duckPage, duckResult } from '../../engines/duckduckgo/pages.ts';
import { desktopPage, result } from '../../engines/google/pages.ts';
import { type Answer, type EngineServer, startEngineServer } from './engine-server.ts';

const mebibyte = 1024 * 1024;
const spaces = Buffer.alloc(200 * mebibyte, 32);
const coded = (coding: string, body: Uint8Array): Answer => ({ headers: { 'content-encoding': coding }, body });
const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
const wideWindow = { params: { [constants.ZSTD_c_windowLog]: 27, [constants.ZSTD_c_enableLongDistanceMatching]: 1 } };

function layered(layers: number): Answer {
  let body: Buffer = spaces.subarray(0, 5 * mebibyte);
  for (let layer = 0; layer < layers; layer++) body = gzipSync(body, { level: 0 });
  return coded(Array(layers).fill('gzip').join(', '), body);
}

/** A page with more bytes before its end. */
function with5MB(page: string, bytes: Uint8Array): Answer {
  const [begin = '', end = ''] = page.split('</body>');
  return { body: Buffer.concat([Buffer.from(begin), Buffer.alloc(5_000_000, bytes), Buffer.from(`</body>${end}`)]) };
}

const unparseable = 'SERP_FAILED unparseable no';
const empty = 'SERP_FAILED javascript_wall no';
const noList = 'SERP_FAILED no_organic_results no';
/** `outcome`: by engine where they differ. */
type Hostile = readonly [
  name: string,
  outcome: string | Readonly<Record<string, string>>,
  answer: (page: (results: number) => string) => Answer,
];

/** Answers without a page of the engine are the same for all engines, and take seconds to compress. */
function madeOnce(hostile: readonly Hostile[]): readonly Hostile[] {
  return hostile.map(([name, outcome, answer]) => {
    if (answer.length > 0) return [name, outcome, answer];
    let made: Answer | undefined;
    return [name, outcome, (page) => (made ??= answer(page))];
  });
}

/** Answers of any engine, with the expected result. */
const allPages = madeOnce([
  ['200 MiB by gzip', unparseable, () => coded('gzip', gzipSync(spaces))],
  ['200 MiB by deflate', unparseable, () => coded('deflate', deflateSync(spaces))],
  ['200 MiB by br', unparseable, () => coded('br', brotliCompressSync(spaces, quick))],
  ['200 MiB by zstd', unparseable, () => coded('zstd', zstdCompressSync(spaces))],
  [
    'a zstd window of 128 MiB',
    unparseable,
    () => coded('zstd', zstdCompressSync(spaces.subarray(0, 150 * mebibyte), wideWindow)),
  ],
  ['gzip in gzip, 50 times', unparseable, () => layered(50)],
  ['64 MiB of spaces', unparseable, () => ({ body: spaces.subarray(0, 64 * mebibyte) })],
  ['6 MB of spaces', unparseable, () => ({ body: spaces.subarray(0, 6_000_000) })],
  ['20,000 nested tags', unparseable, () => ({ body: '<div>'.repeat(20_000) })],
  ['700,000 elements', unparseable, () => ({ body: '<b>x</b>'.repeat(700_000) })],
  ['a million ends of nothing', empty, () => ({ body: `${'<div>'.repeat(500)}${'</b>'.repeat(1_400_000)}` })],
  [
    'a million pieces of text',
    { google: noList, bing: unparseable, duckduckgo: unparseable },
    () => ({ body: `<div>${'ab</b>'.repeat(1_000_000)}` }),
  ],
  ['300,000 scripts', unparseable, () => ({ body: '<script></script>'.repeat(300_000) })],
  ['a million attributes', unparseable, () => ({ body: `<b ${'ab=cd '.repeat(99)}>`.repeat(10_000) })],
  ['JSON', unparseable, () => ({ body: `{"error":"${'x'.repeat(5_000_000)}"}` })],
  ['20,000 nested arrays', unparseable, () => ({ body: '['.repeat(20_000) })],
  ['UTF-16', 'sold', (page) => ({ body: Buffer.from(`\ufeff${page(10)}`, 'utf16le') })],
  ['Latin-1 that says UTF-8', 'sold', (page) => with5MB(page(10), Buffer.of(0xe9))],
  ['lone surrogates', 'sold', (page) => with5MB(page(10), Buffer.of(0xed, 0xa0, 0x80))],
  ['900 results', 'sold', (page) => ({ body: page(900) })],
]);

const rows = (count: number, row: (link: string, title: string) => string): string =>
  Array.from({ length: count }, (_, nth) => row(`https://r${nth}.example/`, `R${nth}`)).join('');

/** A page with so many results to a query, of each engine. */
const engines: Readonly<Record<string, (query: string, results: number) => string>> = {
  google: (query, count) => desktopPage(rows(count, result), { query }),
  bing: (query, count) => bingPage(rows(count, bingResult), query),
  duckduckgo: (query, count) => duckPage(rows(count, duckResult), query),
};

const unread = 'SERP_FAILED unparseable unknown';
const sold = 'SERP_FAILED unparseable yes';

/** Answers of an API instead of JSON with a page. */
const allAnswers: readonly Hostile[] = [
  ['20,000 nested arrays', unread, () => ({ body: `{"result":${'['.repeat(20_000)}` })],
  ['four million brackets', unread, () => ({ body: '['.repeat(4_000_000) })],
  ['6 MB of spaces', unread, () => ({ body: spaces.subarray(0, 6_000_000) })],
  ['60 MB of spaces', unread, () => ({ body: spaces.subarray(0, 60_000_000) })],
  ['200 MiB by br', unread, () => coded('br', brotliCompressSync(spaces, quick))],
  ['HTML', unread, (page) => ({ body: page(10) })],
  ['truncated JSON', unread, (page) => ({ body: JSON.stringify({ result: page(10) }).slice(0, -9) })],
  ['escaped surrogates', sold, () => ({ body: `{"result":"${'\\ud800'.repeat(900_000)}"}` })],
  ['a page of 5 MB', sold, () => ({ body: JSON.stringify({ result: '<div>é'.repeat(700_000) }) })],
];

let engine: EngineServer;
beforeAll(async () => {
  engine = await startEngineServer();
});
afterAll(() => engine.close());

it.each(Object.entries(engines))('a page of %s takes at most 320 MiB', async (source, pageOf) => {
  const ready = allPages.map(([, , answer], nth) => answer((results) => pageOf(`hostile ${nth}`, results)));
  engine.answer = ({ query }) => {
    const keyword = query.get('q') ?? '';
    return ready[hostileNumber(keyword) ?? -1] ?? { body: pageOf(keyword, 10) };
  };
  const options = { baseUrl: engine.url, allowLoopback: true, requestsPerSecond: 1000 };
  await expectOutcomes(
    source,
    options,
    allPages.map(([name, outcome]) => [name, typeof outcome === 'string' ? outcome : (outcome[source] ?? '')]),
  );
});

it("an unlocker's answer takes at most 320 MiB", async () => {
  const page = (query: string) => (results: number) => engines['google']?.(query, results) ?? '';
  const ready = allAnswers.map(([, , answer], nth) => answer(page(`hostile ${nth}`)));
  engine.answer = ({ query }) => {
    const keyword = new URL(query.get('url') ?? '').searchParams.get('q') ?? '';
    return ready[hostileNumber(keyword) ?? -1] ?? { body: JSON.stringify({ result: page(keyword)(10) }) };
  };
  const template = `${engine.url}/?url={url}`;
  const options = { fetcher: 'unlocker', template, bodyPath: 'result', allowLoopback: true, requestsPerSecond: 1000 };
  await expectOutcomes(
    'google',
    options,
    allAnswers.map(([name, outcome]) => [name, String(outcome)]),
  );
});
