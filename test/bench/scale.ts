// What one coordinator stores per keyword and year, and what several record concurrently: figures of docs/capacity.md.
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { openConnection } from '../../db/connection/client.ts';
import { openStore } from '../../db/store.ts';
import { runChecks } from '../../jobs/check/run-checks.ts';
import type { JobContext } from '../../jobs/context.ts';
import type { QueuedService } from '../../jobs/queue/bullmq/redis.ts';
import { createEmbeddedQueue } from '../../jobs/queue/queue.ts';
import { planRun } from '../../jobs/run/plan-run.ts';
import { createSearchDataService, createSource, systemClock } from '../../src/service/index.ts';
import { MemoryAccounts } from '../helpers/memory-accounts.ts';
import { RedisServer } from '../helpers/redis.ts';
import { answerAsChild, inChild } from './child.ts';
import { type Coordination, recordAll, type Taken } from './coordinator.ts';
import { inFolder, ownHost } from './folder.ts';
import { startGoodsProvider } from './goods-provider.ts';
import { silent, startWorkers } from './page-worker.ts';
import { benchProject } from './project.ts';
import type { BenchRow } from './row.ts';

const dayMs = 86_400_000;
const firstDay = Date.UTC(2026, 0, 5, 6);
const inFlight = 50;
const queued: QueuedService = { name: 'default', queue: 'bench', concurrency: 100, requestsPerSecond: null };
/** Each of two coordinators tracks this share of all keywords: a third of these is the other's as well. */
const shareOfTwo = 0.6;

export async function benchScale(quick: boolean): Promise<BenchRow[]> {
  const keywords = quick ? 2_000 : 10_000;
  const rows = [perYear(await growth(quick ? 100 : 400)), await rawBodies(500), await sideBySide(keywords)];
  return hasRedis() ? [...rows, await overOneRedis(keywords)] : rows;
}

interface Growth {
  readonly name: string;
  /** A check. */
  readonly bytes: number;
}

/**
 * What a check adds to each table, with its indexes: over a month of the sandbox, which moves as recorded results do,
 * without the first ten days, when most URLs are new.
 */
async function growth(keywords: number): Promise<readonly Growth[]> {
  const [from, to] = [10, 30];
  return inFolder(async (folder) => {
    const file = join(folder, 'rankledger.sqlite');
    const store = openStore(file);
    const clock = systemClock;
    const source = await createSource('sandbox', { sites: [ownHost, 'rival.example'] }, { clock });
    const service = createSearchDataService({ source, clock, accounts: new MemoryAccounts() });
    const project = benchProject({ count: keywords });
    const context: JobContext = {
      store,
      services: new Map([['default', service]]),
      projects: new Map([[project.id, project]]),
      clock,
      random: Math.random,
      log: silent,
      timezone: 'UTC',
      owner: 'bench',
      freeBytes: () => Number.POSITIVE_INFINITY,
    };
    const sizes: Map<string, number>[] = [];
    for (let day = 0; day < to; day += 1) {
      if (day === from) sizes.push(sizesOf(file));
      await recordDay(context, firstDay + day * dayMs);
    }
    sizes.push(sizesOf(file));
    await service.close();
    store.close();
    const [before, after] = sizes;
    return [...(after ?? [])].map(([name, bytes]) => ({
      name,
      bytes: (bytes - (before?.get(name) ?? 0)) / (to - from) / keywords,
    }));
  });
}

function perYear(grown: readonly Growth[]): BenchRow {
  const kilobytes = (bytes: number): number => (bytes * 365) / 1000;
  const most = grown.toSorted((a, b) => b.bytes - a.bytes).slice(0, 6);
  return {
    name: 'scale: kilobytes a keyword and year, checked daily one page deep, two targets; raw bodies apart',
    target: 'printed',
    ratio: kilobytes(sumOf(grown)),
    detail: most.map(({ name, bytes }) => `${name} ${kilobytes(bytes).toFixed(1)}`).join(', '),
    ok: true,
  };
}

function sumOf(parts: readonly { readonly bytes: number }[]): number {
  return parts.reduce((sum, { bytes }) => sum + bytes, 0);
}

async function recordDay(context: JobContext, moment: number): Promise<void> {
  const [project] = context.projects.values();
  if (project === undefined) return;
  const localDate = new Date(moment).toISOString().slice(0, 10);
  const slot = { project: project.id, slot: `${localDate}T06:00`, at: moment, timezone: 'UTC', localDate };
  const { store } = context;
  const opened = store.transaction(() =>
    store.runs.open({ kind: 'ranks', moment, owner: 'bench', at: moment }, [slot]),
  );
  if (opened === null) throw new Error('the run could not be opened');
  planRun(context, opened.id, [project], () => {});
  const never = new AbortController().signal;
  const queue = createEmbeddedQueue(context.services, inFlight);
  await runChecks(context, queue, opened.id, { stop: never, giveUp: never }, { onEnded() {} });
  store.transaction(() => store.runs.close(opened.id, { state: 'complete', reason: null, at: moment }));
}

