import { describe, expect, it } from 'vitest';
import { createSource } from '../../../src/service/index.ts';
import type { Reply } from '../../contract/sources/vendor-server.ts';
import { openVendor } from './vendor-service.ts';

const { vendor, clock, ask } = await openVendor('searxng', { engines: ['google', 'bing'] });
const context = { signal: new AbortController().signal, at: 0 };

const make = (options: object) => createSource('searxng' as string, { requestsPerSecond: 1000, ...options }, { clock });

const result = (site: string, more: object = {}) => ({
  url: `https://${site}.example/`,
  title: site,
  engines: ['google'],
  ...more,
});
const page = (results: readonly object[], more: object = {}): Reply => ({ body: { query: 'shoes', results, ...more } });

describe('an instance', () => {
  it('of a private network is contacted only if allowed, and then over plain http too', async () => {
    const { port } = new URL(vendor.url);
    for (const baseUrl of [
      vendor.url,
      `http://localhost:${port}`,
      'http://10.0.0.7',
      'https://192.168.0.5:8080',
      'https://[fd00::1]',
    ]) {
      await expect(make({ baseUrl }), baseUrl).rejects.toThrow(/^Source "searxng": /);
      expect((await make({ baseUrl, allowPrivate: true })).serp?.name).toBe('searxng');
    }
    for (const baseUrl of ['http://169.254.169.254', 'https://0.0.0.0', 'ftp://10.0.0.7']) {
      await expect(make({ baseUrl, allowPrivate: true }), baseUrl).rejects.toThrow();
    }
    await expect(make({})).rejects.toThrow('baseUrl');
  });

  it('is contacted by its name as well, and a name that resolves to a private one is refused if not allowed', async () => {
    const { port } = new URL(vendor.url);
    vendor.script = () => page([result('a')]);
    const asked = { keyword: 'shoes', country: 'US', language: 'en', mobile: false, page: 1 };
    const allowed = await make({ baseUrl: `http://localhost:${port}`, allowPrivate: true });
    expect((await allowed.serp?.fetchPage(asked, context))?.body.text).toContain('a.example');
    const refused = await make({ baseUrl: `https://localhost:${port}` });
    const before = vendor.requests.length;
    await expect(refused.serp?.fetchPage(asked, context)).rejects.toMatchObject({
      code: 'CONNECTION_FAILED',
      disposition: 'halt',
      charged: 'no',
      hint: expect.stringContaining('allowPrivate'),
    });
    expect(vendor.requests).toHaveLength(before);
    await allowed.serp?.close?.();
    await refused.serp?.close?.();
  });

  it('without JSON is reported with how to enable it, and one with a limiter with how to pass it', async () => {
    const forbidden = { status: 403, headers: { 'content-type': 'text/html' }, body: '<html>Forbidden</html>' };
    await expect(ask(forbidden)).rejects.toMatchObject({
      disposition: 'halt',
      charged: 'no',
      hint: 'The instance does not return JSON: add json to search.formats in its settings.yml.',
    });
    await expect(ask({ status: 429, body: 'Too Many Requests' })).rejects.toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      retryAfterMs: 30_000,
      hint: expect.stringContaining('limiter.toml'),
    });
    await clock.advance(10_000);
    const waiting = await ask(page([result('a')])).catch((error: Error) => error);
    expect(waiting).toMatchObject({ message: 'searxng received requests too fast.', retryAfterMs: 19_990 });
    await clock.advance(30_000);
  });

  it('has pages of the configured country only', async () => {
    const source = await make({ baseUrl: vendor.url, allowPrivate: true, country: 'DE' });
    const asked = { keyword: 'shoes', country: 'DE', language: 'es-419', mobile: false, page: 2 };
    vendor.script = () => page([result('a')]);
    await source.serp?.fetchPage(asked, context);
    expect(Object.fromEntries(vendor.requests.at(-1)?.query ?? [])).toEqual({
      q: 'shoes',
      format: 'json',
      pageno: '2',
      engines: 'google',
      language: 'es',
    });
    await clock.advance(10);
    await expect(source.serp?.fetchPage({ ...asked, country: 'AT' }, context)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      charged: 'no',
      disposition: 'abandon',
    });
    await source.serp?.close?.();
  });

  it('that lacks an engine is reported before a page is requested', async () => {
    const source = await make({ baseUrl: vendor.url, allowPrivate: true, engines: ['google', 'brave'] });
    vendor.script = () => ({ body: { engines: [{ name: 'google' }, { name: 'bing' }] } });
    const probed = await source.serp?.probe?.(context);
    expect(probed).toMatchObject({ answers: false, problems: [{ code: 'INVALID_REQUEST' }] });
    expect(probed?.message).toContain('no engine brave');
    await clock.advance(10);
    vendor.script = () => ({ body: { engines: [{ name: 'google' }, { name: 'brave' }] } });
    expect(await source.serp?.probe?.(context)).toMatchObject({ answers: true, creditsLeft: null });
    await source.serp?.close?.();
  });
});

