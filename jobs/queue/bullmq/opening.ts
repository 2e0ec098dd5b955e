// Opens a queue over a Redis that may be lost meanwhile: it starts again, so that no half-open queue is kept.
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Clock } from '../../../src/service/index.ts';
import { keyPrefix, type QueuedService, QueueError, reached } from './redis.ts';

/** Consecutive losses that are tolerated. No pause between attempts: `reached` waits for a Redis that is away. */
const attemptsMax = 20;
const pauseMs = 50;

/**
 * Does the work, and again where it fails. Throws QueueError where Redis stays away or is refused, and the last error
 * where it fails every time.
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
 * BullMQ asks Redis one thing when it makes a queue; a queue whose question got no answer fails for ever, with the
 * error of then.
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
