// The unlocker against an API on loopback: what it is asked, where the page is found, and what failures cost.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSource, type ServiceError, systemClock } from '../../../../src/service/index.ts';
import { desktopPage, result } from '../../engines/google/pages.ts';
import { type EngineServer, startEngineServer } from './engine-server.ts';

let api: EngineServer;
beforeEach(async () => {
  api = await startEngineServer();
});
afterEach(() => api.close());

const page = desktopPage(result('https://a.example/', 'A'));
const asked = { keyword: 'running shoes', country: 'GB', language: 'en', mobile: true, page: 2 };

async function fetched(options: object = {}) {
  const template = `${api.url}/?token=secret-token&geo={country}&device={device}&url={url}`;
  const given = { fetcher: 'unlocker', template, allowLoopback: true, requestsPerSecond: 1000, ...options };
  const { serp } = await createSource('google', given, { clock: systemClock });
  try {
    return await serp!.fetchPage(asked, { signal: new AbortController().signal, at: 0 });
  } finally {
    await serp?.close?.();
  }
}

describe('the unlocker', () => {
  it("asks for the engine's address in its place of the template", async () => {
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

  it('finds the page in JSON, and hides the token that it may quote', async () => {
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
  ])('tells %s by code, charge and what to do', async (_, answer, options, told) => {
    api.answer = () => answer;
    const error = (await fetched(options).catch((reason: unknown) => reason)) as ServiceError;
    expect([error.code, error.reason ?? '', error.charged, error.disposition].join(' ')).toBe(told);
    expect(error.message).not.toContain('secret-token');
  });

  it('needs a template, and only there', async () => {
    await expect(fetched({ template: undefined })).rejects.toThrow('needs a template');
    await expect(fetched({ template: 'https://api.example/?x' })).rejects.toThrow('an address with {url} in it');
    await expect(fetched({ fetcher: 'http' })).rejects.toThrow('template is for');
    await expect(fetched({ allowLoopback: false })).rejects.toThrow('only https');
  });
});
