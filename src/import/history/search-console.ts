// Recognises Search Console's performance report to reject it: its position is an average, not a rank of one page.

import type { Reading, RejectedCell } from './reading.ts';
import { shortened, type TableFormat } from './table.ts';

const impressions =
  /^(impress|impresi|vertoning|wyświetl|visning|exponering|eksponering|показ|gösterim|表示回数|展示|曝光|노출|zobrazen|näyttök|megjelen|afișări)/i;

/** The table has clicks, impressions, CTR and position in every language; "CTR" is never translated. */
export function isPerformanceReport(header: readonly string[]): boolean {
  const hasCtr = header.some((cell) => /^(avg\.? |average )?(site )?ctr$/i.test(cell));
  return hasCtr && header.some((cell) => impressions.test(cell));
}

export const searchConsole: TableFormat = {
  name: 'search-console',
  signs: { notFound: [], unclear: [] },
  layoutOf(header) {
    if (!isPerformanceReport(header)) return null;
    return { width: header.length, columns: new Map([['keyword', 0]]), dated: [] };
  },
  refusalOf: () => 'average',
};

/**
 * The API response: `{"rows": [{"keys": [...], "clicks", "impressions", "ctr", "position"}]}`. Null: another document.
 */
export function searchConsoleRows(document: unknown): readonly object[] | null {
  const rows = (document as { rows?: unknown } | null)?.rows;
  if (!Array.isArray(rows) || rows.length === 0) return null;
  return rows.every((row) => typeof row === 'object' && row !== null && 'impressions' in row && 'position' in row)
    ? rows
    : null;
}

export function* searchConsoleReadings(rows: readonly object[]): Generator<Reading | RejectedCell> {
  for (const [index, row] of rows.entries()) {
    yield { line: index + 1, refused: 'average', said: shortened(JSON.stringify(row)) };
  }
}
