// Groups incomplete checks by reason, so that a thousand equal problems are one line with a few examples.
import { marketName, type NamedMarket } from '../../../tracker/project.ts';
import type { ProblemGroup } from './page-facts.ts';

/** A search without a complete check. */
interface IncompleteCheck extends NamedMarket {
  readonly keyword: string;
  readonly status: string;
  readonly reason: string | null;
  readonly remedy: string | null;
}

const examplesMax = 5;
const groupsMax = 100;

/** Most frequent first. */
export function problemGroups(problems: Iterable<IncompleteCheck>): ProblemGroup[] {
  const groups = new Map<
    string,
    { -readonly [Key in keyof ProblemGroup]: ProblemGroup[Key] } & { examples: string[] }
  >();
  for (const { status, reason, remedy, keyword, country, language, device, location } of problems) {
    const key = `${status}\n${reason}\n${remedy}`;
    const group = groups.get(key) ?? { state: status, reason: reason ?? '', remedy, count: 0, examples: [] };
    groups.set(key, group);
    group.count += 1;
    if (group.examples.length < examplesMax)
      group.examples.push(`${keyword} (${marketName({ country, language, device, location })})`);
  }
  return [...groups.values()].sort((a, b) => b.count - a.count).slice(0, groupsMax);
}
