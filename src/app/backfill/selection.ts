// Refuses keywords, tags and targets that the projects do not have.

import type { Project } from '../../tracker/project.ts';
import { foldKeyword } from '../../tracker/searches.ts';
import { UsageError } from '../opening/usage-error.ts';

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
