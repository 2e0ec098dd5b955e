// Reads the organic results of many checks from their archived pages.
import type { Connection } from '../../connection/client.ts';
import { decodeOrganic } from '../../connection/serp-archive.ts';
import type { TableRow } from '../../schema/rows.ts';
import type { OrganicColumns } from './organic-columns.ts';

/** Limits memory: the archived pages of so many checks are held at once. */
const checksPerRead = 500;

/** In the order of `checks`. */
export function organicResults(
  db: Connection,
  checks: readonly { readonly id: number; readonly searchId: number }[],
): OrganicColumns {
  const counts = new Uint16Array(checks.length);
  const urlIds: Int32Array[] = [];
  for (let from = 0; from < checks.length; from += checksPerRead) {
    const rows = db
      .sql<{ at: number } & TableRow<'check_pages', 'page'> & TableRow<'pages', 'archive'>>(
        `SELECT w.key AS at, cp.page, p.archive FROM json_each(?) w CROSS JOIN check_pages cp ON cp.check_id = w.value
         CROSS JOIN pages p ON p.id = cp.page_id ORDER BY w.key, cp.page`,
      )
      .all(JSON.stringify(checks.slice(from, from + checksPerRead).map(({ id }) => id)));
    const found: number[] = [];
    for (const { at, archive } of provenPages(rows)) {
      const ofPage = decodeOrganic(archive);
      for (const urlId of ofPage) found.push(urlId);
      counts[from + at] = (counts[from + at] ?? 0) + ofPage.length;
    }
    urlIds.push(Int32Array.from(found));
  }
  return { searchIds: Int32Array.from(checks, ({ searchId }) => searchId), counts, urlIds: concatenate(urlIds) };
}

/** Pages before the first missing one of a check: ranks beyond it are unknown. `rows` are sorted by check and page. */
function* provenPages<Row extends { readonly at: number; readonly page: number }>(rows: Iterable<Row>): Generator<Row> {
  let [lastAt, lastPage] = [-1, 0];
  for (const row of rows) {
    const isNext = row.page === (row.at === lastAt ? lastPage + 1 : 1);
    lastAt = row.at;
    lastPage = isNext ? row.page : Number.NaN;
    if (isNext) yield row;
  }
}

function concatenate(pieces: readonly Int32Array[]): Int32Array {
  const all = new Int32Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
