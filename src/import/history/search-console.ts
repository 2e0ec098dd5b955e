// Rejects performance reports as ranks: their position is an average, not a rank of one page.

import { performanceLayout } from './performance-report.ts';
import type { Reading, RejectedCell } from './reading.ts';
import { shortened, type TableFormat } from './table.ts';

export const searchConsole: TableFormat = {
  name: 'search-console',
  signs: { notFound: [], unclear: [] },
  layoutOf(header, _options, { below }) {
    const found = performanceLayout(header, below);
    if (found === null) return null;
    const { width, hasHeader } = found;
    return { width, hasHeader, columns: new Map([['keyword', Math.max(found.name, 0)]]), dated: [] };
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
