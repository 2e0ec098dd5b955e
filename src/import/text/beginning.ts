// The first lines of a file, searched for a header, and the rows below it.
import { type Delimiter, parseRows, type Row } from './delimited.ts';

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
