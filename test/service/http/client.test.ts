import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { inspect } from 'node:util';
import { Agent, buildConnector } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { type ClientOptions, microUsdOf, SearchDataClient } from '../../../src/service/index.ts';
import { FakeClock, settled } from '../../helpers/fake-clock.ts';
import { failureOf } from '../../helpers/memory-source.ts';
import { type Fault, type ProviderOptions, startProvider } from '../../helpers/provider.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function setUp(options: ProviderOptions = {}, changes: Partial<ClientOptions> = {}) {
  const provider = await startProvider(options);
  const clock = new FakeClock();
  const client = new SearchDataClient({
    baseUrl: provider.url,
    user: provider.user,
    password: provider.password,
    clock,
    requestId: () => 'own-id',
    ...changes,
  });
  open.push(provider, client);
  return { provider, client, clock };
}

const shoes = { keyword: 'shoes' };

describe('what is sent', () => {
  it('is the specification: its path, its headers, its fields, start_page and end_page always', async () => {
    const { provider, client } = await setUp({ prefix: '/api/seo' });
    const request = { keyword: ' shoes ', country: 'gb', start_page: 2, colour: 'red' };
    await client.serp(request, { idempotencyKey: 'slot-7/shoes/2' });
    await client.keywordData(shoes);
    expect(provider.requests.map(({ path, body }) => [path, body])).toEqual([
      [
        '/api/seo/v1/serp',
        { keyword: 'shoes', language: 'en', country: 'GB', format: 'json', mobile: false, start_page: 2, end_page: 2 },
      ],
      ['/api/seo/v1/keyword-data', { keyword: 'shoes', country: 'US', language: 'en', limit: 100 }],
    ]);
    expect(provider.requests[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'service-api-user': 'provider-user',
      'idempotency-key': 'slot-7/shoes/2',
    });
    expect(provider.requests[1]?.headers).not.toHaveProperty('idempotency-key');
  });

  it('is nothing for a request that is not valid', async () => {
    const { provider, client } = await setUp();
    expect(await failureOf(client.serp({ keyword: '' }))).toMatchObject({ code: 'KEYWORD_REQUIRED', charged: 'no' });
    expect(await failureOf(client.keywordData({ ...shoes, limit: 0 }))).toMatchObject({ code: 'INVALID_REQUEST' });
    expect(provider.requests).toEqual([]);
  });
});

