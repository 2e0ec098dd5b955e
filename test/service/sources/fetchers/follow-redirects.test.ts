// Hidden destinations are resolved by following redirects: within limits, without bodies, never failing the page.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSource, RequestTally, type SerpSource, systemClock } from '../../../../src/service/index.ts';
import { desktopPage, result } from '../../engines/google/pages.ts';
import { type Answer, type EngineServer, startEngineServer } from './engine-server.ts';

const asked = { keyword: 'running shoes', country: 'US', language: 'en', mobile: false, page: 1 };
const hiding = (count: number): string =>
  desktopPage(
    result('https://a.example/', 'A') +
      Array.from({ length: count }, (_, nth) => result(`/goto?url=CAES${nth}`, `H${nth}`)).join(''),
  );

let engine: EngineServer;
let source: SerpSource;

beforeEach(async () => {
  engine = await startEngineServer();
  const given = { baseUrl: engine.url, allowLoopback: true, requestsPerSecond: 1000 };
  const { serp } = await createSource('google', given, { clock: systemClock });
  source = serp!;
});
afterEach(async () => {
  await source.close?.();
  await engine.close();
});

/** The engine returns that page, and this answer for each redirect. */
function show(html: string, redirected: (token: string) => Answer): void {
  engine.answer = ({ path, query }) => (path === '/goto' ? redirected(query.get('url') ?? '') : { body: html });
}

async function organic() {
  const requests = new RequestTally();
  const { body, requests: count } = await source.fetchPage(asked, {
    signal: new AbortController().signal,
    at: 0,
    requests,
  });
  // a stored page is read with the same result
  const again = source.readPage({ ...body }, asked);
  expect(again).toEqual(source.readPage(body, asked));
  const followed = engine.asked.filter(({ path }) => path === '/goto');
  expect(count).toEqual({ charged: 0, free: followed.length + 1, unknown: 0 });
  return { followed, results: again.serp.organic ?? [] };
}

it('each redirect is followed once, with the page as referer, and no body is read', async () => {
  const endless = 'x'.repeat(8 * 1024 * 1024);
  show(hiding(2), (token) => ({
    status: 302,
    headers: { location: `https://real.example/${token}?a=1&srsltid=x` },
    body: endless,
  }));
  const { followed, results } = await organic();
  expect(results.map(({ link, destination_state: state }) => [link, state])).toEqual([
    ['https://a.example/', undefined],
    ['https://real.example/CAES0?a=1', undefined],
    ['https://real.example/CAES1?a=1', undefined],
  ]);
  expect(followed.map(({ headers }) => headers.referer)).toEqual([
    expect.stringMatching(/\/search\?q=running/),
    expect.stringMatching(/\/search\?q=running/),
  ]);
});

it('at most ten redirects of a page are followed', async () => {
  show(hiding(12), (token) => ({ status: 302, headers: { location: `https://real.example/${token}` } }));
  const { followed, results } = await organic();
  expect(followed).toHaveLength(10);
  expect(results.filter(({ destination_state: state }) => state === 'host_only')).toHaveLength(2);
});

it.each<[string, Answer]>([
  ['a refusal', { status: 429 }],
  ['a page', { status: 200, body: '<html>' }],
  ['a redirect to the engine itself', { status: 302, headers: { location: 'https://www.google.com/sorry/index?q=x' } }],
  ['a redirect to another token', { status: 302, headers: { location: 'https://www.google.com/goto?url=CAESz' } }],
  ['a redirect to no page', { status: 302, headers: { location: 'javascript:alert(1)' } }],
])('following stops at %s, and only the shown sites are known', async (_, answer) => {
  show(hiding(3), () => answer);
  const { followed, results } = await organic();
  expect(followed).toHaveLength(1);
  expect(results.map(({ destination_state: state }) => state)).toEqual([
    undefined,
    'host_only',
    'host_only',
    'host_only',
  ]);
});

it('nothing is requested if nothing is hidden, or the page names the destination', async () => {
  const pair = '<script>[["/goto?url\\u003dCAES0"],["https://real.example/"]]</script>';
  show(hiding(1).replace('</body>', `${pair}</body>`), () => ({ status: 500 }));
  const { followed, results } = await organic();
  expect([followed, results[1]?.link]).toEqual([[], 'https://real.example/']);
});
