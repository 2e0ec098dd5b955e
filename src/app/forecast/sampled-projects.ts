// A sample of the searches that stands for all of them, where a simulation of all would take too long.
import type { Project } from '../../tracker/project.ts';
import { countSearches } from '../../tracker/searches.ts';

export function countAllSearches(projects: readonly Project[]): number {
  return projects.reduce((sum, { keywords }) => sum + countSearches(keywords), 0);
}

/** Every n-th keyword of each project, so that at most about `max` are left. */
export function sample(
  projects: readonly Project[],
  max: number,
): { readonly projects: readonly Project[]; readonly share: number } {
  const total = projects.reduce((sum, { keywords }) => sum + keywords.length, 0);
  const step = Math.max(1, total / max);
  const sampled = projects
    .map((project) => ({
      ...project,
      keywords: project.keywords.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step)),
    }))
    .filter(({ keywords }) => keywords.length > 0);
  return { projects: sampled, share: countAllSearches(sampled) / Math.max(1, countAllSearches(projects)) };
}

/** Pages of the deepest check. */
export function deepestCheck(projects: readonly Project[]): number {
  return Math.max(
    ...projects.flatMap(({ keywords, deep }) => [deep?.depth ?? 0, ...keywords.map(({ depth }) => depth)]),
  );
}
