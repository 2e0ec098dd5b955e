// Reports and alerts that could not be written.
import type { JobContext } from '../../../jobs/context.ts';

export interface UnwrittenReport {
  readonly runId: number;
  /** `report` and `alerts` of one project, `index` and `agency` of all. */
  readonly part: 'report' | 'index' | 'agency' | 'alerts';
  readonly project: string | null;
  readonly reason: string;
  readonly attempts: number;
  /** Of the last attempt. */
  readonly at: string;
}

const unwrittenShown = 20;

/** The newest first. */
export function unwrittenReports({ store }: JobContext): UnwrittenReport[] {
  return store.reportFailures
    .all(unwrittenShown)
    .map(({ nextTryAt: _, at, ...failure }) => ({ ...failure, at: new Date(at).toISOString() }));
}
