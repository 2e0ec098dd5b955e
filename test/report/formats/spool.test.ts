// Lines that wait packed come out as csv.ts writes them, whatever their size and however many.
import { describe, expect, it } from 'vitest';
import { csvChunks, defaultCsvOptions } from '../../../src/report/formats/csv.ts';
import { startSpool } from '../../../src/report/formats/spool.ts';
import { columns, lineTexts } from '../line-texts.ts';

function bytesOf(chunks: Iterable<string | Uint8Array>): string {
  return Buffer.concat(Array.from(chunks, (chunk) => Buffer.from(chunk))).toString('utf8');
}

describe('a spool', () => {
  it.each(lineTexts)('gives back %s as they were written', (_, texts) => {
    const rows = texts.map((text, number) => ({ text, number }));
    const spool = startSpool(columns, defaultCsvOptions);
    for (const row of rows) spool.add(row);
    expect(spool.count()).toBe(rows.length);
    expect(bytesOf(spool.chunks())).toBe([...csvChunks(columns, rows)].join(''));
  });
});
