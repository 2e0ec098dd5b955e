// `worker`: executes page requests that a coordinator on any machine has put into Redis, until a signal ends it.

import { once } from 'node:events';
import type { Command } from '@commander-js/extra-typings';
import type { Log } from '../../../jobs/context.ts';
import type { PageWorker } from '../../../jobs/queue/bullmq/worker.ts';
import type { MetricsAddress, workerMetrics } from '../../app/metrics.ts';
import { throwFailures } from '../../app/opening/failures.ts';
import { queuedServices, readSigningKey, refusedAsUsage, shutdownDeadline } from '../../app/opening/queue.ts';
import { openServices, withoutMetrics } from '../../app/opening/services.ts';
import { systemClock, WitnessedClock } from '../../service/terms.ts';
import type { HistoryServer } from '../../workspace/listen.ts';
import type { CommandDefinition } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { metricsOption, wholeNumber } from '../parsed-command.ts';
import { usageError } from '../text/failure.ts';

const concurrencyMax = 1000;

const describe = (command: Command) =>
  command
    .option(
      '--concurrency <n>',
      'maximum pages in flight per service (default: queue.concurrency)',
      wholeNumber(1, concurrencyMax),
    )
    .option(...metricsOption);

export const command: CommandDefinition = {
  about: `Takes page requests from the Redis of queue.redisUrl and executes them with the services of the config and their credentials. It needs
neither the database nor the projects. SIGTERM or SIGINT (Ctrl-C) shuts it down: requests in flight get 8 seconds to finish, the rest waits
for other workers, and the exit code is 0 (3 if a service could not be opened).`,
  examples: [
    { command: 'worker', does: 'up to queue.concurrency pages of each service at once' },
    { command: 'worker --concurrency 50', does: 'up to 50 pages of each service at once' },
    { command: 'worker --metrics 9465', does: 'with /metrics for Prometheus on that port' },
  ],
  readsConfig: true,
  isLongRunning: true,
  readsKeywordFiles: false,
  describe,
  async run({ flags, json, out, log, signal, config }) {
    const loaded = await config();
    const { queue } = loaded;
    if (queue.driver !== 'bullmq')
      throw usageError(
        `queue.driver is ${queue.driver} in ${loaded.file}: a worker needs bullmq`,
        `Write queue: { driver: bullmq, redisUrl: \${REDIS_URL} }, here and on the machine of \`rankledger run\`.`,
      );
    const { concurrency = queue.concurrency, metrics } = flags(describe);
    const allQueued = queuedServices(loaded); // refuses what no worker can serve
    const clock = new WitnessedClock(systemClock);
    const opened = openServices(withoutMetrics(loaded), () => ({ clock }));
    try {
      const failures = await opened.open();
      if (opened.byName.size === 0) throwFailures(failures);
      for (const [service, { message }] of failures) log.error({ service, error: message }, 'service left out');
      const queued = allQueued.filter(({ name }) => opened.byName.has(name));
      const services = queued.map(({ name }) => name);
      const { startPageWorker } = await import('../../../jobs/queue/bullmq/worker.ts');
      const redisUrl = queue.redisUrl.reveal();
      const signingKey = readSigningKey(queue);
      const pages: Parameters<typeof workerMetrics>[1] = {};
      const worker = await refusedAsUsage(() =>
        startPageWorker({
          redisUrl,
          signingKey,
          clock,
          log,
          queued,
          services: opened.byName,
          concurrency,
          onPage: (service, outcome) => pages.onPage?.(service, outcome),
        }),
      );
      const { redis } = worker;
      try {
        const server = metrics === undefined ? undefined : await monitored(worker, metrics, log, pages);
        const facts = { redis, services, concurrency, metrics: server?.url };
        if (json) out.line(JSON.stringify(facts));
        else out.line(`Working for ${services.join(', ')} at ${redis}, up to ${concurrency} pages at once per service`);
        log.info(facts, 'worker ready');
        if (!signal.aborted) await once(signal, 'abort');
        await server?.close();
      } finally {
        const grace = shutdownDeadline(signal);
        await worker.close(grace.signal);
        grace.end();
      }
      log.info({}, 'worker ended');
      return failures.size > 0 ? exitCodes.partial : exitCodes.done;
    } finally {
      await opened.close();
    }
  },
};

async function monitored(
  worker: PageWorker,
  address: MetricsAddress,
  log: Log,
  pages: Parameters<typeof workerMetrics>[1],
): Promise<HistoryServer> {
  const { serveMetrics, workerMetrics } = await import('../../app/metrics.ts');
  return await serveMetrics(
    address,
    log,
    workerMetrics(() => worker.queueDepths(), pages),
  );
}
