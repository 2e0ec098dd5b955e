// Reads back the CSV that csv.ts writes, row by row: for what is made of tables that are written already. Files of other programs are read elsewhere.
import type { CsvOptions } from './csv.ts';
import { unguarded } from './formula-guard.ts';

const lineEnd = '\r\n';

/** Rows of cells as text, the header first; the byte order mark is left out, and so are the apostrophes that guard formulas. */
export function* csvRows(
  chunks: Iterable<string>,
  { delimiter, safe }: Pick<CsvOptions, 'delimiter' | 'safe'>,
): Generator<string[]> {
  const held = new Cells(delimiter, safe);
  let isFirst = true;
  for (const chunk of chunks) {
    held.text += isFirst && chunk.startsWith('\uFEFF') ? chunk.slice(1) : chunk;
    isFirst = false;
    for (let row = held.nextRow(); row !== null; row = held.nextRow()) yield row;
    held.forgetRead();
  }
}

class Cells {
  text = '';
  #at = 0;
  readonly #delimiter: string;
  readonly #safe: boolean;

  constructor(delimiter: string, safe: boolean) {
    this.#delimiter = delimiter;
    this.#safe = safe;
  }

  forgetRead(): void {
    this.text = this.text.slice(this.#at);
    this.#at = 0;
  }

  /** Null where the text does not hold a whole row any more. */
  nextRow(): string[] | null {
    const { text } = this;
    const cells: string[] = [];
    let at = this.#at;
    let lineAt = text.indexOf(lineEnd, at);
    while (lineAt >= 0) {
      let end: number;
      let cell: string;
      if (text.charCodeAt(at) === 34) {
        const close = closingQuote(text, at + 1);
        if (close < 0) return null;
        end = close + 1;
        cell = text.slice(at + 1, close);
        if (cell.includes('"')) cell = cell.replaceAll('""', '"');
        if (lineAt < end) lineAt = text.indexOf(lineEnd, end);
      } else {
        const next = text.indexOf(this.#delimiter, at);
        end = next < 0 || next > lineAt ? lineAt : next;
        cell = text.slice(at, end);
      }
      cells.push(this.#safe ? unguarded(cell, this.#delimiter) : cell);
      if (text.charAt(end) === this.#delimiter) at = end + 1;
      else if (text.startsWith(lineEnd, end)) {
        this.#at = end + lineEnd.length;
        return cells;
      } else return null;
    }
    return null;
  }
}

/** Where the quote is that ends a cell, or -1. One at the end of the text may be the first of two. */
function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2)) {
    if (at + 1 >= text.length) return -1;
    if (text.charCodeAt(at + 1) !== 34) return at;
  }
  return -1;
}
