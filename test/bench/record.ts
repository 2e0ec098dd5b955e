// The speed of recording checks, compared with raw prepared statements that write the very same rows.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { Connection, openConnection } from '../../db/connection/client.ts';
import type { Statement, Values } from '../../db/connection/statement.ts';
import { Store } from '../../db/store.ts';
import { runChecks } from '../../jobs/check/run-checks.ts';
import { createEmbeddedQueue } from '../../jobs/queue/queue-embedded.ts';
import { planRun } from '../../jobs/run/opening/plan-run.ts';
import type { AnsweredPage } from '../../src/service/index.ts';
import { answerAsChild, inChild } from './child.ts';
import { contextOf } from './context.ts';
import { inFolder, keywordAt, ownHost } from './folder.ts';
import { benchProject } from './project.ts';
import type { BenchRow } from './row.ts';

const ratioMin = 0.5;
const rounds = 5;
const days = 2;
const concurrency = 20;
const firstMoment = Date.UTC(2026, 0, 1, 6);
const dayMs = 86_400_000;
const noCaps = { serp_credit: {}, micro_usd: {} };

interface Question {
  readonly folder: string;
  readonly keywords: number;
}

interface Answer {
  readonly writes: number;
  readonly transactions: number;
  readonly oursMs: number;
  readonly rawMs: number;
}

/**
 * One line. Our side is the real pipeline from claim to rankings: two daily runs of one-page checks, twenty in flight,
 * answered from memory (ten results and three features, a third of them new on day 2), so that only recording counts. A
 * first pass logs every writing statement with its values and transaction. The other side runs exactly these with raw
 * prepared statements in the same transactions, on a new file. It reads, hashes and decides nothing; planning is not
 * timed. Both sides alternate, and the fastest of each counts, because other load only adds.
 */
export async function benchRecord(quick: boolean): Promise<BenchRow[]> {
  const keywords = quick ? 1_000 : 5_000;
  const { writes, transactions, oursMs, rawMs } = await inFolder((folder) =>
    inChild<Answer>(import.meta.url, { folder, keywords } satisfies Question),
  );
  const ratio = rawMs / oursMs;
  const perSecond = (ms: number): string => `${Math.round(writes / ms)}k`;
  return [
    {
      name: `record: rows a second of ${(keywords * days).toLocaleString('en')} checks against raw prepared statements`,
      target: `at least ${ratioMin}x`,
      ratio,
      detail: `${perSecond(oursMs)} against ${perSecond(rawMs)} rows/s, ${Math.round((keywords * days) / (oursMs / 1000))} checks/s, ${transactions} transactions`,
      ok: ratio >= ratioMin,
    },
  ];
}

/** One statement that wrote, or the edge of a transaction. */
type LogEntry = 'begin' | 'commit' | { readonly text: string; readonly values: Values };

/** A connection that logs what is written through it. */
class LoggedConnection extends Connection {
  readonly log: LogEntry[] = [];
  readonly #logged = new Map<string, Statement<unknown>>();

  override sql<Result>(text: string): Statement<Result> {
    let statement = this.#logged.get(text);
    if (statement === undefined) {
      const inner = super.sql<Result>(text);
      statement = {
        run: (...values) => {
          this.log.push({ text, values });
          return inner.run(...values);
        },
        get: (...values) => {
          if (/^(INSERT|UPDATE)/.test(text)) this.log.push({ text, values }); // with RETURNING
          return inner.get(...values);
        },
        all: (...values) => inner.all(...values),
        iterate: (...values) => inner.iterate(...values),
      };
      this.#logged.set(text, statement);
    }
    return statement as Statement<Result>;
  }

  override transaction<T>(work: () => T): T {
    if (this.inTransaction) return super.transaction(work);
    const begun = this.log.push('begin');
    const result = super.transaction(work);
    if (this.log.length === begun) this.log.pop();
    else this.log.push('commit');
    return result;
  }
}

/** One way to record: opens `file`, and returns the milliseconds of the timed part. */
type Contestant = (file: string) => Promise<number>;

await answerAsChild(import.meta.url, async ({ folder, keywords }: Question): Promise<Answer> => {
  const answers = Array.from({ length: days }, (_, day) => answersOf(keywords, day));
  const logs: { readonly planned: LogEntry[]; readonly drained: LogEntry[] }[] = [];
  const record = async (connection: Connection, mark: (phase: 'planned' | 'drained') => void): Promise<number> => {
    let ms = 0;
    for (const [day, pages] of answers.entries()) {
      const run = openRun(new Store(connection, noCaps), keywords, pages, firstMoment + day * dayMs);
      mark('planned');
      ms += await run.drain();
      mark('drained');
    }
    return ms;
  };
  const ours: Contestant = (file) => within(openConnection(file), (connection) => record(connection, () => {}));
  const raw: Contestant = (file) => replay(file, logs);

  openConnection(join(folder, 'log.sqlite')).close();
  const logged = new LoggedConnection(opened(join(folder, 'log.sqlite')), 'log.sqlite');
  let planned: LogEntry[] = [];
  await within(logged, () =>
    record(logged, (phase) => {
      const entries = logged.log.splice(0);
      if (phase === 'planned') planned = entries;
      else logs.push({ planned, drained: entries });
    }),
  );
  const oursMs: number[] = [];
  const rawMs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const [contestant, times] of [
      [ours, oursMs],
      [raw, rawMs],
    ] as const) {
      const file = join(folder, 'round.sqlite');
      times.push(await contestant(file));
      for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
    }
  }
  const drained = logs.flatMap((log) => log.drained);
  return {
    writes: drained.filter((entry) => typeof entry === 'object').length,
    transactions: drained.filter((entry) => entry === 'commit').length,
    oursMs: Math.min(...oursMs),
    rawMs: Math.min(...rawMs),
  };
});

