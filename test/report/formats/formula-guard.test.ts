// No text of a table runs as a formula at any delimiter of a spreadsheet, and every text is read back unchanged.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { type CsvColumn, csvChunks } from '../../../src/report/formats/csv.ts';
import { guardFormulas, unguardFormulas } from '../../../src/tracker/formula-guard.ts';
import { seeded } from '../../helpers/seeded.ts';
import { hostileText } from '../hostile-text.ts';

interface Line {
  readonly text: string;
  readonly number: number;
  readonly items: readonly string[];
}

const columns: readonly CsvColumn<Line>[] = [
  { name: 'text', kind: 'text', description: 'A text', value: (line) => line.text },
  { name: 'number', kind: 'number', description: 'A number', value: (line) => line.number },
  { name: 'items', kind: 'list', description: 'A list', value: (line) => line.items },
];
const delimiters = [',', ';', '\t', '|'] as const;
const payloads = ['=1+1', '+1+1', '-2+3', '@SUM(1,2)', '＝1+1', '＋1+1', '－1', '＠SUM(A1)', "=cmd|'/C calc'!A1"];
const leads = [
  '',
  ' ',
  '"',
  '""',
  '\u0000',
  '\u0001',
  '\u001F',
  '\u00A0',
  '\u200B',
  '\uFEFF',
  '\t',
  '\r',
  '\n',
  '\r\n',
];
const hostile: readonly string[] = payloads.flatMap((payload) =>
  leads.flatMap((lead) => [
    `${lead}${payload}`,
    ...[...delimiters, '\n', '\r\n'].flatMap((delimiter) => [
      `shoes${delimiter}${lead}${payload}${delimiter}`,
      `https://a.example/?q=1${delimiter}${lead}${payload}${delimiter}x"`,
    ]),
  ]),
);

/** Whether a spreadsheet may evaluate a cell: it ignores invisible characters. A plain number is no formula. */
function isLive(cell: string): boolean {
  const seen = cell.replace(/^[\s"\p{Cc}\p{Cf}]+/u, '');
  return /^[=+\-@＝＋－＠]/.test(seen) && !/^-?\d+(\.\d+)?$/.test(cell);
}

function fileOf(texts: readonly string[], delimiter: string, safe = true): string {
  const lines = texts.map((text, at) => ({ text, number: -at, items: ['tag', text] }));
  return [...csvChunks(columns, lines, { bom: true, delimiter, safe })].join('');
}

/** Cells as seen by a reader that splits at another delimiter: a real reader, and one that ignores quotes. */
function cellsAt(file: string, splitter: string, delimiter: string): string[] {
  const text = file.slice(1);
  const cells = Papa.parse<string[]>(text, { delimiter: splitter, newline: '\r\n' }).data.flat();
  return splitter === delimiter ? cells : [...cells, ...text.split(/[\r\n]+/).flatMap((line) => line.split(splitter))];
}

describe('a table of hostile texts', () => {
  const random = seeded(9);
  const texts = [...hostile, ...Array.from({ length: 10_000 }, () => hostileText(random))];

  it.each(delimiters)('written with %j has no live formula at any common delimiter', (delimiter) => {
    const file = fileOf(texts, delimiter);
    for (const splitter of delimiters) {
      const cells = cellsAt(file, splitter, delimiter);
      // after a TAB of the file comes the next column: a number, or a text that is guarded at its start
      const live = cells.filter((cell) => isLive(cell) && !/^[\s"\p{Cc}\p{Cf}]*\t-\d+\t/u.test(cell));
      console.log(
        `written with ${JSON.stringify(delimiter)}, split at ${JSON.stringify(splitter)}: ${live.length} live of ${cells.length}`,
      );
      expect(live).toEqual([]);
    }
  });

  it('has live formulas without the guard, so that the check can fail', () => {
    const lines = texts.map((text) => ({ text, number: 0, items: [] }));
    const file = [...csvChunks(columns, lines, { bom: true, delimiter: ',', safe: false })].join('');
    for (const splitter of delimiters) expect(cellsAt(file, splitter, ',').filter(isLive).length).toBeGreaterThan(100);
  });
});

const office = ['soffice', 'libreoffice'].find((name) => spawnSync(name, ['--version']).status === 0);

describe.skipIf(office === undefined)('LibreOffice (installed here)', () => {
  it.each([
    [';', 59],
    ['\t', 9],
    ['|', 124],
    [',', 44],
  ])('finds no formula if it splits at %j, and many without the guard', (_splitter, code) => {
    const texts = hostile.filter((text) => !text.includes('\u0000'));
    expect(formulasIn(fileOf(texts, ','), code)).toBe(0);
    expect(formulasIn(fileOf(texts, ',', false), code)).toBeGreaterThan(1);
  });
});

/** How many cells LibreOffice treats as formulas if it splits at this character code and evaluates on import. */
function formulasIn(csv: string, code: number): number {
  const folder = mkdtempSync(join(tmpdir(), 'rankledger-office-'));
  try {
    const file = join(folder, 'table.csv');
    writeFileSync(file, csv);
    const ended = spawnSync(
      office ?? '',
      [
        `-env:UserInstallation=file://${folder}/profile`,
        '--headless',
        `--infilter=CSV:${code},34,76,1,,0,false,true,false,false,false,-1,true`,
        ...['--convert-to', 'fods', '--outdir', folder, file],
      ],
      { timeout: 120_000 },
    );
    expect(ended.status).toBe(0);
    return (readFileSync(join(folder, 'table.fods'), 'utf8').match(/table:formula=/g) ?? []).length;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('the formula guard', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['shoes', 'shoes'],
    ["rock 'n' roll", "rock 'n' roll"],
    ["'=1", "''=1"],
    ['a;=1+1;b', "a;'=1+1;b"],
    ['a;"=1+1', `a;"'=1+1`],
    ['a|b|-c', "a|b|'-c"],
    ['\u0000=1', "'\u0000=1"],
    ['\tshoes', "'\tshoes"],
    ['a\r\n=1', "a\r\n'=1"],
    ['https://a.example/x;y=1?z=-1,-2', 'https://a.example/x;y=1?z=-1,-2'],
  ])('makes %j into %j in a file with commas', (text, expected) => {
    expect(guardFormulas(text, ',')).toBe(expected);
  });

  it('can be removed again without a trace, from any text', () => {
    const unit = fc.constantFrom(...'=+-@;|,\'" \ta＝', '\r', '\n', '\u0000', '\u200B');
    const text = fc.string({ unit, maxLength: 14 });
    fc.assert(
      fc.property(text, fc.constantFrom(...delimiters), (original, delimiter) => {
        expect(unguardFormulas(guardFormulas(original, delimiter), delimiter)).toBe(original);
      }),
      { numRuns: 1_000 },
    );
  });
});
