// Network access of a real Chromium: redirects, names, scripts, sockets, proxies and endless pages.
import type { lookup } from 'node:dns';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { googleEngine } from '../../../../src/service/engines/google/index.ts';
import { type ServiceError, systemClock } from '../../../../src/service/index.ts';
import { BrowserFetcher } from '../../../../src/service/sources/fetchers/browser.ts';
import { SearchSource } from '../../../../src/service/sources/fetchers/search-source.ts';
import { google } from '../../../../src/service/sources/own-fetching.ts';
import { startChromium } from '../../../browser/chromium.ts';
import { desktopPage, result } from '../../engines/google/pages.ts';
import {
  type Answer,
  type EngineServer,
  startEngineServer,
  startProxy,
  startRefusingProxy,
  type TestProxy,
} from './engine-server.ts';

let browser: Browser;
let engine: EngineServer;
/** A server at an address that no policy allows: 0.0.0.0, which systems take for this machine. */
let inner: EngineServer;
let innerUrl: string;
const opened: TestProxy[] = [];

beforeAll(async () => {
  [browser, engine, inner] = await Promise.all([startChromium(), startEngineServer(), startEngineServer()]);
  innerUrl = inner.url.replace('127.0.0.1', '0.0.0.0');
  inner.answer = () => ({ body: page });
});
afterAll(async () => {
  await browser.close();
  for (const server of [engine, inner, ...opened]) await server.close();
});
beforeEach(() => {
  (inner.asked as unknown[]).length = 0;
  (engine.asked as unknown[]).length = 0;
});

const page = desktopPage(result('https://a.example/', 'A'));
const asked = { keyword: 'running shoes', country: 'US', language: 'en', mobile: false, page: 1 };

/** Host names of the tests with their addresses; `turns.example` is private from the second lookup on. */
const looked: string[] = [];
const resolve = ((name: string, _: object, callback: (error: Error | null, found: object[]) => void) => {
  looked.push(name);
  const isInside =
    name === 'inner.example' || (name === 'turns.example' && looked.filter((n) => n === name).length > 1);
  callback(null, [{ address: isInside ? '0.0.0.0' : '127.0.0.1', family: 4 }]);
}) as unknown as typeof lookup;

function open(proxies: readonly string[] = [], baseUrl = engine.url): SearchSource {
  const options = { executablePath: undefined, proxies, coolDownMs: 60_000, requestsPerSecond: 1000, resolve };
  const fetcher = new BrowserFetcher(
    { ...options, network: { allowLoopback: true } },
    systemClock,
    async () => browser,
  );
  return new SearchSource(googleEngine, google.facts, fetcher, systemClock, baseUrl);
}

async function outcomeOf(source: SearchSource): Promise<string> {
  const signal = new AbortController().signal;
  return await source.fetchPage(asked, { signal, at: 0 }).then(
    () => 'sold',
    ({ code, reason, charged, disposition }: ServiceError) => [code, reason ?? '-', charged, disposition].join(' '),
  );
}

const refused = 'CONNECTION_FAILED - no halt';
const named = (name: string, url: string): string => url.replace(/\d+\.\d+\.\d+\.\d+/, name);

