// How much of a provider's capacity is recorded: at its own limits if it is slow, else compared with a bare loop.
import { spawnSync } from 'node:child_process';
import { Pool } from 'undici';
import type { QueuedService } from '../../jobs/queue/bullmq/redis.ts';
import { RedisServer } from '../helpers/redis.ts';
import { answerAsChild, inChild } from './child.ts';
import { measured, recordAll, type Taken } from './coordinator.ts';
import { inFolder, keywordAt } from './folder.ts';
import { startGoodsProvider } from './goods-provider.ts';
import { startWorkers } from './page-worker.ts';
import type { BenchRow } from './row.ts';

const inFlightMax = 50;
const latencyMs = 2000;
const idealShareMin = 0.97;
const rounds = 3;

interface Question {
  readonly side: 'ours' | 'bare';
  readonly url: string;
  readonly folder: string;
  readonly keywords: number;
  /** If pages go over BullMQ: its Redis. */
  readonly redisUrl?: string;
}

/** The service as workers share it. */
const queued: QueuedService = { name: 'default', queue: 'bench', concurrency: inFlightMax, requestsPerSecond: null };
const workers = 2;

/** Lines over BullMQ need a redis-server. */
export async function benchThroughput(quick: boolean): Promise<BenchRow[]> {
  const slow = quick ? 500 : 1500;
  const rows = [await slowProvider(slow, 'embedded'), await quickProvider(quick ? 5_000 : 20_000)];
  if (!hasRedis()) return rows;
  return [...rows, await slowProvider(slow, 'over BullMQ'), await overhead(quick ? 2_000 : 5_000)];
}

/** A slow provider that refuses the fifty-first request: what counts is how soon a free connection is used. */
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

/** The cost of BullMQ: the same pages without latency, embedded and through two workers. It has no target. */
async function overhead(keywords: number): Promise<BenchRow> {
  const provider = await startGoodsProvider({ latencyMs: 0 });
  const embedded = await askOurs(provider.url, keywords);
  const fleet = await askFleet(provider.url, keywords);
  await provider.close();
  const perSecond = ({ ms }: Taken): string => Math.round((keywords / ms) * 1000).toLocaleString('en');
  const each = ({ cpuMs }: Taken): number => Math.round((cpuMs / keywords) * 1000);
  return {
    name: `throughput: ${keywords.toLocaleString('en')} pages through ${workers} BullMQ workers against embedded`,
    target: 'printed',
    ratio: embedded.ms / fleet.ms,
    detail: `${perSecond(fleet)} against ${perSecond(embedded)} pages/s; ${each(fleet)} against ${each(embedded)} us of the coordinator's CPU a page`,
    ok: true,
  };
}

function askOurs(url: string, keywords: number): Promise<Taken> {
  return inFolder((folder) => ask({ side: 'ours', url, folder, keywords }));
}

/** Our side with a separate Redis and two workers, each of which could saturate the provider alone. */
async function askFleet(url: string, keywords: number): Promise<Taken> {
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
 * A provider without latency in a separate process. Our side is the real pipeline from claim to rankings, every step
 * durable. The loop sends the same requests through undici, with bodies read as text. Both sides alternate.
 */
async function quickProvider(keywords: number): Promise<BenchRow> {
  const provider = await startGoodsProvider({ latencyMs: 0 });
  const never = { ms: Number.POSITIVE_INFINITY, cpuMs: Number.POSITIVE_INFINITY };
  const best: Record<Question['side'], Taken> = { ours: never, bare: never };
  for (let round = 0; round < rounds; round += 1) {
    for (const side of ['bare', 'ours'] as const) {
      const answer = await inFolder((folder) => ask({ side, url: provider.url, folder, keywords }));
      if (answer.ms < best[side].ms) best[side] = answer;
    }
  }
  await provider.close();
  const perSecond = ({ ms }: Taken): string => Math.round((keywords / ms) * 1000).toLocaleString('en');
  const cpuEach = ({ cpuMs }: Taken): number => Math.round((cpuMs / keywords) * 1000);
  return {
    name: `throughput: ${keywords.toLocaleString('en')} pages fetched and recorded, against a loop that only fetches`,
    target: 'printed',
    ratio: best.bare.ms / best.ours.ms,
    detail: `${perSecond(best.ours)} against ${perSecond(best.bare)} pages/s; ${cpuEach(best.ours)} against ${cpuEach(best.bare)} us of CPU a page`,
    ok: true,
  };
}

function ask(question: Question): Promise<Taken> {
  return inChild<Taken>(import.meta.url, question);
}

await answerAsChild(import.meta.url, async (question: Question): Promise<Taken> => {
  return question.side === 'ours' ? recordOurs(question) : loopOver(question);
});

async function loopOver({ url, keywords }: Question): Promise<Taken> {
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

function recordOurs({ url, folder, keywords, redisUrl }: Question): Promise<Taken> {
  return recordAll({
    url,
    folder,
    keywords: { from: 0, to: keywords },
    inFlight: inFlightMax,
    moment: Date.now(),
    ...(redisUrl === undefined ? {} : { over: { redisUrl, queued, payer: 'bench' } }),
  });
}
