// Clicks gained or lost between two periods, for each project that has clicks.
import { readClickChanges } from '../../../jobs/clicks/click-changes.ts';
import type { ClickChanges, ClickChangesQuery } from '../../workspace/click-records.ts';
import { InvalidQuery } from '../../workspace/contract.ts';
import type { App } from '../app.ts';
import { projectsNamed } from '../opening/named-projects.ts';
import { UsageError } from '../opening/usage-error.ts';

export interface ProjectChanges extends ClickChanges {
  readonly project: string;
}

/** Projects without clicks are left out, unless they are named. Throws UsageError. */
export function clickChanges(
  { config, context }: App,
  question: Omit<ClickChangesQuery, 'project'>,
  ids?: readonly string[],
): ProjectChanges[] {
  const named = projectsNamed(config, ids);
  const withClicks = named.filter(({ id }) => ids !== undefined || context.store.clicks.property(id) !== null);
  if (withClicks.length === 0)
    throw new UsageError('no project has clicks', 'fetch them: rankledger backfill clicks; see docs/search-console.md');
  try {
    return withClicks.map((project) => ({ project: project.id, ...readClickChanges(context, project, question) }));
  } catch (error) {
    throw error instanceof InvalidQuery ? new UsageError(error.message) : error;
  }
}
