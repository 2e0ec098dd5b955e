// A compressed spool returns lines exactly as csv.ts wrote them, of any size and number.
import { describe, expect, it } from 'vitest';
import { csvChunks, defaultCsvOptions } from '../../../src/report/formats/csv.ts';
import { startSpool } from '../../../src/report/formats/spool.ts';
import { columns, lineTexts } from '../line-texts.ts';

function bytesOf(chunks: Iterable<string | Uint8Array>): string {
  return Buffer.concat(Array.from(chunks, (chunk) => Buffer.from(chunk))).toString('utf8');
}

describe('a spool', () => {
  it.each(lineTexts)('returns %s as they were written', (_, texts) => {
    const rows = texts.map((text, number) => ({ text, number }));
    const spool = startSpool(columns, defaultCsvOptions);
    for (const row of rows) spool.add(row);
    expect(spool.count()).toBe(rows.length);
    expect(bytesOf(spool.chunks())).toBe([...csvChunks(columns, rows)].join(''));
  });
});
