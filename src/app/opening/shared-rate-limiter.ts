// Lets requests outside the queue, such as keyword data, share the rate limit of the workers.
import type { ResolvedConfig } from '../../../config/resolve.ts';
import type { Log } from '../../../jobs/context.ts';
import { pacedService, type RateLimiter } from '../../../jobs/queue/queue.ts';
import { systemClock } from '../../service/terms.ts';
import type { ServicesHost } from './sources.ts';

export interface SharedRateLimit extends Pick<ServicesHost, 'wrap'> {
  /** While `work` runs, the listener receives a notice if its request waits, or continues without the shared limit. */
  during<T>(listener: ((words: string) => void) | undefined, work: () => Promise<T>): Promise<T>;
  close(): void;
}

/** Redis is connected to when the first request is about to leave. */
export function shareRateLimit(config: ResolvedConfig, log: Log): SharedRateLimit {
  const listeners = new Set<(words: string) => void>();
  const limiter = openRateLimiter(config, (words) => {
    log.warn({}, words);
    for (const listener of listeners) listener(words);
  });
  return {
    wrap: limiter && ((name, service) => pacedService(name, service, limiter)),
    async during(listener = () => {}, work) {
      listeners.add(listener);
      try {
        return await work();
      } finally {
        listeners.delete(listener);
      }
    },
    close: () => limiter?.close(),
  };
}

function openRateLimiter(
  { queue, services }: ResolvedConfig,
  onNotice: (words: string) => void,
): RateLimiter | undefined {
  if (queue.driver === 'embedded') return undefined;
  let opened: Promise<RateLimiter> | undefined;
  const open = (): Promise<RateLimiter> => {
    opened ??= Promise.all([import('../../../jobs/queue/bullmq/rate-limit.ts'), import('./queue.ts')]).then(
      ([{ openSharedRateLimiter }, { queuedService }]) =>
        openSharedRateLimiter({
          redisUrl: queue.redisUrl.reveal(),
          services: [...services].map(([name, service]) => queuedService(name, service)),
          clock: systemClock,
          onNotice,
        }),
    );
    return opened;
  };
  return {
    acquire: async (...call) => await (await open()).acquire(...call),
    onFailure: async (...call) => await (await open()).onFailure(...call),
    close: () => void opened?.then((limiter) => limiter.close()),
  };
}