describe('an answer', () => {
  it('of one page is that page, with the response text as its body', async () => {
    const { client, clock } = await setUp({ pageSize: () => 4 });
    const answer = await client.serp(shoes);
    expect(answer).toMatchObject({ requestId: 'provider-1', creditsCharged: 1 });
    const [page] = answer.pages;
    expect(page).toMatchObject({ page: 1, observedAt: clock.now(), body: { contentType: 'application/json' } });
    expect(page!.serp.organic?.map(({ rank, link }) => [rank, link])).toEqual([
      [1, 'https://site1.example/shoes'],
      [2, 'https://site2.example/shoes'],
      [3, 'https://site3.example/shoes'],
      [4, 'https://site4.example/shoes'],
    ]);
    expect(page!.features.map(({ type }) => type)).toEqual(['people_also_ask', 'related_searches']);
    const request = { keyword: 'shoes', country: 'US', language: 'en', mobile: false, page: 1 };
    expect(client.readPage(page!.body, request)).toEqual({ serp: page!.serp, features: page!.features });
  });

  it('of several pages is an array in page order, each with a body of its own; ranks are kept as they come', async () => {
    const restarting = await (await setUp()).client.serp({ ...shoes, start_page: 2, end_page: 3 });
    const { client } = await setUp({ ranks: 'run-on' });
    const running = await client.serp({ ...shoes, start_page: 2, end_page: 3 });
    const firstRanks = (answer: typeof running) =>
      answer.pages.map(({ page, serp }) => [page, serp.organic?.[0]?.rank]);
    expect(firstRanks(restarting)).toEqual([
      [2, 1],
      [3, 1],
    ]);
    expect(firstRanks(running)).toEqual([
      [2, 11],
      [3, 19],
    ]);
    expect(running.creditsCharged).toBe(2);
    const request = { keyword: 'shoes', country: 'US', language: 'en', mobile: false, page: 3 };
    expect(client.readPage(running.pages[1]!.body, request).serp).toEqual(running.pages[1]!.serp);
  });

  it('of one page may come as an array of one', async () => {
    const { client, provider } = await setUp();
    provider.next({ answer: [{ organic: [{ link: 'https://a.example/' }] }] });
    const { pages } = await client.serp(shoes);
    expect(pages[0]?.serp.organic).toEqual([{ rank: 1, title: '', link: 'https://a.example/' }]);
    expect(pages[0]?.body.text).toBe('{"organic":[{"link":"https://a.example/"}]}');
  });

  it('may say another content type and be compressed', async () => {
    for (const encoding of ['gzip', 'br'] as const) {
      const { client, provider } = await setUp({ encoding });
      expect((await client.serp(shoes)).pages[0]?.serp.organic).toHaveLength(10);
      provider.next({ answer: { organic: [{ link: 'https://a.example/' }] }, contentType: 'text/plain' });
      expect((await client.serp(shoes)).pages[0]?.serp.organic).toHaveLength(1);
    }
  });

  it('beyond the last result is a page without organics', async () => {
    const { client } = await setUp({ results: () => ['https://a.example/'] });
    const { pages } = await client.serp({ ...shoes, start_page: 2 });
    expect(pages[0]?.serp).not.toHaveProperty('organic');
  });

  it('in raw format is the HTML, one page or several', async () => {
    const { client } = await setUp();
    const one = await client.serp({ ...shoes, format: 'raw' });
    const two = await client.serp({ ...shoes, format: 'raw', end_page: 2 });
    for (const { body, serp } of [...one.pages, ...two.pages]) {
      expect(body.contentType).toBe('text/html');
      expect(body.text).toMatch(/^<!doctype html><title>shoes/);
      expect(serp).toEqual({});
    }
    expect(two.pages.map(({ page }) => page)).toEqual([1, 2]);
  });

  it('gets a name of its own where the provider gives none', async () => {
    const text = '{"organic":[{"link":"https://a.example/"}]}';
    const bare = await bareServer(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`);
    const client = new SearchDataClient({
      ...bare,
      user: 'u',
      password: 'p',
      clock: new FakeClock(),
      requestId: () => 'own-id',
    });
    open.push(client);
    expect((await client.serp(shoes)).requestId).toBe('own-id');
    expect((await client.serp(shoes, { idempotencyKey: 'key' })).requestId).toBe('key');
  });

  it('with keyword metrics is the response, its cost in USD', async () => {
    const { client, provider } = await setUp({
      related: () => Array.from({ length: 49 }, (_, index) => `shoes ${index}`),
    });
    const { response, requestId } = await client.keywordData({ ...shoes, limit: 50 });
    expect(response).toMatchObject({ success: true, result_count: 50 });
    expect(microUsdOf(response.cost)).toBe(15_000);
    expect(microUsdOf(0.1 + 0.2)).toBe(300_000);
    expect(response.data[0]).toMatchObject({
      keyword: 'shoes',
      search_volume: 10_000,
      competition: 43,
      intent: 'commercial',
    });
    expect(requestId).toBe('provider-1');
    expect(provider.sold.microUsd).toBe(15_000);
  });
});

/** A server that answers any connection with these bytes, or hangs up on it. */
async function bareServer(answer: string | undefined): Promise<{ baseUrl: string }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    if (answer === undefined) socket.destroy();
    else socket.once('data', () => socket.end(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({ close: () => new Promise((resolve) => server.close(() => resolve())) });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('whether a failure was charged', () => {
  const cells: [Fault, string, string, string, number][] = [
    [{ status: 400 }, 'INVALID_REQUEST', 'no', 'abandon', 0],
    [{ status: 400, code: 'KEYWORD_REQUIRED' }, 'KEYWORD_REQUIRED', 'no', 'abandon', 0],
    [{ status: 400, code: 'INVALID_FORMAT' }, 'INVALID_FORMAT', 'no', 'abandon', 0],
    [{ status: 401 }, 'INVALID_API_KEY', 'no', 'halt', 0],
    [{ status: 401, code: 'CREDENTIALS_EXPIRED' }, 'CREDENTIALS_EXPIRED', 'no', 'halt', 0],
    [{ status: 401, code: 'INSUFFICIENT_CREDITS' }, 'INVALID_API_KEY', 'no', 'halt', 0],
    [{ status: 402 }, 'INSUFFICIENT_CREDITS', 'no', 'halt', 0],
    [{ status: 403 }, 'IP_NOT_WHITELISTED', 'no', 'halt', 0],
    [{ status: 404 }, 'NOT_FOUND', 'unknown', 'halt', 0],
    [{ status: 405 }, 'METHOD_NOT_ALLOWED', 'unknown', 'halt', 0],
    [{ status: 408 }, 'TIMEOUT', 'unknown', 'retry', 0],
    [{ status: 418, code: 'TEAPOT' }, 'INVALID_REQUEST', 'unknown', 'abandon', 0],
    [{ status: 429, retryAfter: '2' }, 'RATE_LIMIT_EXCEEDED', 'no', 'wait', 0],
    [{ status: 500, sold: true }, 'INTERNAL_ERROR', 'unknown', 'retry', 1],
    [{ status: 500, body: '<html>' }, 'INTERNAL_ERROR', 'unknown', 'retry', 0],
    [{ status: 500, body: '[null]' }, 'INTERNAL_ERROR', 'unknown', 'retry', 0],
    [{ status: 500, code: '__proto__' }, 'INTERNAL_ERROR', 'unknown', 'retry', 0],
    [{ status: 502 }, 'SERP_FAILED', 'unknown', 'retry', 0],
    [{ status: 503 }, 'INTERNAL_ERROR', 'unknown', 'retry', 0],
    [{ status: 504 }, 'TIMEOUT', 'unknown', 'retry', 0],
    [{ status: 301, location: '/elsewhere' }, 'NOT_FOUND', 'unknown', 'halt', 0],
    [{ status: 307, location: '/v1/serp' }, 'NOT_FOUND', 'unknown', 'halt', 0],
    [{ status: 202, sold: true }, 'UNREADABLE_RESPONSE', 'unknown', 'abandon', 1],
    ['reset-before-sale', 'CONNECTION_LOST', 'unknown', 'retry', 0],
    ['reset-after-sale', 'CONNECTION_LOST', 'unknown', 'retry', 1],
    ['cut', 'CONNECTION_LOST', 'unknown', 'retry', 1],
    ['truncated', 'UNREADABLE_RESPONSE', 'unknown', 'abandon', 1],
    ['html', 'UNREADABLE_RESPONSE', 'unknown', 'abandon', 1],
    ['huge', 'UNREADABLE_RESPONSE', 'unknown', 'abandon', 1],
    ['empty', 'SERP_FAILED', 'yes', 'abandon', 1],
  ];

  it.each(cells)('%j is %s, charged %s, %s', async (fault, code, charged, disposition, sold) => {
    const { client, provider } = await setUp();
    provider.next(fault);
    const failure = await failureOf(client.serp(shoes));
    expect(failure).toMatchObject({ code, charged, disposition });
    expect(provider.requests).toHaveLength(1);
    // The books agree: `no` was never sold, `yes` always was.
    expect(provider.sold.serpCredits).toBe(sold);
    if (charged === 'no') expect(sold).toBe(0);
    if (charged === 'yes') expect(sold).toBe(1);
  });

  it.each([
    ['502', { status: 502, code: 'WORKER_FAILED' }, 'WORKER_FAILED', 'unknown'],
    ['502 without a code', { status: 502, body: '' }, 'WORKER_FAILED', 'unknown'],
    [
      'success: false',
      { answer: { success: false, result_count: 0, cost: 0, data: [] } },
      'UNREADABLE_RESPONSE',
      'unknown',
    ],
    [
      'a wrong count',
      { answer: { success: true, result_count: 2, cost: 0.01, data: [] } },
      'UNREADABLE_RESPONSE',
      'unknown',
    ],
    ['an array', { answer: [] }, 'UNREADABLE_RESPONSE', 'unknown'],
  ] as [string, Fault, string, string][])('of keyword data: %s', async (_, fault, code, charged) => {
    const { client, provider } = await setUp();
    provider.next(fault);
    expect(await failureOf(client.keywordData(shoes))).toMatchObject({ code, charged });
  });

  it('is no where nobody listens, where no name is known, and where TLS fails', async () => {
    const { baseUrl } = await bareServer('HTTP/1.1 200 OK\r\n\r\n');
    const gone = await startProvider();
    await gone.close();
    const addresses = [gone.url, 'http://no-such-host.invalid', baseUrl.replace('http:', 'https:')];
    for (const address of addresses) {
      const client = new SearchDataClient({ baseUrl: address, user: 'u', password: 'p', clock: new FakeClock() });
      open.push(client);
      const failure = await failureOf(client.serp(shoes));
      expect(failure, address).toMatchObject({ code: 'CONNECTION_FAILED', charged: 'no', disposition: 'retry' });
    }
  });

  it('is unknown where the other side speaks no HTTP or hangs up at once', async () => {
    for (const answer of ['SSH-2.0-OpenSSH_9.9\r\n', undefined]) {
      const client = new SearchDataClient({
        ...(await bareServer(answer)),
        user: 'u',
        password: 'p',
        clock: new FakeClock(),
      });
      open.push(client);
      expect(await failureOf(client.serp(shoes))).toMatchObject({ code: 'CONNECTION_LOST', charged: 'unknown' });
    }
  });
});

describe('an answer that cannot be read', () => {
  const page = (organic: unknown) => ({ answer: { organic } }) as Fault;

  it.each([
    ['truncated', 1],
    ['html', 1],
    [{ answer: '' }, 1],
    [{ answer: 'null' }, 1],
    [{ answer: '['.repeat(100_000) }, 1],
    [{ answer: [{ organic: [{ link: 'https://a.example/' }] }] }, 2],
    [{ answer: { organic: [{ link: 'https://a.example/' }] } }, 2],
    [{ answer: { error: 'Out of credits', code: 'OOPS' } }, 1],
    [page({}), 1],
    [page(['https://a.example/']), 1],
    [page([{ title: 'No link' }]), 1],
    [page([{ link: '' }]), 1],
    [page([{ link: 'javascript:alert(1)' }]), 1],
    [page([{ link: '/relative' }]), 1],
    [page([{ link: 'https://a.example/', rank: 'first' }]), 1],
    [page([{ link: 'https://a.example/', extensions: 'none' }]), 1],
    [{ answer: { organic: [{ link: 'https://a.example/' }], related: {} } }, 1],
  ] as [Fault, number][])('is kept: %j', async (fault, pages) => {
    const { client, provider } = await setUp();
    provider.next(fault);
    const failure = await failureOf(client.serp({ ...shoes, end_page: pages }));
    expect(failure).toMatchObject({ code: 'UNREADABLE_RESPONSE', charged: 'unknown', requestId: 'provider-1' });
    expect(failure.body?.contentType).toBe(fault === 'html' ? 'text/html' : 'application/json');
    if (typeof fault === 'object' && 'answer' in fault) {
      expect(failure.body?.text).toBe(typeof fault.answer === 'string' ? fault.answer : JSON.stringify(fault.answer));
    }
  });

  it('is cut to an excerpt where it is too large', async () => {
    const { client, provider } = await setUp();
    provider.next('huge');
    const failure = await failureOf(client.serp(shoes));
    expect(failure.code).toBe('UNREADABLE_RESPONSE');
    expect(failure.body?.text.length).toBeLessThanOrEqual(64 * 1024);
  });

  it('is not read beyond 16 MiB', async () => {
    const { client, provider } = await setUp();
    provider.next({ answer: `{"organic": [{"link": "https://a.example/"}]}${' '.repeat(16 * 1024 * 1024)}` });
    expect((await failureOf(client.serp(shoes))).code).toBe('UNREADABLE_RESPONSE');
  });

  it.each([{ answer: '' }, { answer: '{"error": "no"}' }, { answer: 'nothing here', contentType: 'text/html' }])(
    'in raw format: %j',
    async (fault) => {
      const { client, provider } = await setUp();
      provider.next(fault);
      expect(await failureOf(client.serp({ ...shoes, format: 'raw' }))).toMatchObject({ code: 'UNREADABLE_RESPONSE' });
    },
  );

  it.each([[{ organic: [] }], [{ organic: [], related: [{ text: 'a' }] }], [{ organic: null, related: [] }]])(
    'as a SERP, since it shows no result, was sold: %j',
    async (answer) => {
      const { client, provider } = await setUp();
      provider.next({ answer });
      const failure = await failureOf(client.serp(shoes));
      expect(failure).toMatchObject({
        code: 'SERP_FAILED',
        reason: 'no_organic_results',
        charged: 'yes',
        disposition: 'abandon',
      });
      expect(failure.body?.text).toBe(JSON.stringify(answer));
    },
  );

  it('is read again for nothing, and refused for nothing', async () => {
    const { client } = await setUp();
    const request = { keyword: 'shoes', country: 'US', language: 'en', mobile: false, page: 1 };
    for (const text of ['{}', '{', '<html>', '[]']) {
      const failure = await failureOf(() => client.readPage({ contentType: 'application/json', text }, request));
      expect(failure.charged).toBe('no');
    }
  });
});

describe('waiting', () => {
  it('gives a request up after its time, which an answer in time stops', async () => {
    const { client, provider, clock } = await setUp({}, { timeoutMs: 30_000 });
    await client.serp(shoes);
    expect(clock.sleeping).toBe(0);
    provider.next('hang-after-sale');
    const failure = failureOf(client.serp(shoes));
    await provider.untilRequests(2);
    await clock.advance(29_999);
    expect(clock.sleeping).toBe(1);
    await clock.advance(1);
    expect(await failure).toMatchObject({ code: 'TIMEOUT', charged: 'unknown', disposition: 'retry' });
    expect(provider.sold.serpCredits).toBe(2);
  });

  it('ends with the signal of the caller: unknown once the request has left', async () => {
    const { client, provider, clock } = await setUp();
    provider.next('hang-before-sale');
    const stop = new AbortController();
    const failure = failureOf(client.serp(shoes, { signal: stop.signal }));
    await provider.untilRequests(1);
    stop.abort();
    expect(await failure).toMatchObject({ code: 'ABORTED', charged: 'unknown' });
    expect(await failureOf(client.serp(shoes, { signal: stop.signal }))).toMatchObject({
      code: 'ABORTED',
      charged: 'no',
    });
    expect(provider.requests).toHaveLength(1);
    expect(clock.sleeping).toBe(0);
  });

  it('for a connection costs nothing, and what was given up is not sent when the connection comes after all', async () => {
    const provider = await startProvider();
    const late: (() => void)[] = [];
    let isSlow = true;
    const connectNow = buildConnector({});
    const slow = new Agent({
      connect(options, callback) {
        if (isSlow) late.push(() => connectNow(options, callback));
        else connectNow(options, callback);
      },
    });
    const clock = new FakeClock();
    const { url: baseUrl, user, password } = provider;
    const client = new SearchDataClient({ baseUrl, user, password, clock, timeoutMs: 1000, dispatcher: slow });
    open.push(provider, client, slow);
    const stop = new AbortController();
    const waiting = failureOf(client.serp(shoes));
    const left = failureOf(client.serp(shoes, { signal: stop.signal }));
    await clock.untilSleeping(2);
    stop.abort();
    expect(await left).toMatchObject({ code: 'ABORTED', charged: 'no' });
    await clock.advance(1000);
    expect(await waiting).toMatchObject({ code: 'TIMEOUT', charged: 'no' });
    while (late.length === 0) await settled();
    isSlow = false;
    for (const connect of late) connect();
    expect((await client.serp({ keyword: 'boots' })).pages).toHaveLength(1);
    expect(provider.requests.map(({ body }) => body['keyword'])).toEqual(['boots']);
  });

  it('holds every call after a 429 until its Retry-After, and not longer than an hour', async () => {
    const { client, provider, clock } = await setUp();
    const start = clock.now();
    provider.next({ status: 429, retryAfter: '7' });
    expect(await failureOf(client.serp(shoes))).toMatchObject({ disposition: 'wait', retryAfterMs: 7000 });
    const others = [client.serp({ keyword: 'boots' }), client.keywordData(shoes)];
    await clock.untilSleeping(2);
    await clock.advance(6999);
    expect(provider.requests).toHaveLength(1);
    await clock.advance(1);
    await Promise.all(others);
    expect(clock.now() - start).toBe(7000);
    provider.next({ status: 429, retryAfter: '86400' });
    expect((await failureOf(client.serp(shoes))).retryAfterMs).toBe(3_600_000);
  });

  it.each([
    [{ status: 429 }, 1000],
    [{ status: 429, retryAfter: '0' }, 0],
    [{ status: 429, retryAfter: 'Thu, 15 Jan 2026 06:00:30 GMT' }, 30_000],
    [{ status: 429, retryAfter: 'Thu, 15 Jan 2026 05:00:00 GMT' }, 0],
    [{ status: 429, retryAfter: 'soon' }, 1000],
    [{ status: 429, retryAfter: '-5' }, 1000],
    [{ status: 503, retryAfter: '12' }, 12_000],
    [{ status: 503 }, undefined],
  ] as [Fault, number | undefined][])('reads %j as %s ms', async (fault, expected) => {
    const { client, provider } = await setUp();
    provider.next(fault);
    expect((await failureOf(client.serp(shoes))).retryAfterMs).toBe(expected);
  });

  it('for a turn is no part of the time of a request, ends with the signal, and costs nothing', async () => {
    const { client, provider, clock } = await setUp({}, { concurrency: 1, timeoutMs: 1000 });
    provider.next('hang-before-sale');
    const stop = new AbortController();
    const hanging = failureOf(client.serp(shoes, { timeoutMs: 5000 }));
    const second = client.serp(shoes);
    const leaving = failureOf(client.serp(shoes, { signal: stop.signal }));
    await provider.untilRequests(1);
    stop.abort();
    expect(await leaving).toMatchObject({ code: 'ABORTED', charged: 'no' });
    await clock.advance(5000);
    expect((await hanging).code).toBe('TIMEOUT');
    expect((await second).pages).toHaveLength(1);
    expect(provider.mostAtOnce).toBe(1);
  });

  it('keeps to the number of requests at once and a second', async () => {
    const { client, provider, clock } = await setUp({}, { concurrency: 4, requestsPerSecond: 10 });
    const start = clock.now();
    const all = Promise.all(Array.from({ length: 12 }, () => client.serp(shoes)));
    let done = false;
    void all.then(() => {
      done = true;
    });
    while (!done) {
      const seen = provider.requests.length;
      expect(seen).toBeLessThanOrEqual(Math.floor((clock.now() - start) / 100) + 1);
      await settled();
      if (clock.sleeping > 0) await clock.advance(10);
    }
    expect(provider.mostAtOnce).toBeLessThanOrEqual(4);
    expect(clock.now() - start).toBeGreaterThanOrEqual(1100);
  });
});

describe('closing', () => {
  it('lets a request in flight finish, and its answer through', async () => {
    const { client, provider } = await setUp();
    const answer = client.serp(shoes);
    await provider.untilRequests(1);
    await client.close();
    expect((await answer).pages).toHaveLength(1);
  });

  it('leaves the connections of its caller open', async () => {
    const dispatcher = new Agent();
    open.push(dispatcher);
    const { client } = await setUp({}, { dispatcher });
    await client.serp(shoes);
    await client.close();
    expect(dispatcher.closed).toBe(false);
  });
});

describe('secrets', () => {
  it('are never printed: not by the client, not by its errors, not where a provider repeats them', async () => {
    const password = 'hunter2-secret';
    const { client, provider } = await setUp({ user: 'agent-user', password });
    provider.next({ status: 500, error: `agent-user sent ${password}\r\nand more` });
    const failure = await failureOf(client.serp(shoes));
    expect(failure.message).toBe('The service answered 500 INTERNAL_ERROR: *** sent *** and more');
    provider.next('reset-after-sale');
    const lost = await failureOf(client.serp(shoes));
    const printed = [client, failure, lost].flatMap((each) => [
      inspect(each, { depth: 9, showHidden: true }),
      JSON.stringify(each),
      String(each),
    ]);
    for (const text of printed) expect(text).not.toMatch(/hunter2|agent-user/);
    expect(JSON.stringify(client)).toContain(provider.url);
    expect(inspect(client)).toBe(`SearchDataClient(${provider.url}/)`);
  });

  it.each([
    { baseUrl: 'ftp://a.example' },
    { baseUrl: 'a.example' },
    { baseUrl: 'https://me:hunter2@a.example' },
    { baseUrl: 'https://a.example/?key=hunter2' },
    { password: 'hunter2\r\nX-Evil: 1' },
    { password: '' },
    { user: 'hunter2 ü' },
  ])('and addresses that cannot be used are refused without repeating them: %j', (changes) => {
    const options = { baseUrl: 'https://a.example', user: 'u', password: 'p', clock: new FakeClock(), ...changes };
    let message = '';
    try {
      new SearchDataClient(options);
    } catch (error) {
      message = String(error);
    }
    expect(message).toMatch(/must/);
    expect(message).not.toContain('hunter2');
  });
});
