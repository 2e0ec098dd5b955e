// How much of what a provider can give is recorded: against its own limits where it is slow, and against a bare loop of requests where it is not.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Pool } from 'undici';
import { openStore } from '../../db/store.ts';
import type { QueuedService } from '../../jobs/bullmq-redis.ts';
import type { JobContext } from '../../jobs/context.ts';
import { planRun } from '../../jobs/plan-run.ts';
import type { FetchQueue } from '../../jobs/queue.ts';
import { createEmbeddedQueue } from '../../jobs/queue-embedded.ts';
import { drainRun } from '../../jobs/worker.ts';
import { SearchDataClient, systemClock } from '../../src/service/index.ts';
import type { Project } from '../../src/tracker/project.ts';
import { RedisServer } from '../helpers/redis.ts';
import { answerAsChild, inChild } from './child.ts';
import { inFolder, keywordAt, ownHost } from './folder.ts';
import { startGoodsProvider } from './goods-provider.ts';
import { silent, startWorkers } from './page-worker.ts';
import type { BenchRow } from './row.ts';

const inFlightMax = 50;
const latencyMs = 2000;
const idealShareMin = 0.97;
const bareShareMin = 0.6;
const rounds = 3;

interface Question {
  readonly side: 'ours' | 'bare';
  readonly url: string;
  readonly folder: string;
  readonly keywords: number;
  /** Where pages go over BullMQ: its Redis. */
  readonly redisUrl?: string;
}

interface Answer {
  readonly ms: number;
  /** Of all threads of the process. */
  readonly cpuMs: number;
}

/** The service as workers share it. */
const queued: QueuedService = { name: 'default', queue: 'bench', concurrency: inFlightMax, requestsPerSecond: null };
const workers = 2;

/** Lines over BullMQ come where there is a redis-server. */
export async function benchThroughput(quick: boolean): Promise<BenchRow[]> {
  const slow = quick ? 500 : 1500;
  const rows = [await slowProvider(slow, 'embedded'), await quickProvider(quick ? 5_000 : 20_000)];
  if (!hasRedis()) return rows;
  return [...rows, await slowProvider(slow, 'over BullMQ'), await overhead(quick ? 2_000 : 5_000)];
}

/** A provider that takes its time and refuses the fifty-first: what counts is how soon a place that comes free is taken. */
async function slowProvider(keywords: number, driver: 'embedded' | 'over BullMQ'): Promise<BenchRow> {
  const provider = await startGoodsProvider({ latencyMs, inFlightMax });
  const { ms } = driver === 'embedded' ? await askOurs(provider.url, keywords) : await askFleet(provider.url, keywords);
  const { refused, mostAtOnce } = await provider.close();
  const idealMs = Math.ceil(keywords / inFlightMax) * latencyMs;
  return {
    name: `throughput: ${keywords.toLocaleString('en')} pages of a provider with ${latencyMs / 1000} s latency and ${inFlightMax} requests in flight, ${driver}`,
    target: `at least ${idealShareMin}x of the ideal`,
    ratio: idealMs / ms,
    detail: `${(ms / 1000).toFixed(1)} s against ${(idealMs / 1000).toFixed(1)} s; ${mostAtOnce} at once at most, ${refused} refused`,
    ok: idealMs / ms >= idealShareMin && refused === 0,
  };
}

/** What BullMQ costs by itself: the same pages of a provider without latency, embedded and through two workers. It has no target. */
async function overhead(keywords: number): Promise<BenchRow> {
  const provider = await startGoodsProvider({ latencyMs: 0 });
  const embedded = await askOurs(provider.url, keywords);
  const fleet = await askFleet(provider.url, keywords);
  await provider.close();
  const perSecond = ({ ms }: Answer): string => Math.round((keywords / ms) * 1000).toLocaleString('en');
  const each = ({ cpuMs }: Answer): number => Math.round((cpuMs / keywords) * 1000);
  return {
    name: `throughput: ${keywords.toLocaleString('en')} pages through ${workers} BullMQ workers against embedded`,
    target: 'printed',
    ratio: embedded.ms / fleet.ms,
    detail: `${perSecond(fleet)} against ${perSecond(embedded)} pages/s; ${each(fleet)} against ${each(embedded)} us of the coordinator's CPU a page`,
    ok: true,
  };
}

function askOurs(url: string, keywords: number): Promise<Answer> {
  return inFolder((folder) => ask({ side: 'ours', url, folder, keywords }));
}

/** Our side with a Redis and two workers of its own, each of which could fill the provider alone. */
async function askFleet(url: string, keywords: number): Promise<Answer> {
  const redis = await RedisServer.start('aof', '--maxmemory-policy', 'noeviction');
  try {
    const end = await startWorkers(workers, { redisUrl: redis.url, url, queued, concurrency: inFlightMax });
    const answer = await inFolder((folder) => ask({ side: 'ours', url, folder, keywords, redisUrl: redis.url }));
    await end();
    return answer;
  } finally {
    await redis.remove();
  }
}

function hasRedis(): boolean {
  return spawnSync('redis-server', ['--version']).error === undefined;
}

/**
 * A provider without latency, in a process of its own. Our side is the real pipeline from claim to rankings, with every step durable; the other side
 * is a loop that posts the same requests through undici, as many at once, and reads the bodies as text. Both take turns, and the fastest of each counts.
 */
