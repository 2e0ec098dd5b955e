// Requests per second of the server on the sandbox with all checks, compared with a bare route and the same bytes.
import { join } from 'node:path';
import { type FastifyInstance, fastify } from 'fastify';
import { Pool } from 'undici';
import { openStore } from '../../db/store.ts';
import {
  type AccountStore,
  Accounts,
  createSearchDataService,
  createSource,
  startServer,
  systemClock,
} from '../../src/service/index.ts';
import { MemoryAccounts } from '../helpers/memory-accounts.ts';
import { answerAsChild, inChild } from './child.ts';
import { inFolder } from './folder.ts';
import type { BenchRow } from './row.ts';

const targetRatio = 0.5;
const connections = 50;
const newPagesPerSecondMin = 1_000;
const crowd = { connections: 500, p99MsMax: 300, slowestMsMax: 1_000 };
/** The same searches over and over, as popular keywords are. */
const keywords = ['running shoes', 'mortgage rates', 'city hotels', 'coffee machine', 'yoga lessons'];

interface Question {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly seconds: number;
  readonly connections: number;
  /** Searches that were never made before start with this text; absent: the same searches over and over. */
  readonly newFrom?: string;
}

interface Answer {
  readonly perSecond: number;
  readonly p99Ms: number;
  readonly slowestMs: number;
  readonly failures: number;
}

/**
 * Accounts in memory, and in SQLite with every charge and settlement durable; there also pages that were never asked
 * for, and many connections.
 */
export async function benchServiceLoad(quick: boolean): Promise<BenchRow[]> {
  const inMemory = await measure('accounts in memory', new MemoryAccounts(), quick);
  const durable = await inFolder(async (folder) => {
    const store = openStore(join(folder, 'accounts.sqlite'));
    try {
      return [
        await measure('accounts in SQLite', store.accounts, quick),
        ...(await measureDurable(store.accounts, quick)),
      ];
    } finally {
      store.close();
    }
  });
  return [inMemory, ...durable];
}

/** Rounds alternate, and the best of each counts: other load only adds. */
async function measure(name: string, store: AccountStore, quick: boolean): Promise<BenchRow> {
  const rounds = quick ? 2 : 4;
  const seconds = quick ? 2 : 5;
  const { url, headers, close } = await serveSandbox(store);
  const bare = await bareServer(await bodiesOf(url, headers));
  const best = { ours: 0, bare: 0, p99Ms: Number.POSITIVE_INFINITY, failures: 0 };
  for (let round = 0; round < rounds; round++) {
    const ours = await inChild<Answer>(import.meta.url, { url, headers, seconds, connections } satisfies Question);
    const question: Question = { url: urlOf(bare), headers, seconds, connections };
    const plain = await inChild<Answer>(import.meta.url, question);
    best.ours = Math.max(best.ours, ours.perSecond);
    best.bare = Math.max(best.bare, plain.perSecond);
    best.p99Ms = Math.min(best.p99Ms, ours.p99Ms);
    best.failures += ours.failures + plain.failures;
  }
  await bare.close();
  await close();
  const ratio = best.ours / best.bare;
  return {
    name: `service: POST /v1/serp, ${name}, against a bare Fastify route returning the same bytes`,
    target: `at least ${targetRatio * 100}%`,
    ratio,
    detail: `${Math.round(best.ours)} a second against ${Math.round(best.bare)}, p99 ${best.p99Ms.toFixed(1)} ms, ${connections} connections`,
    ok: ratio >= targetRatio && best.failures === 0,
  };
}

