// What `view`, `mcp` and `serve` do with hostile connections and requests, over real sockets.
import { request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { HistoryReader } from '../../src/read/contract.ts';
import { startServer } from '../../src/service/index.ts';
import { startMcpHttp } from '../../src/workspace/mcp/http.ts';
import { loadPage } from '../../src/workspace/server/page.ts';
import { startWorkspace } from '../../src/workspace/server/server.ts';
import { setUpCustomers } from '../helpers/customers.ts';
import { doorOptions, openDoor, tokenDoor } from '../helpers/door.ts';
import { exchangeBytes, openSocket, parseResponse } from '../helpers/raw-http.ts';

interface Running {
  readonly url: string;
  close(): Promise<void>;
}

const running: Running[] = [];
const refused: unknown[] = [];
afterEach(async () => {
  refused.length = 0;
  for (const server of running.splice(0)) await server.close();
});

async function opened(server: Promise<Running>): Promise<string> {
  running.push(await server);
  return new URL((await server).url).origin;
}

const reader = { version: () => 'v1', notes: () => [], projects: () => [] } as unknown as HistoryReader;
const common = {
  ...{ ...doorOptions, readerFor: () => reader, host: '127.0.0.1', port: 0, onError: () => undefined },
  onRefused: (facts: object) => void refused.push(facts),
};
/** A script of the page, as the build named it. */
const script = /\/assets\/[^"]+\.js/.exec(Buffer.from(loadPage().asset('/')?.bytes ?? []).toString())?.[0] ?? '';
const view = (door = openDoor) => opened(startWorkspace({ ...common, door, page: loadPage() }));
const mcp = (door = openDoor) => opened(startMcpHttp({ ...common, door }));

async function serve(): Promise<string> {
  const { service, clock, store: accounts } = await setUpCustomers();
  const onAnswer = (line: object) => void refused.push(line);
  const times = { headersTimeoutMs: 100, bodyTimeoutMs: 100, connectionsCheckMs: 20 };
  return opened(startServer({ service, clock, accounts, onAnswer, times }));
}

const servers = [
  ['view', view, { large: 431 }],
  ['mcp', mcp, { large: 431 }],
  ['serve', serve, { large: 400 }],
] as const;

const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${more}\r\n`;

describe.each(servers)('%s', (_, start, { large }) => {
  it('drops a connection that sends 1,700 requests at once, at no cost that others notice', async () => {
    const url = await start();
    const path = script;
    await exchangeBytes(url, get(path, 'connection: close\r\n')); // loads what the first request needs
    const [memory, cpu] = [process.memoryUsage().rss, process.cpuUsage()];
    for (let round = 0; round < 5; round += 1) {
      const flood = Array.from({ length: 5 }, () => openSocket(url));
      for (const { socket } of flood) socket.write(`GET ${path} HTTP/1.1\r\nhost:a\r\n\r\n`.repeat(1_700));
      await Promise.all(flood.map(({ closed }) => closed));
    }
    const { user, system } = process.cpuUsage(cpu);
    expect((user + system) / 25 / 1_000).toBeLessThan(200); // milliseconds for each
    expect(process.memoryUsage().rss - memory).toBeLessThan(150 * 1024 ** 2);
    expect(refused.length).toBeLessThan(100);
    expect(refused).toContainEqual(expect.objectContaining({ status: 429 }));
    expect((await fetch(`${url}/healthz`)).status).not.toBe(500);
  });

  it('answers a few requests that are sent ahead, in order', async () => {
    const url = await start();
    const text = await exchangeBytes(
      url,
      `${get('/healthz')}${get('/none')}${get('/healthz', 'connection: close\r\n')}`,
    );
    const statuses = text.split(/(?=HTTP\/1\.1 \d)/).map((each) => parseResponse(each).status);
    expect(statuses).toHaveLength(3);
    expect(statuses[0]).toBe(statuses[2]);
  });

  it.each([
    ['no HTTP', 'HELO\r\n\r\n', 400],
    ['a broken header', 'GET / HTTP/1.1\r\nhost: a\r\nbad header\r\n\r\n', 400],
    ['two lengths', 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n', 400],
    ['headers of 100 KB', `GET / HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`, large],
  ])('answers %s, also after a sound request, and logs it', async (_name, bytes, status) => {
    const url = await start();
    expect(parseResponse(await exchangeBytes(url, bytes)).status).toBe(status);
    expect(refused.splice(0)).toEqual([expect.objectContaining({ status, address: '127.0.0.1' })]);
    const { socket, closed } = openSocket(url);
    socket.write(get('/healthz'));
    await new Promise((resolve) => socket.once('data', resolve));
    socket.write(bytes);
    const text = await closed;
    expect(text.match(/HTTP\/1\.1 (\d+)/g)?.at(-1)).toBe(`HTTP/1.1 ${status}`);
    expect(refused).toContainEqual(expect.objectContaining({ status, address: '127.0.0.1' }));
  });
});

function statusOf(url: string, path: string, method: string, headers: Record<string, string>): Promise<number> {
  const { port } = new URL(url);
  const type = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  return new Promise((resolve, reject) => {
    const asked = {
      port,
      host: '127.0.0.1',
      path,
      method,
      headers: { ...(method === 'POST' ? type : {}), ...headers },
    };
    request(asked, (response) => resolve(response.resume().statusCode ?? 0))
      .on('error', reject)
      .end(method === 'POST' ? '{"jsonrpc":"2.0","id":1,"method":"ping"}' : '');
  });
}

const page = { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' };
const image = { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' };
const link = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
const byLink = { 'sec-fetch-site': 'cross-site', ...link };
const frame = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' };
const proxied = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-real-ip',
  'cf-connecting-ip',
  'cdn-loop',
];

describe('a server of history', () => {
  it.each<readonly [name: string, headers: Record<string, string>, status: number]>([
    ['a program', {}, 200],
    ['its own page', { 'sec-fetch-site': 'same-origin', ...page }, 200],
    ['an address that was typed', { 'sec-fetch-site': 'none', ...link }, 200],
    ['a link of another site', byLink, 200],
    ['a page of another site', { 'sec-fetch-site': 'cross-site', ...page }, 403],
    ['an image of another site', { 'sec-fetch-site': 'cross-site', ...image }, 403],
    ['a frame of another site', { 'sec-fetch-site': 'cross-site', ...frame }, 403],
    ['a page of another port', { 'sec-fetch-site': 'same-site', ...page }, 403],
    ['a browser that says no site, from elsewhere', { origin: 'https://evil.example' }, 403],
    ['a page without an origin', { origin: 'null' }, 403],
    ['another name of this machine', { host: 'evil.example' }, 403],
    ...proxied.map((name) => [`a proxy that sends ${name}`, { [name]: 'x' }, 403] as const),
  ])('serves its own machine and page, not other sites and proxies: %s', async (_, headers, status) => {
    const url = await view();
    for (const path of ['/v1/notes', '/', script, '/docs', '/healthz'])
      expect([path, await statusOf(url, path, 'GET', headers)]).toEqual([path, status]);
    const answer = await statusOf(await mcp(), '/mcp', 'POST', headers);
    expect(answer).toBe(headers === byLink ? 403 : status);
  });

  it('refuses a link of another site with a query, whose time would say what it matches', async () => {
    expect(await statusOf(await view(), '/v1/notes?limit=1', 'GET', byLink)).toBe(403);
  });

  it('behind a proxy asks for a token, and needs no name of this machine', async () => {
    const headers = { host: 'ranks.example', 'x-forwarded-for': '203.0.113.7', authorization: 'Bearer good' };
    expect(await statusOf(await view(tokenDoor), '/v1/notes', 'GET', headers)).toBe(200);
    expect(await statusOf(await mcp(tokenDoor), '/mcp', 'POST', headers)).toBe(200);
    expect(await statusOf(await mcp({ ...tokenDoor, isLocal: true }), '/mcp', 'POST', headers)).toBe(403);
    const { authorization: _, ...anonymous } = headers;
    expect(await statusOf(await view(tokenDoor), '/v1/notes', 'GET', anonymous)).toBe(401);
  });
});