/** Opens a database as the store would, without the store. */
function opened(file: string): Database.Database {
  const database = new Database(file);
  const pragmas = [
    'journal_mode = WAL',
    'synchronous = FULL',
    'cache_size = -6144',
    'temp_store = MEMORY',
    'foreign_keys = ON',
  ];
  for (const pragma of [...pragmas, 'wal_autocheckpoint = 4096']) database.pragma(pragma);
  return database;
}

async function within<T>(connection: Connection, work: (connection: Connection) => Promise<T>): Promise<T> {
  try {
    return await work(connection);
  } finally {
    connection.close();
  }
}

/** Writes what was logged, and times the statements of the checks. */
async function replay(
  file: string,
  logs: readonly { readonly planned: readonly LogEntry[]; readonly drained: readonly LogEntry[] }[],
): Promise<number> {
  openConnection(file).close();
  const database = opened(file);
  const statements = new Map<string, Database.Statement>();
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const prepared = (text: string): Database.Statement => {
    const statement = statements.get(text) ?? database.prepare(text);
    statements.set(text, statement);
    return statement;
  };
  const stepsOf = (log: readonly LogEntry[]): (() => unknown)[] =>
    log.map((entry) => {
      if (entry === 'begin') return () => begin.run();
      if (entry === 'commit') return () => commit.run();
      const statement = prepared(entry.text);
      return statement.reader ? () => statement.get(...entry.values) : () => statement.run(...entry.values);
    });
  let ms = 0;
  for (const { planned, drained } of logs) {
    for (const step of stepsOf(planned)) step();
    const steps = stepsOf(drained);
    const start = performance.now();
    for (const step of steps) step();
    ms += performance.now() - start;
  }
  database.close();
  return ms;
}

/** Opens and plans a run; `drain` executes it and returns its milliseconds. */
function openRun(store: Store, keywords: number, pages: ReadonlyMap<string, AnsweredPage>, moment: number) {
  const project = benchProject({ count: keywords });
  const context = contextOf(store, [project], moment, pages);
  const date = new Date(moment).toISOString().slice(0, 10);
  const slot = { project: project.id, slot: `${date}T06:00`, at: moment, timezone: 'UTC', localDate: date };
  const run = store.transaction(() => store.runs.open({ kind: 'ranks', moment, owner: 'bench', at: moment }, [slot]));
  if (run === null) throw new Error('the run could not be opened');
  planRun(context, run.id, [project], () => {});
  const never = new AbortController().signal;
  const queue = createEmbeddedQueue(context.services, concurrency);
  return {
    async drain(): Promise<number> {
      const start = performance.now();
      await runChecks(context, queue, run.id, { stop: never, giveUp: never }, { onEnded() {} });
      const ms = performance.now() - start;
      const { ok } = store.checks.counts(run.id);
      if (ok !== keywords) throw new Error(`${ok} of ${keywords} checks are complete`);
      return ms;
    },
  };
}

/** One page per keyword. On later days every third result is another page. */
function answersOf(keywords: number, day: number): Map<string, AnsweredPage> {
  const pages = new Map<string, AnsweredPage>();
  for (let index = 0; index < keywords; index += 1) {
    const url = (rank: number): string => {
      const host = rank === 1 + (index % 10) ? ownHost : `site${(index * 7 + rank * 13) % 2000}.example`;
      return `https://www.${host}/${keywordAt(index).replaceAll(' ', '-')}/${rank % 3 === 0 ? day : 0}`;
    };
    const organic = Array.from({ length: 10 }, (_, at) => ({
      rank: at + 1,
      global_rank: at + 2,
      title: `Result ${at + 1}`,
      link: url(at + 1),
    }));
    pages.set(keywordAt(index), {
      page: 1,
      body: { contentType: 'text/html', text: '' },
      observedAt: firstMoment + day * dayMs,
      serp: { organic },
      features: [
        { type: 'people_also_ask', links: [] },
        { type: 'featured_snippet', links: [url(1)] },
        { type: 'related_searches', links: [] },
      ],
    });
  }
  return pages;
}
