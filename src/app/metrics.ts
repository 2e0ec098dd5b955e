// /metrics of long-running commands, for Prometheus. What the database knows is read from it at each scrape.
import type { IncomingMessage } from 'node:http';
import type * as prometheus from '@prometheus-io/client';
import type { JobContext, Log } from '../../jobs/context.ts';
import { breakerStates } from '../../jobs/purchase/breaker.ts';
import type { PageOutcome } from '../../jobs/queue/queue.ts';
import { computeDueness, oldestDue, openRunsByProject } from '../../jobs/run/due.ts';
import { type AnsweredRequest, errorText, loadGuardedServer } from '../service/index.ts';
import { addTo } from '../tracker/maps.ts';
import { type HistoryServer, listen, refuse, refuseWith } from '../workspace/listen.ts';
import { admit, type Door, type Refusal } from '../workspace/readers.ts';
import { isLoopback } from './opening/machine.ts';

export interface MetricsAddress {
  readonly host: string;
  readonly port: number;
}

/** Adds the metrics of a command. Returns what brings them up to date, before each scrape. */
type Register = (metrics: ReturnType<typeof metricsIn>) => { readonly refresh: () => Promise<void> };

/**
 * Listens until it is closed. `door`: of the readers of a database, absent where there is none. Rejects with the
 * system's error where it cannot.
 */
export async function serveMetrics(
  address: MetricsAddress,
  log: Log,
  register: Register,
  door?: Door,
): Promise<HistoryServer> {
  const client = await import('@prometheus-io/client');
  const registry = new client.Registry();
  client.collectDefaultMetrics({ register: registry });
  const { refresh } = register(metricsIn(client, registry));
  if (!isLoopback(address.host))
    log.warn({ host: address.host }, 'until there are readers, everyone who reaches this address can read the metrics');
  const server = await listen(
    {
      ...address,
      createServer: await loadGuardedServer(),
      onError: (error) => log.error({ error: errorText(error) }, 'metrics could not be read'),
      onRefused: (facts) => log.warn(facts, 'connection refused'),
    },
    async (request, response) => {
      const { method, url } = request;
      if (method !== 'GET') return refuse(response, 405, 'This path takes GET.', { allow: 'GET' });
      if (url?.split('?', 1)[0] !== '/metrics') return refuse(response, 404, 'The metrics are at /metrics.');
      const refusal = door === undefined ? null : readerRefusal(door, request);
      if (refusal !== null) return refuseWith(response, refusal);
      await refresh();
      const body = await registry.metrics();
      response.writeHead(200, { 'content-type': registry.contentType });
      response.end(body);
    },
  );
  const url = `${server.url}/metrics`;
  log.info({ url }, 'serving metrics');
  return { url, close: () => server.close() };
}

/** Metrics sum up all projects: no share link shows them. */
function readerRefusal(door: Door, request: IncomingMessage): Refusal | null {
  const entry = admit(door, request);
  if (entry.refusal !== null || entry.scope === null) return entry.refusal;
  return { status: 403, message: 'Metrics are not shared with this reader.', headers: {} };
}

function metricsIn({ Counter, Gauge, Histogram }: typeof prometheus, registry: prometheus.Registry) {
  const registers = [registry];
  return {
    counter: <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
      new Counter({ name, help, labelNames, registers }),
    /** Of totals that are read anew. One that falls, as by a run that is reopened, lowers it only at the next start. */
    total: <Label extends string>(name: string, help: string, labelNames: Label[] = []) => {
      const metric = new Counter({ name, help, labelNames, registers });
      const highest = new Map<string, number>();
      return (totals: Iterable<readonly [labels: prometheus.LabelValues<Label>, total: number]>): void => {
        const now = new Map<string, number>();
        for (const [labels, total] of totals) {
          const key = JSON.stringify(labels);
          addTo(now, key, total);
        }
        for (const [key, total] of now) {
          const before = highest.get(key) ?? 0;
          metric.inc(JSON.parse(key), Math.max(0, total - before));
          highest.set(key, Math.max(before, total));
        }
      };
    },
    gauge: <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
      new Gauge({ name, help, labelNames, registers }),
    histogram: <Label extends string>(name: string, help: string, buckets: number[], labelNames: Label[]) =>
      new Histogram({ name, help, labelNames, buckets, registers }),
  };
}

const microUsdPerDollar = 1_000_000;

