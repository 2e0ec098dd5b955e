// The browser fetcher in a real Chromium: scripts, private networks, blocked pages, a missing browser.
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { googleEngine } from '../../../../src/service/engines/google/index.ts';
import {
  type Clock,
  createSource,
  type ServiceError,
  systemClock,
  WitnessedClock,
} from '../../../../src/service/index.ts';
import { BrowserFetcher } from '../../../../src/service/sources/fetchers/browser.ts';
import { SearchSource } from '../../../../src/service/sources/fetchers/search-source.ts';
import { google } from '../../../../src/service/sources/own-fetching.ts';
import { startChromium } from '../../../browser/chromium.ts';
import { desktopPage, result } from '../../engines/google/pages.ts';
import { type EngineServer, startEngineServer } from './engine-server.ts';

let engine: EngineServer;
let fetcher: BrowserFetcher | undefined;
let started: Browser | undefined;

beforeAll(async () => {
  engine = await startEngineServer();
});
afterEach(async () => {
  await fetcher?.close();
});
afterAll(async () => {
  await engine.close();
});

const asked = { keyword: 'running shoes', country: 'US', language: 'en', mobile: false, page: 1 };
const context = { signal: new AbortController().signal, at: 0 };

function source(clock: Clock = systemClock): SearchSource {
  const options = { executablePath: undefined, proxies: [], coolDownMs: 1000, requestsPerSecond: 1000 };
  fetcher = new BrowserFetcher({ ...options, network: { allowLoopback: true } }, clock, async () => {
    started = await startChromium();
    return started;
  });
  return new SearchSource(googleEngine, google.facts, fetcher, systemClock, engine.url);
}

it('the browser shows a page after its scripts, and contacts no private address', async () => {
  const shoes = JSON.stringify(result('https://a.example/', 'A'));
  const script = `<script>document.getElementById('rso').innerHTML = ${shoes}; fetch('http://10.0.0.1/').catch(() => document.body.dataset.kept = 'in')</script>`;
  engine.answer = ({ path }) => (path === '/search' ? { body: desktopPage('', { after: script }) } : { status: 404 });
  const google = source();
  const { body } = await google.fetchPage(asked, context);
  expect(google.readPage(body, asked).serp.organic?.[0]?.link).toBe('https://a.example/');
  expect(body.text).toContain('data-kept="in"');
  expect(engine.asked[0]?.headers.cookie).toContain('SOCS=CAI');
  expect(started?.contexts()).toEqual([]);

  engine.answer = () => ({ status: 429, body: 'no' });
  const error = (await google.fetchPage(asked, context).catch((reason: unknown) => reason)) as ServiceError;
  expect([error.code, error.reason, error.charged]).toEqual(['SERP_FAILED', 'blocked', 'no']);
});

it('the browser gives its clock the date of the page that it opened', async () => {
  const date = 'Fri, 16 Jan 2026 00:00:00 GMT';
  engine.answer = () => ({ headers: { date }, status: 429, body: 'no' });
  const clock = new WitnessedClock(systemClock);
  await source(clock)
    .fetchPage(asked, context)
    .catch(() => undefined);
  expect(clock.newestAnswer).toEqual({ answeredAt: Date.parse(date) });
});

it('the probe starts and ends the browser, and requests nothing from the engine', async () => {
  const before = engine.asked.length;
  expect(await source().probe(context)).toMatchObject({
    answers: true,
    message: expect.stringMatching(/^Chromium \d/),
  });
  expect(started?.isConnected()).toBe(false);
  expect(engine.asked).toHaveLength(before);
});

it('a missing browser is reported with a remedy', async () => {
  const { serp } = await createSource(
    'google',
    { fetcher: 'browser', executablePath: '/no/such/chrome' },
    { clock: systemClock },
  );
  const error = (await serp!.fetchPage(asked, context).catch((reason: unknown) => reason)) as ServiceError;
  expect([error.charged, error.disposition]).toEqual(['no', 'halt']);
  expect(error.hint).toContain('executablePath');
  await serp?.close?.();
});
