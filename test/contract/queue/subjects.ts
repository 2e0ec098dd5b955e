// The two drivers of the queue as the contract meets them: over the same services, each with hands of its own.
import type { FetchQueue } from '../../../jobs/queue/queue.ts';
import { createEmbeddedQueue } from '../../../jobs/queue/queue-embedded.ts';
import type { SearchDataService } from '../../../src/service/index.ts';
import { describeWithRedis, RedisServer } from '../../helpers/redis.ts';
import { Fleet } from '../../helpers/redis-queue.ts';

interface OpenedQueue {
  readonly queue: FetchQueue;
  close(): Promise<void>;
}

export interface QueueSubject {
  readonly name: string;
  readonly describe: typeof describeWithRedis;
  /** Once, before anything is opened. */
  prepare(): Promise<void>;
  /** `hands`: requests in flight at most. `atOnce`: requests handed out at most. */
  open(
    services: ReadonlyMap<string, SearchDataService>,
    size: { readonly hands: number; readonly atOnce: number },
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
      async open(services, { hands, atOnce }, payer) {
        if (redis === null) throw new Error('there is no Redis yet');
        const fleet = new Fleet(redis);
        await fleet.worker(services, hands);
        return { queue: await fleet.coordinator(payer, atOnce), close: () => fleet.close() };
      },
      async remove() {
        await redis?.remove();
      },
    },
  ];
}
