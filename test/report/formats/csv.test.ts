// Any cell survives an independent reader, and none starts a formula.
import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { type CsvColumn, type CsvOptions, csvChunks, defaultCsvOptions } from '../../../src/report/formats/csv.ts';
import { unguardFormulas } from '../../../src/tracker/formula-guard.ts';

interface Line {
  readonly text: string | null;
  readonly number: number | null;
  readonly items: readonly string[];
  readonly at: number | null;
  readonly is: boolean | null;
}

const columns: readonly CsvColumn<Line>[] = [
  { name: 'text', kind: 'text', description: 'A text', value: (line) => line.text },
  { name: 'number', kind: 'number', description: 'A number', value: (line) => line.number },
  { name: 'items', kind: 'list', description: 'A list', value: (line) => line.items },
  { name: 'at', kind: 'date', description: 'A date', value: (line) => line.at },
  { name: 'is', kind: 'boolean', description: 'A boolean', value: (line) => line.is },
];
const empty: Line = { text: null, number: null, items: [], at: null, is: null };
const trigger = /^[=+\-@\t\r\n]/u;

function write(lines: readonly Line[], options: Partial<CsvOptions> = {}): string {
  return [...csvChunks(columns, lines, { ...defaultCsvOptions, ...options })].join('');
}

/** Rows of the file as papaparse reads the bytes, without the header. */
function read(csv: string, delimiter = ','): string[][] {
  const text = Buffer.from(csv, 'utf8')
    .toString('utf8')
    .replace(/^\uFEFF/u, '');
  const parsed = Papa.parse<string[]>(text, { delimiter, newline: '\r\n' });
  expect(parsed.errors).toEqual([]);
  return parsed.data.slice(1, -1);
}

describe('the CSV writer', () => {
  it('writes a byte order mark, a header and CRLF lines, with dates in ISO 8601 and nulls empty', () => {
    const line = { text: 'a', number: -1.5, items: ['x', 'y'], at: Date.UTC(2026, 0, 2, 3, 4, 5, 6), is: false };
    expect(write([line, empty])).toBe(
      '\uFEFFtext,number,items,at,is\r\na,-1.5,x|y,2026-01-02T03:04:05.006Z,false\r\n,,,,\r\n',
    );
    expect(write([], { bom: false })).toBe('text,number,items,at,is\r\n');
    expect(write([{ ...empty, text: 'a;b' }], { bom: false, delimiter: ';' })).toContain('\r\n"a;b";;;;\r\n');
  });

  it('guards text that would be a formula, and never a number', () => {
    const [line] = read(write([{ ...empty, text: '=1+1', number: -5, items: ['@x', '=y'] }]));
    expect(line?.slice(0, 3)).toEqual(["'=1+1", '-5', "'@x|'=y"]);
    const [plain] = read(write([{ ...empty, text: '=1+1' }], { safe: false }));
    expect(plain?.[0]).toBe('=1+1');
  });

  it('quotes what would end a cell or a line, and writes nothing that UTF-8 cannot encode', () => {
    for (const text of ['a,b', 'a"b', 'a\rb', 'a\nb']) {
      expect(write([{ ...empty, text }])).toContain(`\r\n"${text.replace('"', '""')}",,,,\r\n`);
    }
    expect(write([{ ...empty, text: 'a b;|' }])).toContain('\r\na b;|,,,,\r\n');
    expect(write([{ ...empty, text: 'a\uD800' }])).toContain('\r\na\uFFFD,');
  });

  it('writes no number for NaN and infinities', () => {
    expect(
      read(
        write([
          { ...empty, number: Number.NaN },
          { ...empty, number: Number.POSITIVE_INFINITY },
        ]),
      ),
    ).toEqual([
      ['', '', '', '', ''],
      ['', '', '', '', ''],
    ]);
  });

  it('writes dates as Date does, in any order and before 1970', () => {
    const moments = fc.array(fc.date({ min: new Date(-1e12), max: new Date(4e12), noInvalidDate: true }), {
      minLength: 1,
    });
    fc.assert(
      fc.property(moments, (dates) => {
        const cells = read(write(dates.map((date) => ({ ...empty, at: date.getTime() })))).map((cells) => cells[3]);
        expect(cells).toEqual(dates.map((date) => date.toISOString()));
      }),
      { numRuns: 200 },
    );
  });

  it('is read back cell by cell by another reader: 24,000 hostile cells, no formula among them', () => {
    const nasty = fc.string({
      unit: fc.oneof(
        fc.constantFrom(
          '=',
          '+',
          '-',
          '@',
          '\t',
          '\r',
          '\n',
          '"',
          "'",
          ',',
          ';',
          '|',
          ' ',
          '\uD800',
          '\uDFFF',
          '\uFEFF',
          '\u0000',
        ),
        fc.constantFrom('a', 'ü', '東', '🚀', '＝', '0'),
      ),
      maxLength: 12,
    });
    let cells = 0;
    let guarded = 0;
    const check = (texts: string[], delimiter: string, safe: boolean) => {
      const lines = texts.map((text) => ({ ...empty, text, items: [text] }));
      const rows = read(write(lines, { delimiter, safe }), delimiter);
      expect(rows).toHaveLength(texts.length);
      texts.forEach((text, index) => {
        const sound = text.toWellFormed();
        const listed = sound.replace(/[\\|]/g, '\\$&');
        for (const [cell, wanted] of [
          [rows[index]?.[0], sound],
          [rows[index]?.[2], listed],
        ] as const) {
          cells += 1;
          expect(safe ? unguardFormulas(cell ?? '', delimiter) : cell).toBe(wanted);
          if (!safe) continue;
          expect(trigger.test(cell ?? '')).toBe(false);
          if (cell !== wanted) guarded += 1;
        }
      });
    };
    fc.assert(
      fc.property(
        fc.array(nasty, { minLength: 30, maxLength: 30 }),
        fc.constantFrom(',', ';', '\t'),
        fc.boolean(),
        check,
      ),
      { numRuns: 400 },
    );
    expect(cells).toBeGreaterThanOrEqual(24_000);
    expect(guarded).toBeGreaterThan(1_000);
  });

  it('yields pieces, so that a large table is never one string', () => {
    const lines = Array.from({ length: 2_000 }, () => ({ ...empty, text: 'x' }));
    const chunks = [...csvChunks(columns, lines)];
    expect(chunks.length).toBeGreaterThan(3);
    expect(read(chunks.join(''))).toHaveLength(2_000);
  });
});
