// What the commands may ask of the app, and what they get. Types, and the one error of asking wrongly.
import type { BrokenEntries } from '../../config/broken-entries.ts';
import type { ResolvedConfig } from '../../config/resolve.ts';
import type { BudgetWindowRow as BudgetWindow } from '../../db/budget-windows.ts';
import type { DaySpent } from '../../db/ledger-head.ts';
import type { DisputeTotals } from '../../db/price-disputes.ts';
import type { DeriveReport } from '../../jobs/backfill-derive.ts';
import type { Log } from '../../jobs/context.ts';
import type { ExportQuery } from '../../jobs/export-history.ts';
import type { PlannedProject, PlanReport, ProjectDueness } from '../../jobs/inspect.ts';
import type { Problem } from '../../jobs/problems.ts';
import type { HistoryRow, HistoryQuery as TargetHistoryQuery } from '../../jobs/read-history.ts';
import type { ServiceWait } from '../../jobs/service-lines.ts';
import type { ExportTable } from '../report/export.ts';
import type { Mover } from '../report/movers.ts';
import type {
  Accounts,
  Clock,
  KeywordDataAnswer,
  KeywordDataRequestInput,
  RunningServer,
  SerpAnswer,
  SerpRequestInput,
} from '../service/index.ts';
import type { CheckStatus } from '../tracker/observation.ts';
import type { AlertDesk } from './alerts.ts';
import type { Backfills } from './backfill.ts';
import type { ImportOptions, ImportReport } from './backfill-import.ts';
import type { NoteDesk, ReportWishes } from './reports.ts';
import type { ScheduleOptions } from './schedule-event.ts';
import type { StatusReport } from './status.ts';
import type { UnwrittenReport } from './unwritten.ts';

export type { DisputeTotals } from '../../db/price-disputes.ts';
export type { ScheduleEvent, ScheduleOptions } from './schedule-event.ts';
export type { StatusReport } from './status.ts';
export type { UnwrittenReport } from './unwritten.ts';

export interface AppOptions {
  /** Default: the system's. */
  readonly clock?: Clock;
  /** Default: silent. */
  readonly log?: Log;
  /** Where there is no database yet none is made: history is empty. Nothing may be run. */
  readonly isReading?: boolean;
}

export type {
  BackfillRanksOptions,
  BackfillVolumesOptions,
  RanksBackfillPlan,
  VolumesBackfillPlan,
} from './backfill.ts';
export type {
  BudgetWindow,
  DeriveReport,
  HistoryRow,
  ImportOptions,
  ImportReport,
  Log,
  PlannedProject,
  PlanReport,
  Problem,
  ProjectDueness,
};

export interface RunProgress {
  readonly phase: 'planning' | 'checking' | 'volumes' | 'reporting';
  readonly done: number;
  readonly total: number;
  readonly creditsSpent: number;
  /** Services that nothing is asked of for a while; absent: of none. */
  readonly waits?: readonly ServiceWait[];
}

export interface RunOptions {
  /** Ids of projects to run now; unknown ids are a UsageError. */
  readonly projects?: readonly string[];
  /** Every project now. */
  readonly all?: boolean;
  /** UTC milliseconds: runs the named projects, or all, for that moment; resumes where unfinished, does nothing where complete. */
  readonly slot?: number;
  /** Runs `slot` of a live source although a later slot has passed: its rankings carry the day they are seen on. Default: a UsageError. */
  readonly late?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: RunProgress) => void;
}

export interface Spending {
  readonly reserved: number;
  readonly spent: number;
  readonly unknown: number;
  readonly released: number;
}

export interface WrittenReport {
  readonly project: string;
  /** Absolute folder. */
  readonly directory: string;
  readonly files: readonly string[];
  readonly rows: number;
  readonly movers: readonly Mover[];
}

