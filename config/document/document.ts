// Reads a YAML file: its text, ${VARIABLES} substituted in it, and the line of every path.
import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
  visit,
} from 'yaml';
import { errorText } from '../../src/service/terms.ts';
import type { ConfigProblem, ConfigProblems, Path } from './problems.ts';

/** The text of a file without byte order mark, or what is wrong with it. */
type TextFile =
  | { readonly bytes: Buffer }
  | {
      readonly complaint: {
        readonly message: string;
        readonly hint?: string;
        readonly line?: number;
        /** The path leads to no file. */
        readonly missing?: true;
      };
    };

const newline = 0x0a;
const zipMark = 'PK\u0003\u0004';

/** Reads a UTF-8 file of at most `bytesMax` bytes; `remedy` says how to save another one as UTF-8. Never throws. */
export function readTextFile(file: string, bytesMax: number, remedy = 'save it as UTF-8'): TextFile {
  let bytes: Buffer;
  try {
    const facts = statSync(file);
    if (facts.isDirectory()) return { complaint: { message: 'is a folder, not a file', missing: true } };
    if (!facts.isFile()) return { complaint: { message: 'is not a regular file' } };
    if (facts.size > bytesMax) {
      return { complaint: { message: `is larger than ${Math.floor(bytesMax / 1_048_576)} MiB (${facts.size} bytes)` } };
    }
    bytes = readFileSync(file);
  } catch (error) {
    return { complaint: readingComplaint(error) };
  }
  const encoding = encodingComplaint(bytes, remedy);
  if (encoding !== undefined) return { complaint: encoding };
  return { bytes: bytes.subarray(bytes.indexOf('\uFEFF') === 0 ? 3 : 0) };
}

function readingComplaint(error: unknown): { message: string; hint?: string; missing?: true } {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOENT' || code === 'ENOTDIR') return { message: 'does not exist', missing: true };
  if (code === 'EACCES' || code === 'EPERM') return { message: 'is not readable', hint: 'check its permissions' };
  return { message: `cannot be read (${errorText(error)})` };
}

function encodingComplaint(bytes: Buffer, hint: string): { message: string; hint: string; line?: number } | undefined {
  if (bytes.toString('latin1', 0, 4) === zipMark)
    return { message: 'is a ZIP archive or an Excel workbook, not a text file', hint };
  const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (utf16) return { message: 'is UTF-16, not UTF-8', hint };
  if (!isUtf8(bytes)) return { message: 'is not UTF-8 (Latin-1 or Windows-1252?)', hint, line: firstBrokenLine(bytes) };
  const zero = bytes.indexOf(0);
  if (zero !== -1) {
    const message = 'contains zero bytes: UTF-16 without a byte order mark, or not a text file';
    return { message, hint, line: bytes.toString('latin1', 0, zero).split('\n').length };
  }
  return undefined;
}

function firstBrokenLine(bytes: Buffer): number {
  let line = 1;
  for (let start = 0; start < bytes.length; line += 1) {
    const end = bytes.indexOf(newline, start);
    const stop = end === -1 ? bytes.length : end;
    if (!isUtf8(bytes.subarray(start, stop))) return line;
    start = stop + 1;
  }
  return line;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Aliases may expand the file by at most about this factor. */
const aliasesMax = 100;

/**
 * Placeholders for `${NAME}` during YAML parsing. They have equal length, so that columns stay right, and use private
 * characters, so that braces do not begin a flow mapping.
 */
const marks = { dollar: '\uE000', open: '\uE001', close: '\uE002', literal: '\uE003' } as const;
const marked = new RegExp(`(${marks.literal}?)${marks.dollar}${marks.open}([A-Za-z_][A-Za-z0-9_]*)${marks.close}`, 'g');

function markVariables(text: string): string {
  return text.replace(
    /(\$?)\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g,
    (_, doubled: string, name: string) =>
      `${doubled === '' ? '' : marks.literal}${marks.dollar}${marks.open}${name}${marks.close}`,
  );
}

function unmarkVariables(text: string): string {
  return text.replace(marked, (_, literal: string, name: string) => `${literal === '' ? '' : '$'}\${${name}}`);
}

/** `projects[0].targets`, `services["a b"]`. */
export function describePath(path: Path): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    const name = String(key);
    if (!/^[\w-]+$/.test(name)) return `${text}[${JSON.stringify(name)}]`;
    return text === '' ? name : `${text}.${name}`;
  }, '');
}

