// Defers planned checks of a resumed run that the config no longer has: nothing is bought that was removed.
import type { PlannedCheck } from '../../../db/history/checks/checks.ts';
import { expandSearches, marketName } from '../../../src/tracker/project.ts';
import { searchKey } from '../../../src/tracker/searches.ts';
import { deferredEnd } from '../../check/check-end.ts';
import type { JobContext } from '../../context.ts';

const checksPerTransaction = 2000;
const remedy = 'It is checked when the config has it again.';

/** A check stays planned if any of its projects still tracks its search. */
export function deferRemoved(context: JobContext, runId: number): void {
  const { store, clock } = context;
  const tracked = new TrackedSearches(context);
  let last: PlannedCheck | null = null;
  for (;;) {
    const checks: PlannedCheck[] = store.checks.plannedAfter(runId, last, checksPerTransaction);
    last = checks.at(-1) ?? null;
    if (last === null) return;
    store.transaction(() => {
      store.runs.heartbeat(runId, clock.now());
      for (const check of checks) {
        const absence = tracked.absence(check);
        if (absence !== null) store.checks.end(check.id, deferredEnd(absence, clock.now(), remedy));
      }
    });
  }
}

class TrackedSearches {
  readonly #context: JobContext;
  readonly #byProject = new Map<string, ReadonlySet<string>>();

  constructor(context: JobContext) {
    this.#context = context;
  }

  /** What the config no longer has of a planned check; null where it has all. */
  absence({ keyword, market, projects: ids }: PlannedCheck): string | null {
    const { services, projects } = this.#context;
    if (!services.has(market.service)) return `the config has no service "${market.service}" any more`;
    const present = ids.filter((id) => projects.has(id));
    const names = (some: readonly string[]) => some.map((id) => `"${id}"`).join(' or ');
    if (present.length === 0 && ids.length > 0) return `the config has no project ${names(ids)} any more`;
    if (ids.length === 0 || present.some((id) => this.#of(id).has(searchKey({ keyword, market })))) return null;
    return `project ${names(present)} does not track this keyword in ${marketName(market)} any more`;
  }

  #of(id: string): ReadonlySet<string> {
    const known = this.#byProject.get(id);
    if (known !== undefined) return known;
    const project = this.#context.projects.get(id);
    const searches = new Set<string>();
    if (project !== undefined) {
      for (const keyword of project.keywords) {
        for (const search of expandSearches(project, keyword)) searches.add(searchKey(search));
      }
    }
    this.#byProject.set(id, searches);
    return searches;
  }
}
