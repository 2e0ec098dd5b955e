// The two queue drivers in the contract suite, over the same services, each with its own workers.
import type { FetchQueue } from '../../../jobs/queue/queue.ts';
import { createEmbeddedQueue } from '../../../jobs/queue/queue.ts';
import type { SearchDataService } from '../../../src/service/index.ts';
import { service } from '../../helpers/jobs.ts';
import { describeWithRedis, RedisServer } from '../../helpers/redis.ts';
import { Fleet, shortTimings } from '../../helpers/redis-queue.ts';

interface OpenedQueue {
  readonly queue: FetchQueue;
  close(): Promise<void>;
}

export interface QueueSubject {
  readonly name: string;
  readonly describe: typeof describeWithRedis;
  /** Called once, before anything is opened. */
  prepare(): Promise<void>;
  /** `concurrency`: requests in flight at most. `atOnce`: requests handed out at most. */
  open(
    services: ReadonlyMap<string, SearchDataService>,
    size: { readonly concurrency: number; readonly atOnce: number },
    payer: () => string,
  ): Promise<OpenedQueue>;
  remove(): Promise<void>;
}

export function queueSubjects(describe: typeof describeWithRedis): readonly QueueSubject[] {
  let redis: RedisServer | null = null;
  return [
    {
      name: 'embedded',
      describe,
      async prepare() {},
      async open(services, { atOnce }) {
        const queue = createEmbeddedQueue(services, atOnce);
        return { queue, close: () => queue.close() };
      },
      async remove() {},
    },
    {
      name: 'over Redis',
      describe: describeWithRedis,
      async prepare() {
        redis = await RedisServer.start();
      },
      async open(services, { concurrency, atOnce }, payer) {
        if (redis === null) throw new Error('there is no Redis yet');
        const others = [...services.keys()].filter((name) => name !== service);
        const fleet = new Fleet(redis, {}, shortTimings, others);
        await fleet.worker(services, concurrency);
        return { queue: await fleet.coordinator(payer, atOnce), close: () => fleet.close() };
      },
      async remove() {
        await redis?.remove();
      },
    },
  ];
}
