// Resolves the projects, service and slots that a request names. Throws UsageError for unknown ones.
import type { ResolvedConfig } from '../../../config/resolve.ts';
import type { JobContext } from '../../../jobs/context.ts';
import type { PlanRequest } from '../../../jobs/query/planning.ts';
import { findSlotRejection } from '../../../jobs/slot-day.ts';
import type { Project } from '../../tracker/project.ts';
import { foldKeyword } from '../../tracker/searches.ts';
import { UsageError } from './failures.ts';
import { servicesAtRest } from './services.ts';

export interface RequestOptions {
  readonly projects?: readonly string[];
  readonly all?: boolean;
  readonly slot?: number;
}

export function planRequest(config: ResolvedConfig, { projects: ids, all, slot }: RequestOptions): PlanRequest {
  const projects = projectsNamed(config, ids);
  if (slot !== undefined) {
    if (!Number.isSafeInteger(slot)) throw new UsageError('--slot needs a moment such as 2026-11-20T06:00:00Z');
    return { kind: 'slot', projects, at: slot };
  }
  const named = all === true || (ids ?? []).length > 0;
  return named ? { kind: 'now', projects } : { kind: 'due' };
}

export function projectsById({ projects }: ResolvedConfig): JobContext['projects'] {
  return new Map(projects.map((project) => [project.id, project]));
}

/** The projects of these ids, present or earlier ones, or all. */
export function projectsNamed(
  { projects, file, broken, formerly }: ResolvedConfig,
  names: readonly string[] | undefined,
): Project[] {
  if (names === undefined || names.length === 0) return [...projects];
  const ids = names.map((name) => formerly.projects.get(name) ?? name);
  return [...new Set(ids)].map((id) => {
    const project = projects.find((each) => each.id === id);
    if (project !== undefined) return project;
    if (broken.projects.includes(id))
      throw new UsageError(`project "${id}" is broken in ${file}: ${broken.problems.join('; ')}`);
    const known = projects.map((other) => other.id).join(', ');
    throw new UsageError(`there is no project "${id}" in ${file}; it has: ${known === '' ? 'none' : known}`);
  });
}

/** The service of that name, or the first project's. */
export function serviceNamed({ projects, services, file }: ResolvedConfig, asked: string | undefined): string {
  const name = asked ?? projects[0]?.service ?? 'default';
  if (services.has(name)) return name;
  throw new UsageError(`there is no service "${name}" in ${file}; it has: ${[...services.keys()].join(', ')}`);
}

/** Throws where a live source would fill a slot that is not its schedule's newest. */
export function rejectSlot(context: JobContext, config: ResolvedConfig, request: PlanRequest, late: boolean): void {
  if (request.kind !== 'slot') return;
  const atRest = { ...context, services: servicesAtRest(config) };
  for (const project of request.projects) {
    const refusal = findSlotRejection(atRest, project, request.at, late);
    if (refusal !== null) throw new UsageError(refusal.message, refusal.hint);
  }
}

export function rejectUnknownKeywords(keywords: readonly string[], projects: readonly Project[]): void {
  if (keywords.length === 0) return;
  const known = new Set(projects.flatMap((one) => one.keywords.map((each) => foldKeyword(each.keyword))));
  const unknown = keywords.filter((keyword) => !known.has(foldKeyword(keyword)));
  rejectUnknown('keyword', unknown, new Set(), projects);
}

export function rejectUnknown(
  what: string,
  asked: readonly string[],
  known: ReadonlySet<string>,
  projects: readonly Project[],
): void {
  const unknown = asked.find((name) => !known.has(name));
  if (unknown === undefined) return;
  throw new UsageError(`there is no ${what} "${unknown}" in ${projects.map(({ id }) => id).join(', ')}`);
}
