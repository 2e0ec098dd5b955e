// What measured clicks say of each project that has some.
import type { Project } from '../../tracker/project.ts';
import { InvalidQuery } from '../../workspace/contract.ts';
import type { App } from '../app.ts';
import { projectsNamed } from '../opening/named-projects.ts';
import { UsageError } from '../opening/usage-error.ts';

/** Projects without clicks are left out, unless they are named. Throws UsageError. */
export function withClicks<Answer>(
  { config, context }: App,
  ids: readonly string[] | undefined,
  read: (project: Project) => Answer,
): (Answer & { readonly project: string })[] {
  const { clicks, clickExports } = context.store;
  const projects = projectsNamed(config, ids).filter(
    ({ id }) => ids !== undefined || clicks.property(id) !== null || clickExports.newest(id, '9999') !== null,
  );
  if (projects.length === 0)
    throw new UsageError('no project has clicks', 'fetch them: rankledger backfill clicks; see docs/search-console.md');
  try {
    return projects.map((project) => ({ project: project.id, ...read(project) }));
  } catch (error) {
    throw error instanceof InvalidQuery ? new UsageError(error.message) : error;
  }
}
