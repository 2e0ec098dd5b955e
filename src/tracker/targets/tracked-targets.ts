// The targets that a project tracks, own ones and competitors, each once.
import type { Project, Target } from '../project.ts';
import { hostInUrl, targetKey } from './target.ts';

export interface TrackedTarget {
  readonly target: Target;
  readonly role: 'own' | 'competitor';
}

/** Own targets, then competitors. A target of both kinds is own. */
export function trackedTargets({ targets, competitors }: Pick<Project, 'targets' | 'competitors'>): TrackedTarget[] {
  const found = new Map<string, TrackedTarget>();
  const add = (target: Target, role: TrackedTarget['role']): void => {
    const key = targetKey(target);
    if (!found.has(key)) found.set(key, { target, role });
  };
  for (const target of targets) add(target, 'own');
  for (const target of competitors) add(target, 'competitor');
  return [...found.values()];
}

/** The host in a key of a target: `prefix:shop.example.com/acme` -> `shop.example.com`. */
export function hostInKey(key: string): string {
  return hostInUrl(`http://${key.slice(key.indexOf(':') + 1)}`) ?? '';
}
