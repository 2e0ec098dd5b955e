// Warns of preferred URLs that belong to no target of their project: such a page can never rank as its own.
import type { Target, TrackedKeyword } from '../../src/tracker/project.ts';
import { compileTargets } from '../../src/tracker/targets/target.ts';

export interface ForeignPreferredUrl {
  readonly index: number;
  readonly message: string;
  readonly hint: string;
}

/** A file may contain a million of them. */
const namedMax = 50;

/**
 * One warning per keyword: the first 50 by name, the others as a count at the next one. `targets` are valid; without
 * any there are no warnings.
 */
export function* findForeignPreferredUrls(
  keywords: readonly TrackedKeyword[],
  targets: readonly Target[],
): Generator<ForeignPreferredUrl> {
  if (targets.length === 0 || !keywords.some(({ preferredUrl }) => preferredUrl !== undefined)) return;
  const own = compileTargets(targets);
  const foreign = keywords.flatMap(({ preferredUrl }, index) =>
    preferredUrl === undefined || own.matchingIndexes(preferredUrl).length > 0 ? [] : [{ index, preferredUrl }],
  );
  const hint = `name a page of ${targets[0]?.value}, or add the site to the targets`;
  for (const { index, preferredUrl } of foreign.slice(0, namedMax))
    yield { index, message: `the preferred URL ${preferredUrl} belongs to no target of the project`, hint };
  const [next, ...others] = foreign.slice(namedMax);
  if (next === undefined) return;
  const message = `the preferred URLs of ${1 + others.length} more keywords belong to no target of the project`;
  yield { index: next.index, message, hint };
}
