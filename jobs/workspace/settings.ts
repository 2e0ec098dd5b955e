// Settings of the workspace, from the config.
import type { Comparison } from '../../src/tracker/baseline.ts';
import type { Note } from '../../src/tracker/note.ts';
import type { SavedView } from '../../src/workspace/records.ts';

export interface HistorySettings {
  readonly ctrCurve: string;
  readonly comparison: Comparison;
  readonly toleranceMs?: number | undefined;
  /** Notes of the config; the store holds others. */
  readonly notes: readonly Note[];
  readonly viewsOf: (project: string) => readonly SavedView[];
  /** Whether pages of this service are only simulated. */
  readonly isSimulated: (service: string) => boolean;
}
