// The tool that buys: one purchase at a time, none beside an unfinished run, none after a cancellation.
import { once } from 'node:events';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { windowKeysAt } from '../../../jobs/purchase/money.ts';
import { App } from '../../../src/app/app.ts';
import { audit } from '../../../src/app/audit.ts';
import { checkNow } from '../../../src/app/workspace/check-now.ts';
import { type BuyCheck, serveMcpHttp, serveMcpStdio } from '../../../src/cli/commands/mcp.ts';
import { createSearchDataService, systemClock } from '../../../src/service/index.ts';
import type { HistoryServer } from '../../../src/workspace/listen.ts';
import { type ProjectFolder, projectFolder } from '../../cli/project-folder.ts';
import { memorySource, pageOf } from '../../helpers/memory-source.ts';

const keywords = ['red shoes', 'blue shoes', 'green shoes'];
const config = `budget: { serpCredits: { perRun: 3, perMonth: 5 } }
queue: { concurrency: 1 }
projects:
  - { id: acme, targets: [acme.com], market: { country: US, language: en }, depth: 1, keywords: [${keywords.join(', ')}, white shoes, black shoes, brown shoes] }
`;

let folder: ProjectFolder;
let app: App;
/** The requests that the source has received, each with what lets its page go. */
let asked: { readonly keyword: string; readonly release: () => void }[];
let isGated: boolean;
/** Of each call. */
let cancels: AbortSignal[];
const arrived = async (count: number) => await vi.waitUntil(() => asked.length >= count, { timeout: 60_000 });

beforeEach(async () => {
  folder = projectFolder(config);
  asked = [];
  cancels = [];
  isGated = true;
  const source = memorySource({
    kind: 'live',
    page: async (request) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      asked.push({ keyword: request.keyword, release: resolve });
      if (isGated) await promise;
      return pageOf(request);
    },
  });
  const services = new Map([['default', createSearchDataService({ source, clock: systemClock })]]);
  const resolved = await loadConfig({ file: join(folder.path, 'rankledger.yaml'), env: {}, cwd: folder.path });
  app = new App(resolved, { services });
});
afterEach(async () => {
  isGated = false;
  for (const { release } of asked) release();
  await app.close();
});

const buyCheck: BuyCheck = (bought, request, signal, allowance) => {
  cancels.push(signal);
  return checkNow(bought, request, signal, allowance);
};

async function overHttp(work: (url: string) => Promise<void>, creditsAllowed?: number): Promise<void> {
  const signal = new AbortController().signal;
  const server: HistoryServer = await serveMcpHttp(app, { port: 0, signal, buyCheck, creditsAllowed });
  try {
    await work(server.url);
  } finally {
    await server.close();
  }
}

