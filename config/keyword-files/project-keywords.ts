// Reads the keywords of one project, from the config and from its keyword file, and reports what is wrong with them.
import type { TrackedKeyword } from '../../src/tracker/project.ts';
import type { Path } from '../document/document.ts';
import type { PartialProject } from '../document/draft.ts';
import type { ConfigIssue } from '../document/issues.ts';
import type { ConfigProblem } from '../document/problems.ts';
import { findForeignPreferredUrls } from '../rules/foreign-preferred-urls.ts';
import { toTarget } from '../rules/rule.ts';
import { DuplicateWarnings } from './duplicate-warnings.ts';
import { findInvisibleCharacters } from './invisible-characters.ts';
import { type RowProblem, readKeywordFile } from './keyword-file.ts';
import { KeywordList, type RepeatedKeyword, type ResolveLocation, type SourceLocation } from './keyword-list.ts';
import { definedOnly, type KeywordEntry } from './keyword-row.ts';
import { findLongKeywords, normalKeyword } from './keyword-text.ts';

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

export interface ProjectKeywordsOptions {
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