/** Searches that were never made before, and a crowd at the same few searches. The best round of each counts. */
async function measureDurable(store: AccountStore, quick: boolean): Promise<BenchRow[]> {
  const seconds = quick ? 2 : 5;
  const { url, headers, close } = await serveSandbox(store);
  const fresh: Answer[] = [];
  const crowded: Answer[] = [];
  for (let round = 0; round < (quick ? 3 : 5); round++) {
    fresh.push(await inChild<Answer>(import.meta.url, { url, headers, seconds, connections, newFrom: `${round} new` }));
    const { connections: many } = crowd;
    crowded.push(await inChild<Answer>(import.meta.url, { url, headers, seconds, connections: many }));
  }
  await close();
  const fastest = Math.max(...fresh.map(({ perSecond }) => perSecond));
  const calmest = crowded.reduce((best, each) => (each.p99Ms < best.p99Ms ? each : best));
  const isAnswered = [...fresh, ...crowded].every(({ failures }) => failures === 0);
  return [
    {
      name: `service: new pages of the sandbox a second, ${connections} connections`,
      target: `at least ${newPagesPerSecondMin}`,
      ratio: fastest / newPagesPerSecondMin,
      detail: `${Math.round(fastest)} a second; the ratio is against the target`,
      ok: fastest >= newPagesPerSecondMin && isAnswered,
    },
    {
      name: `service: known pages over ${crowd.connections} connections`,
      target: `p99 below ${crowd.p99MsMax} ms, none above ${crowd.slowestMsMax} ms`,
      ratio: calmest.p99Ms / crowd.p99MsMax,
      detail: `${Math.round(calmest.perSecond)} a second, p99 ${calmest.p99Ms.toFixed(0)} ms, slowest ${calmest.slowestMs.toFixed(0)} ms`,
      ok: calmest.p99Ms < crowd.p99MsMax && calmest.slowestMs < crowd.slowestMsMax && isAnswered,
    },
  ];
}

async function serveSandbox(store: AccountStore) {
  const accounts = new Accounts(store, systemClock);
  const name = `bench-${Math.random().toString(36).slice(2)}`;
  await accounts.create(name, { serpCredits: 1_000_000_000, microUsd: 0 });
  const { username, password } = await accounts.addUser(name);
  const source = await createSource('sandbox', {}, { clock: systemClock });
  const requestRate = { count: 100_000_000, windowMs: 60_000 };
  const service = createSearchDataService({ source, clock: systemClock, accounts: store, requestRate });
  const server = await startServer({ service, accounts: store, clock: systemClock });
  return {
    url: server.url,
    headers: {
      'content-type': 'application/json',
      'service-api-user': username,
      'service-api-password': password,
    },
    async close() {
      await server.close();
      await service.close();
    },
  };
}

async function bodiesOf(url: string, headers: Record<string, string>): Promise<Map<string, string>> {
  const bodies = new Map<string, string>();
  for (const keyword of keywords) {
    const response = await fetch(`${url}/v1/serp`, { method: 'POST', headers, body: JSON.stringify({ keyword }) });
    bodies.set(keyword, await response.text());
  }
  return bodies;
}

async function bareServer(bodies: ReadonlyMap<string, string>): Promise<FastifyInstance> {
  const app = fastify();
  app.post<{ Body: { keyword: string } }>('/v1/serp', (request, reply) =>
    reply.type('application/json; charset=utf-8').send(bodies.get(request.body.keyword) ?? ''),
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  return app;
}

function urlOf(app: FastifyInstance): string {
  const address = app.server.address();
  return typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : '';
}

await answerAsChild(import.meta.url, async (question: Question): Promise<Answer> => {
  const { url, headers, seconds, newFrom } = question;
  const pool = new Pool(url, { connections: question.connections, pipelining: 1 });
  const times: number[] = [];
  let failures = 0;
  let asked = 0;
  const run = async (end: number, connection: number) => {
    for (let index = connection; performance.now() < end; index++) {
      const start = performance.now();
      const keyword = newFrom === undefined ? keywords[index % keywords.length] : `${newFrom} ${asked++}`;
      const response = await pool.request({
        path: '/v1/serp',
        method: 'POST',
        headers,
        body: JSON.stringify({ keyword }),
      });
      await response.body.arrayBuffer();
      if (response.statusCode !== 200) failures++;
      times.push(performance.now() - start);
    }
  };
  const all = (until: number) =>
    Promise.all(Array.from({ length: question.connections }, (_, connection) => run(until, connection)));
  await all(performance.now() + 500);
  times.length = 0;
  const start = performance.now();
  await all(start + seconds * 1000);
  const perSecond = (times.length / (performance.now() - start)) * 1000;
  await pool.close();
  times.sort((a, b) => a - b);
  return { perSecond, p99Ms: times[Math.floor(times.length * 0.99)] ?? 0, slowestMs: times.at(-1) ?? 0, failures };
});
