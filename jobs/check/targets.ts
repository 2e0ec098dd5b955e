// The targets of a check: interned and compiled once for all checks of the same projects.
import type { Target } from '../../src/tracker/project.ts';
import { type CompiledTargets, compileTargets, targetKey } from '../../src/tracker/targets/target.ts';
import { trackedTargets } from '../../src/tracker/targets/tracked-targets.ts';
import type { JobContext } from '../context.ts';

/** Own targets first, then competitors; a target that is one project's own and another's competitor is own. */
export interface CheckTargets {
  readonly list: readonly Target[];
  readonly ids: readonly number[];
  readonly ownCount: number;
  readonly compiled: CompiledTargets;
}

/** Returns the targets of any set of projects. */
export class TargetSets {
  readonly #context: JobContext;
  readonly #sets = new Map<string, Omit<CheckTargets, 'ids'>>();

  constructor(context: JobContext) {
    this.#context = context;
  }

  /** Interns the targets: call inside a transaction, for each check anew, because a rollback takes ids back. */
  of(projectIds: readonly string[]): CheckTargets {
    const key = projectIds.join('\u001f');
    let set = this.#sets.get(key);
    if (set === undefined) {
      set = this.#compile(projectIds);
      this.#sets.set(key, set);
    }
    const ids = set.list.map((target) =>
      this.#context.store.names.targetId({ identity: targetKey(target), match: target.match, value: target.value }),
    );
    return { ...set, ids };
  }

  #compile(projectIds: readonly string[]): Omit<CheckTargets, 'ids'> {
    const projects = projectIds.flatMap((id) => this.#context.projects.get(id) ?? []);
    const tracked = trackedTargets({
      targets: projects.flatMap(({ targets }) => targets),
      competitors: projects.flatMap(({ competitors }) => competitors),
    });
    const list = tracked.map(({ target }) => target);
    const ownCount = tracked.filter(({ role }) => role === 'own').length;
    return { list, ownCount, compiled: compileTargets(list) };
  }
}
