// Lines that wait packed come out as csv.ts writes them, whatever their size and however many.
import { describe, expect, it } from 'vitest';
import { type CsvColumn, csvChunks, defaultCsvOptions } from '../../src/report/csv.ts';
import { startSpool } from '../../src/report/spool.ts';

const columns: readonly CsvColumn<{ readonly text: string; readonly number: number }>[] = [
  { name: 'text', kind: 'text', description: '', value: (row) => row.text },
  { name: 'number', kind: 'number', description: '', value: (row) => row.number },
];

function bytesOf(chunks: Iterable<string | Uint8Array>): string {
  return Buffer.concat(Array.from(chunks, (chunk) => Buffer.from(chunk))).toString('utf8');
}

describe('a spool', () => {
  it.each([
    ['no lines', []],
    ['one line', ['=a']],
    ['texts of several bytes a character', Array.from({ length: 30_000 }, (_, index) => `käse 寿司 🍣 "${index}"`)],
    ['lines longer than a piece', ['x', 'ü'.repeat(300_000), 'y', '🍣'.repeat(70_000), 'z']],
    ['lone surrogates', ['a\ud800', '\udfffb']],
  ])('gives back %s as they were written', (_, texts) => {
    const rows = texts.map((text, number) => ({ text, number }));
    const spool = startSpool(columns, defaultCsvOptions);
    for (const row of rows) spool.add(row);
    expect(spool.count()).toBe(rows.length);
    expect(bytesOf(spool.chunks())).toBe([...csvChunks(columns, rows)].join(''));
  });
});
