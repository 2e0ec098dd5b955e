// The jobs over a real store and a real client: a "world" is what one process would have open. Worlds may share a file.
import { readFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import Papa from 'papaparse';
import { type Connection, openConnection } from '../../db/connection/client.ts';
import type { LockPatience } from '../../db/connection/group-commit.ts';
import type { Row } from '../../db/connection/statement.ts';
import { historyCheck } from '../../db/integrity/verify.ts';
import type { Caps } from '../../db/ledger/budget-windows.ts';
import { Store } from '../../db/store.ts';
import type { JobContext, Log } from '../../jobs/context.ts';
import type { FetchQueue } from '../../jobs/queue/queue.ts';
import { createEmbeddedQueue } from '../../jobs/queue/queue.ts';
import { runPipeline } from '../../jobs/run/pipeline.ts';
import type { ExecutedRun, PipelineSettings, RunRequest } from '../../jobs/run/run-request.ts';
import { type ClientOptions, SearchDataClient } from '../../src/service/client/client.ts';
import { processName, processNameOf, type SearchDataService } from '../../src/service/index.ts';
import type { Project, TrackedKeyword } from '../../src/tracker/project.ts';
import { closeLater, forget, temporaryFolder } from './closing.ts';
import { JobClock } from './job-clock.ts';
import type { Provider } from './provider.ts';

export const noCaps: Caps = { serp_credit: {}, micro_usd: {} };
export const service = 'vendor';

export function keyword(text: string, more: Partial<TrackedKeyword> = {}): TrackedKeyword {
  return {
    keyword: text,
    country: 'US',
    language: 'en',
    devices: ['desktop'],
    tags: [],
    priority: 'normal',
    depth: 3,
    ...more,
  };
}

/** A project of `acme.example` with a full check of one keyword, three pages deep. */
export function project(more: Partial<Project> = {}): Project {
  return {
    id: 'acme',
    service,
    targets: [{ match: 'domain', value: 'acme.example' }],
    competitors: [],
    timezone: 'UTC',
    catchUp: 'latest',
    paging: 'full',
    freshForMs: 0,
    keywords: [keyword('running shoes')],
    ...more,
  };
}

/** Destinations in order: `others` invented sites with `url` at the 1-based `rank`. */
export function resultsWith(url: string, rank: number, others = 60): string[] {
  const links = Array.from({ length: others }, (_, index) => `https://site${index + 1}.example/page`);
  links.splice(rank - 1, 0, url);
  return links;
}

export interface WorldOptions {
  readonly projects: readonly Project[];
  readonly provider?: Provider;
  /** In place of a client of `provider`. */
  readonly services?: ReadonlyMap<string, SearchDataService>;
  readonly caps?: Caps;
  /** How often a page with a useless answer is bought again. Default: as in the product. */
  readonly retryUnreadable?: number;
  /** Default: a database in memory. */
  readonly file?: string;
  /** A folder, or `true` for a temporary one. Default: none are written, which is half of a run. */
  readonly reports?: string | true;
  readonly concurrency?: number;
  readonly clock?: JobClock;
  readonly owner?: string;
  readonly freeBytes?: () => number;
  /** Default: 500. */
  readonly busyTimeoutMs?: number;
  /** Default: as in the product. */
  readonly patience?: LockPatience;
  /** Default: always 0.5. */
  readonly random?: () => number;
  readonly log?: Log;
  /** What adaptive plans value. */
  readonly worth?: NonNullable<JobContext['worth']>;
  /** Services that choose among others. */
  readonly best?: NonNullable<JobContext['best']>;
  readonly wrapQueue?: (queue: FetchQueue) => FetchQueue;
}

export class World {
  readonly db: Connection;
  readonly store: Store;
  readonly clock: JobClock;
  readonly context: JobContext;
  readonly queue: FetchQueue;
  readonly reports: string;
  readonly #provider: Provider | undefined;
  readonly #stop = new AbortController();
  readonly #services: ReadonlyMap<string, SearchDataService>;
  readonly #writesReports: boolean;

  constructor(options: WorldOptions) {
    this.clock = options.clock ?? new JobClock();
    this.db = openConnection(options.file ?? ':memory:', { busyTimeoutMs: options.busyTimeoutMs ?? 500 });
    this.store = new Store(this.db, options.caps ?? noCaps, null, options.patience);
    this.#services = options.services ?? new Map([[service, clientOf(options.provider, this.clock)]]);
    this.#provider = options.provider;
    this.#writesReports = options.reports !== undefined;
    this.reports = options.reports === true ? temporaryFolder() : (options.reports ?? tmpdir());
    this.context = {
      store: this.store,
      services: this.#services,
      projects: new Map(options.projects.map((one) => [one.id, one])),
      clock: this.clock,
      random: options.random ?? (() => 0.5),
      log: options.log ?? { debug() {}, info() {}, warn() {}, error() {} },
      timezone: 'UTC',
      ...(options.worth && { worth: options.worth }),
      ...(options.best && { best: options.best }),
      ...(options.retryUnreadable !== undefined && {
        retryUnreadable: new Map([...this.#services.keys()].map((name) => [name, options.retryUnreadable ?? 0])),
      }),
      owner: options.owner ?? processName(),
      freeBytes: options.freeBytes ?? (() => Number.POSITIVE_INFINITY),
    };
    const queue = createEmbeddedQueue(this.#services, options.concurrency ?? 4);
    this.queue = options.wrapQueue?.(queue) ?? queue;
    closeLater(this);
  }

  get provider(): Provider {
    if (this.#provider === undefined) throw new Error('this world has no scripted provider');
    return this.#provider;
  }

  get projects(): Project[] {
    return [...this.context.projects.values()];
  }

  settings(more: Partial<PipelineSettings> = {}): PipelineSettings {
    return {
      queue: this.queue,
      signals: { stop: this.#stop.signal, giveUp: new AbortController().signal },
      reports: {
        directory: this.reports,
        csv: { bom: true, delimiter: ',', safe: true },
        ctrCurve: 'sistrix-2020',
        comparison: { kind: 'previous' },
      },
      skipsReports: !this.#writesReports,
      onProgress() {},
      ...more,
    };
  }

  /** Default: all projects now. */
  run(request?: RunRequest, more: Partial<PipelineSettings> = {}): Promise<ExecutedRun[]> {
    return runPipeline(this.context, this.settings(more), request ?? { kind: 'now', projects: this.projects });
  }

  runSlot(at: number, projects: readonly Project[] = this.projects): Promise<ExecutedRun[]> {
    return this.run({ kind: 'slot', projects, at });
  }

  /** As a signal of the operating system would. */
  stop(): void {
    this.#stop.abort();
  }

  rows(query: string): Row[] {
    return this.db.sql(query).all();
  }

  /** The first column of the first row. */
  value(query: string): unknown {
    return Object.values(this.db.sql(query).get() ?? {})[0];
  }

  /** A file of the reports, without its byte order mark. */
  report(name: string, project = 'acme', folder = 'latest'): string {
    return readFileSync(join(this.reports, project, folder, name), 'utf8').replace(/^\uFEFF/, '');
  }

  /** The rows of a table of the reports. */
  table(name: string, project = 'acme', folder = 'latest'): Record<string, string>[] {
    const text = this.report(name, project, folder);
    return Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true }).data;
  }

  /** Broken invariants of the audit, and history that differs from what was recorded; empty is right. */
  broken(): string[] {
    return [...this.store.audit.checks(), historyCheck(this.db)]
      .filter((check) => !check.ok)
      .map((check) => `${check.name}: ${check.detail}`);
  }

  /** Checks in the order of their ids, as `keyword state pagesRead`. */
  checks(runId?: number): string[] {
    return this.db
      .sql(
        `SELECT k.text || ' ' || c.state || ' ' || c.pages_read AS line FROM checks c JOIN searches s ON s.id = c.search_id
         JOIN keywords k ON k.id = s.keyword_id WHERE @runId IS NULL OR c.run_id = @runId ORDER BY c.id`,
      )
      .all({ runId: runId ?? null })
      .map((row) => String(row['line']));
  }

  /** Rankings in order, as `target rank` or `target not found depth`, `target seen page`. */
  rankings(): string[] {
    return this.rows(
      `SELECT t.value || CASE WHEN r.rank IS NOT NULL THEN ' rank ' || r.rank WHEN r.url_id IS NULL THEN ' not found ' || r.depth ELSE ' seen ' || r.page END AS line
       FROM rankings r JOIN targets t ON t.id = r.target_id ORDER BY r.check_id, r.target_id`,
    ).map((row) => String(row['line']));
  }

  /** Sums of the whole ledger. */
  get credits(): { spent: number; unknown: number; open: number } {
    const { spent, unknown, open } = this.store.audit.totals('serp_credit');
    return { spent, unknown, open };
  }

  async close(): Promise<void> {
    forget(this);
    this.stop();
    await Promise.all([...this.#services.values()].map((one) => one.close()));
    this.store.close();
  }
}

export function clientOf(
  provider: Provider | undefined,
  clock: JobClock,
  more: Partial<ClientOptions> = {},
): SearchDataClient {
  return new SearchDataClient({
    retries: { attemptsMax: 1 },
    baseUrl: provider?.url ?? 'http://127.0.0.1:9',
    user: provider?.user ?? 'user',
    password: provider?.password ?? 'password',
    clock,
    concurrency: 20,
    requestsPerSecond: 100_000,
    timeoutMs: 60_000,
    ...more,
  });
}

/** The name of a process on this machine, as stored in `runs.owner`. */
export function ownerWithPid(pid: number): string {
  return processNameOf(pid);
}

/** A process that lives as long as the tests. */
export const livingOwner = ownerWithPid(process.ppid);
/** No process ever has this pid. */
export const deadOwner = ownerWithPid(2 ** 22 + 1);
export const elsewhere = `not-${hostname()}|boot|1`;
