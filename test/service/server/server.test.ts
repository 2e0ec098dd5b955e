import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { SearchDataClient } from '../../../src/service/client/client.ts';
import {
  type AnsweredRequest,
  type CallReport,
  type RunningServer,
  type ServerOptions,
  startServer,
} from '../../../src/service/index.ts';
import { type Customers, setUpCustomers } from '../../helpers/customers.ts';
import { settled } from '../../helpers/fake-clock.ts';
import { type MemoryScript, pageOf } from '../../helpers/memory-source.ts';
import { exchangeBytes, openSocket, parseResponse } from '../../helpers/raw-http.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

interface Running extends Customers, RunningServer {
  readonly lines: AnsweredRequest[];
  /** Ann's headers, and JSON. */
  readonly headers: Record<string, string>;
  post(body: string | Uint8Array, changes?: Record<string, string>, path?: string): Promise<Response>;
}

async function start(
  script: MemoryScript = {},
  options: Partial<ServerOptions> = {},
  host: Parameters<typeof setUpCustomers>[1] = {},
): Promise<Running> {
  const customers = await setUpCustomers(script, host);
  const { service, clock, store, ann } = customers;
  const lines: AnsweredRequest[] = [];
  const onAnswer = (line: AnsweredRequest) => lines.push(line);
  const server = await startServer({ service, clock, accounts: store, onAnswer, ...options });
  open.push(server);
  const headers = {
    'content-type': 'application/json',
    'service-api-user': ann.username,
    'service-api-password': ann.password,
  };
  const post = (body: string | Uint8Array, changes = {}, path = '/v1/serp') =>
    fetch(server.url + path, {
      method: 'POST',
      headers: { ...headers, ...changes },
      body,
      duplex: 'half',
    } as RequestInit);
  return { ...customers, ...server, lines, headers, post };
}

const shoes = JSON.stringify({ keyword: 'shoes' });

