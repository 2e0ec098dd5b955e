// Reads the keywords of one project, from the config and from its keyword file, and reports what is wrong with them.

import { limits, strayMarksIn, withoutStrayMarks } from '../../src/service/index.ts';
import type { Target, TrackedKeyword } from '../../src/tracker/project.ts';
import { compileTargets } from '../../src/tracker/targets/target.ts';
import { type PartialProject, toTarget } from '../document/draft.ts';
import type { ConfigIssue, ConfigProblem, Path } from '../document/problems.ts';
import { normalKeyword } from '../schema/complaints.ts';
import { definedOnly, type KeywordEntry, type RowProblem, readKeywordFile } from './keyword-file.ts';
import {
  isSameSearch,
  KeywordList,
  type RepeatedKeyword,
  type ResolveLocation,
  type SourceLocation,
} from './keyword-list.ts';

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

interface ProjectKeywordsOptions {
  readonly project: PartialProject;
  /** Absolute; undefined: none is read. */
  readonly file: string | undefined;
  /** Another project has read the file: its problems are reported. */
  readonly isReported: boolean;
  /** Undefined: locations are taken as written. */
  readonly resolve: ResolveLocation | undefined;
  readonly reporter: KeywordReporter;
}

export function readProjectKeywords(options: ProjectKeywordsOptions): readonly TrackedKeyword[] {
  return new ProjectKeywords(options).read();
}

class ProjectKeywords {
  readonly #options: ProjectKeywordsOptions;
  readonly #list: KeywordList;
  readonly #path: Path;
  /** If not, no keyword counts as tracked twice. */
  readonly #isMarketKnown: boolean;

  constructor(options: ProjectKeywordsOptions) {
    const { project, resolve } = options;
    const { market, tags, depth } = project.written;
    this.#options = options;
    this.#list = new KeywordList({ ...market, tags, depth }, resolve);
    this.#path = ['projects', project.index];
    this.#isMarketKnown = !project.invalidKeys.has('market');
  }

  read(): readonly TrackedKeyword[] {
    const { file, project, reporter } = this.#options;
    this.#addWritten();
    if (file !== undefined) this.#addFile(file);
    for (const { at, message, hint } of this.#list.misplaced)
      reporter.add({ ...this.#located(at, message), ...(hint !== undefined && { hint }) }, this.#path);
    const keywords = this.#list.finish();
    const targets = project.invalidKeys.has('targets') ? [] : project.written.targets.map(toTarget);
    const marked = findInvisibleCharacters(keywords, (at) => this.#describe(this.#list.locationOf(at)));
    for (const { index, message, hint } of [
      ...marked,
      ...findLongKeywords(keywords),
      ...findForeignPreferredUrls(keywords, targets),
    ])
      reporter.warn({ ...this.#located(this.#list.locationOf(index), message), hint });
    return keywords;
  }

  /** The keywords of the config. */
  #addWritten(): void {
    const { project, reporter } = this.#options;
    for (const [index, written] of project.keywords.entries()) {
      if (written === null) continue;
      const { keyword, ...entry } = typeof written === 'string' ? { keyword: written } : written;
      const repeated = this.#add(definedOnly({ ...entry, keyword: normalKeyword(keyword) }), -1 - index);
      if (repeated !== undefined)
        reporter.report({ path: [...this.#path, 'keywords', index], message: this.#repeats(keyword, repeated) });
    }
  }

  #addFile(file: string): void {
    const { isReported, reporter } = this.#options;
    const shown = reporter.display(file);
    const complain = ({ column, ...rest }: RowProblem): void =>
      reporter.add({ file: shown, ...rest, path: column }, this.#path);
    const duplicates = new DuplicateWarnings((warning) => reporter.warn(warning));
    const complaint = readKeywordFile(file, {
      onKeyword: (entry, line) => {
        const repeated = this.#add(entry, line);
        if (repeated === undefined) return;
        const message = this.#repeats(entry.keyword, repeated);
        if (repeated.isCovered) duplicates.add(this.#located(line, message));
        else complain({ line, column: 'keyword', message, hint: 'write its devices in one line' });
      },
      // a broken file breaks every project that names it
      onProblem: isReported ? () => reporter.breaks(this.#path) : complain,
      onWarning: ({ column: _, ...warning }) => {
        if (!isReported) reporter.warn({ file: shown, ...warning });
      },
    });
    duplicates.finish(shown);
    if (complaint !== undefined)
      reporter.report({ path: [...this.#path, 'keywordsFile'], message: `${shown} ${complaint}` });
  }

  #add(entry: KeywordEntry, location: SourceLocation): RepeatedKeyword | undefined {
    const repeated = this.#list.add(entry, location);
    return this.#isMarketKnown ? repeated : undefined;
  }

  #located(location: SourceLocation, message: string): ConfigProblem {
    const { file = '', reporter } = this.#options;
    return location > 0
      ? { file: reporter.display(file), line: location, path: 'keyword', message }
      : reporter.locate({ path: [...this.#path, 'keywords', -1 - location], message });
  }

  #describe(location: SourceLocation): string {
    const { file, line } = this.#located(location, '');
    return `${file}:${line}`;
  }

  #repeats(keyword: string, { location }: RepeatedKeyword): string {
    return `"${keyword}" is tracked twice in the same market; it is already at ${this.#describe(location)}`;
  }
}

const firstCounts = 'the first one counts';

class DuplicateWarnings {
  readonly #warn: (warning: ConfigProblem) => void;
  #total = 0;

  constructor(warn: (warning: ConfigProblem) => void) {
    this.#warn = warn;
  }

  add(duplicate: ConfigProblem): void {
    this.#total += 1;
    if (this.#total <= namedMax) this.#warn({ ...duplicate, hint: firstCounts });
  }

  /** Call it at the end of the file. */
  finish(file: string): void {
    const more = this.#total - namedMax;
    if (more > 0)
      this.#warn({ file, message: `${more} more keywords are tracked twice in the same market`, hint: firstCounts });
  }
}

interface InvisibleCharacters {
  readonly index: number;
  readonly message: string;
  readonly hint: string;
}

/** A file may contain a million such keywords. */
const namedMax = 50;

/** One warning per keyword with invisible characters, at most 50. `describePlace` names the location of a keyword. */
function* findInvisibleCharacters(
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

/** One warning per keyword with more words than engines read, at most 50: the last one counts the others. */
function findLongKeywords(
  keywords: readonly TrackedKeyword[],
): { readonly index: number; readonly message: string; readonly hint: string }[] {
  const wordsMax = limits.keywordWordsRead;
  const isLong = ({ keyword }: TrackedKeyword): boolean =>
    keyword.length > 2 * wordsMax && keyword.split(' ').length > wordsMax;
  const long = keywords.flatMap((each, index) => (isLong(each) ? [{ index, keyword: each.keyword }] : []));
  return long.slice(0, namedMax).map(({ index, keyword }, at) => {
    const more =
      at + 1 === namedMax && long.length > namedMax ? `; so have ${long.length - namedMax} more keywords` : '';
    const words = `the keyword "${keyword.slice(0, 30)}..." has ${keyword.split(' ').length} words`;
    return {
      index,
      message: `${words}: engines may ignore those after the ${wordsMax}nd, and a page that says so is refused${more}`,
      hint: 'track a shorter keyword',
    };
  });
}

interface ForeignPreferredUrl {
  readonly index: number;
  readonly message: string;
  readonly hint: string;
}

/**
 * One warning per keyword: the first 50 by name, the others as a count at the next one. `targets` are valid; without
 * any there are no warnings.
 */
function* findForeignPreferredUrls(
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