describe('a browser', () => {
  it('would reach a forbidden host without the guard', async () => {
    expect((await fetch(innerUrl)).status).toBe(200);
    expect(inner.asked.length).toBe(1);
  });

  it.each<[string, () => string]>([
    ['a private address', () => innerUrl],
    ['a name that leads to one', () => named('inner.example', inner.url)],
  ])('is redirected to %s, and sends no request there', async (_, target) => {
    engine.answer = () => ({ status: 302, headers: { location: target() } });
    expect(await outcomeOf(open())).toBe(refused);
    expect([engine.asked.length, inner.asked.length]).toEqual([1, 0]);
  });

  it('follows redirects within the policy, and stops at the one that leaves it', async () => {
    engine.answer = ({ path }) => {
      const location =
        path === '/search' ? '/one' : path === '/one' ? named('outer.example', `${engine.url}/two`) : innerUrl;
      return { status: 302, headers: { location } };
    };
    expect(await outcomeOf(open())).toBe(refused);
    expect(engine.asked.map(({ path }) => path)).toEqual(['/search', '/one', '/two']);
    expect(inner.asked.length).toBe(0);
  });

  it('is sent to a private address by a script, and sends no request there', async () => {
    engine.answer = () => ({ body: desktopPage('', { after: `<script>location = '${innerUrl}/x'</script>` }) });
    // the result depends on how far the script gets on this machine: refused, not opened, or read unchanged
    expect([refused, 'CONNECTION_FAILED - no retry', 'sold']).toContain(await outcomeOf(open()));
    expect(inner.asked.length).toBe(0);
  });

  it('requests nothing from private addresses in a page or in redirects', async () => {
    const wanted = [innerUrl, named('inner.example', inner.url), `${engine.url}/hop`];
    const after = wanted
      .map(
        (url) =>
          `<script src="${url}/a.js"></script><iframe src="${url}/b"></iframe><link rel="stylesheet" href="${url}/c.css"><link rel="preconnect" href="${url}">
           <script>fetch('${url}/d', { mode: 'no-cors' }).catch(() => 0); navigator.sendBeacon('${url}/e'); try { new WebSocket('${url.replace('http', 'ws')}/f') } catch {}</script>`,
      )
      .join('');
    const body = desktopPage(result('https://a.example/', 'A'), { after });
    engine.answer = ({ path }) =>
      path.startsWith('/hop') ? { status: 307, headers: { location: `${innerUrl}/hop` } } : { body };
    expect(await outcomeOf(open())).toBe('sold');
    expect(engine.asked.filter(({ path }) => path.startsWith('/hop')).length).toBeGreaterThan(2);
    expect(inner.asked).toEqual([]);
  });

  it('connects to the checked address: a name that resolves elsewhere later is checked again', async () => {
    engine.answer = () => ({ headers: { connection: 'close' }, body: page });
    const source = open([], named('turns.example', engine.url));
    expect(await outcomeOf(source)).toBe('sold');
    const before = engine.asked.length;
    expect(await outcomeOf(source)).toBe(refused);
    expect([engine.asked.length - before, inner.asked.length]).toEqual([0, 0]);
  });

  it.each<[string, () => Answer, string]>([
    [
      'to a captcha',
      () => ({ status: 302, headers: { location: '/sorry/index?continue=x' } }),
      'SERP_FAILED blocked no retry',
    ],
    [
      'to consent',
      () => ({ status: 302, headers: { location: named('consent.example', `${engine.url}/m?continue=x`) } }),
      'SERP_FAILED consent no retry',
    ],
  ])('is redirected %s, and reports it', async (_, answer, expected) => {
    engine.answer = ({ path }) => (path === '/search' ? answer() : { body: page });
    expect(await outcomeOf(open())).toBe(expected);
  });

  it.each<[string, () => Answer]>([
    [
      'of more characters than any',
      () => ({ body: `<html><body><script>document.body.append('x'.repeat(7_000_000))</script>` }),
    ],
    [
      'of 100 MiB by gzip',
      () => ({ headers: { 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(100 * 2 ** 20, 'x')) }),
    ],
    ['of more bytes than any', () => ({ body: Buffer.alloc(60 * 2 ** 20, 'x') })],
    [
      'that says it is short',
      () => ({
        body: `<html><body><script>document.body.append('x'.repeat(7_000_000)); Object.defineProperty(Element.prototype, 'outerHTML', { get: () => 'short' })</script>`,
      }),
    ],
  ])('accepts no page %s', async (_, answer) => {
    const ready = answer();
    engine.answer = () => ready;
    expect(await outcomeOf(open())).toBe('SERP_FAILED unparseable no retry');
  });
});

describe("a browser's proxies", () => {
  const through = async (...proxies: TestProxy[]) => {
    opened.push(...proxies);
    return open(proxies.map(({ url }) => url.replace('//', '//user:p%40ss@')));
  };

  it('receive their login, and no other host does', async () => {
    engine.answer = () => ({ body: page });
    const proxy = await startProxy('one');
    expect(await outcomeOf(await through(proxy))).toBe('sold');
    expect(new Set(proxy.logins)).toEqual(new Set([`Basic ${Buffer.from('user:p@ss').toString('base64')}`]));
    expect(engine.asked[0]?.headers).toMatchObject({ via: 'one' });
    expect(engine.asked[0]?.headers['proxy-authorization']).toBeUndefined();
  });

  it('that refuse the login are distinguished from the engine, and another one is tried', async () => {
    engine.answer = () => ({ body: page });
    const refusing = await startRefusingProxy(407);
    expect(await outcomeOf(await through(refusing, await startProxy('two')))).toBe('sold');
    expect(refusing.logins.length).toBeGreaterThan(0);
    expect(await outcomeOf(await through(refusing))).toBe('CONNECTION_FAILED - no retry');
  });

  it('that are blocked rest, and another one is tried', async () => {
    engine.answer = ({ headers }) => (headers.via === 'one' ? { status: 429 } : { body: page });
    const source = await through(await startProxy('one'), await startProxy('two'));
    expect(await outcomeOf(source)).toBe('sold');
    expect(await outcomeOf(source)).toBe('sold');
    expect(engine.asked.filter(({ headers }) => headers.via === 'one').length).toBe(1);
  });
});
