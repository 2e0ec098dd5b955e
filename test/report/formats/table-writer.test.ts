// The pieces of a table writer join to the lines that csv.ts writes, of any size and number.
import { describe, expect, it } from 'vitest';
import { type CsvColumn, csvChunks, defaultCsvOptions } from '../../../src/report/formats/csv.ts';
import { createTableWriter } from '../../../src/report/formats/table-writer.ts';
import { columns, lineTexts } from '../line-texts.ts';

describe('lines of a table', () => {
  it.each(lineTexts)('are unchanged: %s', (_, texts) => {
    const rows = texts.map((text, number) => ({ text, number }));
    const lines = createTableWriter(columns, defaultCsvOptions);
    const pieces = rows.map((row) => {
      lines.add(row);
      return lines.taken();
    });
    pieces.push(lines.rest());
    expect(lines.count()).toBe(rows.length);
    expect(pieces.join('')).toBe([...csvChunks(columns, rows)].join(''));
  });

  it('wait until they fill a piece, and are gone once they were taken', () => {
    const lines = createTableWriter(columns, defaultCsvOptions);
    lines.add({ text: 'a', number: 1 });
    expect(lines.taken()).toBe('');
    lines.add({ text: 'b'.repeat(200_000), number: 2 });
    expect(lines.taken()).toHaveLength('\uFEFFtext,number\r\na,1\r\n,2\r\n'.length + 200_000);
    expect(lines.rest()).toBe('');
  });

  it('share what is equal from row to row, and nothing else', () => {
    const of = [{ name: 'a,b' }, { name: 'c' }];
    type Row = { readonly of: { readonly name: string }; readonly note: string };
    const [name, note]: CsvColumn<Row>[] = [
      { name: 'name', kind: 'text', description: '', value: (row) => row.of.name },
      { name: 'note', kind: 'text', description: '', value: (row) => row.note },
    ];
    if (name === undefined || note === undefined) throw new Error('there are two');
    const both = [name, note];
    const rows = [0, 0, 1, 0].map((at, index) => ({ of: of[at] ?? { name: '' }, note: `note ${index}` }));
    const lines = createTableWriter(both, defaultCsvOptions, [{ columns: [name], same: (row) => row.of }]);
    for (const row of rows) lines.add(row);
    expect(lines.rest()).toBe([...csvChunks(both, rows)].join(''));
  });
});
