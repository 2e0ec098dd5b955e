// The store: one database, and the transactions of its parts. A part is loaded and opened when it is first read.
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import type { AdminAction } from '../src/service/index.ts';
import type { ChargeCounts } from './accounts/account-balances.ts';
import type * as directory from './accounts/account-directory.ts';
import type { SqliteAccountStore } from './accounts/accounts.ts';
import type { Readers } from './accounts/readers.ts';
import type { SourceMemories } from './accounts/source-memory.ts';
import {
  type Connection,
  type ConnectionOptions,
  openConnection,
  openForReading,
  type ReadingOptions,
} from './connection/client.ts';
import { DiskReserve } from './connection/disk.ts';
import { asStoreError } from './connection/errors.ts';
import { GroupCommit, LockPatience } from './connection/group-commit.ts';
import { guardStaleLog } from './connection/guards.ts';
import type { Answers } from './history/answers.ts';
import type { Appearances } from './history/appearances.ts';
import type { Bridges } from './history/bridges.ts';
import type { Causes } from './history/causes.ts';
import type { Checks } from './history/checks/checks.ts';
import type { JointLooks } from './history/checks/joint-looks.ts';
import type { PageHistory, Pages } from './history/checks/pages.ts';
import type { Rankings } from './history/checks/rankings.ts';
import type { SecondLooks } from './history/checks/second-looks.ts';
import type { ClickExports, Clicks, EngineExports } from './history/clicks.ts';
import type { CheckColumnStore } from './history/columns/check-columns.ts';
import type { History } from './history/history.ts';
import type { Imports } from './history/imports.ts';
import type { EngineUpdates, Notes } from './history/notes.ts';
import type { AlertDeliveries, AlertHistory, ReportDeliveries, ReportFailures } from './history/outbox.ts';
import type { Renames } from './history/renames.ts';
import type { Runs } from './history/runs/runs.ts';
import type { MovedShares, PlanOutcomeStore } from './history/signals.ts';
import type { TrackedMetricsReader, VolumeSeries, Volumes } from './history/volumes.ts';
import type { Audit, AuditCheck } from './integrity/audit.ts';
import type * as verify from './integrity/verify.ts';
import type { Witness } from './integrity/witness.ts';
import type { Caps } from './ledger/budget-windows.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { PurchaseAttempts, PurchaseCounts } from './ledger/purchases.ts';
import type { PriceDisputes, Reconciliations } from './ledger/reconciliations.ts';
import { RunFence } from './ledger/run-fence.ts';
import type { Derivations, Gaps } from './reads/backfill.ts';
import type { Exports } from './reads/exports.ts';
import type { RankColumns } from './reads/rank-columns.ts';
import type { DailyRankings } from './reads/reports/daily-rankings.ts';
import type { DailySpendReader } from './reads/reports/daily-spend.ts';
import type { Overviews } from './reads/reports/overviews.ts';
import type { ReportSeries } from './reads/reports/report-series.ts';
import type { ReportRuns, RunCountStore, RunFacts } from './reads/reports/run-facts.ts';
import type { SerpContents } from './reads/reports/serp-contents.ts';
import type { TrackedRows } from './reads/reports/tracked-rows.ts';
import type { RunPurchases } from './reads/run-purchases.ts';
import type { SearchRecords } from './reads/search-records.ts';
import type { Sightings } from './reads/sightings.ts';

// required rather than imported, so that a command loads the parts that it reads, and no more
const require = createRequire(import.meta.url);

export class Store {
  readonly file: string;
  /** The database that does not exist, and that this empty store in memory stands for. */
  readonly missing: string | null;
  readonly diskReserve: DiskReserve;
  readonly patience: LockPatience;
  readonly #db: Connection;
  readonly #caps: Caps;
  readonly #group: GroupCommit;
  readonly #fence: RunFence;
  readonly #parts = new Map<string, unknown>();

  constructor(db: Connection, caps: Caps, missing: string | null = null, patience: LockPatience = new LockPatience()) {
    this.patience = patience;
    this.file = db.file;
    this.missing = missing;
    this.diskReserve = new DiskReserve(db.file);
    this.#db = db;
    this.#caps = caps;
    this.#group = new GroupCommit(db, undefined, this.diskReserve);
    this.#fence = new RunFence(db);
  }

  get names() {
    return this.#db.names;
  }

  get firstServiceName() {
    return this.#db.firstServiceName;
  }

  get renames(): Renames {
    return this.#part('history/renames', 'Renames');
  }

  get runs(): Runs {
    return this.#part('history/runs/runs', 'Runs', this.#fence);
  }

  get checks(): Checks {
    return this.#part('history/checks/checks', 'Checks');
  }

  get ledger(): Ledger {
    return this.#part('ledger/ledger', 'Ledger', this.#caps, this.#fence);
  }

  get reconciliations(): Reconciliations {
    return this.#part('ledger/reconciliations', 'Reconciliations', this.#caps);
  }

