// Exports of other tools as rows of cells, with the line that each row begins on (decision 31), and their formats.
import { decodeText, detectEncoding, type Encoding, UnreadableFile } from './text-file.ts';

const delimiters = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof delimiters)[number];

export interface Row {
  /** 1-based. */
  readonly line: number;
  /** Trimmed; empty if the row is broken. */
  readonly cells: readonly string[];
  /** It has an unclosed quote. */
  readonly isBroken: boolean;
}

const lineCharsMax = 1_048_576;
/** A quoted cell with more lines than this has an unclosed quote: parsing resumes on the next line. */
const linesOfRowMax = 20;

/** The non-blank rows of a text. An unclosed quote costs its own line, not the rest of the file. */
export function* parseRows(pieces: Iterable<string>, delimiter: Delimiter): Generator<Row> {
  const lines = new Lines(pieces);
  for (let first = lines.take(); first !== null; first = lines.take()) {
    const line = lines.taken;
    if (!first.includes('"')) {
      if (first.trim() !== '') yield { line, cells: plainCells(first, delimiter), isBroken: false };
      continue;
    }
    let text = first;
    let cells = quotedCells(text, delimiter);
    let extra = 0;
    while (cells === null && extra < linesOfRowMax) {
      const next = lines.peek(extra);
      if (next === null) break;
      text += `\n${next}`;
      extra += 1;
      if (next.includes('"')) cells = quotedCells(text, delimiter);
    }
    if (cells !== null) lines.skip(extra);
    if (cells === null || cells.some((cell) => cell !== ''))
      yield { line, cells: cells ?? [], isBroken: cells === null };
  }
}

/** Physical lines with look-ahead. */
class Lines {
  readonly #source: Iterator<string>;
  readonly #ahead: string[] = [];
  taken = 0;

  constructor(pieces: Iterable<string>) {
    this.#source = splitLines(pieces);
  }

  take(): string | null {
    const line = this.#ahead.shift() ?? this.#read();
    if (line !== null) this.taken += 1;
    return line;
  }

  peek(ahead: number): string | null {
    while (this.#ahead.length <= ahead) {
      const line = this.#read();
      if (line === null) return null;
      this.#ahead.push(line);
    }
    return this.#ahead[ahead] ?? null;
  }

  skip(count: number): void {
    for (let skipped = 0; skipped < count; skipped += 1) this.take();
  }

  #read(): string | null {
    const next = this.#source.next();
    return next.done === true ? null : next.value;
  }
}

