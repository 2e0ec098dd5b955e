// The store: one database, its subjects side by side, and the transactions that span them.
import type { AdminAction } from '../src/service/index.ts';
import { AccountDirectory } from './accounts/account-directory.ts';
import { SqliteAccountStore } from './accounts/accounts.ts';
import { Readers } from './accounts/readers.ts';
import { SourceMemories } from './accounts/source-memory.ts';
import {
  type Connection,
  type ConnectionOptions,
  openConnection,
  openForReading,
  type ReadingOptions,
} from './connection/client.ts';
import { DiskReserve } from './connection/disk.ts';
import { asStoreError } from './connection/errors.ts';
import { GroupCommit } from './connection/group-commit.ts';
import { guardStaleLog } from './connection/guards.ts';
import { Names } from './connection/names.ts';
import { Answers } from './history/answers.ts';
import { Checks } from './history/checks/checks.ts';
import { PageHistory, Pages } from './history/checks/pages.ts';
import { Rankings } from './history/checks/rankings.ts';
import { SecondLooks } from './history/checks/second-looks.ts';
import { ClickExports, Clicks } from './history/clicks.ts';
import { CheckColumnStore } from './history/columns/check-columns.ts';
import { RunColumns } from './history/columns/run-columns.ts';
import { History, HistoryVersion } from './history/history.ts';
import { Imports } from './history/imports.ts';
import { Notes } from './history/notes.ts';
import { AlertDeliveries, AlertHistory, ReportDeliveries, ReportFailures } from './history/outbox.ts';
import { Renames } from './history/renames.ts';
import { Runs } from './history/runs/runs.ts';
import { MovedShares, PlanOutcomeStore } from './history/signals.ts';
import { TrackedMetricsReader, VolumeSeries, Volumes } from './history/volumes.ts';
import { Audit } from './integrity/audit.ts';
import { acceptSums } from './integrity/verify.ts';
import { Witness } from './integrity/witness.ts';
import type { Caps } from './ledger/budget-windows.ts';
import { Ledger } from './ledger/ledger.ts';
import { PurchaseAttempts } from './ledger/purchases.ts';
import { PriceDisputes, Reconciliations } from './ledger/reconciliations.ts';
import { RunFence } from './ledger/run-fence.ts';
import { Derivations, Gaps } from './reads/backfill.ts';
import { Exports } from './reads/exports.ts';
import { DailyRankings } from './reads/reports/daily-rankings.ts';
import { DailySpendReader } from './reads/reports/daily-spend.ts';
import { Overviews } from './reads/reports/overviews.ts';
import { ReportSeries } from './reads/reports/report-series.ts';
import { ReportRuns, RunCountStore, RunFacts } from './reads/reports/run-facts.ts';
import { SerpContents } from './reads/reports/serp-contents.ts';
import { TrackedRows } from './reads/reports/tracked-rows.ts';
import { SearchRecords } from './reads/search-records.ts';
import { Sightings } from './reads/sightings.ts';

export class Store {
  readonly file: string;
  /** The database that does not exist, and that this empty store in memory stands for. */
  readonly missing: string | null;
  readonly names: Names;
  readonly renames: Renames;
  readonly firstServiceName: Connection['firstServiceName'];
  readonly runs: Runs;
  readonly checks: Checks;
  readonly ledger: Ledger;
  readonly reconciliations: Reconciliations;
  readonly purchaseAttempts: PurchaseAttempts;
  readonly disputes: PriceDisputes;
  readonly pages: Pages;
  readonly pageHistory: PageHistory;
  readonly rankings: Rankings;
  readonly secondLooks: SecondLooks;
  readonly runColumns: RunColumns;
  readonly checkColumns: CheckColumnStore;
  readonly imports: Imports;
  readonly volumes: Volumes;
  readonly clicks: Clicks;
  readonly clickExports: ClickExports;
  readonly answers: Answers;
  readonly volumeSeries: VolumeSeries;
  readonly history: History;
  readonly exports: Exports;
  readonly reportRuns: ReportRuns;
  readonly reportFailures: ReportFailures;
  readonly runFacts: RunFacts;
  readonly runCounts: RunCountStore;
  readonly reportSeries: ReportSeries;
  readonly dailyRankings: DailyRankings;
  readonly trackedMetrics: TrackedMetricsReader;
  readonly trackedRows: TrackedRows;
  readonly serpContents: SerpContents;
  readonly overviews: Overviews;
  readonly searchRecords: SearchRecords;
  readonly sightings: Sightings;
  readonly dailySpend: DailySpendReader;
  readonly historyVersion: HistoryVersion;
  readonly gaps: Gaps;
  readonly derivations: Derivations;
  readonly audit: Audit;
  readonly notes: Notes;
  readonly movedShares: MovedShares;
  readonly planOutcomes: PlanOutcomeStore;
  readonly alertDeliveries: AlertDeliveries;
  readonly alertHistory: AlertHistory;
  readonly reportDeliveries: ReportDeliveries;
  /** Of the service that this process embeds or serves: behind the service's own port. */
  readonly accounts: SqliteAccountStore;
  /** Of the read API. */
  readonly readers: Readers;
  /** What sources of services in this process remember, behind the service's own port likewise. */
  readonly sourceMemories: SourceMemories;
  readonly diskReserve: DiskReserve;
  readonly witness: Witness;
  readonly #db: Connection;
  readonly #group: GroupCommit;

