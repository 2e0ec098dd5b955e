// Requests of this process that no queue carries, such as those for keyword data, paced together with the workers'. Without workers there is nothing to share.
import type { ResolvedConfig } from '../../config/resolve.ts';
import type { Log } from '../../jobs/context.ts';
import { pacedService, type Turns } from '../../jobs/paced-service.ts';
import { systemClock } from '../service/index.ts';
import { queuedService } from './queue.ts';
import type { ServicesHost } from './services.ts';

export interface SharedTurns extends Pick<ServicesHost, 'wrap'> {
  /** Until `work` is done, the listener is told what its request waits for or does without. */
  during<T>(listener: ((words: string) => void) | undefined, work: () => Promise<T>): Promise<T>;
  close(): void;
}

/** Redis is connected to when the first request is about to leave. */
export function shareTurns(config: ResolvedConfig, log: Log): SharedTurns {
  const listeners = new Set<(words: string) => void>();
  const turns = openTurns(config, (words) => {
    log.warn({}, words);
    for (const listener of listeners) listener(words);
  });
  return {
    ...(turns !== undefined && { wrap: (name, service) => pacedService(name, service, turns) }),
    async during(listener = () => {}, work) {
      listeners.add(listener);
      try {
        return await work();
      } finally {
        listeners.delete(listener);
      }
    },
    close: () => turns?.close(),
  };
}

function openTurns({ queue, services }: ResolvedConfig, tell: (words: string) => void): Turns | undefined {
  if (queue.driver === 'embedded') return undefined;
  let opened: Promise<Turns> | undefined;
  const open = (): Promise<Turns> => {
    opened ??= import('../../jobs/bullmq-turns.ts').then((driver) =>
      driver.openTurns({
        redisUrl: queue.redisUrl.reveal(),
        services: [...services].map(([name, service]) => queuedService(name, service)),
        clock: systemClock,
        tell,
      }),
    );
    return opened;
  };
  return {
    take: async (...call) => await (await open()).take(...call),
    heed: async (...call) => await (await open()).heed(...call),
    close: () => void opened?.then((turns) => turns.close()),
  };
}
