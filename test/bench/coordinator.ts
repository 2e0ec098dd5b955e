// One coordinator that fetches and records keywords, from claim to rankings, every step durable: used by two benches.
import { join } from 'node:path';
import { openStore } from '../../db/store.ts';
import { runChecks } from '../../jobs/check/run-checks.ts';
import type { JobContext } from '../../jobs/context.ts';
import type { QueuedService } from '../../jobs/queue/bullmq/redis.ts';
import type { FetchQueue } from '../../jobs/queue/queue.ts';
import { createEmbeddedQueue } from '../../jobs/queue/queue.ts';
import { planRun } from '../../jobs/run/plan-run.ts';
import { SearchDataClient } from '../../src/service/client/client.ts';
import { systemClock } from '../../src/service/index.ts';
import { silent } from './page-worker.ts';
import { benchProject } from './project.ts';

export interface Coordination {
  /** Of the provider. */
  readonly url: string;
  /** Holds the database. */
  readonly folder: string;
  readonly keywords: { readonly from: number; readonly to: number };
  /** Concurrent requests. */
  readonly inFlight: number;
  /** The slot; coordinators that share pages have the same. UTC milliseconds. */
  readonly moment: number;
  /** If pages go over BullMQ: its Redis, and the service as workers share it. */
  readonly over?: { readonly redisUrl: string; readonly queued: QueuedService; readonly payer: string };
}

/** The time of a stretch of work: of the clock, and of all threads of the process. */
export interface Taken {
  readonly ms: number;
  readonly cpuMs: number;
}

export async function measured(work: () => Promise<unknown>): Promise<Taken> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await work();
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { ms, cpuMs: (user + system) / 1000 };
}

/** Measured from the first claim to the last ranking; rejects if a check is not complete. */
export async function recordAll({ url, folder, keywords, inFlight, moment, over }: Coordination): Promise<Taken> {
  const store = openStore(join(folder, 'rankledger.sqlite'));
  const client = new SearchDataClient({
    retries: { attemptsMax: 1 },
    baseUrl: url,
    user: 'bench',
    password: 'bench',
    concurrency: inFlight,
  });
  const project = benchProject({ from: keywords.from, count: keywords.to - keywords.from });
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
  const date = new Date(moment).toISOString().slice(0, 10);
  const slot = { project: project.id, slot: `${date}T06:00`, at: moment, timezone: 'UTC', localDate: date };
  const run = store.transaction(() => store.runs.open({ kind: 'ranks', moment, owner: 'bench', at: moment }, [slot]));
  if (run === null) throw new Error('the run could not be opened');
  planRun(context, run.id, [project], () => {});
  const never = new AbortController().signal;
  const queue =
    over === undefined
      ? createEmbeddedQueue(context.services, inFlight, { ahead: inFlight })
      : await queueOver(over, 2 * inFlight);
  await queue.prepare();
  const taken = await measured(() =>
    runChecks(context, queue, run.id, { stop: never, giveUp: never }, { onEnded() {} }),
  );
  const { ok } = store.checks.counts(run.id);
  const wanted = keywords.to - keywords.from;
  if (ok !== wanted) throw new Error(`${ok} of ${wanted} checks are complete`);
  await queue.close();
  await client.close();
  store.close();
  return taken;
}

/** Queues as many pages as wait at workers and are in flight: a free worker has its next page at once. */
async function queueOver(
  { redisUrl, queued, payer }: NonNullable<Coordination['over']>,
  concurrency: number,
): Promise<FetchQueue> {
  const { openBullmqQueue } = await import('../../jobs/queue/bullmq/coordinator.ts');
  return openBullmqQueue({
    clock: systemClock,
    log: silent,
    payer: () => payer,
    redisUrl,
    services: [queued],
    concurrency,
  });
}
