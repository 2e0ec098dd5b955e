// The targets of a check: interned and compiled once for all checks of the same projects.
import type { Target } from '../../src/tracker/project.ts';
import { type CompiledTargets, compileTargets, targetKey } from '../../src/tracker/targets/target.ts';
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
    const own = distinct(projects.flatMap((project) => project.targets));
    const list = [...distinct([...own.values(), ...projects.flatMap((project) => project.competitors)]).values()];
    return { list, ownCount: own.size, compiled: compileTargets(list) };
  }
}

function distinct(targets: readonly Target[]): Map<string, Target> {
  const found = new Map<string, Target>();
  for (const target of targets) {
    const key = targetKey(target);
    if (!found.has(key)) found.set(key, target);
  }
  return found;
}
