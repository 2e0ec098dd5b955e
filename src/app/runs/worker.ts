// A worker: takes page requests from Redis and fetches them with the services of the config. Opens no database.
import type { ResolvedConfig } from '../../../config/resolve.ts';
import type { Log } from '../../../jobs/context.ts';
import { systemClock, WitnessedClock } from '../../service/index.ts';
import { queuedServices, readSigningKey, refusedAsUsage } from '../opening/queue.ts';
import { openServices, withoutMetrics } from '../opening/services.ts';
import { throwFailures } from '../opening/setup-failures.ts';
import { UsageError } from '../opening/usage-error.ts';

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
  /** Whether services of the config cannot be opened here; the log names them. */
  readonly isPartial: boolean;
  /** Waits for requests in flight, or drops them on the signal. Other requests wait for other workers. */
  close(giveUp: AbortSignal): Promise<void>;
}

/**
 * Starts a worker. Throws UsageError where config or settings of Redis do not allow one, QueueError where Redis cannot
 * be reached, ServiceSetupError where no service can be opened here.
 */
export async function startWorker(config: ResolvedConfig, options: WorkerOptions): Promise<RunningWorker> {
  const { queue } = config;
  if (queue.driver !== 'bullmq') {
    throw new UsageError(
      `queue.driver is ${queue.driver} in ${config.file}: a worker needs bullmq`,
      `Write queue: { driver: bullmq, redisUrl: \${REDIS_URL} }, here and on the machine of \`rankledger run\`.`,
    );
  }
  queuedServices(config); // refuses what no worker can serve
  const concurrency = options.concurrency ?? queue.concurrency;
  const clock = new WitnessedClock(systemClock);
  const services = openServices(withoutMetrics(config), { clock });
  try {
    const failures = await services.open();
    if (services.byName.size === 0) throwFailures(failures);
    for (const [service, { message }] of failures) options.log.error({ service, error: message }, 'service left out');
    const queued = queuedServices(config).filter(({ name }) => services.byName.has(name));
    const { startPageWorker } = await import('../../../jobs/queue/bullmq/worker.ts');
    const signingKey = readSigningKey(queue);
    const common = { redisUrl: queue.redisUrl.reveal(), signingKey, clock, log: options.log };
    const worker = await refusedAsUsage(() =>
      startPageWorker({ ...common, queued, services: services.byName, concurrency }),
    );
    return {
      redis: worker.redis,
      services: queued.map(({ name }) => name),
      concurrency,
      isPartial: failures.size > 0,
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
