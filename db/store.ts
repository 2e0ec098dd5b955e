// The store: one database, its subjects side by side, and the transactions that span them.
import { SqliteAccountStore } from './accounts.ts';
import { AlertDeliveries } from './alert-deliveries.ts';
import { AlertHistory } from './alert-history.ts';
import { Audit } from './audit.ts';
import { Checks } from './checks.ts';
import { type Connection, type ConnectionOptions, openConnection, openForReading } from './client.ts';
import { DailyPlaces } from './daily-places.ts';
import { Derivations } from './derivations.ts';
import { DiscardedRuns } from './discarded-runs.ts';
import { DiskReserve } from './disk-reserve.ts';
import { asStoreError } from './errors.ts';
import { Exports } from './exports.ts';
import { Gaps } from './gaps.ts';
import { GroupCommit, type Mark } from './group-commit.ts';
import { History } from './history.ts';
import { Imports } from './imports.ts';
import { type Caps, Ledger } from './ledger.ts';
import { Names } from './names.ts';
import { Notes } from './notes.ts';
import { PagePast } from './page-past.ts';
import { Pages } from './pages.ts';
import { PriceDisputes } from './price-disputes.ts';
import { Rankings } from './rankings.ts';
import { Reconciliations } from './reconciliations.ts';
import { ReportFailures } from './report-failures.ts';
import { ReportRuns } from './report-runs.ts';
import { ReportSeries } from './report-series.ts';
import { RunCountStore } from './run-counts.ts';
import { RunFacts } from './run-facts.ts';
import { RunFence } from './run-fence.ts';
import { Runs } from './runs.ts';
import { SerpContents } from './serp-contents.ts';
import { SourceMemories } from './source-memory.ts';
import { TrackedRows } from './tracked-rows.ts';
import { Tries } from './tries.ts';
import { VolumeSeries } from './volume-series.ts';
import { Volumes } from './volumes.ts';
import { Witness } from './witness.ts';

export class Store {
  readonly file: string;
  readonly names: Names;
  readonly runs: Runs;
  readonly checks: Checks;
  readonly ledger: Ledger;
  readonly reconciliations: Reconciliations;
  readonly tries: Tries;
  readonly disputes: PriceDisputes;
  readonly pages: Pages;
  readonly pagePast: PagePast;
  readonly rankings: Rankings;
  readonly imports: Imports;
  readonly volumes: Volumes;
  readonly volumeSeries: VolumeSeries;
  readonly history: History;
  readonly exports: Exports;
  readonly reportRuns: ReportRuns;
  readonly discardedRuns: DiscardedRuns;
  readonly reportFailures: ReportFailures;
  readonly runFacts: RunFacts;
  readonly runCounts: RunCountStore;
  readonly reportSeries: ReportSeries;
  readonly dailyPlaces: DailyPlaces;
  readonly trackedRows: TrackedRows;
  readonly serpContents: SerpContents;
  readonly gaps: Gaps;
  readonly derivations: Derivations;
  readonly audit: Audit;
  readonly notes: Notes;
  readonly alertDeliveries: AlertDeliveries;
  readonly alertHistory: AlertHistory;
  /** Of the service that this process embeds or serves: behind the service's own port. */
  readonly accounts: SqliteAccountStore;
  /** What sources of services in this process remember, behind the service's own port likewise. */
  readonly sourceMemories: SourceMemories;
  readonly diskReserve: DiskReserve;
  readonly witness: Witness;
  readonly #db: Connection;
  readonly #group: GroupCommit;

  constructor(db: Connection, caps: Caps) {
    this.#db = db;
    this.diskReserve = new DiskReserve(db.file);
    this.witness = new Witness(db);
    this.#group = new GroupCommit(db, () => this.names.forget(), undefined, this.diskReserve);
    this.file = db.file;
    this.names = new Names(db);
    const fence = new RunFence(db);
    this.runs = new Runs(db, this.names, fence);
    this.checks = new Checks(db, this.names);
    this.ledger = new Ledger(db, caps, fence);
    this.reconciliations = new Reconciliations(db);
    this.tries = new Tries(db);
    this.disputes = new PriceDisputes(db);
    this.pages = new Pages(db, this.names);
    this.pagePast = new PagePast(db, this.names);
    this.rankings = new Rankings(db, this.names);
    this.imports = new Imports(db, this.rankings);
    this.volumes = new Volumes(db, this.names);
    this.volumeSeries = new VolumeSeries(db);
    this.history = new History(db);
    this.exports = new Exports(db);
    this.reportRuns = new ReportRuns(db);
    this.discardedRuns = new DiscardedRuns(db);
    this.reportFailures = new ReportFailures(db);
    this.runFacts = new RunFacts(db);
    this.runCounts = new RunCountStore(db);
    this.reportSeries = new ReportSeries(db);
    this.dailyPlaces = new DailyPlaces(db);
    this.trackedRows = new TrackedRows(db);
    this.serpContents = new SerpContents(db, this.names);
    this.gaps = new Gaps(db);
    this.derivations = new Derivations(db, this.names);
    this.audit = new Audit(db);
    this.notes = new Notes(db, this.names);
    this.alertDeliveries = new AlertDeliveries(db, this.names);
    this.alertHistory = new AlertHistory(db);
    this.accounts = new SqliteAccountStore(db, this.#group);
    this.sourceMemories = new SourceMemories(db, this.#group);
  }

  /** All or nothing, durable when it returns. Ids that a rolled-back transaction had given out are forgotten. Throws StoreError. */
  transaction<T>(work: () => T): T {
    try {
      return this.#db.transaction(work);
    } catch (error) {
      this.names.forget();
      throw asStoreError(error, this.file);
    }
  }

  /**
   * The same for work that others may join: whatever is asked for in one turn of the event loop becomes durable with one sync of the disk.
   * Each piece stands alone: one that throws is rolled back by itself. The promise settles when its piece is durable. `mark` makes a piece cheaper:
   * see GroupCommit.
   */
  grouped<T>(work: () => T, mark?: Mark): Promise<T> {
    return this.#group.run(work, mark);
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

/** Opens a store that is there, and changes nothing: what would write fails. Throws StoreError. */
export function openStoreForReading(file: string, options: ConnectionOptions = {}): Store {
  return new Store(openForReading(file, options), { serp_credit: {}, micro_usd: {} });
}