export interface RunResult {
  readonly runId: number;
  readonly kind: 'ranks' | 'volumes';
  /** `interrupted`: stopped by the signal; the next start resumes it. */
  readonly state: 'complete' | 'partial' | 'halted' | 'interrupted';
  readonly resumed: boolean;
  readonly slots: readonly { readonly project: string; readonly slot: string }[];
  readonly checks: Readonly<Record<CheckStatus, number>>;
  readonly serpCredits: Spending;
  readonly microUsd: Spending;
  /** Pages that other projects or fresh pages had paid for. */
  readonly pagesReused: number;
  readonly haltReason: string | null;
  readonly suspectReason: string | null;
  /** The first of them; `report` lists all. */
  readonly problems: readonly Problem[];
  /** What went wrong beside the checks: keyword data that could not be had. */
  readonly notes: readonly string[];
  readonly reports: readonly WrittenReport[];
}

export interface RunOutcome {
  /** In order of work; empty where nothing was due. */
  readonly runs: readonly RunResult[];
  /** Where nothing was due: per project why, and when next. */
  readonly notDue: readonly ProjectDueness[];
  /** Reports and alerts, of these runs and of earlier ones, that could not be written. They are tried again at each run. */
  readonly unwritten: readonly UnwrittenReport[];
  /** Projects that do not run because the config is broken there. */
  readonly broken: BrokenEntries;
  /** What is overdue still, although everything that is due was asked for. */
  readonly overdue: readonly ProjectDueness[];
}

export interface DiscardOptions {
  readonly runId: number;
  /** Default: none. */
  readonly reason?: string;
  /** Makes a discarded run count again. */
  readonly undo?: boolean;
}

export interface DiscardReport {
  readonly runId: number;
  /** ISO 8601; null where it counts. */
  readonly discardedAt: string | null;
  readonly discardReason: string | null;
  readonly slots: readonly { readonly project: string; readonly slot: string }[];
  /** The latest reports of its projects, written again. */
  readonly reports: readonly WrittenReport[];
}

export interface ReportOptions extends ReportWishes {
  readonly projects?: readonly string[];
}

export interface HistoryQuery extends TargetHistoryQuery {
  readonly project?: string;
}

export interface AuditReport {
  readonly ok: boolean;
  /** Each invariant that was checked, and what broke it. */
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[];
  readonly totals: Readonly<Record<'serp_credit' | 'micro_usd', Spending & { readonly open: number }>>;
  /** Of sources of a chain, and of those that count their requests: what they sold, by month of the budget, the newest first. */
  readonly sources: readonly {
    readonly month: string;
    readonly source: string;
    readonly spent: number;
    readonly unknown: number;
    /** Null where it counts none. */
    readonly requests: { readonly charged: number; readonly free: number; readonly unknown: number } | null;
  }[];
  /** What the witness beside the database saw and the database does not hold; the next run counts it as unknown. */
  readonly gap: readonly DaySpent[];
  readonly unknownPurchases: readonly {
    readonly purchaseId: number;
    readonly service: string;
    readonly what: string;
    readonly amount: number;
    readonly currency: string;
    readonly at: string;
    readonly ageMs: number;
    readonly error: string | null;
  }[];
  /** Purchases whose provider stated a higher price than was agreed: the newest, and sums by service. */
  readonly disputes: readonly PriceDisputeLine[];
  readonly disputeTotals: readonly DisputeTotals[];
}

/** Amounts in credits, or in micro-USD. */
export interface PriceDisputeLine {
  readonly purchaseId: number;
  readonly runId: number;
  readonly service: string;
  readonly currency: 'serp_credit' | 'micro_usd';
  readonly agreed: number;
  /** What is booked. */
  readonly stated: number;
  /** By how much that exceeded the fullest window of the budget. */
  readonly exceeded: number;
  readonly at: string;
}

/** `ask`: providers that keep idempotency keys are asked again. `word`: somebody has seen the bill; one of the two selectors is needed. */
export type ReconcileRequest =
  | { readonly kind: 'ask' }
  | {
      readonly kind: 'word';
      readonly as: 'charged' | 'free';
      readonly purchases: readonly number[];
      readonly service?: string;
    };

