// Settings of the workspace, from the config.
import { createHash } from 'node:crypto';
import type { SavedView } from '../../src/read/records.ts';
import type { Comparison } from '../../src/tracker/changes/change.ts';
import type { Note } from '../../src/tracker/changes/note.ts';
import type { DollarRange } from '../../src/tracker/page-price.ts';
import type { Project } from '../../src/tracker/project.ts';

export interface HistorySettings {
  readonly ctrCurve: string;
  readonly comparison: Comparison;
  readonly toleranceMs?: number;
  /** Notes of the config; the store holds others. */
  readonly notes: readonly Note[];
  /** By an earlier id of a project, its id. */
  readonly formerProjects: ReadonlyMap<string, string>;
  readonly viewsOf: (project: string) => readonly SavedView[];
  /** Whether pages of this service are only simulated. */
  readonly isSimulated: (service: string) => boolean;
  /** List prices of a page, by service, in micro-USD; free services and unknown prices are missing. */
  readonly pagePrices?: ReadonlyMap<string, DollarRange>;
}

/** Differs for configs that make different answers. */
export function configDigest(projects: Iterable<Project>, settings: HistorySettings): string {
  const { ctrCurve, comparison, toleranceMs, notes, viewsOf } = settings;
  const digest = createHash('sha256').update(JSON.stringify([ctrCurve, comparison, toleranceMs, notes]));
  for (const project of projects) digest.update(JSON.stringify([project, viewsOf(project.id)]));
  return digest.digest('base64url');
}
