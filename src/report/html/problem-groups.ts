// Checks without a complete end, put together by what went wrong, so that a thousand of one kind are one line with a few examples.
import type { ProblemGroup } from './page-facts.ts';

/** A search without a complete check. */
export interface Problem {
  readonly keyword: string;
  readonly country: string;
  readonly language: string;
  readonly device: string;
  readonly status: string;
  readonly reason: string | null;
  readonly remedy: string | null;
}

const examplesMax = 5;
const groupsMax = 100;

/** The most frequent first. */
export function problemGroups(problems: Iterable<Problem>): ProblemGroup[] {
  const groups = new Map<
    string,
    { -readonly [Key in keyof ProblemGroup]: ProblemGroup[Key] } & { examples: string[] }
  >();
  for (const { status, reason, remedy, keyword, country, language, device } of problems) {
    const key = `${status}\n${reason}\n${remedy}`;
    const group = groups.get(key) ?? { state: status, reason: reason ?? '', remedy, count: 0, examples: [] };
    groups.set(key, group);
    group.count += 1;
    if (group.examples.length < examplesMax) group.examples.push(`${keyword} (${country} ${language} ${device})`);
  }
  return [...groups.values()].sort((a, b) => b.count - a.count).slice(0, groupsMax);
}