  get purchaseAttempts(): PurchaseAttempts {
    return this.#part('ledger/purchases', 'PurchaseAttempts');
  }

  get purchaseCounts(): PurchaseCounts {
    return this.#part('ledger/purchases', 'PurchaseCounts');
  }

  get disputes(): PriceDisputes {
    return this.#part('ledger/reconciliations', 'PriceDisputes');
  }

  get pages(): Pages {
    return this.#part('history/checks/pages', 'Pages');
  }

  get pageHistory(): PageHistory {
    return this.#part('history/checks/pages', 'PageHistory');
  }

  get rankings(): Rankings {
    return this.#part('history/checks/rankings', 'Rankings');
  }

  get secondLooks(): SecondLooks {
    return this.#part('history/checks/second-looks', 'SecondLooks');
  }

  get bridges(): Bridges {
    return this.#part('history/bridges', 'Bridges');
  }

  get jointLooks(): JointLooks {
    return this.#part('history/checks/joint-looks', 'JointLooks');
  }

  get rankColumns(): RankColumns {
    return this.#part('reads/rank-columns', 'RankColumns');
  }

  get checkColumns(): CheckColumnStore {
    return this.#part('history/columns/check-columns', 'CheckColumnStore');
  }

  get imports(): Imports {
    return this.#part('history/imports', 'Imports');
  }

  get volumes(): Volumes {
    return this.#part('history/volumes', 'Volumes');
  }

  get clicks(): Clicks {
    return this.#part('history/clicks', 'Clicks');
  }

  get engineExports(): EngineExports {
    return this.#part('history/clicks', 'EngineExports');
  }

  get clickExports(): ClickExports {
    return this.#part('history/clicks', 'ClickExports');
  }

  get answers(): Answers {
    return this.#part('history/answers', 'Answers');
  }

  get volumeSeries(): VolumeSeries {
    return this.#part('history/volumes', 'VolumeSeries');
  }

  get history(): History {
    return this.#part('history/history', 'History');
  }

  get exports(): Exports {
    return this.#part('reads/exports', 'Exports');
  }

  get reportRuns(): ReportRuns {
    return this.#part('reads/reports/run-facts', 'ReportRuns');
  }

  get reportFailures(): ReportFailures {
    return this.#part('history/outbox', 'ReportFailures');
  }

  get runFacts(): RunFacts {
    return this.#part('reads/reports/run-facts', 'RunFacts');
  }

  get runCounts(): RunCountStore {
    return this.#part('reads/reports/run-facts', 'RunCountStore');
  }

  get reportSeries(): ReportSeries {
    return this.#part('reads/reports/report-series', 'ReportSeries');
  }

  get dailyRankings(): DailyRankings {
    return this.#part('reads/reports/daily-rankings', 'DailyRankings');
  }

  get trackedMetrics(): TrackedMetricsReader {
    return this.#part('history/volumes', 'TrackedMetricsReader');
  }

  get trackedRows(): TrackedRows {
    return this.#part('reads/reports/tracked-rows', 'TrackedRows');
  }

  get serpContents(): SerpContents {
    return this.#part('reads/reports/serp-contents', 'SerpContents');
  }

  get overviews(): Overviews {
    return this.#part('reads/reports/overviews', 'Overviews');
  }

  get searchRecords(): SearchRecords {
    return this.#part('reads/search-records', 'SearchRecords');
  }

  get runPurchases(): RunPurchases {
    return this.#part('reads/run-purchases', 'RunPurchases');
  }

  get sightings(): Sightings {
    return this.#part('reads/sightings', 'Sightings');
  }

  get dailySpend(): DailySpendReader {
    return this.#part('reads/reports/daily-spend', 'DailySpendReader');
  }

  get gaps(): Gaps {
    return this.#part('reads/backfill', 'Gaps');
  }

  get derivations(): Derivations {
    return this.#part('reads/backfill', 'Derivations');
  }

  get audit(): Audit {
    return this.#part('integrity/audit', 'Audit');
  }

  get notes(): Notes {
    return this.#part('history/notes', 'Notes');
  }

  get engineUpdates(): EngineUpdates {
    return this.#part('history/notes', 'EngineUpdates');
  }

  get movedShares(): MovedShares {
    return this.#part('history/signals', 'MovedShares');
  }

  get appearances(): Appearances {
    return this.#part('history/appearances', 'Appearances');
  }

  get causes(): Causes {
    return this.#part('history/causes', 'Causes');
  }

  get planOutcomes(): PlanOutcomeStore {
    return this.#part('history/signals', 'PlanOutcomeStore');
  }

  get alertDeliveries(): AlertDeliveries {
    return this.#part('history/outbox', 'AlertDeliveries');
  }

  get alertHistory(): AlertHistory {
    return this.#part('history/outbox', 'AlertHistory');
  }

  get reportDeliveries(): ReportDeliveries {
    return this.#part('history/outbox', 'ReportDeliveries');
  }