describe('an engine that did not answer', () => {
  const captcha = [['google', 'Suspended: CAPTCHA']];

  it('makes an empty list a failure, and costs nothing', async () => {
    const blocked = { code: 'SERP_FAILED', reason: 'blocked', disposition: 'retry', charged: 'no' };
    await expect(ask(page([], { unresponsive_engines: captcha }))).rejects.toMatchObject(blocked);
    await expect(ask(page([], { unresponsive_engines: [['wikidata', 'timeout']] }))).rejects.toMatchObject({
      code: 'TIMEOUT',
      charged: 'no',
    });
    await expect(ask(page([], { unresponsive_engines: [['google', 'parsing error']] }))).rejects.toMatchObject({
      code: 'SERP_FAILED',
      charged: 'no',
    });
  });

  it('leaves a gap in the order of several, so that their page is refused; other engines do not matter', async () => {
    const found = [result('a', { engines: ['bing'] })];
    await expect(ask(page(found, { unresponsive_engines: captcha }))).rejects.toMatchObject({ reason: 'blocked' });
    const fine = await ask(page(found, { unresponsive_engines: [['startpage', 'timeout']] }));
    expect(fine.serp.organic).toHaveLength(1);
  });

  it('or that answered without a request is not a ranking of the others', async () => {
    await expect(ask(page([result('a', { engines: ['duckduckgo'] })]))).rejects.toMatchObject({
      disposition: 'halt',
      charged: 'no',
      message: expect.stringContaining('duckduckgo, which was not queried'),
      hint: expect.stringContaining('settings.yml'),
    });
  });
});

describe('a page', () => {
  const orderOf = async (results: readonly object[]) =>
    (await ask(page(results))).serp.organic?.map(({ rank, title }) => `${rank} ${title}`);

  it('of one engine is in the order of that engine', async () => {
    const places = [result('c', { positions: [3] }), result('a', { positions: [1] }), result('b', { positions: [2] })];
    expect(await orderOf(places)).toEqual(['1 a', '2 b', '3 c']);
  });

  it('of several engines, or without positions, is in the order of the instance', async () => {
    const [one, two] = [result('one', { positions: [2] }), result('two', { positions: [1] })];
    expect(await orderOf([one, { ...two, engines: ['bing'] }])).toEqual(['1 one', '2 two']);
    expect(await orderOf([{ ...one, positions: [2, 5] }, two])).toEqual(['1 one', '2 two']);
    expect(await orderOf([one, { ...two, positions: [2] }])).toEqual(['1 one', '2 two']);
    expect(await orderOf([one, result('two')])).toEqual(['1 one', '2 two']);
  });

  it('has dates, pictures, an infobox, answers and suggestions', async () => {
    const { serp, features } = await ask(
      page(
        [result('a', { content: 'Words', publishedDate: '2026-01-02T00:00:00', thumbnail: 'https://i.example/1.jpg' })],
        {
          infoboxes: [
            {
              infobox: 'Shoe',
              content: 'Worn.',
              engine: 'wikidata',
              attributes: [{ label: 'Made of', value: 'Leather' }],
            },
          ],
          answers: [{ answer: '42', url: 'https://answer.example/' }],
          suggestions: ['red shoes'],
        },
      ),
    );
    expect(serp).toEqual({
      organic: [
        {
          rank: 1,
          title: 'a',
          description: 'Words',
          link: 'https://a.example/',
          extensions: [{ rank: 1, type: 'date', text: '2026-01-02T00:00:00' }],
          image: 'https://i.example/1.jpg',
        },
      ],
      knowledge: {
        name: 'Shoe',
        description: 'Worn.',
        description_source: 'wikidata',
        facts: [{ key: 'Made of', value: [{ text: 'Leather' }] }],
      },
      related: [{ rank: 1, text: 'red shoes', link: '' }],
    });
    expect(features).toContainEqual({ type: 'answer_box', links: ['https://answer.example/'] });
  });
});
