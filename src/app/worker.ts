// A worker for a config: opens its services and takes requests from Redis until it is closed. It opens no database.
import type { ResolvedConfig } from '../../config/resolve.ts';
import { MemoryAccountStore, systemClock } from '../service/index.ts';
import { type Log, UsageError } from './contract.ts';
import { queuedServices, refusedAsUsage, signingKeyOf } from './queue.ts';
import { openServices, withoutMetrics } from './services.ts';

export interface WorkerOptions {
  /** Pages in flight at most, of each service. Default: `queue.concurrency`. */
  readonly concurrency?: number;
  readonly log: Log;
}

export interface RunningWorker {
  /** Host, port and database of Redis. */
  readonly redis: string;
  readonly services: readonly string[];
  readonly concurrency: number;
  /** Lets what is in flight come to its end, or drops it on the signal; what was not begun waits for other workers. */
  close(giveUp: AbortSignal): Promise<void>;
}

/**
 * Starts a worker. Throws UsageError where config or settings of Redis do not allow one, QueueError where Redis cannot be reached,
 * ServiceSetupError for a service that cannot be opened here.
 */
export async function startWorker(config: ResolvedConfig, options: WorkerOptions): Promise<RunningWorker> {
  const { queue } = config;
  if (queue.driver !== 'bullmq') {
    throw new UsageError(
      `queue.driver is ${queue.driver} in ${config.file}: there is nothing for a worker to take`,
      `Write queue: { driver: bullmq, redisUrl: \${REDIS_URL} }, here and where \`rankledger run\` runs.`,
    );
  }
  const queued = queuedServices(config);
  const concurrency = options.concurrency ?? queue.concurrency;
  const services = openServices(withoutMetrics(config), { clock: systemClock, accounts: new MemoryAccountStore() });
  try {
    await services.open();
    const { startPageWorker } = await import('../../jobs/bullmq-worker.ts');
    const signingKey = signingKeyOf(queue);
    const common = { redisUrl: queue.redisUrl.reveal(), signingKey, clock: systemClock, log: options.log };
    const worker = await refusedAsUsage(() =>
      startPageWorker({ ...common, queued, services: services.byName, concurrency }),
    );
    return {
      redis: worker.redis,
      services: queued.map(({ name }) => name),
      concurrency,
      async close(giveUp) {
        await worker.close(giveUp);
        await services.close();
      },
    };
  } catch (error) {
    await services.close();
    throw error;
  }
}
