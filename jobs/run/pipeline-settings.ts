// Settings of the pipeline, and the progress that it reports.

import type { AlertSettings } from '../alerts/find-alerts.ts';
import type { StopSignals } from '../check/check-search.ts';
import type { ServiceWait } from '../purchase/service-states.ts';
import type { FetchQueue } from '../queue/queue.ts';
import type { ReportSettings } from '../report/write-report.ts';
import type { ExecutedRun } from './executed-run.ts';

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
