// Problems of a config: what was expected, what was found, what was probably meant, and where.
import * as z from 'zod';

/** Number of single-letter edits between two words; swapping neighbours counts as one. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let edits = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same);
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) edits = Math.min(edits, (beforeLast[j - 2] ?? 0) + 1);
      row.push(edits);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}

/** The most similar known word; undefined: none is similar. */
export function nearestWord(written: string, known: Iterable<string>): string | undefined {
  const word = written.toLowerCase().slice(0, 64);
  let nearest: string | undefined;
  let fewest = word.length <= 4 ? 1.5 : 2.5;
  for (const candidate of known) {
    const name = candidate.toLowerCase();
    const edits = name.startsWith(word) && word.length >= 4 ? 1 : editDistance(word, name);
    if (edits < fewest) {
      nearest = candidate;
      fewest = edits;
    }
  }
  return nearest;
}

/** `did you mean x?`, where a known word is similar; else another hint. */
export function meantHint(
  written: string,
  known: readonly string[],
  otherwise = `known: ${known.join(', ') || 'none'}`,
): string {
  const meant = nearestWord(written, known);
  return meant === undefined ? otherwise : `did you mean ${meant}?`;
}

export type Path = readonly PropertyKey[];

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

export interface ConfigIssue {
  readonly path: Path;
  readonly message: string;
  readonly hint?: string;
  /** YAML reads the value as a number or as true or false, and as text it would be right. */
  readonly isTyped?: boolean;
}

type ZodIssue = z.core.$ZodIssue;

/** An issue; `meant`: the known key that an unknown one probably means. */
interface SpelledIssue extends ConfigIssue {
  readonly meant?: string;
}

/** The parts of a zod type that lead from a path to its allowed keys. */
interface Definition {
  readonly shape?: Record<string, z.core.$ZodType>;
  readonly element?: z.core.$ZodType;
  readonly valueType?: z.core.$ZodType;
  readonly innerType?: z.core.$ZodType;
  readonly options?: readonly z.core.$ZodType[];
  readonly getter?: () => z.core.$ZodType;
}

function definition(type: z.core.$ZodType): Definition {
  return type._zod.def as unknown as Definition;
}

/** The types allowed at `path` of a value of `type`. */
function typesAt(type: z.core.$ZodType, path: Path): z.core.$ZodType[] {
  const def = definition(type);
  if (def.innerType !== undefined) return typesAt(def.innerType, path);
  if (def.getter !== undefined) return typesAt(def.getter(), path);
  if (def.options !== undefined) return def.options.flatMap((option) => typesAt(option, path));
  const [key, ...rest] = path;
  if (key === undefined) return [type];
  const next = def.element ?? def.valueType ?? def.shape?.[String(key)];
  return next === undefined ? [] : typesAt(next, rest);
}

/** The object types allowed at `path` of a value of `type`. */
function shapesAt(type: z.core.$ZodType, path: Path): Record<string, z.core.$ZodType>[] {
  return typesAt(type, path).flatMap((found) => {
    const { shape } = definition(found);
    return shape === undefined ? [] : [shape];
  });
}

function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    root,
  );
}

const typeNames = new Map([
  ['string', 'text'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'a mapping'],
  ['record', 'a mapping'],
]);

function describeType(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return Number.isNaN(value) ? '.nan' : '.inf';
    return Number.isInteger(value) ? `the number ${value}` : 'a number with a fraction';
  }
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'string' ? 'text' : 'a mapping';
}

/** A mapping with more keys has a page of the manual. */
const keysNamedMax = 8;

/** How a number or boolean becomes the text that one of these types takes; no hint: none says it. */
function asText(value: number | boolean, types: readonly z.core.$ZodType[]): Pick<ConfigIssue, 'hint' | 'isTyped'> {
  const parsed = types.map((type) => z.safeParse(type, String(value)));
  if (parsed.length === 0 || parsed.some(({ success }) => success))
    return { hint: `write "${value}" in quotes`, isTyped: true };
  const complaints = parsed.flatMap(({ error }) => error?.issues.map(({ message }) => message) ?? []);
  const complaint = complaints.find((message) => message.includes('write '));
  return { hint: complaint?.slice(complaint.indexOf('write ')) };
}

/** `types`: those that the value may have. */
function wrongType(expected: string, value: unknown, types: readonly z.core.$ZodType[]): Omit<ConfigIssue, 'path'> {
  const wanted = expected.split('|').map((name) => typeNames.get(name) ?? name);
  if (value === undefined) return { message: `is missing: write ${wanted.join(' or ')}` };
  const message = `expected ${wanted.join(' or ')}, got ${describeType(value)}`;
  // the value is not repeated: it may come from the environment
  if (value !== null && expected === 'array') return { message, hint: 'write [a, b], or one item per line after "- "' };
  if ((typeof value === 'number' || typeof value === 'boolean') && wanted.includes('text')) {
    return { message, ...asText(value, types) };
  }
  if (value === null || (typeof value === 'number' && !Number.isFinite(value)))
    return { message, hint: 'write a value or omit the key' };
  if (typeof value === 'string' && wanted.some((name) => name.endsWith('number')))
    return { message, hint: 'write digits, without quotes' };
  const keys = types.flatMap((type) => Object.keys(definition(type).shape ?? {}));
  if (expected === 'object' && keys.length > 0 && keys.length <= keysNamedMax)
    return { message, hint: `write { ${keys[0]}: ... }; its keys: ${keys.join(', ')}` };
  return { message };
}

