// How much of what a provider can give is recorded: against its own limits where it is slow, and against a bare loop of requests where it is not.
import { join } from 'node:path';
import { Pool } from 'undici';
import { openStore } from '../../db/store.ts';
import type { JobContext } from '../../jobs/context.ts';
import { planRun } from '../../jobs/plan-run.ts';
import { createEmbeddedQueue } from '../../jobs/queue-embedded.ts';
import { drainRun } from '../../jobs/worker.ts';
import { SearchDataClient, systemClock } from '../../src/service/index.ts';
import type { Project } from '../../src/tracker/project.ts';
import { answerAsChild, inChild } from './child.ts';
import { inFolder, keywordAt, ownHost } from './folder.ts';
import { startGoodsProvider } from './goods-provider.ts';
import type { BenchRow } from './row.ts';

const inFlightMax = 50;
const latencyMs = 2000;
const idealShareMin = 0.97;
const bareShareMin = 0.6;
const rounds = 3;

interface Question {
  readonly side: 'ours' | 'bare';
  readonly url: string;
  readonly folder: string;
  readonly keywords: number;
}

interface Answer {
  readonly ms: number;
  /** Of all threads of the process. */
  readonly cpuMs: number;
}

export async function benchThroughput(quick: boolean): Promise<BenchRow[]> {
  return [await slowProvider(quick ? 500 : 1500), await quickProvider(quick ? 5_000 : 20_000)];
}

/** A provider that takes its time and refuses the fifty-first: what counts is how soon a place that comes free is taken. */
async function slowProvider(keywords: number): Promise<BenchRow> {
  const provider = await startGoodsProvider({ latencyMs, inFlightMax });
  const { ms } = await inFolder((folder) => ask({ side: 'ours', url: provider.url, folder, keywords }));
  const { refused, mostAtOnce } = await provider.close();
  const idealMs = Math.ceil(keywords / inFlightMax) * latencyMs;
  return {
    name: `throughput: ${keywords.toLocaleString('en')} pages of a provider with ${latencyMs / 1000} s latency and ${inFlightMax} requests in flight`,
    target: `at least ${idealShareMin}x of the ideal`,
    ratio: idealMs / ms,
    detail: `${(ms / 1000).toFixed(1)} s against ${(idealMs / 1000).toFixed(1)} s; ${mostAtOnce} at once at most, ${refused} refused`,
    ok: idealMs / ms >= idealShareMin && refused === 0,
  };
}

/**
 * A provider without latency, in a process of its own. Our side is the real pipeline from claim to rankings, with every step durable; the other side
 * is a loop that posts the same requests through undici, as many at once, and reads the bodies as text. Both take turns, and the fastest of each counts.
 */
async function quickProvider(keywords: number): Promise<BenchRow> {
  const provider = await startGoodsProvider({ latencyMs: 0 });
  const never = { ms: Number.POSITIVE_INFINITY, cpuMs: Number.POSITIVE_INFINITY };
  const best: Record<Question['side'], Answer> = { ours: never, bare: never };
  for (let round = 0; round < rounds; round += 1) {
    for (const side of ['bare', 'ours'] as const) {
      const answer = await inFolder((folder) => ask({ side, url: provider.url, folder, keywords }));
      if (answer.ms < best[side].ms) best[side] = answer;
    }
  }
  await provider.close();
  const perSecond = ({ ms }: Answer): string => Math.round((keywords / ms) * 1000).toLocaleString('en');
  const cpuEach = ({ cpuMs }: Answer): number => Math.round((cpuMs / keywords) * 1000);
  const ratio = best.bare.ms / best.ours.ms;
  return {
    name: `throughput: pages a second, fetched and recorded, against a loop that only fetches ${keywords.toLocaleString('en')} pages`,
    target: `at least ${bareShareMin}x`,
    ratio,
    detail: `${perSecond(best.ours)} against ${perSecond(best.bare)} pages/s; ${cpuEach(best.ours)} against ${cpuEach(best.bare)} us of CPU a page`,
    ok: ratio >= bareShareMin,
  };
}

function ask(question: Question): Promise<Answer> {
  return inChild<Answer>(import.meta.url, question);
}

await answerAsChild(import.meta.url, async (question: Question): Promise<Answer> => {
  return question.side === 'ours' ? recordAll(question) : fetchAll(question);
});

async function measured(work: () => Promise<unknown>): Promise<Answer> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await work();
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { ms, cpuMs: (user + system) / 1000 };
}

async function fetchAll({ url, keywords }: Question): Promise<Answer> {
  const pool = new Pool(url, { connections: inFlightMax, pipelining: 1 });
  const headers = {
    'content-type': 'application/json',
    'service-api-user': 'bench',
    'service-api-password': 'bench',
  };
  let next = 0;
  const loop = async (): Promise<void> => {
    while (next < keywords) {
      const body = JSON.stringify({ keyword: keywordAt(next++), country: 'US', language: 'en', mobile: false });
      const answer = await pool.request({ method: 'POST', path: '/v1/serp', headers, body });
      const text = await answer.body.text();
      if (answer.statusCode !== 200) throw new Error(`the provider answered ${answer.statusCode}: ${text}`);
    }
  };
  const answer = await measured(() => Promise.all(Array.from({ length: inFlightMax }, loop)));
  await pool.close();
  return answer;
}

async function recordAll({ url, folder, keywords }: Question): Promise<Answer> {
  const store = openStore(join(folder, 'rankledger.sqlite'));
  const client = new SearchDataClient({ baseUrl: url, user: 'bench', password: 'bench', concurrency: inFlightMax });
  const project = projectOf(keywords);
  const at = Date.now();
  const context: JobContext = {
    store,
    services: new Map([['default', client]]),
    projects: new Map([[project.id, project]]),
    clock: systemClock,
    random: Math.random,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    timezone: 'UTC',
    owner: 'bench',
    freeBytes: () => Number.POSITIVE_INFINITY,
  };
  const date = new Date(at).toISOString().slice(0, 10);
  const slot = { project: project.id, slot: `${date}T06:00`, at, timezone: 'UTC', localDate: date };
  const run = store.transaction(() => store.runs.open({ kind: 'ranks', moment: at, owner: 'bench', at }, [slot]));
  if (run === null) throw new Error('the run could not be opened');
  planRun(context, run.id, [project], () => {});
  const never = new AbortController().signal;
  const queue = createEmbeddedQueue(context.services, inFlightMax, { ahead: inFlightMax });
  const answer = await measured(() => drainRun(context, queue, run.id, { stop: never, giveUp: never }, () => {}));
  const { ok } = store.checks.counts(run.id);
  if (ok !== keywords) throw new Error(`${ok} of ${keywords} checks are complete`);
  await client.close();
  store.close();
  return answer;
}

function projectOf(keywords: number): Project {
  return {
    id: 'bench',
    service: 'default',
    targets: [{ match: 'domain', value: ownHost }],
    competitors: [{ match: 'domain', value: 'rival.example' }],
    timezone: 'UTC',
    catchUp: 'latest',
    paging: 'full',
    freshForMs: 0,
    keywords: Array.from({ length: keywords }, (_, index) => ({
      keyword: keywordAt(index),
      country: 'US',
      language: 'en',
      devices: ['desktop'],
      tags: [],
      priority: 'normal',
      depth: 1,
    })),
  };
}