export function* splitLines(pieces: Iterable<string>): Generator<string> {
  let rest = '';
  let newline: string | undefined;
  for (const piece of pieces) {
    rest += piece;
    newline ??= rest.includes('\n') || !rest.includes('\r') ? (rest.includes('\n') ? '\n' : undefined) : '\r';
    if (newline === undefined) continue;
    let start = 0;
    for (let end = rest.indexOf(newline); end !== -1; end = rest.indexOf(newline, start)) {
      yield withoutReturn(rest.slice(start, end));
      start = end + 1;
    }
    rest = rest.slice(start);
    if (rest.length > lineCharsMax) {
      throw new UnreadableFile(
        `a line of it is longer than ${lineCharsMax} characters`,
        'Check that it is a CSV file.',
      );
    }
  }
  if (rest !== '') yield withoutReturn(rest);
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

function plainCells(line: string, delimiter: string): string[] {
  return line.split(delimiter).map((cell) => cell.trim());
}

/**
 * Null if a quote is still open at the end. In a quoted cell, two quotes are one, and a quote that does not end the
 * cell is literal.
 */
function quotedCells(text: string, delimiter: string): string[] | null {
  const cells: string[] = [];
  for (let at = 0; at <= text.length; ) {
    const start = afterSpaces(text, at, delimiter);
    if (text[start] !== '"') {
      const end = text.indexOf(delimiter, at);
      const stop = end === -1 ? text.length : end;
      cells.push(text.slice(at, stop).trim());
      at = stop + 1;
      continue;
    }
    const close = closingQuote(text, start + 1, delimiter);
    if (close === null) return null;
    cells.push(
      text
        .slice(start + 1, close.quote)
        .replaceAll('""', '"')
        .trim(),
    );
    at = close.end + 1;
  }
  return cells;
}

/** The closing quote of a cell, and the end of the cell: a delimiter or the end of the text. */
function closingQuote(text: string, from: number, delimiter: string): { quote: number; end: number } | null {
  for (let quote = text.indexOf('"', from); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    if (text[quote + 1] === '"') {
      quote += 1;
      continue;
    }
    const end = afterSpaces(text, quote + 1, delimiter);
    if (end === text.length || text[end] === delimiter) return { quote, end };
  }
  return null;
}

function afterSpaces(text: string, from: number, delimiter: string): number {
  let at = from;
  while (at < text.length && (text[at] === ' ' || (text[at] === '\t' && delimiter !== '\t'))) at += 1;
  return at;
}

/** The header must be among these lines; a report name, period and filters may precede it. */
const preambleLinesMax = 40;
const beginningCharsMax = 2 * 1_048_576;

export function firstText(text: Iterable<string>): string {
  let first = '';
  for (const piece of text) {
    first += piece;
    const lines = first.split(/\r\n?|\n/, preambleLinesMax + 1);
    if (lines.length > preambleLinesMax) return lines.slice(0, preambleLinesMax).join('\n');
    if (first.length > beginningCharsMax) break;
  }
  return first;
}

export function firstRows(first: string, delimiter: Delimiter): Row[] {
  return [...parseRows([first], delimiter)].slice(0, preambleLinesMax);
}

export function* rowsBelow(rows: Iterable<Row>, header: number): Generator<Row> {
  for (const row of rows) if (row.line > header) yield row;
}

interface Recognised<Format, Layout> {
  readonly format: Format;
  readonly layout: Layout;
  readonly delimiter: Delimiter;
  /** Line of the header, 1-based; without one, the line before the first row. */
  readonly line: number;
}

/** The rows of the first lines, beside the header. */
export interface RowsAround {
  readonly above: readonly (readonly string[])[];
  readonly below: readonly (readonly string[])[];
}

/** Returns the layout of a header with these rows around it; null: not a header of the format. */
type LayoutOf<Format, Layout> = (format: Format, header: readonly string[], around: RowsAround) => Layout | null;

/**
 * The first format that finds a header among the first lines, with the delimiter that yields most columns; null: none.
 */
export function recognise<Format, Layout extends { readonly width: number; readonly hasHeader?: boolean }>(
  first: string,
  formats: readonly Format[],
  layoutOf: LayoutOf<Format, Layout>,
): Recognised<Format, Layout> | null {
  const tables = delimiters.map((delimiter) => ({ delimiter, rows: firstRows(first, delimiter) }));
  for (const format of formats) {
    const candidates = tables.flatMap(({ delimiter, rows }): Recognised<Format, Layout>[] => {
      for (const [at, { cells, line }] of rows.entries()) {
        const around = {
          above: rows.slice(0, at).map((row) => row.cells),
          below: rows.slice(at + 1).map((row) => row.cells),
        };
        const layout = layoutOf(format, cells, around);
        if (layout !== null) return [{ format, layout, delimiter, line: layout.hasHeader === false ? line - 1 : line }];
      }
      return [];
    });
    const [best] = candidates.sort((a, b) => b.layout.width - a.layout.width);
    if (best !== undefined) return best;
  }
  return null;
}

/** A file that is read from its start as often as needed. Each call of `bytes` yields its chunks. */
export function openText(bytes: () => Iterable<Uint8Array>): {
  readonly encoding: Encoding;
  readonly text: () => Iterable<string>;
  readonly first: string;
} {
  const encoding = detectEncoding(bytes());
  const text = (): Iterable<string> => decodeText(bytes(), encoding);
  return { encoding, text, first: firstText(text()) };
}

/** The widest of the first rows that fit, for messages: at most 20 cells. */
export function widestRow(first: string, fits: (cells: readonly string[]) => boolean = () => true): readonly string[] {
  const rows = delimiters.flatMap((delimiter) => firstRows(first, delimiter).map(({ cells }) => cells)).filter(fits);
  return rows.reduce((best, cells) => (cells.length > best.length ? cells : best), []).slice(0, 20);
}

/** Whether a row has fewer cells than the header, or text in more. */
export function isRagged(cells: readonly string[], width: number): boolean {
  return cells.length < width || cells.slice(width).some((cell) => cell !== '');
}
