// 100,000 hostile cells through an independent reader: none starts a formula in safe mode, and raw mode is lossless.
import { describe, expect, it } from 'vitest';
import { type CsvColumn, csvChunks, defaultCsvOptions } from '../../../src/report/formats/csv.ts';
import { unguardFormulas } from '../../../src/tracker/formula-guard.ts';
import { seeded } from '../../helpers/seeded.ts';
import { listItems, readCsv } from '../csv-reader.ts';
import { hostileText } from '../hostile-text.ts';

interface Line {
  readonly text: string;
  readonly other: string;
  readonly items: readonly string[];
  readonly number: number;
}

const columns: readonly CsvColumn<Line>[] = [
  { name: 'text', kind: 'text', description: 'A text', value: (line) => line.text },
  { name: 'number', kind: 'number', description: 'A number', value: (line) => line.number },
  { name: 'other', kind: 'text', description: 'Another text', value: (line) => line.other },
  { name: 'items', kind: 'list', description: 'A list', value: (line) => line.items },
];
const cellsPerLine = 4;
const lines = 12_500;
const starts = /^[=+\-@\t\r\n]/;

function generated(seed: number): Line[] {
  const random = seeded(seed);
  return Array.from({ length: lines }, () => ({
    text: hostileText(random),
    other: hostileText(random),
    items: Array.from({ length: Math.floor(random() * 4) }, () => hostileText(random)),
    number: Math.floor(random() * 200) - 100,
  }));
}

/** The cells of the written bytes, without the byte order mark and the header. */
function written(rows: readonly Line[], delimiter: string, safe: boolean): string[][] {
  const bytes = Buffer.from([...csvChunks(columns, rows, { bom: true, delimiter, safe })].join(''), 'utf8');
  expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  const [header, ...cells] = readCsv(new TextDecoder('utf-8', { fatal: true }).decode(bytes), delimiter);
  expect(header).toEqual(columns.map(({ name }) => name));
  return cells;
}

describe('100,000 hostile cells', () => {
  it('contain no formula in safe mode, and numbers stay numbers', () => {
    const rows = generated(1);
    const cells = written(rows, defaultCsvOptions.delimiter, true);
    expect(cells.length * cellsPerLine).toBe(50_000);
    const triggers = cells.flatMap(([text = '', , other = '', items = '']) =>
      [text, other, items].filter((cell) => starts.test(cell)),
    );
    expect(triggers).toEqual([]);
    expect(cells.map(([, number]) => Number(number))).toEqual(rows.map(({ number }) => number));
    const changed = cells.filter(([text], at) => text !== rows[at]?.text.toWellFormed());
    expect(changed.length).toBeGreaterThan(1_000);
    expect(cells.map(([text = '']) => unguardFormulas(text, defaultCsvOptions.delimiter))).toEqual(
      rows.map(({ text }) => text.toWellFormed()),
    );
  });

  it.each([',', ';', '\t'])('are read back unchanged in raw mode, separated by %j', (delimiter) => {
    const rows = generated(delimiter.charCodeAt(0));
    const cells = written(rows, delimiter, false);
    const back = cells.map(([text, number, other, items = '']) => ({
      text,
      other,
      items: listItems(items),
      number: Number(number),
    }));
    // UTF-8 has no bytes for half a surrogate pair
    expect(back).toEqual(
      rows.map(({ text, other, items, number }) => ({
        text: text.toWellFormed(),
        other: other.toWellFormed(),
        items: items.map((item) => item.toWellFormed()),
        number,
      })),
    );
  });
});
