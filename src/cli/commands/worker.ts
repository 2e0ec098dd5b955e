// `worker`: executes page requests that a coordinator on any machine has put into Redis, until a signal ends it.
import { once } from 'node:events';
import type { CommandDefinition } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { wholeNumber } from '../parsed-command.ts';

interface Flags {
  readonly concurrency?: number;
}

const concurrencyMax = 1000;

export const command: CommandDefinition = {
  about: `Takes page requests from the Redis of queue.redisUrl and executes them with the services of the config and their credentials. It needs
neither the database nor the projects. SIGTERM or SIGINT (Ctrl-C) shuts it down: requests in flight get 8 seconds to finish, the rest waits
for other workers, and the exit code is 0 (3 if a service could not be opened).`,
  examples: [
    { command: 'worker', does: 'up to queue.concurrency pages of each service at once' },
    { command: 'worker --concurrency 50', does: 'up to 50 pages of each service at once' },
  ],
  readsConfig: true,
  isLongRunning: true,
  readsKeywordFiles: false,
  describe: (command) =>
    void command.option(
      '--concurrency <n>',
      'maximum pages in flight per service (default: queue.concurrency)',
      wholeNumber(1, concurrencyMax),
    ),
  async run({ flags, json, out, log, signal, config }) {
    const { startWorker } = await import('../../app/runs/worker.ts');
    const { shutdownDeadline } = await import('../../app/runs/shutdown-deadline.ts');
    const worker = await startWorker(await config(), { ...flags<Flags>(), log });
    const { redis, services, concurrency } = worker;
    if (json) out.line(JSON.stringify({ redis, services, concurrency }));
    else out.line(`Working for ${services.join(', ')} at ${redis}, up to ${concurrency} pages at once per service`);
    log.info({ redis, services, concurrency }, 'worker ready');
    if (!signal.aborted) await once(signal, 'abort');
    const grace = shutdownDeadline(signal);
    await worker.close(grace.signal);
    grace.end();
    log.info({}, 'worker ended');
    return worker.isPartial ? exitCodes.partial : exitCodes.done;
  },
};
