// Opens a queue over a Redis that may be lost meanwhile: opening is repeated, and no half-open queue is kept.
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Clock } from '../../../src/service/index.ts';
import { keyPrefix, type QueuedService, QueueError, reached } from './redis.ts';

/** Consecutive losses that are tolerated. No pause between attempts: `reached` waits for a Redis that is away. */
const attemptsMax = 20;
const pauseMs = 50;

/**
 * Does the work, and repeats it if it fails. Throws QueueError if Redis stays away or is refused, and the last error if
 * every attempt fails.
 */
export async function persist<T>(redis: Redis, clock: Clock, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    await reached(redis, attempt > 1);
    try {
      return await work();
    } catch (error) {
      if (error instanceof QueueError || attempt >= attemptsMax) throw error;
      await clock.sleep(pauseMs);
    }
  }
}

/**
 * BullMQ sends one command when it makes a queue. If that fails, the queue fails for ever with its error, so it is
 * closed here and may be made again.
 */
export async function openQueue<Data>(service: QueuedService, redis: Redis): Promise<Queue<Data>> {
  const queue = new Queue<Data>(service.queue, { connection: redis, prefix: keyPrefix, skipMetasUpdate: true });
  queue.on('error', () => undefined); // the connection's own listener has logged it
  try {
    await queue.waitUntilReady();
    return queue;
  } catch (error) {
    await queue.close().catch(() => undefined);
    throw error;
  }
}