/** The whole value is one variable; part of it is; or a variable is not set. */
export type EnvSubstitution = 'whole' | 'part' | 'missing';

/** A parsed config file. */
export class ConfigDocument {
  readonly #document: Document.Parsed;
  readonly #lines: LineCounter;
  readonly #filled: ReadonlyMap<Node, EnvSubstitution>;
  /** Plain values with variables substituted. */
  readonly value: unknown;

  constructor(
    document: Document.Parsed,
    lines: LineCounter,
    filled: ReadonlyMap<Node, EnvSubstitution>,
    value: unknown,
  ) {
    this.#document = document;
    this.#lines = lines;
    this.#filled = filled;
    this.value = value;
  }

  /** 1-based position of the key or list item at `path`, or of its nearest written parent. */
  locate(path: Path): { readonly line: number; readonly column: number } {
    let keyNode: Node | null = this.#document.contents;
    let node: unknown = keyNode;
    for (const key of path) {
      const collection = isAlias(node) ? node.resolve(this.#document) : node;
      const step = stepInto(collection, key);
      if (step === undefined) break;
      if (step.keyNode !== null) keyNode = step.keyNode;
      node = step.node;
    }
    const { line, col } = this.#lines.linePos(keyNode?.range?.[0] ?? 0);
    return { line, column: col };
  }

  /** How variables were substituted in the scalar at `path`; undefined: not at all. */
  substitutionOf(path: Path): EnvSubstitution | undefined {
    const target = this.#nodeAt(path);
    return isScalar(target) ? this.#filled.get(target) : undefined;
  }

  /** The scalar at `path` as it was typed, without quotes; undefined: it has another form, or is not written there. */
  sourceOf(path: Path): string | undefined {
    const target = this.#nodeAt(path);
    return isScalar(target) && target.type === 'PLAIN' ? target.source : undefined;
  }

  /** Whether a variable was substituted at or below `path`. */
  isSubstitutedWithin(path: Path): boolean {
    return this.#isFilled(this.#nodeAt(path));
  }

  /** `around`: the node's ancestors. An alias may make a list contain itself. */
  #isFilled(node: unknown, around: readonly unknown[] = []): boolean {
    const target = isAlias(node) ? node.resolve(this.#document) : node;
    if (isScalar(target)) return this.#filled.has(target);
    if (around.includes(target)) return false;
    const within = [...around, target];
    if (isSeq(target)) return target.items.some((item) => this.#isFilled(item, within));
    return isMap(target) && target.items.some(({ value }) => this.#isFilled(value, within));
  }

  #nodeAt(path: Path): unknown {
    let node: unknown = this.#document.contents;
    for (const key of path) {
      node = stepInto(isAlias(node) ? node.resolve(this.#document) : node, key)?.node;
    }
    return isAlias(node) ? node.resolve(this.#document) : node;
  }
}

function stepInto(collection: unknown, key: PropertyKey): { keyNode: Node | null; node: unknown } | undefined {
  if (isSeq(collection)) {
    const item = collection.items[Number(key)];
    return item === undefined ? undefined : { keyNode: item as Node, node: item };
  }
  if (!isMap(collection)) return undefined;
  const pair = collection.items.find((item) => isScalar(item.key) && String(item.key.value) === key);
  return pair === undefined ? undefined : { keyNode: pair.key as Node, node: pair.value };
}

/** The values of variables, and a callback for unset ones, which some paths allow. */
interface Variables {
  readonly environment: Environment;
  readonly onUnset: (problem: ConfigProblem, path: Path) => void;
}

/** Parses a config file. Undefined, with problems added, if the text is unusable. */
export function readDocument(
  text: string,
  file: string,
  variables: Variables,
  problems: ConfigProblems,
): ConfigDocument | undefined {
  const lines = new LineCounter();
  const fail = (message: string, hint?: string): undefined => {
    problems.add({ file, message, hint });
  };
  let document: Document.Parsed;
  try {
    const options = {
      lineCounter: lines,
      prettyErrors: false,
      merge: true,
      stringKeys: true,
      logLevel: 'error',
    } as const;
    document = parseDocument(markVariables(text), options);
  } catch (error) {
    if (error instanceof RangeError) return fail('is nested too deeply');
    throw error;
  }
  if (reportTabs(document, lines, file, text, problems) || reportSyntax(document, lines, file, problems))
    return undefined;
  if (document.contents === null) return fail('is empty', 'rankledger init writes a commented starter');
  if (!isMap(document.contents)) return fail('is not a YAML mapping', 'write keys such as projects: at the top level');
  const filled = fillVariables(document, lines, file, variables, problems);
  try {
    return new ConfigDocument(document, lines, filled, document.toJS({ maxAliasCount: aliasesMax }));
  } catch (error) {
    return fail(`cannot expand its aliases (${errorText(error)})`, 'write the values out');
  }
}

/** Hints for common mistakes, by the parser's message. */
const syntaxHints: readonly (readonly [says: RegExp, hint: string])[] = [
  [/^Alias cannot be|^Plain value cannot start/, 'put the value in quotes, such as "* 6 * * *"'],
  [/same column|without - indicator|indented/, 'align keys of one mapping in the same column'],
  [/^Missing closing/, 'close the quote that begins before this place'],
];

function syntaxHint(message: string): string | undefined {
  return syntaxHints.find(([says]) => says.test(message))?.[1];
}

/** True if the text is indented with tabs where YAML allows none. The other errors follow from that. */
function reportTabs(
  document: Document.Parsed,
  lines: LineCounter,
  file: string,
  text: string,
  problems: ConfigProblems,
): boolean {
  const rows = text.split('\n');
  const misplaced = document.errors
    .filter(({ code }) => code !== 'DUPLICATE_KEY')
    .map(({ code, pos }) => ({ code, line: lines.linePos(pos[0]).line }))
    .filter(({ code, line }) => code === 'TAB_AS_INDENT' || /^ *\t/.test(rows[line - 1] ?? ''));
  if (misplaced.length === 0) return false;
  const line = Math.min(...misplaced.map((error) => error.line));
  const column = (rows[line - 1] ?? '').indexOf('\t') + 1;
  const more = rows.slice(line).filter((row) => /^ *\t/.test(row)).length;
  const hint = more === 0 ? 'indent with spaces' : `indent with spaces, here and in ${more} more lines`;
  problems.add({ file, line, column, message: 'not valid YAML: tabs are not allowed as indentation', hint });
  return true;
}

/** True if parsing cannot continue. A duplicate key is a problem, but the rest can still be checked. */
function reportSyntax(document: Document.Parsed, lines: LineCounter, file: string, problems: ConfigProblems): boolean {
  let broken = false;
  const unclosed = new Set<number>();
  for (const error of [...document.errors, ...document.warnings]) {
    const open = unclosedBracket(document, error);
    // each bracket around an unclosed one has the same error
    if (open !== null && unclosed.has(error.pos[0])) continue;
    if (open !== null) unclosed.add(error.pos[0]);
    const { line, col } = lines.linePos(open?.at ?? error.pos[0]);
    const twice = error.code === 'DUPLICATE_KEY';
    broken ||= !twice;
    const message =
      error.code === 'MULTIPLE_DOCS'
        ? 'a second document begins here; a config is one document'
        : twice
          ? 'this key is written twice'
          : open !== null
            ? `not valid YAML: nothing closes the ${open.bracket} that begins here`
            : error.code === 'NON_STRING_KEY'
              ? 'expected text as a key: { begins a mapping unless the value is in quotes'
              : `not valid YAML: ${unmarkVariables(error.message)}`;
    const hint = twice ? undefined : open !== null ? `close it with ${open.closer}` : syntaxHint(error.message);
    problems.add({ file, line, column: col, message, hint });
  }
  return broken;
}

/** The outermost bracket that is still open where the parser meets text outside of it; the parser names that place. */
function unclosedBracket(document: Document.Parsed, { message, pos }: Document.Parsed['errors'][number]) {
  if (!/^Flow .* must be sufficiently indented/.test(message)) return null;
  let open: { readonly at: number; readonly bracket: string; readonly closer: string } | null = null;
  visit(document, {
    Collection(_, node) {
      if (node.flow !== true || node.range?.[1] !== pos[0]) return undefined;
      open = { at: node.range[0], ...(isSeq(node) ? { bracket: '[', closer: ']' } : { bracket: '{', closer: '}' }) };
      return visit.BREAK;
    },
  });
  return open as { readonly at: number; readonly bracket: string; readonly closer: string } | null;
}

/** Substitutes variables in scalar values. Returns the affected scalars. */
function fillVariables(
  document: Document.Parsed,
  lines: LineCounter,
  file: string,
  { environment, onUnset }: Variables,
  problems: ConfigProblems,
): Map<Node, EnvSubstitution> {
  const filled = new Map<Node, EnvSubstitution>();
  visit(document, {
    Scalar(key, node, ancestors) {
      if (typeof node.value !== 'string') return;
      const path = nodePath(node, ancestors);
      const problem = (message: string, hint: string): ConfigProblem => {
        const around = ancestors.at(-1);
        const keyNode = isPair(around) && isScalar(around.key) ? around.key : node;
        const { line, col } = lines.linePos(keyNode.range?.[0] ?? 0);
        return { file, line, column: col, path: describePath(path), message, hint };
      };
      const written = node.value;
      if (written.includes('${'))
        problems.add(
          problem(`"${written}" contains no variable name`, `write \${NAME}, or $\${NAME} for the text itself`),
        );
      if (!written.includes(marks.dollar)) return;
      if (key === 'key') {
        node.value = unmarkVariables(written);
        problems.add(problem('environment variables are allowed in values only', 'write the key without a variable'));
        return;
      }
      const missing: string[] = [];
      const variables = [...written.matchAll(marked)].filter((match) => match[1] === '');
      node.value = written.replace(marked, (_, literal: string, name: string) => {
        if (literal !== '') return `\${${name}}`;
        const value = environment[name];
        if (value !== undefined && value !== '') return value;
        missing.push(name);
        // A stand-in for the unknown value, so that the rest of its mapping can be checked.
        return `\${${name}}`;
      });
      for (const name of missing) {
        onUnset(problem(`the environment variable ${name} is not set`, `set ${name} before starting rankledger`), path);
      }
      if (variables.length === 0) return;
      const whole = variables.length === 1 && variables[0]?.[0] === written;
      filled.set(node, missing.length > 0 ? 'missing' : whole ? 'whole' : 'part');
    },
  });
  return filled;
}

function nodePath(node: Scalar, ancestors: readonly unknown[]): PropertyKey[] {
  const path: PropertyKey[] = [];
  ancestors.forEach((ancestor, depth) => {
    const child = ancestors[depth + 1] ?? node;
    if (isSeq(ancestor)) path.push(ancestor.items.indexOf(child));
    if (isPair(ancestor) && isScalar(ancestor.key)) path.push(String(ancestor.key.value));
  });
  return path;
}
