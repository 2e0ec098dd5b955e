// Opens the queue that a config names. Loads the Redis driver only if needed.
import { hash } from 'node:crypto';
import type { QueueConfig, ResolvedConfig, ServiceConfig } from '../../../config/resolve.ts';
import type { Log } from '../../../jobs/context.ts';
import type { QueuedService } from '../../../jobs/queue/bullmq/redis.ts';
import type { FetchQueue } from '../../../jobs/queue/queue.ts';
import { createEmbeddedQueue } from '../../../jobs/queue/queue.ts';
import { type Clock, type SearchDataService, systemClock } from '../../service/terms.ts';
import { UsageError } from './failures.ts';

interface QueueHost {
  readonly services: ReadonlyMap<string, SearchDataService>;
  /** Learns from the dates of the answers that workers had. */
  readonly clock: Clock;
  /** Identity of the ledger that pays. */
  readonly payer: () => string;
  readonly log: Log;
  /** Reports to the operator that Redis is away, or that workers are missing. */
  readonly notify?: (sentence: string) => void;
}

/**
 * The queue of the config. Redis is connected to when a run needs it: `prepare` then rejects with a UsageError where
 * the config or the settings of Redis cannot work, with a QueueError where Redis cannot be reached.
 */
export function openQueue(config: ResolvedConfig, host: QueueHost): FetchQueue {
  const { queue } = config;
  if (queue.driver === 'embedded') {
    return createEmbeddedQueue(host.services, queue.concurrency, { ahead: queue.concurrency });
  }
  let opened: Promise<FetchQueue> | null = null;
  const open = (): Promise<FetchQueue> => {
    opened ??= openOverRedis(config, queue, host).catch((error: unknown) => {
      opened = null;
      throw error;
    });
    return opened;
  };
  return {
    concurrency: queue.concurrency,
    prepare: async () => void (await open()),
    fetchPage: async (...call) => await (await open()).fetchPage(...call),
    recall: async (...call) => await (await open()).recall(...call),
    close: async () => await (await opened)?.close(),
  };
}

async function openOverRedis(
  config: ResolvedConfig,
  queue: Extract<QueueConfig, { driver: 'bullmq' }>,
  host: QueueHost,
): Promise<FetchQueue> {
  const services = queuedServices(config);
  const { openBullmqQueue } = await import('../../../jobs/queue/bullmq/coordinator.ts');
  const { payer, log } = host;
  // leases are kept by Redis: simulated time means nothing to them
  const clock = systemClock;
  const redisUrl = queue.redisUrl.reveal();
  const signingKey = readSigningKey(queue);
  return await refusedAsUsage(() =>
    openBullmqQueue({
      redisUrl,
      signingKey,
      services,
      concurrency: queue.concurrency,
      payer,
      clock,
      log,
      witness: host.clock.witness?.bind(host.clock),
      notify: host.notify,
    }),
  );
}

/** Shorter keys could be guessed. */
const signingKeyCharsMin = 16;

/** The key of the queue's messages; null where there is none. Throws UsageError for one that is too short. */
export function readSigningKey({ signingKey }: Extract<QueueConfig, { driver: 'bullmq' }>): string | null {
  const key = signingKey?.reveal() ?? null;
  if (key === null || key.length >= signingKeyCharsMin) return key;
  throw new UsageError(
    `queue.signingKey has ${key.length} characters; it needs at least ${signingKeyCharsMin}`,
    'Create one with `openssl rand -hex 32`.',
  );
}

/** Every service as workers share it. Throws UsageError for one that only this machine can run. */
export function queuedServices({ services }: ResolvedConfig): QueuedService[] {
  return [...services].map(([name, service]) => {
    if (service.mode === 'embedded' && service.account !== undefined) {
      throw new UsageError(
        `services.${name} charges the account "${service.account}" in the database, which workers cannot reach`,
        'Remove its account, or use queue.driver: embedded.',
      );
    }
    return queuedService(name, service);
  });
}

export function queuedService(name: string, service: ServiceConfig): QueuedService {
  const isRemote = service.mode === 'remote';
  return {
    name,
    queue: `${name}-${fingerprint(service)}`,
    concurrency: isRemote ? service.concurrency : null,
    requestsPerSecond: isRemote ? service.requestsPerSecond : null,
  };
}

/** Wrong settings of Redis are a UsageError, like a wrong config: the operator must change them. */
export async function refusedAsUsage<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, hint } = error as { readonly code?: unknown; readonly hint?: unknown };
    if (error instanceof Error && code === 'REDIS_EVICTS') throw new UsageError(error.message, String(hint));
    throw error;
  }
}

/** The same for the same account of the same provider. Leaves out secrets, and folders of this machine. */
function fingerprint(service: ServiceConfig): string {
  const facts = service.mode === 'remote' ? [service.baseUrl, service.user.reveal()] : embeddedFacts(service);
  return hash('sha256', JSON.stringify(facts)).slice(0, 8);
}

function embeddedFacts({ source, options }: Extract<ServiceConfig, { mode: 'embedded' }>): unknown[] {
  const { dir: _, ...shown } = JSON.parse(JSON.stringify(options)) as Record<string, unknown>;
  return [source, shown];
}

/** After a stop signal, requests in flight get this long to return the pages that they have paid for. */
const graceMs = 8000;

/** A signal that follows `stop` after the grace time. */
export function shutdownDeadline(stop: AbortSignal): { readonly signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    timer = setTimeout(() => controller.abort(stop.reason), graceMs);
  };
  if (stop.aborted) begin();
  else stop.addEventListener('abort', begin, { once: true });
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer);
      stop.removeEventListener('abort', begin);
    },
  };
}
