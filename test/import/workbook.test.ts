// Workbooks as tables, and hostile ones.
import { strToU8, unzipSync, zipSync } from 'fflate';
import { expect, it, test } from 'vitest';
import { readWorkbook } from '../../src/import/text/workbook.ts';
import { sheetXml, workbook } from '../helpers/workbook.ts';

test('each sheet is a table: numbers without format, dates by day, quotes, and the row of a cell as its line', async () => {
  const bytes = workbook({
    Empty: [],
    Queries: [
      [],
      ['Top queries', 'Clicks', 'CTR', 'Date'],
      ['a "b", c\nd', 1234567, 0.0353, { date: 46027 }],
      [null, 3.5],
    ],
  });
  expect(await readWorkbook(bytes)).toEqual([
    { name: 'Empty', text: '' },
    {
      name: 'Queries',
      text: ',,,\nTop queries,Clicks,CTR,Date\n"a ""b"", c d",1234567,0.0353,2026-01-05\n,3.5,,',
    },
  ]);
});

test('an archive of other files is not a workbook', async () => {
  expect(await readWorkbook(zipSync({ 'Queries.csv': strToU8('a') }))).toBeNull();
});

const cell = (name: string): string => `<row r="${/\d+/.exec(name)?.[0]}"><c r="${name}"><v>1</v></c></row>`;
const sheetsOf = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`S${at}`, [['a']]]));
const withPart = (name: string, part: Uint8Array) => zipSync({ ...unzipSync(workbook({ S: [['a']] })), [name]: part });

/** The archive says of a part that it unpacks to one byte. */
function withFalseSize(bytes: Uint8Array, name: string): Uint8Array {
  const lying = Buffer.from(bytes);
  for (let at = lying.indexOf(name); at !== -1; at = lying.indexOf(name, at + 1)) {
    const [header, size] = lying.readUInt32LE(at - 46) === 0x02014b50 ? [46, 24] : [30, 22];
    lying.writeUInt32LE(1, at - header + size);
  }
  return lying;
}

it.each([
  ['a cell far out', workbook({ S: sheetXml(cell('XFD1048576')) }), 'more than 5000000 cells'],
  ['two cells far apart', workbook({ S: sheetXml(cell('A1') + cell('ZZ99999')) }), 'more than 5000000 cells'],
  ['a cell beyond every sheet', workbook({ S: sheetXml(cell('ZZZZZZ9999999999')) }), 'damaged workbook'],
  ['a reference in entities', workbook({ S: sheetXml('<c r="&#88;FD1048576"><v>1</v></c>') }), 'damaged workbook'],
  ['101 sheets', workbook(sheetsOf(101)), 'more than 100 sheets'],
  [
    'a part that unpacks to more than it may',
    withPart('xl/worksheets/sheet9.xml', new Uint8Array(257 << 20)),
    '256 MiB',
  ],
  ['no XML', workbook({ S: 'PK'.repeat(100) }), 'cannot be read'],
  ['a truncated archive', workbook({ S: [['a']] }).subarray(0, 400), 'damaged archive or workbook'],
])('a workbook with %s is refused', async (_what, bytes, reason) => {
  await expect(readWorkbook(bytes)).rejects.toThrow(reason);
});

test('a part is not unpacked beyond the size that its archive states', async () => {
  const bytes = workbook({ S: Array.from({ length: 5_000 }, () => ['a'.repeat(500)]) });
  const before = process.memoryUsage.rss();
  await expect(readWorkbook(withFalseSize(bytes, 'xl/worksheets/sheet1.xml'))).rejects.toThrow('cannot be read');
  expect(process.memoryUsage.rss() - before).toBeLessThan(100 * 1_048_576);
});