/** The issues of the union alternative with the value's type; undefined: none. */
function closestAlternative(issue: Extract<ZodIssue, { code: 'invalid_union' }>): readonly ZodIssue[] | undefined {
  return issue.errors.find(
    (issues) => !issues.some((inner) => inner.code === 'invalid_type' && inner.path.length === 0),
  );
}

/** The types that a union allows, if the value has none of them. */
function expectedTypes(issue: Extract<ZodIssue, { code: 'invalid_union' }>): string[] {
  return issue.errors.flatMap((issues) =>
    issues.flatMap((inner) => (inner.code === 'invalid_type' ? inner.expected : [])),
  );
}

function sized(issue: Extract<ZodIssue, { code: 'too_small' | 'too_big' }>): string {
  const [limit, word] = issue.code === 'too_small' ? [issue.minimum, 'at least'] : [issue.maximum, 'at most'];
  const counted = issue.origin === 'string' ? 'characters' : issue.origin === 'array' ? 'entries' : null;
  if (counted !== null) {
    if (word === 'at most') return `may have at most ${limit} ${counted}`;
    return limit === 1 ? 'must not be empty' : `must have at least ${limit} ${counted}`;
  }
  return issue.inclusive === false ? `must be more than ${limit}` : `must be ${word} ${limit}`;
}

/** The issues of one schema issue: three unknown keys of an object are three. `root` is the parsed value. */
function toConfigIssues(
  issue: ZodIssue,
  type: z.core.$ZodType,
  root: unknown,
  base: Path,
  alsoKnown: readonly string[],
): SpelledIssue[] {
  const path = [...base, ...issue.path];
  const value = valueAt(root, path);
  switch (issue.code) {
    case 'unrecognized_keys': {
      const known = [...(path.length === 0 ? alsoKnown : []), ...shapesAt(type, path).flatMap(Object.keys)];
      const others = Object.keys(Object(value)).filter((key) => !issue.keys.includes(key));
      return issue.keys.map((key) => {
        // another form of the object has it
        const hint = `it does not go with ${others.join(', ')}`;
        if (known.includes(key)) return { path: [...path, key], message: 'unknown key', hint };
        const names = meantHint(key, known, `known here: ${[...new Set(known)].join(', ')}`);
        return { path: [...path, key], message: 'unknown key', hint: names, meant: nearestWord(key, known) };
      });
    }
    case 'invalid_type': {
      const found = { path, ...wrongType(issue.expected, value, typesAt(type, path)) };
      if (path.at(-1) !== 'keywords' || typeof value !== 'string') return [found];
      return [{ ...found, hint: 'write [a, b], or one item per line after "- "; a CSV file belongs in keywordsFile' }];
    }
    case 'invalid_value': {
      const known = issue.values.map((known) => JSON.stringify(known)).join(', ');
      const hint = typeof value === 'string' ? meantHint(value, issue.values.map(String), '') : '';
      const got = typeof value === 'string' ? JSON.stringify(value) : describeType(value);
      const message =
        value === undefined ? `is missing: write one of ${known}` : `expected one of ${known}, got ${got}`;
      return [{ path, message, hint: hint || undefined }];
    }
    case 'invalid_union': {
      const inner = closestAlternative(issue);
      if (inner !== undefined) return inner.flatMap((found) => toConfigIssues(found, type, root, path, []));
      if (issue.errors.length > 0)
        return [{ path, ...wrongType(expectedTypes(issue).join('|'), value, typesAt(type, path)) }];
      const known = 'options' in issue && Array.isArray(issue.options) ? issue.options.join(' or ') : 'another value';
      const message =
        value === undefined ? `is missing: write ${known}` : `expected ${known}, got ${JSON.stringify(value)}`;
      return [{ path, message }];
    }
    case 'invalid_key':
      return [{ path, message: `the name ${issue.issues[0]?.message ?? 'is not allowed'}` }];
    case 'too_small':
    case 'too_big':
      return [{ path, message: sized(issue) }];
    default:
      return [{ path, message: issue.message }];
  }
}

/** All issues of a failed parse of `root` by `type`. `alsoKnown`: additional allowed keys. */
export function schemaIssues(
  error: z.ZodError,
  type: z.core.$ZodType,
  root: unknown,
  alsoKnown: readonly string[] = [],
): ConfigIssue[] {
  const issues = withoutEchoes(error.issues).flatMap((issue) => toConfigIssues(issue, type, root, [], alsoKnown));
  const meant = new Set(
    issues.flatMap(({ path, meant }) => (meant === undefined ? [] : [[...path.slice(0, -1), meant].join('\0')])),
  );
  // a misspelt key is not missing
  return issues
    .filter(({ path, message }) => !(message.startsWith('is missing') && meant.has(path.join('\0'))))
    .map(({ meant: _, ...issue }) => issue);
}

/** Removes size issues of values that have the wrong type: they add nothing. */
function withoutEchoes(issues: readonly ZodIssue[]): ZodIssue[] {
  const ofWrongType = new Set(issues.filter(({ code }) => code === 'invalid_type').map(({ path }) => path.join('\0')));
  const isEcho = ({ code, path }: ZodIssue): boolean =>
    (code === 'too_big' || code === 'too_small') && ofWrongType.has(path.join('\0'));
  return issues.filter((issue) => !isEcho(issue));
}

/** The issue of a secret that is written in the config. */
export function literalSecret(path: Path, key: string, variable = 'NAME'): ConfigIssue {
  const message = 'is a literal secret; secrets come from the environment only';
  return { path, message, hint: secretHint(key, variable) };
}

/** The hint for writing a secret. */
export function secretHint(key: string, variable = 'NAME'): string {
  return `write ${key}: \${${variable}} and set ${variable} in the environment`;
}