async function quickProvider(keywords: number): Promise<BenchRow> {
  const provider = await startGoodsProvider({ latencyMs: 0 });
  const never = { ms: Number.POSITIVE_INFINITY, cpuMs: Number.POSITIVE_INFINITY };
  const best: Record<Question['side'], Answer> = { ours: never, bare: never };
  for (let round = 0; round < rounds; round += 1) {
    for (const side of ['bare', 'ours'] as const) {
      const answer = await inFolder((folder) => ask({ side, url: provider.url, folder, keywords }));
      if (answer.ms < best[side].ms) best[side] = answer;
    }
  }
  await provider.close();
  const perSecond = ({ ms }: Answer): string => Math.round((keywords / ms) * 1000).toLocaleString('en');
  const cpuEach = ({ cpuMs }: Answer): number => Math.round((cpuMs / keywords) * 1000);
  const ratio = best.bare.ms / best.ours.ms;
  return {
    name: `throughput: pages a second, fetched and recorded, against a loop that only fetches ${keywords.toLocaleString('en')} pages`,
    target: `at least ${bareShareMin}x`,
    ratio,
    detail: `${perSecond(best.ours)} against ${perSecond(best.bare)} pages/s; ${cpuEach(best.ours)} against ${cpuEach(best.bare)} us of CPU a page`,
    ok: ratio >= bareShareMin,
  };
}

function ask(question: Question): Promise<Answer> {
  return inChild<Answer>(import.meta.url, question);
}

await answerAsChild(import.meta.url, async (question: Question): Promise<Answer> => {
  return question.side === 'ours' ? recordAll(question) : fetchAll(question);
});

async function measured(work: () => Promise<unknown>): Promise<Answer> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await work();
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { ms, cpuMs: (user + system) / 1000 };
}

async function fetchAll({ url, keywords }: Question): Promise<Answer> {
  const pool = new Pool(url, { connections: inFlightMax, pipelining: 1 });
  const headers = {
    'content-type': 'application/json',
    'service-api-user': 'bench',
    'service-api-password': 'bench',
  };
  let next = 0;
  const loop = async (): Promise<void> => {
    while (next < keywords) {
      const body = JSON.stringify({ keyword: keywordAt(next++), country: 'US', language: 'en', mobile: false });
      const answer = await pool.request({ method: 'POST', path: '/v1/serp', headers, body });
      const text = await answer.body.text();
      if (answer.statusCode !== 200) throw new Error(`the provider answered ${answer.statusCode}: ${text}`);
    }
  };
  const answer = await measured(() => Promise.all(Array.from({ length: inFlightMax }, loop)));
  await pool.close();
  return answer;
}

async function recordAll({ url, folder, keywords, redisUrl }: Question): Promise<Answer> {
  const store = openStore(join(folder, 'rankledger.sqlite'));
  const client = new SearchDataClient({ baseUrl: url, user: 'bench', password: 'bench', concurrency: inFlightMax });
  const project = projectOf(keywords);
  const at = Date.now();
  const context: JobContext = {
    store,
    services: new Map([['default', client]]),
    projects: new Map([[project.id, project]]),
    clock: systemClock,
    random: Math.random,
    log: silent,
    timezone: 'UTC',
    owner: 'bench',
    freeBytes: () => Number.POSITIVE_INFINITY,
  };
  const date = new Date(at).toISOString().slice(0, 10);
  const slot = { project: project.id, slot: `${date}T06:00`, at, timezone: 'UTC', localDate: date };
  const run = store.transaction(() => store.runs.open({ kind: 'ranks', moment: at, owner: 'bench', at }, [slot]));
  if (run === null) throw new Error('the run could not be opened');
  planRun(context, run.id, [project], () => {});
  const never = new AbortController().signal;
  const queue =
    redisUrl === undefined
      ? createEmbeddedQueue(context.services, inFlightMax, { ahead: inFlightMax })
      : await queueOver(redisUrl);
  await queue.prepare();
  const answer = await measured(() => drainRun(context, queue, run.id, { stop: never, giveUp: never }, () => {}));
  const { ok } = store.checks.counts(run.id);
  if (ok !== keywords) throw new Error(`${ok} of ${keywords} checks are complete`);
  await queue.close();
  await client.close();
  store.close();
  return answer;
}

/** As many pages handed out as wait at workers and in flight: a worker's next page is there when a place comes free. */
async function queueOver(redisUrl: string): Promise<FetchQueue> {
  const { openBullmqQueue } = await import('../../jobs/queue-bullmq.ts');
  const common = { clock: systemClock, log: silent, payer: () => 'bench' };
  return openBullmqQueue({ ...common, redisUrl, services: [queued], concurrency: 2 * inFlightMax });
}

function projectOf(keywords: number): Project {
  return {
    id: 'bench',
    service: 'default',
    targets: [{ match: 'domain', value: ownHost }],
    competitors: [{ match: 'domain', value: 'rival.example' }],
    timezone: 'UTC',
    catchUp: 'latest',
    paging: 'full',
    freshForMs: 0,
    keywords: Array.from({ length: keywords }, (_, index) => ({
      keyword: keywordAt(index),
      country: 'US',
      language: 'en',
      devices: ['desktop'],
      tags: [],
      priority: 'normal',
      depth: 1,
    })),
  };
}
