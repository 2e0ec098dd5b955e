// Reads the keywords of one project, from the config and from its keyword file, and reports what is wrong with them.

import { limits, strayMarksIn, withoutStrayMarks } from '../../src/service/terms.ts';
import type { Target, TrackedKeyword } from '../../src/tracker/project.ts';
import { compileTargets } from '../../src/tracker/targets/target.ts';
import { type PartialProject, toTarget } from '../document/draft.ts';
import type { ConfigIssue, ConfigProblem, Path } from '../document/problems.ts';
import { normalKeyword } from '../schema/complaints.ts';
import { type KeywordEntry, type RowProblem, readKeywordFile } from './keyword-file.ts';
import { isSameSearch, KeywordList, type ResolveLocation, type SourceLocation } from './keyword-list.ts';

/** Takes the problems of keywords, and gives locations as messages show them. */
interface KeywordReporter {
  /** An issue of the config. */
  report(issue: ConfigIssue): void;
  /** A problem of a keyword file; `project`: the path of the project that it breaks. */
  add(problem: ConfigProblem, project: Path): void;
  /** The same problem was reported for another project. */
  breaks(project: Path): void;
  warn(warning: ConfigProblem): void;
  locate(issue: ConfigIssue): ConfigProblem;
  display(file: string): string;
}

/** A warning of a keyword, by its index. */
interface KeywordWarning {
  readonly index: number;
  readonly message: string;
  readonly hint: string;
}

/** A source that refuses keywords for their length. */
export interface KeywordSeller {
  /** `the service "default" (brave) has no pages of keywords with more than ...`; undefined: it takes the keyword. */
  refusalOf(keyword: TrackedKeyword): string | undefined;
}

/** A file may contain a million keywords of one kind. */
const namedMax = 50;

/**
 * `file`: absolute; undefined: none is read. `isReported`: another project has read the file, whose problems are
 * reported. Without `resolve`, locations are taken as written.
 */
export function readProjectKeywords(options: {
  readonly project: PartialProject;
  readonly sellers?: readonly KeywordSeller[] | undefined;
  readonly file: string | undefined;
  readonly isReported: boolean;
  readonly resolve: ResolveLocation | undefined;
  readonly reporter: KeywordReporter;
}): readonly TrackedKeyword[] {
  const { project, sellers = [], file, isReported, resolve, reporter } = options;
  const { market, tags, depth } = project.written;
  const list = new KeywordList({ ...market, tags, depth }, resolve);
  const path: Path = ['projects', project.index];
  const shown = file === undefined ? '' : reporter.display(file);

  const located = (at: SourceLocation, message: string): ConfigProblem =>
    at > 0
      ? { file: shown, line: at, path: 'keyword', message }
      : reporter.locate({ path: [...path, 'keywords', -1 - at], message });
  const describe = (at: SourceLocation): string => {
    const place = located(at, '');
    return `${place.file}:${place.line}`;
  };
  /** Null: it is new, or its market is not known. */
  const add = (entry: KeywordEntry, at: SourceLocation, written = entry.keyword) => {
    const repeated = list.add(entry, at);
    if (repeated === undefined || project.invalidKeys.has('market')) return null;
    const first = describe(repeated.location);
    const message = `"${written}" is tracked twice in the same market; it is already at ${first}`;
    return { message, isCovered: repeated.isCovered };
  };

  function addFile(name: string): void {
    const complain = ({ column, ...rest }: RowProblem): void =>
      reporter.add({ file: shown, ...rest, path: column }, path);
    let covered = 0;
    const hint = 'the first one counts';
    const complaint = readKeywordFile(name, {
      onKeyword: (entry, line) => {
        const repeated = add(entry, line);
        if (repeated === null) return;
        const { message, isCovered } = repeated;
        if (!isCovered) complain({ line, column: 'keyword', message, hint: 'write its devices in one line' });
        else {
          covered += 1;
          if (covered <= namedMax) reporter.warn({ ...located(line, message), hint });
        }
      },
      // a broken file breaks every project that names it
      onProblem: isReported ? () => reporter.breaks(path) : complain,
      onWarning: ({ column: _, ...warning }) => {
        if (!isReported) reporter.warn({ file: shown, ...warning });
      },
    });
    const more = covered - namedMax;
    if (more > 0)
      reporter.warn({ file: shown, message: `${more} more keywords are tracked twice in the same market`, hint });
    if (complaint !== undefined) reporter.report({ path: [...path, 'keywordsFile'], message: `${shown} ${complaint}` });
  }

  for (const [index, written] of project.keywords.entries()) {
    if (written === null) continue;
    const entry = typeof written === 'string' ? { keyword: written } : written;
    const repeated = add({ ...entry, keyword: normalKeyword(entry.keyword) }, -1 - index, entry.keyword);
    if (repeated !== null) reporter.report({ path: [...path, 'keywords', index], message: repeated.message });
  }
  if (file !== undefined) addFile(file);
  for (const { at, message, hint } of list.misplaced) reporter.add({ ...located(at, message), hint }, path);
  const keywords = list.finish();
  const targets = project.invalidKeys.has('targets') ? [] : project.written.targets.map(toTarget);
  const warnings = [
    ...findInvisibleCharacters(keywords, (at) => describe(list.locationOf(at))),
    ...findLongKeywords(keywords),
    ...sellers.flatMap((seller) => findRefusedKeywords(keywords, seller)),
    ...findForeignPreferredUrls(keywords, targets),
  ];
  for (const { index, message, hint } of warnings) reporter.warn({ ...located(list.locationOf(index), message), hint });
  return keywords;
}