  constructor(db: Connection, caps: Caps, missing: string | null = null) {
    this.missing = missing;
    this.#db = db;
    this.diskReserve = new DiskReserve(db.file);
    this.witness = new Witness(db, missing ?? db.file);
    this.#group = new GroupCommit(db, () => this.names.forget(), undefined, this.diskReserve);
    this.file = db.file;
    this.names = new Names(db);
    this.renames = new Renames(db, this.names);
    this.firstServiceName = db.firstServiceName;
    const fence = new RunFence(db);
    this.runs = new Runs(db, this.names, fence);
    this.checks = new Checks(db, this.names);
    this.ledger = new Ledger(db, caps, fence);
    this.reconciliations = new Reconciliations(db, caps);
    this.purchaseAttempts = new PurchaseAttempts(db);
    this.disputes = new PriceDisputes(db);
    this.pages = new Pages(db, this.names);
    this.pageHistory = new PageHistory(db, this.names);
    this.rankings = new Rankings(db, this.names);
    this.secondLooks = new SecondLooks(db);
    this.movedShares = new MovedShares(db, this.names);
    this.planOutcomes = new PlanOutcomeStore(db, this.names);
    this.runColumns = new RunColumns(db);
    this.checkColumns = new CheckColumnStore(db);
    this.imports = new Imports(db, this.rankings);
    this.volumes = new Volumes(db, this.names);
    this.clicks = new Clicks(db, this.names);
    this.clickExports = new ClickExports(db, this.names);
    this.answers = new Answers(db, this.names);
    this.volumeSeries = new VolumeSeries(db);
    this.history = new History(db, this.names);
    this.exports = new Exports(db);
    this.reportRuns = new ReportRuns(db);
    this.reportFailures = new ReportFailures(db);
    this.runFacts = new RunFacts(db);
    this.runCounts = new RunCountStore(db);
    this.reportSeries = new ReportSeries(db, this.checkColumns);
    this.dailyRankings = new DailyRankings(db);
    this.trackedMetrics = new TrackedMetricsReader(db);
    this.trackedRows = new TrackedRows(db);
    this.serpContents = new SerpContents(db, this.names);
    this.overviews = new Overviews(db, this.names, this.checkColumns);
    this.searchRecords = new SearchRecords(db, this.names);
    this.sightings = new Sightings(db);
    this.dailySpend = new DailySpendReader(db);
    this.historyVersion = new HistoryVersion(db);
    this.gaps = new Gaps(db);
    this.derivations = new Derivations(db, this.names);
    this.audit = new Audit(db);
    this.notes = new Notes(db, this.names);
    this.alertDeliveries = new AlertDeliveries(db, this.names);
    this.alertHistory = new AlertHistory(db);
    this.reportDeliveries = new ReportDeliveries(db, this.names);
    this.accounts = new SqliteAccountStore(db, this.#group);
    this.readers = new Readers(db);
    this.sourceMemories = new SourceMemories(db, this.#group);
  }

  /** Takes all rows as they stand, and records who did so: first the record, so that its row is summed up as well. */
  acceptSums(action: AdminAction): void {
    this.transaction(() => new AccountDirectory(this.#db).appendAction(action));
    this.transaction(() => acceptSums(this.#db));
  }

  /** All or nothing, durable on return. Cached ids from a rolled-back transaction are dropped. Throws StoreError. */
  transaction<T>(work: () => T): T {
    try {
      return this.#db.transaction(work);
    } catch (error) {
      this.names.forget();
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

  /** Throws StoreError DATABASE_REPLACED where the database was deleted, renamed or replaced since it was opened. */
  assertSameFile(): void {
    this.#db.assertSameFile();
  }

  close(): void {
    this.#db.close();
  }
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