/** Runs, purchases and slots. `context` gives that of the config in use. */
export function scheduleMetrics(context: () => JobContext): Register {
  return ({ total, gauge }) => {
    const purchases = total(
      'rankledger_purchases_total',
      'Paid requests that have ended: of results pages (serp_credit), of keyword data and AI answers (micro_usd).',
      ['service', 'currency', 'outcome', 'simulated'],
    );
    const failures = total(
      'rankledger_purchase_failures_total',
      'Purchases whose answer could not be used, by error code.',
      ['service', 'code', 'simulated'],
    );
    const credits = total(
      'rankledger_spent_credits_total',
      'SERP credits that purchases cost. Unknown outcomes count as spent.',
      ['service', 'simulated'],
    );
    const dollars = total(
      'rankledger_spent_dollars_total',
      'US dollars that keyword data and AI answers cost. Unknown outcomes count as spent.',
      ['service', 'simulated'],
    );
    const runsEnded = total('rankledger_runs_total', 'Runs that have ended.', ['state']);
    const queued = gauge(
      'rankledger_queued_checks',
      'Checks of open runs that wait (planned) or are being made (running).',
      ['state'],
    );
    const oldest = gauge(
      'rankledger_oldest_due_slot_age_seconds',
      'Age of the oldest slot that has passed without a run, of projects with a due slot and no open run; 0 where none is.',
    );
    const breaker = gauge(
      'rankledger_circuit_breaker_state',
      'Circuit breaker of each live service, in the newest run that asked it: 1 for the state that holds.',
      ['service', 'state'],
    );
    const refreshPurchases = async (store: JobContext['store']): Promise<void> => {
      const counts = await store.purchaseCounts.read();
      const spentIn = (isCredits: boolean) =>
        counts.filter(({ currency }) => (currency === 'serp_credit') === isCredits);
      purchases(counts.map(({ code, purchases: count, charged, ...labels }) => [labels, count]));
      failures(
        counts
          .filter(({ code }) => code !== '')
          .map(({ service, code, simulated, purchases: count }) => [{ service, code, simulated }, count]),
      );
      credits(spentIn(true).map(({ service, simulated, charged }) => [{ service, simulated }, charged]));
      dollars(
        spentIn(false).map(({ service, simulated, charged }) => [{ service, simulated }, charged / microUsdPerDollar]),
      );
    };
    return {
      async refresh() {
        const now = context();
        await refreshPurchases(now.store);
        runsEnded(now.store.runs.endedByState().map(({ state, runs }) => [{ state }, runs]));
        for (const state of ['planned', 'running'] as const) queued.set({ state }, 0);
        for (const { id } of now.store.runs.openRuns()) {
          const { planned, running } = now.store.checks.counts(id);
          queued.inc({ state: 'planned' }, planned);
          queued.inc({ state: 'running' }, running);
        }
        oldest.set(oldestDueSlotMs(now) / 1000);
        breaker.reset();
        for (const [service, state] of breakerStatesOf(now))
          for (const name of breakerStates) breaker.set({ service, state: name }, name === state ? 1 : 0);
      },
    };
  };
}

function oldestDueSlotMs(context: JobContext): number {
  const now = context.clock.now();
  const busy = openRunsByProject(context);
  const waiting = [...context.projects.values()].filter(({ id }) => !busy.has(id));
  const oldest = computeDueness(context, waiting, now).map(({ slots }) => oldestDue(slots)?.at ?? now);
  return Math.max(0, ...oldest.map((at) => now - at));
}

function breakerStatesOf({ services, breakers, clock }: JobContext): [service: string, state: string][] {
  return [...services]
    .filter(([, { kind }]) => kind === 'live')
    .map(([name]) => [name, breakers?.get(name)?.stateAt(clock.now()) ?? 'closed']);
}

const requestBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** Other paths may be anything that a client invents. */
const operations: ReadonlyMap<string, string> = new Map([
  ['/v1/serp', 'serp'],
  ['/v1/keyword-data', 'keyword-data'],
  ['/v1/usage', 'usage'],
]);

/** Requests of `serve`, and what its accounts were charged. `answers` passes each answer on. */
export function requestMetrics(
  { chargeCounts }: JobContext['store'],
  answers: { onAnswer?: (line: AnsweredRequest) => void },
): Register {
  return ({ counter, total, histogram }) => {
    const requests = counter(
      'rankledger_requests_total',
      'Answers since the start of the process, by operation, HTTP status and error code.',
      ['operation', 'status', 'code'],
    );
    const durations = histogram(
      'rankledger_request_duration_seconds',
      'Seconds from the headers of a request to its answer.',
      requestBuckets,
      ['operation'],
    );
    const credits = total(
      'rankledger_charged_credits_total',
      'SERP credits that accounts were charged for settled requests.',
    );
    const dollars = total(
      'rankledger_charged_dollars_total',
      'US dollars that accounts were charged for settled requests.',
    );
    answers.onAnswer = ({ path, status, code = '', durationMs }) => {
      const operation = operations.get(path) ?? 'other';
      requests.inc({ operation, status, code });
      durations.observe({ operation }, durationMs / 1000);
    };
    return {
      async refresh() {
        const counts = await chargeCounts.read();
        credits(counts.map(({ serpCredits }) => [{}, serpCredits]));
        dollars(counts.map(({ microUsd }) => [{}, microUsd / microUsdPerDollar]));
      },
    };
  };
}

/** Pages that a worker has executed, and the jobs of its queues in Redis. `pages` passes each outcome on. */
export function workerMetrics(
  depths: () => Promise<readonly { readonly service: string; readonly state: string; readonly jobs: number }[]>,
  pages: { onPage?: (service: string, outcome: PageOutcome) => void },
): Register {
  return ({ counter, gauge }) => {
    const executed = counter(
      'rankledger_worker_pages_total',
      'Page requests that this worker has executed since its start.',
      ['service'],
    );
    const failures = counter(
      'rankledger_worker_page_failures_total',
      'Page requests of this worker that failed, by error code.',
      ['service', 'code'],
    );
    const jobs = gauge('rankledger_queue_jobs', 'Page requests in Redis, of all workers, by their state in BullMQ.', [
      'service',
      'state',
    ]);
    pages.onPage = (service, outcome) => {
      executed.inc({ service });
      if (!outcome.ok) failures.inc({ service, code: outcome.failure.code });
    };
    return {
      async refresh() {
        const counts = await depths();
        jobs.reset();
        for (const { service, state, jobs: count } of counts) jobs.set({ service, state }, count);
      },
    };
  };
}