describe('every response', () => {
  it('has a request id, forbids caching and reports the rate limit, for any request', async () => {
    const server = await start();
    const unknownUser = { 'service-api-user': 'eve' };
    const responses = await Promise.all([
      server.post(shoes),
      server.post('{'),
      server.post(shoes, unknownUser),
      server.post('x'.repeat(65_537)),
      server.post(shoes, {}, '/v1/nothing'),
      fetch(`${server.url}/v1/serp`),
      fetch(`${server.url}/%zz`),
      fetch(`${server.url}/healthz`),
      fetch(`${server.url}/openapi.json`),
      fetch(`${server.url}/docs`),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([200, 400, 401, 413, 404, 405, 404, 200, 200, 200]);
    const ids = responses.map(({ headers }) => headers.get('x-request-id'));
    expect(new Set(ids).size).toBe(responses.length);
    for (const { headers } of responses) {
      expect(headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('ratelimit-policy')).toMatch(/^"(requests|logins|pages)";q=\d+;w=60$/);
      expect(headers.get('ratelimit')).toMatch(/^"(requests|logins|pages)";r=\d+;t=\d+$/);
    }
    const [ok, , unknown, , , method] = responses;
    expect(ok?.headers.get('x-credits-charged')).toBe('1');
    expect(ok?.headers.get('x-credits-remaining')).toBe('99');
    expect(unknown?.headers.get('www-authenticate')).toContain('ServiceApiUser');
    expect(unknown?.headers.has('x-credits-charged')).toBe(false);
    expect(method?.headers.get('allow')).toBe('POST');
  });

  it('that is an error has the body {error, code, request_id} and nothing else', async () => {
    const server = await start();
    for (const response of [
      await server.post('{'),
      await fetch(`${server.url}/nothing`),
      await server.post(shoes, {}, '/docs'),
    ]) {
      const body = (await response.json()) as Record<string, unknown>;
      expect(Object.keys(body)).toEqual(['error', 'code', 'request_id']);
      expect(body['request_id']).toBe(response.headers.get('x-request-id'));
    }
  });

  it('follows the specification: an object, an array in page order, HTML, an array of HTML', async () => {
    const server = await start();
    const ask = async (body: object) => {
      const response = await server.post(JSON.stringify({ keyword: 'shoes', ...body }));
      return { type: response.headers.get('content-type'), text: await response.text() };
    };
    const serpOf = (page: number) =>
      pageOf({ keyword: 'shoes', country: 'US', language: 'en', mobile: false, page }).serp;
    const json = 'application/json; charset=utf-8';
    expect(await ask({})).toEqual({ type: json, text: JSON.stringify(serpOf(1)) });
    expect(await ask({ end_page: 2 })).toEqual({ type: json, text: JSON.stringify([serpOf(1), serpOf(2)]) });
    const raw = await ask({ format: 'raw' });
    expect(raw.type).toBe('text/html; charset=utf-8');
    expect(raw.text).toContain('site1.example');
    const foreign = await server.post(JSON.stringify({ keyword: 'shoes', format: 'raw' }));
    expect(foreign.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
    expect(foreign.headers.get('x-content-type-options')).toBe('nosniff');
    const raws = await ask({ format: 'raw', end_page: 2 });
    expect(raws.type).toBe(json);
    expect(JSON.parse(raws.text)).toEqual([raw.text, expect.stringContaining('shoes/2')]);
  });
});

describe('a request', () => {
  it.each([
    ['malformed JSON', '{"keyword":', {}],
    ['no JSON object', '[1]', {}],
    ['no body', '', {}],
    ['bytes that are not UTF-8', new Uint8Array([0x22, 0xff, 0x22]), {}],
    ['another content type', shoes, { 'content-type': 'text/plain' }],
    ['a form', 'keyword=shoes', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a content type that is none', shoes, { 'content-type': 'what?' }],
    ['a hostile prototype', '{"keyword":"a","__proto__":{"format":"raw"}}', {}],
    ['JSON of 60,000 brackets', '['.repeat(60_000), {}],
    ['an invalid idempotency key', shoes, { 'idempotency-key': 'k'.repeat(256) }],
  ])('with %s is 400 INVALID_REQUEST', async (_, body, changes) => {
    const server = await start();
    const response = await server.post(body, changes);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'INVALID_REQUEST' });
    expect((await server.accounts.find('acme')).serpCredits).toBe(100);
  });

  it('over 64 KiB is 413 INVALID_REQUEST, and one of exactly that size is read', async () => {
    const server = await start();
    const padded = (length: number) => shoes.padEnd(length, ' ');
    expect((await server.post(padded(65_536))).status).toBe(200);
    const large = await server.post(padded(65_537));
    expect([large.status, ((await large.json()) as { code: string }).code]).toEqual([413, 'INVALID_REQUEST']);
  });

  it('may name a charset, in any case', async () => {
    const server = await start();
    expect((await server.post(shoes, { 'content-type': 'Application/JSON; charset=utf-8' })).status).toBe(200);
  });

  it.each([
    ['no credentials', { 'service-api-user': '', 'service-api-password': '' }],
    ['wrong credentials', { 'service-api-password': 'wrong' }],
  ])('with %s learns nothing about its body, not even that it is too large', async (_, changes) => {
    const server = await start();
    for (const body of ['{', '{}', 'x'.repeat(70_000), shoes]) {
      const response = await server.post(body, { ...changes, 'content-type': 'text/plain' });
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ code: 'INVALID_API_KEY' });
    }
  });

  it('over the rate limit is refused before its body is checked', async () => {
    const server = await start({}, {}, { requestRate: { count: 1, windowMs: 7000 } });
    expect((await server.post(shoes)).status).toBe(200);
    for (const body of ['{', 'x'.repeat(70_000)]) {
      const response = await server.post(body);
      expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7']);
    }
  });

  it('for an unknown path or method is 404 or 405, for any caller', async () => {
    const server = await start();
    const statusOf = async (method: string, path: string) => (await fetch(server.url + path, { method })).status;
    expect(await statusOf('POST', '/v2/serp')).toBe(404);
    expect(await statusOf('POST', '/v1/serp/')).toBe(404);
    expect(await statusOf('GET', '/account')).toBe(404);
    expect(await statusOf('POST', '/')).toBe(405);
    expect(await statusOf('DELETE', '/v1/keyword-data')).toBe(405);
    expect(await statusOf('OPTIONS', '/v1/serp')).toBe(405);
    expect(await statusOf('POST', '/healthz')).toBe(405);
    expect(await statusOf('HEAD', '/healthz')).toBe(200);
    expect(await statusOf('GET', '/healthz?deep=1')).toBe(200);
  });

  it('for the root redirects to the documentation, which names no dashboard if there is none', async () => {
    const server = await start();
    const response = await fetch(`${server.url}/`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([302, '/docs']);
    expect(await (await fetch(`${server.url}/`)).text()).not.toContain('/account');
  });

  it('that is not HTTP gets an error of the table, and its connection is closed', async () => {
    const server = await start();
    const requests = [
      'nonsense\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      `GET / HTTP/1.1\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
    ];
    for (const bytes of requests) {
      const { status, headers, body } = parseResponse(await exchangeBytes(server.url, bytes));
      expect(status).toBe(400);
      expect(JSON.parse(body)).toMatchObject({ code: 'INVALID_REQUEST', request_id: headers.get('x-request-id') });
      expect(headers.get('ratelimit')).toMatch(/^"pages"/);
    }
    const expecting =
      'POST /nothing HTTP/1.1\r\nhost: x\r\nexpect: the-moon\r\nconnection: close\r\ncontent-length: 0\r\n\r\n';
    expect(parseResponse(await exchangeBytes(server.url, expecting)).status).toBe(404);
  });

  it('without credentials is limited, too: a number of pages per address', async () => {
    const server = await start({}, { pageRate: { count: 2, windowMs: 4000 } });
    const statuses: number[] = [];
    for (const path of ['/healthz', '/nothing', '/docs', '/v1/serp'])
      statuses.push((await fetch(server.url + path)).status);
    expect(statuses).toEqual([200, 404, 429, 429]);
    expect((await server.post(shoes)).status).toBe(200);
  });
});

describe('the address of a caller', () => {
  const whitelisted = async (options: Partial<ServerOptions>) => {
    const server = await start({}, options);
    await server.accounts.setWhitelist('acme', ['10.0.0.5']);
    return async (forwardedFor: string) =>
      (await server.post(shoes, { 'x-forwarded-for': forwardedFor }, '/v1/keyword-data')).status;
  };

  it('is that of its connection: X-Forwarded-For is ignored', async () => {
    const ask = await whitelisted({});
    expect(await ask('10.0.0.5')).toBe(403);
  });

  it('is the rightmost one that is not a trusted proxy, if proxies are configured', async () => {
    const ask = await whitelisted({ trustedProxies: ['127.0.0.1', '192.0.2.0/24'] });
    expect(await ask('10.0.0.5')).toBe(200);
    expect(await ask('10.0.0.5, 192.0.2.7')).toBe(200);
    expect(await ask('10.0.0.5, 203.0.113.9')).toBe(403);
    expect(await ask('203.0.113.9, 10.0.0.5')).toBe(200);
    expect(await ask('10.0.0.5, nonsense')).toBe(403);
    expect(await ask('192.0.2.7')).toBe(403);
  });

  it('needs proxies that are networks', async () => {
    await expect(start({}, { trustedProxies: ['everyone'] })).rejects.toThrow('"everyone" is not');
  });
});

describe('a client that disconnects', () => {
  it('without a key is refunded; with one, the work is finished, stored and charged', async () => {
    let letGo: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const server = await start({
      page: async (request) => {
        await gate;
        return pageOf(request);
      },
    });
    const leave = async (changes: Record<string, string>, asked: number) => {
      const stop = new AbortController();
      const { headers } = server;
      const init = { method: 'POST', headers: { ...headers, ...changes }, body: shoes, signal: stop.signal };
      const answer = fetch(`${server.url}/v1/serp`, init).catch(() => undefined);
      while (server.source.asked.length < asked) await settled();
      stop.abort();
      await answer;
    };
    const credits = async () => (await server.accounts.find('acme')).serpCredits;
    await leave({}, 1);
    while ((await credits()) !== 100) await settled();
    await leave({ 'idempotency-key': 'k' }, 2);
    letGo();
    expect(await credits()).toBe(99);
    expect((await server.post(shoes, { 'idempotency-key': 'k' })).status).toBe(200);
    expect(await credits()).toBe(99);
    expect(server.source.asked).toHaveLength(2);
  });

  it('or that sends slowly is closed in time, with 504 if that is possible', async () => {
    const times = { headersTimeoutMs: 1000, bodyTimeoutMs: 1000, connectionsCheckMs: 20 };
    const server = await start({}, { times });
    const silent = Array.from({ length: 20 }, () => openSocket(server.url));
    const slow = Array.from({ length: 20 }, () => openSocket(server.url));
    for (const { socket } of slow)
      socket.write(
        'POST /v1/serp HTTP/1.1\r\nhost: x\r\ncontent-length: 50\r\ncontent-type: application/json\r\n\r\n{',
      );
    const answers = await Promise.all(slow.map(({ closed }) => closed));
    for (const text of answers)
      expect(parseResponse(text)).toMatchObject({ status: 504, body: expect.stringContaining('"TIMEOUT"') });
    await Promise.all(silent.map(({ closed }) => closed));
    expect((await server.post(shoes)).status).toBe(200);
  });
});

describe('a server', () => {
  it('stops gracefully: requests in flight are answered, and later ones are refused', async () => {
    let letGo: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const server = await start({
      page: async (request) => {
        await gate;
        return pageOf(request);
      },
    });
    const answer = server.post(shoes);
    while (server.source.asked.length === 0) await settled();
    const closed = server.close();
    await settled();
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
    letGo();
    expect((await answer).status).toBe(200);
    await closed;
    expect((await server.accounts.find('acme')).serpCredits).toBe(99);
  });

  it('does not wait for a connection without data or with half a request', async () => {
    const server = await start();
    const sent = ['', 'POST /v1/serp HT', 'POST /v1/serp HTTP/1.1\r\nhost: x\r\ncontent-length: 50\r\n\r\n{'];
    const sockets = sent.map((text) => ({ ...openSocket(server.url), text }));
    for (const { socket, text } of sockets) socket.write(text);
    expect((await server.post(shoes)).status).toBe(200); // by now all of them are connected
    // its clock does not move, so that the grace period never ends; Node gives silent connections two minutes
    const hangs = new AbortController();
    const late = setTimeout(60_000, 'late', { signal: hangs.signal }).catch(() => 'aborted');
    expect(await Promise.race([server.close(), late])).not.toBe('late');
    hangs.abort();
    await Promise.all(sockets.map(({ closed }) => closed));
  });

  it('waits no longer than its timeout', async () => {
    const server = await start({ page: () => new Promise<never>(() => undefined) }, { times: { stopGraceMs: 5000 } });
    const answer = server.post(shoes).catch(() => 'closed');
    while (server.source.asked.length === 0) await settled();
    const closed = server.close();
    await server.clock.untilSleeping();
    await server.clock.advance(5000);
    await closed;
    expect(await answer).toBe('closed');
  });

  it('refunds at its start what a dead process left open', async () => {
    const customers = await setUpCustomers();
    const { service, clock, store, accounts } = customers;
    const { hostname } = await import('node:os');
    await store.charge({
      account: 'acme',
      username: 'ann',
      requestId: 'lost',
      operation: 'serp',
      price: { serpCredits: 40, microUsd: 0 },
      owner: `${hostname()}|another boot|1|x`,
      at: clock.now(),
    });
    const server = await startServer({ service, clock, accounts: store });
    open.push(server);
    expect((await accounts.find('acme')).serpCredits).toBe(100);
  });

  it('reports every answer to its host, without a secret', async () => {
    const server = await start({ page: () => Promise.reject(new Error('the cause')) });
    await server.post(shoes, {}, '/v1/serp?password=canary');
    await fetch(`${server.url}/healthz`);
    expect(server.lines).toMatchObject([
      { method: 'POST', path: '/v1/serp', status: 502, code: 'SERP_FAILED', address: '127.0.0.1' },
      { method: 'GET', path: '/healthz', status: 200 },
    ]);
    expect(server.lines.map(({ user, account }) => [user, account])).toEqual([
      ['ann', 'acme'],
      [undefined, undefined],
    ]);
    expect(server.lines.every(({ durationMs }) => durationMs > 0)).toBe(true);
    expect(server.lines[0]?.error).toMatchObject({ cause: new Error('the cause') });
    expect(JSON.stringify(server.lines)).not.toMatch(new RegExp(`canary|${server.ann.password}`));
  });

  it('reports the remaining credits and the usage by day and user', async () => {
    const server = await start();
    await server.post(shoes);
    await server.post(shoes, {}, '/v1/keyword-data');
    const ask = async (query: string, changes: Record<string, string> = {}) => {
      const response = await fetch(`${server.url}/v1/usage${query}`, { headers: { ...server.headers, ...changes } });
      return { status: response.status, body: (await response.json()) as { days?: unknown[]; code?: string } };
    };
    const day = { date: '2026-01-15', user: 'ann', requests: 2, serp_credits: 1, usd: 0.01 };
    expect(await ask('?days=1')).toEqual({
      status: 200,
      body: { account: 'acme', balance: { serp_credits: 99, usd: 0.99 }, days: [{ ...day, date: expect.any(String) }] },
    });
    expect((await ask('')).body.days).toHaveLength(1);
    for (const days of ['0', '367', 'x', '1.5']) expect((await ask(`?days=${days}`)).status).toBe(400);
    expect(await ask('', { 'service-api-password': 'x' })).toMatchObject({ body: { code: 'INVALID_CREDENTIALS' } });
    expect((await fetch(`${server.url}/v1/usage`)).status).toBe(401);
    expect((await server.post(shoes, {}, '/v1/usage')).headers.get('allow')).toBe('GET, HEAD');
  });

  it('reports separately whether it runs and whether its accounts can be charged', async () => {
    const server = await start();
    const statusOf = async (path: string) => (await fetch(server.url + path)).status;
    expect([await statusOf('/healthz'), await statusOf('/readyz')]).toEqual([200, 200]);
    Object.assign(server.store, { isReady: async () => false });
    expect([await statusOf('/healthz'), await statusOf('/readyz')]).toEqual([200, 503]);
    expect((await server.post(shoes, {}, '/readyz')).status).toBe(405);
  });

  it('refuses with 402 if a user is over its daily cap', async () => {
    const server = await start();
    await server.accounts.capUser('ann', { serpCredits: 1 });
    expect((await server.post(shoes)).status).toBe(200);
    const refused = await server.post(shoes);
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([402, 'INSUFFICIENT_CREDITS']);
    await server.accounts.capUser('ann', undefined);
    expect((await server.post(shoes)).status).toBe(200);
  });

  it('marks an answer as repeated and free', async () => {
    const server = await start();
    const replayed = async () => {
      const { headers } = await server.post(shoes, { 'idempotency-key': 'k' });
      return ['idempotent-replayed', 'x-credits-charged'].map((name) => headers.get(name));
    };
    expect(await replayed()).toEqual([null, '1']);
    expect(await replayed()).toEqual(['true', '0']);
    const { ann, url } = server;
    const client = new SearchDataClient({ baseUrl: url, user: ann.username, password: ann.password });
    const reports: CallReport[] = [];
    await client.serp(JSON.parse(shoes), { idempotencyKey: 'k', onReport: (report) => reports.push(report) });
    expect(reports).toMatchObject([{ isReplayed: true }]);
    await client.close();
  });

  it.each([
    ['no Host', ''],
    ['two Hosts', 'Host: a.example\r\nHost: b.example\r\n'],
  ])('refuses a request with %s on every path', async (_, hosts) => {
    const server = await start();
    for (const line of ['GET /healthz', 'POST /v1/serp', 'GET /nothing']) {
      const text = await exchangeBytes(server.url, `${line} HTTP/1.1\r\n${hosts}connection: close\r\n\r\n`);
      expect(parseResponse(text)).toMatchObject({ status: 400 });
    }
  });

  it('gives its host the beginning of a long path, with any content', async () => {
    const server = await start();
    await fetch(`${server.url}/${'a'.repeat(15_000)}`);
    expect(server.lines).toMatchObject([{ path: `/${'a'.repeat(255)}`, status: 404 }]);
  });

  it('uses the configured port, and reports it if it is in use', async () => {
    const server = await start();
    const port = Number(new URL(server.url).port);
    await expect(start({}, { port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
