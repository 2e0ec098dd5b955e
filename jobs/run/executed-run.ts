// The result of one executed run.
import type { ServiceStop } from '../purchase/service-states.ts';
import type { RunReport } from '../report/write-report.ts';

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

export const interruptedWork: WorkOutcome = { interrupted: true, problems: [], halts: [], clock: null };
