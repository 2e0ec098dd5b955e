// A worker to be killed: node worker-child.ts REDIS_URL QUEUE CONCURRENCY PROVIDER_URL USER PASSWORD [GRACE_MS]
import { once } from 'node:events';
import { startPageWorker } from '../../jobs/queue/bullmq/worker.ts';
import { SearchDataClient } from '../../src/service/client/client.ts';
import { systemClock } from '../../src/service/index.ts';

const [redisUrl = '', queue = '', jobs = '', baseUrl = '', user = '', password = '', graceMs = '8000'] =
  process.argv.slice(2);
const name = 'vendor';
const concurrency = Number(jobs);
const client = new SearchDataClient({
  retries: { attemptsMax: 1 },
  baseUrl,
  user,
  password,
  concurrency,
  requestsPerSecond: 10_000,
  timeoutMs: 20_000,
});
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const worker = await startPageWorker({
  redisUrl,
  queued: [{ name, queue, concurrency: null, requestsPerSecond: null }],
  services: new Map([[name, client]]),
  concurrency,
  clock: systemClock,
  log: silent,
});
process.stdout.write('ready\n');
await once(process, 'SIGTERM');
await worker.close(AbortSignal.timeout(Number(graceMs)));
await client.close();
