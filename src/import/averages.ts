// Search Console's performance report, recognised to be refused: its "position" is an average over impressions, on no day and no results page.

import type { Reading, Refused } from './reading.ts';
import { shortened, type TableFormat } from './table.ts';

const impressions =
  /^(impress|impresi|vertoning|wyświetl|visning|exponering|eksponering|показ|gösterim|表示回数|展示|曝光|노출|zobrazen|näyttök|megjelen|afișări)/i;

/** Its table has clicks, impressions, CTR and position in every language; CTR is called so in all of them. */
export const searchConsole: TableFormat = {
  name: 'search-console',
  signs: { notFound: [], unclear: [] },
  layoutOf(header) {
    const hasCtr = header.some((cell) => /^(avg\.? |average )?(site )?ctr$/i.test(cell));
    if (!hasCtr || !header.some((cell) => impressions.test(cell))) return null;
    return { width: header.length, columns: new Map([['keyword', 0]]), dated: [] };
  },
  refusalOf: () => 'average',
};

/** What its API answers: `{"rows": [{"keys": [...], "clicks", "impressions", "ctr", "position"}]}`. Null: this is something else. */
export function searchConsoleRows(document: unknown): readonly object[] | null {
  const rows = (document as { rows?: unknown } | null)?.rows;
  if (!Array.isArray(rows) || rows.length === 0) return null;
  return rows.every((row) => typeof row === 'object' && row !== null && 'impressions' in row && 'position' in row)
    ? rows
    : null;
}

export function* searchConsoleReadings(rows: readonly object[]): Generator<Reading | Refused> {
  for (const [index, row] of rows.entries()) {
    yield { line: index + 1, refused: 'average', said: shortened(JSON.stringify(row)) };
  }
}
