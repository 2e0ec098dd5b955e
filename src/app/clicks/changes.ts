// Clicks gained or lost between two periods, for each project that has clicks.
import { readClickChanges } from '../../../jobs/clicks/click-changes.ts';
import type { ClickChanges } from '../../tracker/clicks/clicks.ts';
import type { ClickChangesQuery } from '../../workspace/click-records.ts';
import type { App } from '../app.ts';
import { withClicks } from './with-clicks.ts';

export interface ProjectChanges extends ClickChanges {
  readonly project: string;
}

/** Throws UsageError. */
export function clickChanges(
  app: App,
  question: Omit<ClickChangesQuery, 'project'>,
  ids?: readonly string[],
): ProjectChanges[] {
  return withClicks(app, ids, (project) => readClickChanges(app.context, project, question));
}
