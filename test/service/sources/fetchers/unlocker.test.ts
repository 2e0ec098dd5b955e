// The unlocker with an API on loopback: requests, the page in the answer, and the cost of failures.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createSearchDataService,
  createSource,
  type SerpSource,
  type ServiceError,
  systemClock,
} from '../../../../src/service/index.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { bingPage, bingResult } from '../../engines/bing/pages.ts';
import { mobilePage, mobileResult } from '../../engines/google/pages.ts';
import { type EngineServer, startEngineServer } from './engine-server.ts';

let api: EngineServer;
beforeEach(async () => {
  api = await startEngineServer();
});
afterEach(() => api.close());

const page = mobilePage(mobileResult('https://a.example/', 'A'));
const asked = { keyword: 'running shoes', country: 'GB', language: 'en', mobile: true, page: 2 };

async function fetched(options: object = {}) {
  const template = `${api.url}/?token=secret-token&geo={country}&device={device}&url={url}`;
  const given = { fetcher: 'unlocker', template, allowLoopback: true, requestsPerSecond: 1000, ...options } as const;
  const { serp } = await createSource('google', given, { clock: systemClock });
  try {
    return await serp!.fetchPage(asked, { signal: new AbortController().signal, at: 0 });
  } finally {
    await serp?.close?.();
  }
}