  /** Of the service that this process embeds or serves: behind the service's own port. */
  get accounts(): SqliteAccountStore {
    return this.#part('accounts/accounts', 'SqliteAccountStore', this.#group);
  }

  get chargeCounts(): ChargeCounts {
    return this.#part('accounts/account-balances', 'ChargeCounts');
  }

  /** Of the read API. */
  get readers(): Readers {
    return this.#part('accounts/readers', 'Readers');
  }

  /** What sources of services in this process remember, behind the service's own port likewise. */
  get sourceMemories(): SourceMemories {
    return this.#part('accounts/source-memory', 'SourceMemories', this.#group);
  }

  get witness(): Witness {
    return this.#part('integrity/witness', 'Witness', this.missing ?? this.file);
  }

  /** All checks of `audit`, each made when the caller asks for it. Nothing may write until the last. */
  proofs(): Iterable<AuditCheck> {
    const { verification, auditBytesMax } = load<typeof verify>('integrity/verify');
    return verification(this.#db, auditBytesMax);
  }

  /** Takes all rows as they stand, and records who did so: first the record, so that its row is summed up as well. */
  acceptSums(action: AdminAction): void {
    const { acceptSums } = load<typeof verify>('integrity/verify');
    this.recordAction(action);
    this.transaction(() => acceptSums(this.#db));
  }

  /** Appends to the audit trail. */
  recordAction(action: AdminAction): void {
    const { AccountDirectory } = load<typeof directory>('accounts/account-directory');
    this.transaction(() => new AccountDirectory(this.#db).appendAction(action));
  }

  /** The newest check that an editor or assistant bought of exactly these keywords; null: none. */
  newestCheck(project: string, keywords: readonly string[]): { readonly id: number; readonly at: number } | null {
    const { AccountDirectory } = load<typeof directory>('accounts/account-directory');
    return new AccountDirectory(this.#db).newestCheck(project, keywords);
  }

  /** All or nothing, durable on return. Throws StoreError. */
  transaction<T>(work: () => T): T {
    try {
      return this.#db.transaction(work);
    } catch (error) {
      throw asStoreError(error, this.file);
    }
  }

  /**
   * Like `transaction`, for work that shares one: all work of one turn of the event loop needs one disk sync. Each
   * piece is atomic: one that throws is rolled back alone. The work may run twice, so it may change only the database.
   * The promise settles when the work is durable.
   */
  grouped<T>(work: () => T): Promise<T> {
    return this.#group.run(work);
  }

  /**
   * Does the work, and waits up to ten minutes, or until `stop`, while another program's lock keeps a transaction of it
   * from beginning. Work of several transactions must do nothing twice.
   */
  whenUnlocked<T>(work: () => T, stop: AbortSignal): Promise<T> {
    return this.patience.until(() => this.#db.withoutWaiting(work), stop);
  }

  /** As of its connection: set where nothing else goes on while a transaction waits for a lock. */
  get onBlocked(): Connection['onBlocked'] {
    return this.#db.onBlocked;
  }

  set onBlocked(onBlocked: Connection['onBlocked']) {
    this.#db.onBlocked = onBlocked;
  }

  /** Throws StoreError DATABASE_REPLACED where the database was deleted, renamed or replaced since it was opened. */
  assertSameFile(): void {
    this.#db.assertSameFile();
  }

  close(): void {
    this.#db.close();
  }

  #part<Part>(file: string, name: string, ...others: readonly unknown[]): Part {
    let part = this.#parts.get(name);
    if (part === undefined) {
      const Class = load<Record<string, new (db: Connection, ...others: readonly unknown[]) => unknown>>(file)[name];
      if (Class === undefined) throw new Error(`${file} has no ${name}`);
      part = new Class(this.#db, ...others);
      this.#parts.set(name, part);
    }
    return part as Part; // a test opens every part
  }
}

/** The modules are TypeScript in a checkout, and compiled in a package. */
function load<Module>(file: string): Module {
  return require(`./${file}${extname(import.meta.filename)}`) as Module;
}

/** Opens (or creates) the store in `file`; `:memory:` for a fresh one. Throws StoreError. */
export function openStore(
  file: string,
  caps: Caps = { serp_credit: {}, micro_usd: {} },
  options: ConnectionOptions = {},
): Store {
  return new Store(openConnection(file, options), caps);
}

/**
 * An empty store in memory, for readers of a database that does not exist: it lacks what the file's witness records.
 * Throws StoreError if the database may exist: this user cannot look, or its log is there.
 */
export function openMissingStore(file: string, caps: Caps): Store {
  guardStaleLog(file);
  return new Store(openConnection(':memory:'), caps, file);
}

/** Opens a store that is there, and changes nothing: what would write fails. Throws StoreError. */
export function openStoreForReading(
  file: string,
  options: ReadingOptions = {},
  caps: Caps = { serp_credit: {}, micro_usd: {} },
): Store {
  return new Store(openForReading(file, options), caps);
}
