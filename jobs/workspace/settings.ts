// What the workspace takes from the config.
import type { Comparison } from '../../src/tracker/baseline.ts';
import type { Note } from '../../src/tracker/note.ts';
import type { SavedView } from '../../src/workspace/records.ts';

export interface HistorySettings {
  readonly ctrCurve: string;
  readonly comparison: Comparison;
  readonly toleranceMs?: number | undefined;
  /** Those of the config; others are in the store. */
  readonly notes: readonly Note[];
  readonly viewsOf: (project: string) => readonly SavedView[];
  /** Whether pages of this service are only simulated. */
  readonly isSimulated: (service: string) => boolean;
}
