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
  MemoryAccountStore,
  startServer,
  systemClock,
} from '../../src/service/index.ts';
import { answerAsChild, inChild } from './child.ts';
import { inFolder } from './folder.ts';
import type { BenchRow } from './row.ts';

const targetRatio = 0.5;
const connections = 50;
/** The same searches over and over, as popular keywords are. */
const keywords = ['running shoes', 'mortgage rates', 'city hotels', 'coffee machine', 'yoga lessons'];

interface Question {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly seconds: number;
}

interface Answer {
  readonly perSecond: number;
  readonly p99Ms: number;
  readonly failures: number;
}

/** Two lines: accounts in memory, and in SQLite with every charge and settlement durable. */
export async function benchServiceLoad(quick: boolean): Promise<BenchRow[]> {
  const inMemory = await measure('accounts in memory', new MemoryAccountStore(), quick);
  const durable = await inFolder(async (folder) => {
    const store = openStore(join(folder, 'accounts.sqlite'));
    try {
      return await measure('accounts in SQLite', store.accounts, quick);
    } finally {
      store.close();
    }
  });
  return [inMemory, durable];
}

/** Rounds alternate, and the best of each counts: other load only adds. */
async function measure(name: string, store: AccountStore, quick: boolean): Promise<BenchRow> {
  const rounds = quick ? 2 : 4;
  const seconds = quick ? 2 : 5;
  const accounts = new Accounts(store, systemClock);
  await accounts.create('bench', { serpCredits: 1_000_000_000, microUsd: 0 });
  const { username, password } = await accounts.addUser('bench');
  const source = await createSource('sandbox', {}, { clock: systemClock });
  const requestRate = { count: 100_000_000, windowMs: 60_000 };
  const service = createSearchDataService({ source, clock: systemClock, accounts: store, requestRate });
  const server = await startServer({ service, accounts: store, clock: systemClock });
  const headers = {
    'content-type': 'application/json',
    'service-api-user': username,
    'service-api-password': password,
  };
  const bare = await bareServer(await bodiesOf(server.url, headers));
  const best = { ours: 0, bare: 0, p99Ms: Number.POSITIVE_INFINITY, failures: 0 };
  for (let round = 0; round < rounds; round++) {
    const ours = await inChild<Answer>(import.meta.url, { url: server.url, headers, seconds } satisfies Question);
    const plain = await inChild<Answer>(import.meta.url, { url: urlOf(bare), headers, seconds } satisfies Question);
    best.ours = Math.max(best.ours, ours.perSecond);
    best.bare = Math.max(best.bare, plain.perSecond);
    best.p99Ms = Math.min(best.p99Ms, ours.p99Ms);
    best.failures += ours.failures + plain.failures;
  }
  await bare.close();
  await server.close();
  await service.close();
  const ratio = best.ours / best.bare;
  return {
    name: `service: POST /v1/serp, ${name}, against a bare Fastify route returning the same bytes`,
    target: `at least ${targetRatio * 100}%`,
    ratio,
    detail: `${Math.round(best.ours)} a second against ${Math.round(best.bare)}, p99 ${best.p99Ms.toFixed(1)} ms, ${connections} connections`,
    ok: ratio >= targetRatio && best.failures === 0,
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

await answerAsChild(import.meta.url, async ({ url, headers, seconds }: Question): Promise<Answer> => {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const times: number[] = [];
  let failures = 0;
  const run = async (end: number, connection: number) => {
    for (let index = connection; performance.now() < end; index++) {
      const start = performance.now();
      const body = JSON.stringify({ keyword: keywords[index % keywords.length] });
      const response = await pool.request({ path: '/v1/serp', method: 'POST', headers, body });
      await response.body.arrayBuffer();
      if (response.statusCode !== 200) failures++;
      times.push(performance.now() - start);
    }
  };
  const all = (until: number) =>
    Promise.all(Array.from({ length: connections }, (_, connection) => run(until, connection)));
  await all(performance.now() + 500);
  times.length = 0;
  const start = performance.now();
  await all(start + seconds * 1000);
  const perSecond = (times.length / (performance.now() - start)) * 1000;
  await pool.close();
  times.sort((a, b) => a - b);
  return { perSecond, p99Ms: times[Math.floor(times.length * 0.99)] ?? 0, failures };
});
