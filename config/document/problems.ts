// Problems of a config with their locations, and one error that lists them all.

export interface ConfigProblem {
  /** Relative to the working directory. */
  readonly file: string;
  /** 1-based. */
  readonly line?: number;
  /** 1-based. */
  readonly column?: number;
  /** `projects[0].depth`; in a keyword file the column name. */
  readonly path?: string;
  readonly message: string;
  /** What to do. */
  readonly hint?: string;
}

const printedMax = 50;
const keptMax = 1_000;

/** `rankledger.yaml:12:5 projects[0].depht: unknown key; did you mean depth?` */
export function describeProblem(problem: ConfigProblem): string {
  const line = problem.line === undefined ? '' : `:${problem.line}`;
  const column = problem.line === undefined || problem.column === undefined ? '' : `:${problem.column}`;
  const path = problem.path === undefined || problem.path === '' ? '' : `${problem.path}: `;
  const hint = problem.hint === undefined ? '' : `; ${problem.hint}`;
  // A file without a line is the subject of the sentence; with a line it is a location.
  return `${problem.file}${line}${column}${line === '' && path === '' ? ':' : ''} ${path}${problem.message}${hint}`;
}

/** The config is unusable. Lists all problems. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** At most 1,000, by file and line. */
  readonly problems: readonly ConfigProblem[];
  /** Total number of problems. */
  readonly problemsTotal: number;

  constructor(problems: readonly ConfigProblem[], problemsTotal: number = problems.length) {
    const printed = problems.slice(0, printedMax).map(describeProblem);
    if (problemsTotal > printed.length) printed.push(`... and ${problemsTotal - printed.length} more problems`);
    super(printed.join('\n'));
    this.problems = problems;
    this.problemsTotal = problemsTotal;
  }
}

/** Collects problems. A broken keyword file can have a million: counts all, keeps the first. */
export class ConfigProblems {
  readonly #kept: ConfigProblem[] = [];
  #total = 0;

  add(problem: ConfigProblem): void {
    this.#total += 1;
    if (this.#kept.length < keptMax) this.#kept.push(problem);
  }

  get total(): number {
    return this.#total;
  }

  /** The error, with problems by file in order of reading, then by line; undefined: no problems. */
  error(): ConfigError | undefined {
    if (this.#total === 0) return undefined;
    const files = [...new Set(this.#kept.map((problem) => problem.file))];
    const sorted = this.#kept.toSorted(
      (a, b) =>
        files.indexOf(a.file) - files.indexOf(b.file) ||
        (a.line ?? 0) - (b.line ?? 0) ||
        (a.column ?? 0) - (b.column ?? 0),
    );
    return new ConfigError(sorted, this.#total);
  }
}
