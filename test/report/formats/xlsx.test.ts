// A workbook read back by an independent reader: types, unchanged texts, and no formula in any text.
import { posix } from 'node:path';
import { load } from 'cheerio';
import { describe, expect, it } from 'vitest';
import { type CsvColumn, csvChunks } from '../../../src/report/formats/csv.ts';
import { csvRows } from '../../../src/report/formats/csv-rows.ts';
import { columnName, type SheetTable, xlsxChunks } from '../../../src/report/formats/workbook/xlsx.ts';
import { seeded } from '../../helpers/seeded.ts';
import { hostileText } from '../hostile-text.ts';
import { readWorkbook, readZip } from '../xlsx-reader.ts';

const columns = [
  { name: 'keyword', kind: 'text' },
  { name: 'rank', kind: 'number' },
  { name: 'url_changed', kind: 'boolean' },
  { name: 'checked_at', kind: 'date' },
  { name: 'tags', kind: 'list' },
] as const;

const workbook = (...tables: SheetTable[]) => Buffer.concat([...xlsxChunks(tables)]);
const table = (rows: readonly (readonly string[])[], name = 'rank-changes'): SheetTable => ({ name, columns, rows });

describe('a workbook', () => {
  it('has numbers, dates and truth values as such, and no cell for an empty value', () => {
    const rows = [
      ['shoes', '-5', 'true', '2026-01-15T06:00:00.123Z', 'a|b'],
      ['boots', '', '', '', ''],
      ['007', '1.25', 'false', '1899-12-30T00:00:00.000Z', '2026-01-02'],
    ];
    const [sheet] = readWorkbook(workbook(table(rows)));
    expect(sheet?.rows).toEqual([
      columns.map(({ name }, at) => ({ ref: `${'ABCDE'[at]}1`, type: 'text', value: name })),
      [
        { ref: 'A2', type: 'text', value: 'shoes' },
        { ref: 'B2', type: 'number', value: -5 },
        { ref: 'C2', type: 'boolean', value: true },
        { ref: 'D2', type: 'date', value: Date.UTC(2026, 0, 15, 6, 0, 0, 123) },
        { ref: 'E2', type: 'text', value: 'a|b' },
      ],
      [{ ref: 'A3', type: 'text', value: 'boots' }],
      [
        { ref: 'A4', type: 'text', value: '007' },
        { ref: 'B4', type: 'number', value: 1.25 },
        { ref: 'C4', type: 'boolean', value: false },
        { ref: 'D4', type: 'text', value: '1899-12-30T00:00:00.000Z' },
        { ref: 'E4', type: 'text', value: '2026-01-02' },
      ],
    ]);
  });

  it('freezes its header, and has a filter over all rows', () => {
    const [sheet, none] = readWorkbook(workbook(table([['a'], ['b']]), table([], 'none')));
    expect(sheet).toMatchObject({ frozenAt: 'A2', filter: 'A1:E3' });
    expect(none).toMatchObject({ name: 'none', filter: 'A1:E1' });
    const xml = readZip(workbook(table([['a'], ['b']], "it's"))).get('xl/workbook.xml');
    expect(xml).toContain(
      `<definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">'it-s'!$A$1:$E$3</definedName>`,
    );
  });

  it('writes a repeated text once for all sheets, and reads back each', () => {
    const rows = Array.from({ length: 600 }, (_, at) => [
      `keyword ${at}`,
      '',
      '',
      '',
      at % 2 === 0 ? 'brand' : ' a  b ',
    ]);
    const archive = workbook(table(rows), table(rows, 'again'));
    for (const sheet of readWorkbook(archive)) {
      expect(sheet.rows.slice(1).map((cells) => cells.map(({ value }) => value))).toEqual(
        rows.map(([keyword, , , , tag]) => [keyword, tag]),
      );
    }
    const texts = [...readZip(archive)].filter(([name]) => /sheet|shared/.test(name)).map(([, xml]) => xml);
    const count = (text: string): number => texts.join('').split(`>${text}<`).length - 1;
    expect([count('brand'), count(' a  b '), count('keyword 599')]).toEqual([1, 1, 2]);
  });

  it('is a package as the standard defines it: a type per part, a part per relation, elements in order', () => {
    const bars = [{ name: 'a', value: 1 }];
    const chart = { title: 'A & B', firstRow: 2, lastRow: 2, names: 'A', values: 'B', bars };
    const linked = {
      name: 'links',
      columns: [{ name: 'url', kind: 'text' as const }],
      rows: [['https://a.example/?b&c']],
    };
    const rows = [['a', '1', 'true', '2026-01-15T06:00:00.000Z', 'x']];
    const files = readZip(workbook({ ...table(rows), chart }, table([], 'none'), linked));
    const parts = [...files.keys()].filter((name) => name !== '[Content_Types].xml');
    const types = load(files.get('[Content_Types].xml') ?? '', { xml: true });
    const named = types('Override')
      .toArray()
      .map(({ attribs }) => attribs['PartName']?.slice(1) ?? '');
    const endings = types('Default')
      .toArray()
      .map(({ attribs }) => `.${attribs['Extension']}`);
    expect(named.filter((name) => !files.has(name))).toEqual([]);
    expect(parts.filter((name) => !named.includes(name) && !endings.some((ending) => name.endsWith(ending)))).toEqual(
      [],
    );
    for (const name of parts.filter((each) => each.endsWith('.rels'))) {
      const home = posix.dirname(posix.dirname(name));
      const targets = load(files.get(name) ?? '', { xml: true })('Relationship')
        .toArray()
        .filter(({ attribs }) => attribs['TargetMode'] !== 'External')
        .map(({ attribs }) => attribs['Target'] ?? '');
      expect(targets.map((to) => posix.join(to.startsWith('/') ? '' : home, to).replace(/^\//, ''))).toSatisfy(
        (all: string[]) => all.every((part) => files.has(part)),
      );
    }
    // CT_Worksheet of ECMA-376 is a sequence: Excel repairs the file, and loses elements in the wrong order
    const inOrder = [
      ...['sheetPr', 'dimension', 'sheetViews', 'sheetFormatPr', 'cols', 'sheetData', 'autoFilter', 'hyperlinks'],
      ...['pageMargins', 'pageSetup', 'drawing'],
    ];
    for (const name of parts.filter((each) => each.includes('/worksheets/'))) {
      const positions = load(files.get(name) ?? '', { xml: true })('worksheet')
        .children()
        .toArray()
        .map((element) => inOrder.indexOf(element.tagName));
      expect(positions).not.toContain(-1);
      expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    }
  });

  it('links web addresses, and no other text, in columns of addresses', () => {
    const urls = [
      'https://a.example/x?b=1&c=2',
      'shop.example',
      'javascript:alert(1)',
      '',
      'https://a.example/x?b=1&c=2',
    ];
    const files = readZip(
      workbook({
        name: 'links',
        columns: [
          { name: 'keyword', kind: 'text' },
          { name: 'previous_url', kind: 'text' },
        ],
        rows: urls.map((url) => [url, url]),
      }),
    );
    const sheet = load(files.get('xl/worksheets/sheet1.xml') ?? '', { xml: true });
    const rels = load(files.get('xl/worksheets/_rels/sheet1.xml.rels') ?? '', { xml: true });
    const addresses = new Map(
      rels('Relationship')
        .toArray()
        .map(({ attribs }) => [attribs['Id'], attribs['Target']]),
    );
    const links = sheet('hyperlink')
      .toArray()
      .map(({ attribs }) => [attribs['ref'], addresses.get(attribs['r:id'] ?? '')]);
    expect(links).toEqual([
      ['B2', 'https://a.example/x?b=1&c=2'],
      ['B6', 'https://a.example/x?b=1&c=2'],
    ]);
    expect(sheet('f').length).toBe(0);
  });

  it('has columns as wide as their values, and prints in landscape with its header on each page', () => {
    const rows = [['a keyword of some words', '5', 'true', '2026-01-15T06:00:00.000Z', 'x'.repeat(200)]];
    const files = readZip(workbook(table(rows)));
    const sheet = load(files.get('xl/worksheets/sheet1.xml') ?? '', { xml: true });
    expect(
      sheet('col')
        .toArray()
        .map(({ attribs }) => Number(attribs['width'])),
    ).toEqual([25, 8, 15, 21, 48]);
    expect(sheet('pageSetup').attr()).toMatchObject({ orientation: 'landscape', fitToHeight: '0' });
    expect(files.get('xl/workbook.xml')).toContain(`localSheetId="0">'rank-changes'!$1:$1</definedName>`);
  });

  it('names sheets as Excel accepts, each name once', () => {
    const long = 'a-very-long-name-of-a-table-indeed';
    const names = ['a/b', 'A/B', long, long, `${long}!`, ''].map((name) => table([], name));
    expect(readWorkbook(workbook(...names)).map(({ name }) => name)).toEqual([
      'a-b',
      'A-B 2',
      long.slice(0, 31),
      `${long.slice(0, 29)} 2`,
      `${long.slice(0, 29)} 3`,
      'table',
    ]);
  });

  it('has every hostile text unchanged, also from a guarded CSV, and no formula', () => {
    const random = seeded(7);
    const texts = Array.from({ length: 500 }, () => hostileText(random)).filter((text) => !text.startsWith("'"));
    const column: CsvColumn<string> = { name: 'keyword', kind: 'text', description: 'A text', value: (text) => text };
    const csv = { bom: true, delimiter: ';', safe: true };
    const [header = [], ...rows] = csvRows(csvChunks([column], texts, csv), csv);
    expect(header).toEqual(['keyword']);
    const [sheet] = readWorkbook(workbook({ name: 'texts', columns: [column], rows }));
    expect(sheet?.formulas).toBe(0);
    const cells = sheet?.rows.slice(1).map(([cell]) => cell);
    expect(cells?.every((cell) => cell?.type === 'text')).toBe(true);
    expect(cells?.map((cell) => cell?.value)).toEqual(texts.map((text) => text.toWellFormed()));
  });

  it('cuts text that is longer than a cell allows, and marks the cut', () => {
    const [sheet] = readWorkbook(
      workbook(table([['x'.repeat(32_767)], ['y'.repeat(32_768)], [`${'z'.repeat(32_765)}🚀🚀`]])),
    );
    const [, whole, cut, half] = (sheet?.rows ?? []).map(([cell]) => String(cell?.value));
    expect(whole).toBe('x'.repeat(32_767));
    expect(cut).toBe(`${'y'.repeat(32_766)}…`);
    expect(half).toBe(`${'z'.repeat(32_765)}…`);
  });

  it('continues on another sheet if one is full, with the same header', () => {
    function* many(): Generator<readonly string[]> {
      for (let at = 1; at <= 1_048_576; at += 1) yield ['', at > 1_048_574 ? `${at}` : ''];
    }
    const files = readZip(workbook({ name: 'rank-changes', columns, rows: many() }, table([['a']], 'movers')));
    expect([...(files.get('xl/workbook.xml') ?? '').matchAll(/sheet name="([^"]+)"/g)].map(([, name]) => name)).toEqual(
      ['rank-changes', 'rank-changes (2)', 'movers'],
    );
    expect(files.get('xl/worksheets/sheet1.xml')).toContain('<autoFilter ref="A1:E1048576"/>');
    expect(files.get('xl/worksheets/sheet1.xml')).toContain('<c r="B1048576"><v>1048575</v></c>');
    expect(files.get('xl/worksheets/sheet2.xml')).toContain(
      '<c r="B2"><v>1048576</v></c></row></sheetData><autoFilter ref="A1:E2"/>',
    );
  });

  it('is written in small pieces', () => {
    const rows = Array.from({ length: 20_000 }, (_, at) => [
      `keyword ${at}`,
      `${at}`,
      'true',
      '2026-01-15T06:00:00.000Z',
      'tag',
    ]);
    const pieces = [...xlsxChunks([table(rows)])];
    expect(pieces.length).toBeGreaterThan(20);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(200_000);
  });

  it('names columns as Excel does', () => {
    expect([0, 25, 26, 51, 52, 701, 702].map(columnName)).toEqual(['A', 'Z', 'AA', 'AZ', 'BA', 'ZZ', 'AAA']);
  });
});

describe('reading CSV back', () => {
  it.each([1, 2, 3, 7, 64, 10_000])('gives the same cells in pieces of %i characters', (size) => {
    const random = seeded(3);
    const texts = Array.from({ length: 300 }, () => hostileText(random).toWellFormed()).filter(
      (text) => !text.startsWith("'"),
    );
    const column: CsvColumn<string> = { name: 'text', kind: 'text', description: 'A text', value: (text) => text };
    const twice = [column, { ...column, name: 'again' }];
    for (const csv of [
      { bom: true, delimiter: ',', safe: true },
      { bom: false, delimiter: '\t', safe: false },
    ]) {
      const whole = [...csvChunks(twice, texts, csv)].join('');
      const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) =>
        whole.slice(at * size, (at + 1) * size),
      );
      expect([...csvRows(pieces, csv)].slice(1)).toEqual(texts.map((text) => [text, text]));
    }
  });
});
