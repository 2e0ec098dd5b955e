// Cannibalization over time: which pages of a row took turns, by date and by period.
import { describe, expect, it } from 'vitest';
import type { HistoryReader } from '../../../src/read/contract.ts';
import type { CannibalizationAnswer, KeywordRow } from '../../../src/read/records.ts';
import { pageTurns } from '../../../src/read/sums/page-turns.ts';
import { answerPath } from '../../../src/workspace/embedded/answer.ts';

const [a, b, c] = ['https://acme.com/a', 'https://acme.com/b', 'https://acme.com/c'];
const dates = ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04', '2026-01-05'];

function rowOf(id: string, searchVolume: number | null = null): KeywordRow {
  // only the fields of the answer are read
  return { id, keyword: id, searchVolume, rank: 1, url: a, preferredUrl: null } as KeywordRow;
}

describe('pages that take turns', () => {
  it('are counted where another page ranks than at the last date with a known page', () => {
    const rows = [
      { row: rowOf('turns'), urls: [a, null, b, a, a], ranks: [3, null, 5, 2, 4] },
      { row: rowOf('stays'), urls: [c, c, c, c, null], ranks: [1, 1, 1, 1, null] },
    ];
    const answer = pageTurns(rows, dates, [0, 1, 2, 3, 4]);
    expect(answer).toMatchObject({ dates, ranked: [2, 1, 2, 2, 1], flips: [0, 0, 1, 1, 0], total: 1 });
    expect(answer.rows).toHaveLength(1);
    expect(answer.rows[0]).toMatchObject({
      id: 'turns',
      flips: 2,
      pages: [
        { url: a, dates: 3, bestRank: 2, last: '2026-01-05' },
        { url: b, dates: 1, bestRank: 5, last: '2026-01-03' },
      ],
      turns: [0, null, 1, 0, 0],
    });
  });

  it('are no other spellings of one page', () => {
    const urls = [a, 'http://acme.com/a#top', `${a}?srsltid=1`, a, a];
    expect(pageTurns([{ row: rowOf('one'), urls, ranks: [1, 1, 1, 1, 1] }], dates, [0, 1, 2, 3, 4]).total).toBe(0);
  });

  it('count in the week or month in which they happen, also between its shown dates', () => {
    const rows = [{ row: rowOf('turns'), urls: [a, b, a, b, a], ranks: [1, 1, 1, 1, 1] }];
    const answer = pageTurns(rows, dates, [2, 4]);
    expect(answer).toMatchObject({ dates: ['2026-01-03', '2026-01-05'], flips: [2, 2], ranked: [1, 1] });
    expect(answer.rows[0]?.turns).toEqual([0, 0]);
  });

  it('come by their number, then by volume', () => {
    const rows = [
      { row: rowOf('few', 10), urls: [a, b, b], ranks: [1, 1, 1] },
      { row: rowOf('many'), urls: [a, b, a], ranks: [1, 1, 1] },
      { row: rowOf('busy', 900), urls: [a, b, b], ranks: [1, 1, 1] },
    ];
    expect(pageTurns(rows, dates.slice(0, 3), [0, 1, 2]).rows.map(({ id }) => id)).toEqual(['many', 'busy', 'few']);
  });

  it('are 500 rows in a document, which counts all, and all in the list of pages', () => {
    const rows = Array.from({ length: 501 }, (_, at) => ({ row: rowOf(`row ${at}`), urls: [a, b], ranks: [1, 1] }));
    const acme = { cannibalization: () => pageTurns(rows, dates.slice(0, 2), [0, 1]) };
    const reader = { version: () => '1', of: () => acme };
    const read = (path: string) => answerPath(reader as unknown as HistoryReader, `/v1/projects/acme/${path}`);
    const document = read('cannibalization') as CannibalizationAnswer;
    expect([document.total, document.rows.length]).toEqual([501, 500]);
    expect(read('cannibalization/pages?limit=1')).toMatchObject({ total: 1002 });
  });
});
