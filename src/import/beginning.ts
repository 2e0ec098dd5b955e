// The first lines of a file, in which a header is looked for, and the rows below it.
import { type Delimiter, type Row, rowsOf } from './delimited.ts';

/** A header stands among the first lines: before it come the name of the report, its period, its filters. */
const preambleLinesMax = 40;
const beginningCharsMax = 2 * 1_048_576;

/** The first lines, whole. */
export function beginningOf(text: Iterable<string>): string {
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
  return [...rowsOf([first], delimiter)].slice(0, preambleLinesMax);
}

export function* rowsBelow(rows: Iterable<Row>, header: number): Generator<Row> {
  for (const row of rows) if (row.line > header) yield row;
}
