// SQL over the complete checks of one project in one run.

/** FROM clause of `isCheckOfProject`: checks `c`. In this order, because a run may have checks of many projects. */
export const projectChecks = 'check_projects w CROSS JOIN checks c ON c.id = w.check_id';

const idsOfRun = (edge: 'min' | 'max'): string =>
  `(SELECT ${edge}(id) FROM checks WHERE run_id = @runId AND state = 'ok')`;

/**
 * Complete checks of `@project` in `@runId` with ids above `@after`. The ids of a run are close together, so this reads
 * little more than the project's checks, however many projects and runs there are.
 */
export const isCheckOfProject = `w.project_id = (SELECT id FROM projects WHERE name = @project)
  AND w.check_id BETWEEN max(@after + 1, ${idsOfRun('min')}) AND ${idsOfRun('max')}
  AND c.run_id = @runId AND c.state = 'ok'`;
