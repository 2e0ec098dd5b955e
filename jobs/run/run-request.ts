// The requests that the pipeline carries out.
import type { RunRow } from '../../db/history/runs/runs.ts';
import type { Project } from '../../src/tracker/project.ts';
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
