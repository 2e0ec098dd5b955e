// What the pipeline carries out, with which settings, and how each run ended.

import type { RunRow } from '../../db/history/runs/runs.ts';
import type { Project } from '../../src/tracker/project.ts';
import type { AlertSettings } from '../alerts/find-alerts.ts';
import type { StopSignals } from '../context.ts';
import type { ServiceStop, ServiceWait } from '../purchase/service-states.ts';
import type { FetchQueue } from '../queue/queue.ts';
import type { ReportSettings, RunReport } from '../report/write-report.ts';
import type { VolumeNeed } from '../volumes/metrics-request.ts';

/** A run that was opened for a backfill, with what it was opened for where the store does not hold it. */
export interface OpenedBackfill {
  readonly run: RunRow;
  readonly needs?: readonly VolumeNeed[];
}

/** The pipeline resumes unfinished runs first, and calls `open` afterwards. */
export interface BackfillRequest {
  readonly kind: 'backfill';
  readonly projects: readonly Project[];
  /** Null: nothing is missing. */
  readonly open: () => OpenedBackfill | null;
}
/** Run named projects now or for a given slot, everything that is due, or a backfill. */
export type RunRequest =
  | { readonly kind: 'due' }
  | BackfillRequest
  | { readonly kind: 'now'; readonly projects: readonly Project[] }
  | { readonly kind: 'slot'; readonly projects: readonly Project[]; readonly at: number };

/** How one run ended. */
export interface ExecutedRun {
  readonly runId: number;
  readonly resumed: boolean;
  readonly interrupted: boolean;
  /** Problems beside the run's state, such as keyword data requests that failed. */
  readonly problems: readonly string[];
  /** Services that refused requests. */
  readonly halts: readonly ServiceStop[];
  /** Why the clock of this machine is in doubt; null where it is not. */
  readonly clock: string | null;
  readonly reports: readonly RunReport[];
}

export type WorkOutcome = Pick<ExecutedRun, 'interrupted' | 'problems' | 'halts' | 'clock'>;

export interface PipelineProgress {
  readonly phase: 'planning' | 'checking' | 'volumes' | 'answers' | 'reporting';
  readonly runId: number;
  readonly done: number;
  readonly total: number;
  /** Services that are paused. */
  readonly waits: readonly ServiceWait[];
}

export interface PipelineSettings {
  readonly queue: FetchQueue;
  readonly signals: StopSignals;
  readonly reports: ReportSettings;
  /** Writes no reports; absent: each run of ranks writes its own. */
  readonly skipsReports?: boolean;
  /** Absent: no alerts. */
  readonly alerts?: AlertSettings;
  readonly onProgress: (progress: PipelineProgress) => void;
  /** Called after each run has ended and its reports were written, for monitors. */
  readonly onRunEnded?: (run: ExecutedRun) => void;
}
