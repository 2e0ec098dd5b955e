// The worker: takes page requests of its services from Redis and carries them out. It knows no database; money is the coordinator's part.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock, SearchDataService } from '../src/service/index.ts';
import { Line } from './bullmq-line.ts';
import { admit, connect, placeOf, type QueuedService, type QueueTimings, queueTimings } from './bullmq-redis.ts';
import { Tries } from './bullmq-tries.ts';
import type { Log } from './context.ts';

export interface PageWorkerOptions {
  readonly redisUrl: string;
  readonly queued: readonly QueuedService[];
  readonly services: ReadonlyMap<string, SearchDataService>;
  /** Pages in flight at most, of each service. */
  readonly concurrency: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly timings?: QueueTimings;
}

export interface PageWorker {
  /** Host, port and database of Redis; no password. */
  readonly redis: string;
  /** Begins nothing more, lets what is in flight come to its end, or drops it on the signal. What was not begun waits for other workers. */
  close(giveUp: AbortSignal): Promise<void>;
}

/** After giving up, so long may it take to say so; then the connection is dropped. */
const farewellMs = 1500;

/** Starts to work. Throws QueueError where Redis cannot be reached, or would throw work away. */
export async function startPageWorker(options: PageWorkerOptions): Promise<PageWorker> {
  const { redisUrl, log } = options;
  const redis = connect(redisUrl, log, true);
  try {
    await admit(redis, log);
  } catch (error) {
    redis.disconnect();
    throw error;
  }
  const { clock, queued, services, timings = queueTimings } = options;
  const name = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const tries = new Tries(redis);
  const stop = new AbortController();
  const giveUp = new AbortController();
  const end = new AbortController();
  let begun = 0;
  const token = (): string => `${name}/${++begun}`;
  const shared = { redis, tries, services, clock, log, timings, stop: stop.signal, giveUp: giveUp.signal, token };
  const beat = (): Promise<void> => {
    const held = lines.flatMap((line) => [...line.held.values()]);
    return tries.beat(name, timings.leaseMs, held);
  };
  const lines: Line[] = [];
  // before any job is taken: a beginning without a sign of life is an orphan
  await beat();
  redis.on('ready', () => void beat().catch(() => undefined));
  for (const service of queued) {
    const concurrency = Math.min(options.concurrency, service.concurrency ?? Number.POSITIVE_INFINITY);
    lines.push(new Line({ ...shared, service, concurrency }));
  }
  const every = async (ms: number, work: () => Promise<unknown>): Promise<void> => {
    while (!end.signal.aborted) {
      await clock.sleep(ms, end.signal).catch(() => undefined);
      if (redis.status === 'ready' && !end.signal.aborted) await work().catch(() => undefined);
    }
  };
  await Promise.all(lines.map((line) => line.ready()));
  void every(timings.beatMs, beat);
  void every(timings.sweepMs, () => Promise.all(lines.map((line) => line.lookAfter())));
  return {
    redis: placeOf(redis),
    async close(late) {
      stop.abort();
      const timer = new AbortController();
      const drop = (): void => giveUp.abort();
      if (late.aborted) drop();
      else late.addEventListener('abort', drop);
      const givenUp = new Promise<void>((resolve) => {
        const wait = (): void => void clock.sleep(farewellMs, timer.signal).then(resolve, resolve);
        if (giveUp.signal.aborted) wait();
        else giveUp.signal.addEventListener('abort', wait);
      });
      const closed = Promise.all(lines.map((line) => line.close())).catch(() => undefined);
      await Promise.race([closed, givenUp]);
      timer.abort();
      late.removeEventListener('abort', drop);
      end.abort();
      if (redis.status === 'ready') await tries.leave(name).catch(() => undefined);
      redis.disconnect();
    },
  };
}