/** Bytes of each table with its indexes, as SQLite counts them. */
function sizesOf(file: string): Map<string, number> {
  const db = openConnection(file);
  try {
    const rows = db
      .sql(
        `SELECT m.tbl_name AS name, sum(d.pgsize) AS bytes FROM dbstat d JOIN sqlite_master m ON m.name = d.name
         WHERE d.aggregate = 1 GROUP BY m.tbl_name`,
      )
      .all();
    return new Map(rows.map((row) => [String(row['name']), Number(row['bytes'])]));
  } finally {
    db.close();
  }
}

/** What a provider sent is stored as well, until it is pruned. */
async function rawBodies(keywords: number): Promise<BenchRow> {
  const provider = await startGoodsProvider({ latencyMs: 0 });
  return inFolder(async (folder) => {
    await recordAll({ url: provider.url, folder, keywords: { from: 0, to: keywords }, inFlight, moment: firstDay });
    await provider.close();
    const bytes = sizesOf(join(folder, 'rankledger.sqlite')).get('bodies') ?? 0;
    return {
      name: 'scale: kilobytes a page of raw bodies, kept until pruned',
      target: 'printed',
      ratio: bytes / keywords / 1000,
      detail: 'JSON of about 5 KB, zstd',
      ok: true,
    };
  });
}

/** Coordinators, each with a database and a provider: what grows with the number of processes. */
async function sideBySide(keywords: number): Promise<BenchRow> {
  const perSecond: number[] = [];
  for (const count of [1, 2]) {
    const providers = await Promise.all(Array.from({ length: count }, () => startGoodsProvider({ latencyMs: 0 })));
    const taken = await Promise.all(
      providers.map(({ url }) =>
        inFolder((folder) =>
          coordinate({ url, folder, keywords: { from: 0, to: keywords }, inFlight, moment: firstDay }),
        ),
      ),
    );
    await Promise.all(providers.map((provider) => provider.close()));
    perSecond.push((count * keywords * 1000) / Math.max(...taken.map(({ ms }) => ms)));
  }
  const [one = 1, two = 1] = perSecond;
  return {
    name: 'scale: two coordinators, a database each, against one',
    target: 'printed',
    ratio: two / one,
    detail: `${Math.round(two)} against ${Math.round(one)} pages/s recorded, ${availableParallelism()} cores shared with the providers`,
    ok: true,
  };
}

/** Two coordinators over one Redis, some of whose keywords are the same: these pages are bought once. */
async function overOneRedis(keywords: number): Promise<BenchRow> {
  const redis = await RedisServer.start('aof', '--maxmemory-policy', 'noeviction');
  const provider = await startGoodsProvider({ latencyMs: 0 });
  try {
    const end = await startWorkers(2, { redisUrl: redis.url, url: provider.url, queued, concurrency: inFlight });
    const each = Math.round(keywords * shareOfTwo);
    const stretches = [
      { from: 0, to: each },
      { from: keywords - each, to: keywords },
    ];
    const taken = await Promise.all(
      stretches.map((stretch, index) =>
        inFolder((folder) =>
          coordinate({
            url: provider.url,
            folder,
            keywords: stretch,
            inFlight,
            moment: firstDay,
            over: { redisUrl: redis.url, queued, payer: `coordinator-${index}` },
          }),
        ),
      ),
    );
    await end();
    const { sold } = await provider.close();
    const slowest = Math.max(...taken.map(({ ms }) => ms));
    return {
      name: `scale: two coordinators over one Redis, ${Math.round((2 * shareOfTwo - 1) * 100)} % of the searches wanted by both`,
      target: 'each page sold once',
      ratio: sold / keywords,
      detail: `${sold.toLocaleString('en')} pages sold for ${(2 * each).toLocaleString('en')} recorded, ${Math.round((2 * each * 1000) / slowest)} a second`,
      ok: sold === keywords,
    };
  } finally {
    await redis.remove();
  }
}

function coordinate(coordination: Coordination): Promise<Taken> {
  return inChild<Taken>(import.meta.url, coordination);
}

function hasRedis(): boolean {
  return spawnSync('redis-server', ['--version']).error === undefined;
}

await answerAsChild(import.meta.url, (coordination: Coordination): Promise<Taken> => recordAll(coordination));