async function connected(url: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

async function buy(client: Client, ...words: string[]): Promise<{ text: string; isError: boolean }> {
  const input = { project: 'acme', keywords: words, buy: true };
  const { content, isError } = await client.callTool({ name: 'check_now', arguments: input });
  const [{ text }] = content as unknown as [{ text: string }];
  return { text, isError: isError === true };
}

/** SERP credits of all days, whether the service answered or not. */
const spent = () =>
  app.context.store.ledger
    .windows('', windowKeysAt(systemClock.now(), 'UTC'))
    .find(({ scope, currency }) => scope === 'month' && currency === 'serp_credit')?.spent;

it('buys nothing while another run is unfinished, and says which', async () => {
  const { store } = app.context;
  store.transaction(() =>
    store.runs.open({ kind: 'ranks', moment: 1, owner: 'another', at: systemClock.now() }, [
      { project: 'acme', slot: '2026-01-15T06:00', at: 1, timezone: 'UTC', localDate: '2026-01-15' },
    ]),
  );
  await overHttp(async (url) => {
    const client = await connected(url);
    const { text, isError } = await buy(client, 'red shoes');
    expect(isError).toBe(true);
    expect(text).toContain('Run 1 is not finished. Nothing was bought.');
    await client.close();
  });
  expect(asked).toEqual([]);
  expect(audit(app)).toMatchObject({ ok: true });
});

it('makes two calls at once wait for each other: both are bought, one after the other, and a third is over the budget', async () => {
  await overHttp(async (url) => {
    const clients = await Promise.all([connected(url), connected(url)]);
    const both = Promise.all([
      buy(clients[0], 'red shoes', 'blue shoes', 'green shoes'),
      buy(clients[1], 'white shoes', 'black shoes'),
    ]);
    await arrived(1);
    isGated = false;
    for (const { release } of asked) release();
    const results = (await both).map(({ text }) => JSON.parse(text).bought);
    expect(results.map(({ creditsSpent }) => creditsSpent)).toEqual([3, 2]);
    expect(new Set(results.flatMap(({ runs }) => runs.map(({ runId }: { runId: number }) => runId))).size).toBe(2);
    const third = await buy(clients[0], 'brown shoes');
    expect(third).toMatchObject({ isError: true, text: expect.stringContaining('the budget does not allow') });
    await Promise.all(clients.map((client) => client.close()));
  });
  expect([asked.length, spent()]).toEqual([5, 5]);
  expect(audit(app)).toMatchObject({ ok: true });
});

it('buys for no more credits than --allow-spend names, over all calls', async () => {
  isGated = false;
  await overHttp(async (url) => {
    const client = await connected(url);
    expect(await buy(client, 'red shoes', 'blue shoes', 'green shoes')).toMatchObject({
      isError: true,
      text: 'Checking them may cost 3 SERP credits, and no more than 2 are allowed. Nothing was bought.',
    });
    expect(await buy(client, 'red shoes')).toMatchObject({ isError: false });
    expect(await buy(client, 'blue shoes', 'green shoes')).toMatchObject({ isError: true });
    expect(await buy(client, 'blue shoes')).toMatchObject({ isError: false });
    expect((await buy(client, 'green shoes')).text).toContain('no more than 0 are allowed');
    await client.close();
  }, 2);
  expect([asked.length, spent()]).toEqual([2, 2]);
});

it('buys nothing more once the assistant cancels; the page in flight is recorded', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const stop = new AbortController();
  const served = serveMcpStdio(app, { input, output, signal: stop.signal, buyCheck });
  const send = (message: object) => void input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const about = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  send({ id: 1, method: 'initialize', params: about });
  await once(output, 'data');
  send({ method: 'notifications/initialized' });
  const call = { name: 'check_now', arguments: { project: 'acme', keywords, buy: true } };
  send({ id: 2, method: 'tools/call', params: call });
  await arrived(1);
  send({ method: 'notifications/cancelled', params: { requestId: 2, reason: 'enough' } });
  await vi.waitUntil(() => cancels.at(-1)?.aborted, { timeout: 60_000 });
  const inFlight = asked.length;
  for (const { release } of asked) release();
  await vi.waitUntil(() => spent() === inFlight, { timeout: 60_000 });
  stop.abort();
  await served;
  expect(asked.length).toBe(inFlight);
  expect(inFlight).toBeLessThan(keywords.length);
  expect(audit(app)).toMatchObject({ ok: true });
});

it('buys nothing more once an assistant over HTTP hangs up', async () => {
  await overHttp(async (url) => {
    const hangUp = new AbortController();
    const call = { name: 'check_now', arguments: { project: 'acme', keywords, buy: true } };
    const answer = fetch(url, {
      method: 'POST',
      headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }),
      signal: hangUp.signal,
    });
    await arrived(1);
    hangUp.abort();
    await expect(answer).rejects.toThrow();
    await vi.waitUntil(() => cancels.at(-1)?.aborted, { timeout: 60_000 });
    const inFlight = asked.length;
    for (const { release } of asked) release();
    await vi.waitUntil(() => spent() === inFlight, { timeout: 60_000 });
    expect(inFlight).toBeLessThan(keywords.length);
    expect(asked.length).toBe(inFlight);
  });
  expect(audit(app)).toMatchObject({ ok: true });
});
