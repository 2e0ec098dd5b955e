// Edits lines of a keyword file, and leaves every other character of it as it is.
import Papa from 'papaparse';
import { guardFormulas } from '../../src/tracker/formula-guard.ts';
import { isPlainKeyword, type KeywordColumn, type KeywordEntry, parseColumn, sniffDelimiter } from './keyword-file.ts';

/** A line with its line end, before and after an edit; null: there is none. */
export interface LineEdit {
  readonly before: string | null;
  readonly after: string | null;
}

/** What changes in a line; null: it goes. */
export type LineChange = Pick<KeywordEntry, 'tags' | 'paused'> | null;

/** The lines of a text with their line ends. */
export function linesOf(text: string): string[] {
  return text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? [];
}

/**
 * `text`: a valid keyword file; `changes` by 1-based line. A column that the file lacks is added at the end of every
 * line; a plain list gets a header.
 */
export function editKeywordLines(text: string, changes: ReadonlyMap<number, LineChange>): LineEdit[] {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const lines = linesOf(text.slice(mark.length));
  const delimiter = sniffDelimiter(lines.join(''));
  const isBlank = (line: string) => /^["\s]*$/.test(line.replaceAll(delimiter, ''));
  const headerAt = lines.findIndex((line) => !isBlank(line));
  const header = Papa.parse<string[]>(bodyOf(lines[headerAt] ?? ''), { delimiter }).data[0] ?? [];
  const isList = isPlainKeyword(header);
  const columns = isList ? ['keyword' as const] : header.map(parseColumn);
  const missing = neededColumns(changes).filter((column) => !columns.includes(column));
  const more = (cells: readonly string[]) => cells.map((cell) => delimiter + cell).join('');

  const edits = lines.flatMap((before, index): LineEdit[] => {
    const [body, end] = [bodyOf(before), before.slice(bodyOf(before).length)];
    if (index === headerAt && isList && missing.length > 0) {
      const added = { before: null, after: `keyword${more(missing)}${lineEnd(lines)}` };
      return [added, { before, after: edited(body) + end }];
    }
    if (index === headerAt && !isList) return [{ before, after: body + more(missing) + end }];
    if (isBlank(before)) return [{ before, after: before }];
    return [{ before, after: changes.get(index + 1) === null ? null : edited(body) + end }];

    function edited(line: string): string {
      const change = changes.get(index + 1);
      const cells = rawCells(line, delimiter);
      const written = (column: KeywordColumn) => rawCell(cellText(change ?? {}, column), delimiter);
      for (const column of change === undefined || change === null ? [] : neededColumns([[0, change]])) {
        const at = columns.indexOf(column);
        if (at !== -1) cells[at] = written(column);
      }
      return cells.join(delimiter) + more(missing.map(written));
    }
  });
  return mark === '' ? edits : marked(edits, mark);
}

/** With the byte order mark before the first line of each side. */
function marked(edits: readonly LineEdit[], mark: string): LineEdit[] {
  const firstBefore = edits.findIndex(({ before }) => before !== null);
  const firstAfter = edits.findIndex(({ after }) => after !== null);
  return edits.map(({ before, after }, at) => ({
    before: before !== null && at === firstBefore ? mark + before : before,
    after: after !== null && at === firstAfter ? mark + after : after,
  }));
}

function neededColumns(changes: Iterable<readonly [number, LineChange]>): KeywordColumn[] {
  const all = [...changes].map(([, change]) => change);
  return (['tags', 'paused'] as const).filter((column) => all.some((change) => change?.[column] !== undefined));
}

function cellText(change: NonNullable<LineChange>, column: KeywordColumn): string {
  if (column === 'tags') return change.tags?.join('|') ?? '';
  return column === 'paused' && change.paused === true ? 'yes' : '';
}

function bodyOf(line: string): string {
  if (line.endsWith('\r\n')) return line.slice(0, -2);
  return line.endsWith('\n') || line.endsWith('\r') ? line.slice(0, -1) : line;
}

function lineEnd(lines: readonly string[]): string {
  return lines.some((line) => line.endsWith('\r\n')) ? '\r\n' : '\n';
}

function rawCell(text: string, delimiter: string): string {
  return text === '' ? '' : Papa.unparse([[guardFormulas(text, delimiter)]], { delimiter });
}

/** The cells of a line as they are written, with their quotes. */
function rawCells(line: string, delimiter: string): string[] {
  const cells: string[] = [];
  let [start, isQuoted] = [0, false];
  for (let at = 0; at <= line.length; at += 1) {
    if (line[at] === '"') isQuoted = at === start || isQuoted ? !isQuoted : false;
    if (at < line.length && (line[at] !== delimiter || isQuoted)) continue;
    cells.push(line.slice(start, at));
    start = at + 1;
  }
  return cells;
}

const contextLines = 3;

/** The edits as `git diff` shows them; empty: nothing changes. */
export function unifiedDiff(file: string, edits: readonly LineEdit[]): string {
  const changed = edits.flatMap(({ before, after }, at) => (before === after ? [] : [at]));
  if (changed.length === 0) return '';
  const hunks: { from: number; to: number }[] = [];
  for (const at of changed) {
    const [last, from, to] = [
      hunks.at(-1),
      Math.max(0, at - contextLines),
      Math.min(edits.length, at + contextLines + 1),
    ];
    if (last !== undefined && from <= last.to) last.to = to;
    else hunks.push({ from, to });
  }
  let [at, oldLine, newLine] = [0, 1, 1];
  let text = `--- a/${file}\n+++ b/${file}\n`;
  for (const { from, to } of hunks) {
    for (; at < from; at += 1) [oldLine, newLine] = [oldLine + 1, newLine + 1];
    const part = edits.slice(from, to);
    const olds = part.filter(({ before }) => before !== null).length;
    const news = part.filter(({ after }) => after !== null).length;
    text += `@@ -${range(oldLine, olds)} +${range(newLine, news)} @@\n${hunkText(part)}`;
    [at, oldLine, newLine] = [to, oldLine + olds, newLine + news];
  }
  return text;
}

function range(line: number, count: number): string {
  return `${count === 0 ? line - 1 : line},${count}`;
}

/** Of lines that change one after the other, first those that go. */
function hunkText(edits: readonly LineEdit[]): string {
  let [text, added] = ['', ''];
  for (const { before, after } of edits) {
    if (before === after) {
      text += added + shownLine(' ', before);
      added = '';
    } else {
      text += shownLine('-', before);
      added += shownLine('+', after);
    }
  }
  return text + added;
}

function shownLine(sign: string, line: string | null): string {
  if (line === null) return '';
  return line.endsWith('\n') ? `${sign}${line}` : `${sign}${line}\n\\ No newline at end of file\n`;
}