describe('the unlocker', () => {
  it('sends the URL of the engine in the template', async () => {
    api.answer = () => ({ body: page });
    expect((await fetched()).body.text).toBe(page);
    const [request] = api.asked;
    expect(request?.query.get('geo')).toBe('gb');
    expect(request?.query.get('device')).toBe('mobile');
    const url = new URL(request?.query.get('url') ?? '');
    expect([url.host, url.searchParams.get('q'), url.searchParams.get('start')]).toEqual([
      'www.google.com',
      'running shoes',
      '10',
    ]);
  });

  it('finds the page in JSON, and hides the token if it is quoted', async () => {
    api.answer = () => ({ body: JSON.stringify({ data: [{ html: `${page}<!-- secret-token -->` }] }) });
    const { body } = await fetched({ bodyPath: 'data.0.html' });
    expect(body.text).toContain('https://a.example/');
    expect(body.text).not.toContain('secret-token');
  });

  it.each<[string, object, object, string]>([
    ['a bad key', { status: 401 }, {}, 'INVALID_API_KEY  no halt'],
    ['no credits', { status: 402 }, {}, 'INSUFFICIENT_CREDITS  no halt'],
    ['too many requests', { status: 429, headers: { 'retry-after': '7' } }, {}, 'RATE_LIMIT_EXCEEDED  no wait'],
    ['an error of an API that does not say', { status: 500 }, {}, 'SERP_FAILED  unknown retry'],
    ['an error of an API that charges none', { status: 500 }, { chargesFailures: 'no' }, 'SERP_FAILED  no retry'],
    ['a captcha', { body: '<body><form id="captcha-form"></form></body>' }, {}, 'SERP_FAILED blocked yes retry'],
    [
      'JSON without the page',
      { body: '{"error": "x"}' },
      { bodyPath: 'result' },
      'SERP_FAILED unparseable unknown retry',
    ],
    ['truncated JSON', { body: '{"result": "<htm' }, { bodyPath: 'result' }, 'SERP_FAILED unparseable unknown retry'],
  ])('reports %s by code, charge and remedy', async (_, answer, options, expected) => {
    api.answer = () => answer;
    const error = (await fetched(options).catch((reason: unknown) => reason)) as ServiceError;
    expect([error.code, error.reason ?? '', error.charged, error.disposition].join(' ')).toBe(expected);
    expect(error.message).not.toContain('secret-token');
  });

  describe('before a later page', () => {
    const bingRow = (nth: number) => bingResult(`https://r${nth}.example/`, `R${nth}`);
    const later = { ...asked, mobile: false };
    const firsts = () => api.asked.map(({ query }) => new URL(query.get('url') ?? '').searchParams.get('first') ?? '1');
    const context = () => ({ signal: new AbortController().signal, at: 0 });
    let bing: SerpSource;
    let clock: FakeClock;
    beforeEach(async () => {
      clock = new FakeClock();
      const template = `${api.url}/?url={url}`;
      const given = { fetcher: 'unlocker', template, allowLoopback: true, requestsPerSecond: 1000 } as const;
      const hurried = { now: () => clock.now(), sleep: async (ms: number) => void (await clock.advance(ms)) };
      const { serp } = await createSource('bing', given, { clock: hurried });
      bing = serp!;
      api.answer = ({ query }) => {
        const first = Number(new URL(query.get('url') ?? '').searchParams.get('first') ?? 1);
        return { body: bingPage(Array.from({ length: 4 }, (_, nth) => bingRow(first + nth)).join('')) };
      };
    });
    afterEach(() => bing.close?.());

    it('counts every request, and pays for no page twice', async () => {
      const requestsFor = async (page: number) =>
        (await bing.fetchPage({ ...later, page }, context())).requests?.charged;
      expect(await requestsFor(3)).toBe(3);
      expect(firsts()).toEqual(['1', '5', '9']);
      // pages that were fetched on the way are returned for free, each once
      expect([await requestsFor(1), await requestsFor(2), api.asked.length]).toEqual([0, 0, 3]);
      expect([await requestsFor(4), await requestsFor(2)]).toEqual([1, 1]);
      expect(firsts()).toEqual(['1', '5', '9', '13', '5']);
    });

    it('returns the pages fetched on the way with their own time, for a limited period', async () => {
      await bing.fetchPage({ ...later, page: 3 }, context());
      const then = clock.now();
      await clock.advance(14 * 60_000);
      const { observedAt, body } = await bing.fetchPage({ ...later, page: 2 }, context());
      expect(Math.abs(observedAt - then)).toBeLessThan(1_000);
      expect(bing.readPage(body, later).serp.organic?.[0]?.link).toBe('https://r5.example/');
      await clock.advance(2 * 60_000);
      expect((await bing.fetchPage({ ...later, page: 1 }, context())).requests?.charged).toBe(1);
    });

    it('reports the charge of a failure after paid pages as unknown, and continues from there', async () => {
      const good = api.answer;
      api.answer = (request) => (api.asked.length === 3 ? { status: 402 } : good(request));
      const error = await bing.fetchPage({ ...later, page: 4 }, context()).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'INSUFFICIENT_CREDITS', charged: 'unknown', disposition: 'halt' });
      expect((await bing.fetchPage({ ...later, page: 4 }, context())).requests?.charged).toBe(2);
      expect(firsts()).toEqual(['1', '5', '9', '9', '13']);
    });

    it('sends no more than ten requests for a page', async () => {
      expect((await bing.fetchPage({ ...later, page: 10 }, context())).requests?.charged).toBe(10);
      const error = await bing.fetchPage({ ...later, page: 11 }, context()).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'INVALID_REQUEST', charged: 'no' });
      expect(api.asked.length).toBe(10);
    });
  });

  it('a cancelled request may be charged; a request that was never sent is not counted', async () => {
    const template = `${api.url}/?url={url}`;
    const source = await createSource(
      'bing',
      { fetcher: 'unlocker', template, allowLoopback: true, requestsPerSecond: 1000, concurrency: 1 },
      { clock: systemClock },
    );
    const service = createSearchDataService({ source, clock: systemClock });
    const leaving = new AbortController();
    const bingRow = bingResult('https://r.example/', 'R');
    api.answer = () => {
      if (api.asked.length === 2) leaving.abort();
      return { body: bingPage(bingRow) };
    };
    const page = { keyword: 'running shoes', start_page: 3, end_page: 3 };
    const given = await service.serp(page, { signal: leaving.signal }).catch((error: unknown) => error);
    expect(given).toMatchObject({ code: 'ABORTED', charged: 'unknown', requests: { charged: 1, free: 0, unknown: 1 } });
    const late = await service.serp(page, { signal: AbortSignal.abort() }).catch((error: unknown) => error);
    expect((late as ServiceError).requests).toBeUndefined();
    await service.close();
  });

  it('only the unlocker needs a template', async () => {
    await expect(fetched({ template: undefined })).rejects.toThrow('needs a template');
    await expect(fetched({ template: 'https://api.example/?x' })).rejects.toThrow('a URL with {url} in it');
    await expect(fetched({ fetcher: 'http' })).rejects.toThrow('template: is for');
    await expect(fetched({ allowLoopback: false })).rejects.toThrow('only https');
  });
});
