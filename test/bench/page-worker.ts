// A BullMQ worker in a separate process, started by `startWorkers`; it works until its input ends.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Log } from '../../jobs/context.ts';
import type { QueuedService } from '../../jobs/queue/bullmq/redis.ts';
import { startPageWorker } from '../../jobs/queue/bullmq/worker.ts';
import { SearchDataClient } from '../../src/service/client/client.ts';
import { systemClock } from '../../src/service/index.ts';

export interface WorkerTerms {
  readonly redisUrl: string;
  /** Of the provider. */
  readonly url: string;
  readonly queued: QueuedService;
  readonly concurrency: number;
}

export const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** Starts this many workers and resolves when they work. Returns a function that ends them. */
export async function startWorkers(count: number, terms: WorkerTerms): Promise<() => Promise<void>> {
  const workers: ChildProcess[] = Array.from({ length: count }, () =>
    spawn(process.execPath, [fileURLToPath(import.meta.url), JSON.stringify(terms)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  );
  await Promise.all(workers.map((worker) => once(worker.stdout ?? worker, 'data')));
  return async () => {
    await Promise.all(
      workers.map(async (worker) => {
        worker.stdin?.end();
        await once(worker, 'exit');
      }),
    );
  };
}

const [, file, terms] = process.argv;
if (file !== undefined && terms !== undefined && pathToFileURL(file).href === import.meta.url) {
  const { redisUrl, url, queued, concurrency } = JSON.parse(terms) as WorkerTerms;
  const client = new SearchDataClient({
    retries: { attemptsMax: 1 },
    baseUrl: url,
    user: 'bench',
    password: 'bench',
    concurrency,
  });
  const services = new Map([[queued.name, client]]);
  const clock = systemClock;
  const worker = await startPageWorker({ redisUrl, queued: [queued], services, concurrency, clock, log: silent });
  process.stdout.write('works\n');
  process.stdin.resume();
  await once(process.stdin, 'end');
  await worker.close(AbortSignal.abort());
  await client.close();
  process.exit(0);
}