/** One warning per keyword with invisible characters, at most 50. `describePlace` names the location of a keyword. */
function* findInvisibleCharacters(
  keywords: readonly TrackedKeyword[],
  describeLocation: (index: number) => string,
): Generator<KeywordWarning> {
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

/** One warning per keyword with more words than engines read. */
function findLongKeywords(keywords: readonly TrackedKeyword[]): KeywordWarning[] {
  const wordsMax = limits.keywordWordsRead;
  const consequence = `engines may ignore those after the ${wordsMax}nd, and a page that says so is refused`;
  return warnOfLong(
    keywords,
    ({ keyword }) => (keyword.length > 2 * wordsMax && wordsOf(keyword) > wordsMax ? consequence : undefined),
    (keyword) => `${wordsOf(keyword)} words`,
  );
}

/** One warning per keyword that a source refuses, in every run and at no cost. */
function findRefusedKeywords(keywords: readonly TrackedKeyword[], seller: KeywordSeller): KeywordWarning[] {
  return warnOfLong(
    keywords,
    (keyword) => seller.refusalOf(keyword),
    (keyword) => `${[...keyword].length} characters and ${wordsOf(keyword)} words`,
  );
}

/** Spaces of keywords are single ones. */
function wordsOf(keyword: string): number {
  return keyword.split(' ').length;
}

/** At most 50 warnings: the last one counts the others. */
function warnOfLong(
  keywords: readonly TrackedKeyword[],
  consequenceOf: (keyword: TrackedKeyword) => string | undefined,
  sizeOf: (keyword: string) => string,
): KeywordWarning[] {
  const long = keywords.flatMap((each, index) => {
    const consequence = consequenceOf(each);
    return consequence === undefined ? [] : [{ index, keyword: each.keyword, consequence }];
  });
  return long.slice(0, namedMax).map(({ index, keyword, consequence }, at) => {
    const more =
      at + 1 === namedMax && long.length > namedMax ? `; so have ${long.length - namedMax} more keywords` : '';
    const message = `the keyword "${keyword.slice(0, 30)}..." has ${sizeOf(keyword)}: ${consequence}${more}`;
    return { index, message, hint: 'track a shorter keyword' };
  });
}

/**
 * One warning per keyword: the first 50 by name, the others as a count at the next one. `targets` are valid; without
 * any there are no warnings.
 */
function* findForeignPreferredUrls(
  keywords: readonly TrackedKeyword[],
  targets: readonly Target[],
): Generator<KeywordWarning> {
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