export interface ReconcileReport {
  readonly settled: readonly (AuditReport['unknownPurchases'][number] & { readonly as: 'charged' | 'free' })[];
  /** Purchases that are unknown still. */
  readonly left: number;
  /** Why a service was not asked about all of them. */
  readonly notes: readonly string[];
}

export interface AdHocOptions {
  /** Service name of the config; default: the first project's, else `default`. */
  readonly service?: string;
  readonly signal?: AbortSignal;
  /** Told in a sentence what the request waits for, and what it has to do without. The log says it as well. */
  readonly onNotice?: (words: string) => void;
}

export interface ServeOptions {
  /** Service name of the config; it must be an embedded one. Default: `default`. */
  readonly service?: string;
  /** Default: 127.0.0.1, this machine only. */
  readonly host?: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Addresses and networks of the proxies whose `X-Forwarded-For` is believed. Default: none. */
  readonly trustedProxies?: readonly string[];
  /** Of each API user. Default: 600. */
  readonly requestsPerMinute?: number;
}

/** The product for one config. Every method throws StoreError where the database fails, UsageError where an id or date means nothing. */
export interface App {
  readonly config: ResolvedConfig;
  run(options: RunOptions): Promise<RunOutcome>;
  /** Runs what is due, again and again, until it is stopped. */
  schedule(options: ScheduleOptions): Promise<void>;
  /** Fills in what history lacks: ranks, volumes, and rankings of new targets. */
  readonly backfill: Backfills;
  plan(options: { readonly projects?: readonly string[]; readonly all?: boolean; readonly slot?: number }): PlanReport;
  status(): StatusReport;
  report(options: ReportOptions): Promise<WrittenReport[]>;
  /** Leaves a run out of reports, baselines, dueness and alerts, or takes that back. Throws UsageError where that cannot be. */
  discardRun(options: DiscardOptions): Promise<DiscardReport>;
  readonly alerts: AlertDesk;
  /** What readers of changes should know of some days. */
  readonly notes: NoteDesk;
  history(query: HistoryQuery): IterableIterator<HistoryRow>;
  /** Everything recorded, or what is of one project, to be read before the app closes. */
  export(query: ExportQuery & { readonly project?: string }): ExportTable;
  audit(): AuditReport;
  /** Settles purchases with an unknown outcome. Throws UsageError where none is meant, or one that is not unknown. */
  reconcile(request: ReconcileRequest, signal?: AbortSignal): Promise<ReconcileReport>;
  /** What another tool recorded, out of its file. Throws UnreadableHistory where the file cannot be read. */
  importHistory(options: ImportOptions): Promise<ImportReport>;
  /** Ad-hoc requests go through the same budget and ledger. */
  serp(request: SerpRequestInput, options?: AdHocOptions): Promise<SerpAnswer>;
  keywords(request: KeywordDataRequestInput, options?: AdHocOptions): Promise<KeywordDataAnswer>;
  /** The operator's desk of the accounts in this config's database; what dead processes left open is refunded first. */
  accounts(): Promise<Accounts>;
  /** Serves one of the services over HTTP, to API users of its accounts. To be closed before the app. Throws ServiceSetupError for a service that cannot be had, Error with a hint where it cannot listen. */
  serve(options: ServeOptions): Promise<RunningServer>;
  /** What SQLite says of a read, past the store, as a failure that names the database; other errors as they are. */
  named(error: unknown): unknown;
  close(): Promise<void>;
}

/** A request the operator got wrong: an unknown project, a slot that is no moment. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** Whoever would be asked with a variable's name in place of a secret is not asked at all. Throws UsageError. */
export function refuseUnset({ unset }: ResolvedConfig): void {
  if (unset.length > 0) throw new UsageError(unset.join('\n'));
}
