// Warns of keywords with invisible characters, and of keywords that differ only in these.
import { strayMarksIn, withoutStrayMarks } from '../../src/service/index.ts';
import type { TrackedKeyword } from '../../src/tracker/project.ts';
import { isSameSearch } from './keyword-list.ts';

export interface InvisibleCharacters {
  readonly index: number;
  readonly message: string;
  readonly hint: string;
}

/** A file may contain a million such keywords. */
const namedMax = 50;

/** One warning per keyword with invisible characters, at most 50. `describePlace` names the location of a keyword. */
export function* findInvisibleCharacters(
  keywords: readonly TrackedKeyword[],
  describeLocation: (index: number) => string,
): Generator<InvisibleCharacters> {
  const marked: number[] = [];
  keywords.forEach(({ keyword }, index) => {
    if (strayMarksIn(keyword).length > 0) marked.push(index);
  });
  if (marked.length === 0) return;
  const twins = findTwins(keywords, marked);
  for (const index of marked.slice(0, namedMax)) {
    const keyword = keywords[index]?.keyword ?? '';
    const marks = strayMarksIn(keyword);
    const twin = twins.get(index);
    const message = `the keyword "${visible(keyword)}" contains invisible characters (${marks.join(', ')})`;
    const same = `it duplicates the keyword at ${twin === undefined ? '' : describeLocation(twin)}, so one search is paid for twice`;
    yield {
      index,
      message: twin === undefined ? message : `${message}; ${same}`,
      hint: 'type the keyword instead of copying it',
    };
  }
}

/** For each marked keyword, another keyword of the same search that reads the same, if any. */
function findTwins(keywords: readonly TrackedKeyword[], marked: readonly number[]): Map<number, number> {
  const formOf = (keyword: TrackedKeyword): string => visible(keyword.keyword).toLowerCase();
  const byForm = Map.groupBy(marked, (index) => formOf(keywords[index] as TrackedKeyword));
  const twins = new Map<number, number>();
  keywords.forEach((other, at) => {
    for (const index of byForm.get(formOf(other)) ?? []) {
      const keyword = keywords[index];
      if (index !== at && keyword !== undefined && !twins.has(index) && isSameSearch(keyword, other))
        twins.set(index, at);
    }
  });
  return twins;
}

function visible(keyword: string): string {
  return withoutStrayMarks(keyword).replace(/\s+/g, ' ').trim();
}
