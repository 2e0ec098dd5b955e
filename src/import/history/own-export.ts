// Our own tables of ranks: `export` as CSV or JSON, `history --csv`, and tables of reports.
import { unguardFormulas } from '../../tracker/formula-guard.ts';
import { localDate } from '../../tracker/schedule/local-time.ts';
import { parseDevice } from '../cells/values.ts';
import type { Row } from '../text/delimited.ts';
import type { Reading, ReadOptions, RejectedCell } from './reading.ts';
import { isKeyword, normalKeywordText, shortened } from './table.ts';

const required = ['project', 'keyword', 'country', 'language', 'device', 'target', 'status', 'rank', 'depth', 'source'];
const days = ['local_date', 'date', 'checked_at'];

/** Null: the table of another program. */
export function ownLayout(header: readonly string[]): { readonly width: number } | null {
  const isOurs = required.every((name) => header.includes(name)) && days.some((name) => header.includes(name));
  return isOurs ? { width: header.length } : null;
}

/** Rows of a table below this header. `delimiter`: that of the file, at which formulas are guarded. */
export function* ownReadings(
  header: readonly string[],
  rows: Iterable<Row>,
  delimiter: string,
  options: ReadOptions,
): Generator<Reading | RejectedCell> {
  for (const { line, cells, isBroken } of rows) {
    if (isBroken || cells.length !== header.length)
      yield { line, refused: 'broken_row', said: shortened(isBroken ? '"' : cells.join(' | ')) };
    else yield readRow(line, (name) => unguardFormulas(cells[header.indexOf(name)] ?? '', delimiter), options);
  }
}

/** Rows of `export --format jsonl`, and of `export --json`. Null: another document. */
export function ownObjects(document: unknown): readonly Readonly<Record<string, unknown>>[] | null {
  const rows = Array.isArray(document) ? document : (document as { rows?: unknown } | null)?.rows;
  if (!Array.isArray(rows) || rows.length === 0) return null;
  const isOurs = rows.every((row) => typeof row === 'object' && row !== null && ownLayout(Object.keys(row)) !== null);
  return isOurs ? (rows as Readonly<Record<string, unknown>>[]) : null; // each one is an object, as checked above
}

export function* ownObjectReadings(
  rows: Iterable<Readonly<Record<string, unknown>>>,
  options: ReadOptions,
): Generator<Reading | RejectedCell> {
  let line = 0;
  for (const row of rows) {
    line += 1;
    yield readRow(line, (name) => textOf(row[name]), options);
  }
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join('|');
  return value === null || value === undefined ? '' : String(value);
}

function readRow(line: number, cell: (name: string) => string, { timezone }: ReadOptions): Reading | RejectedCell {
  const keyword = normalKeywordText(cell('keyword'));
  if (!isKeyword(keyword)) return { line, refused: 'bad_keyword', said: shortened(keyword) };
  const checkedAt = cell('checked_at') === '' ? null : Date.parse(cell('checked_at'));
  const seen = checkedAt === null ? '' : Number.isNaN(checkedAt) ? 'unreadable' : localDate(checkedAt, timezone);
  const date = cell('local_date') || cell('date') || seen;
  if (!/^\d{4}-\d\d-\d\d$/.test(date) || Number.isNaN(checkedAt))
    return { line, refused: 'unreadable_date', said: shortened(`${keyword}: ${date} ${cell('checked_at')}`.trim()) };
  const device = parseDevice(cell('device'));
  if (device === null)
    return { line, refused: 'unknown_market', said: shortened(`${cell('country')} ${cell('device')}`.trim()) };
  const status = cell('status');
  const [rank, depth, page, absoluteRank] = (['rank', 'depth', 'page', 'absolute_rank'] as const).map((name) =>
    /^[1-9]\d{0,5}$/.test(cell(name)) ? Number(cell(name)) : null,
  );
  const isRanked = status === 'ranked';
  if ((isRanked || status === 'not_found') && (depth == null || isRanked !== (rank != null)))
    return { line, refused: 'unreadable_rank', said: shortened(`${keyword}: ${status} ${cell('rank')}`) };
  // what was not proven stays unknown, and a discarded run counts nowhere
  const isKnown = (isRanked || status === 'not_found') && !cell('note').startsWith('discarded run');
  return {
    line,
    keyword,
    date,
    target: cell('target'),
    country: cell('country'),
    language: cell('language'),
    device,
    location: cell('location') || null,
    url: cell('url') || null,
    volume: null,
    ranking: !isKnown
      ? { kind: 'nothing' }
      : isRanked
        ? { kind: 'ranked', rank: rank ?? 0 }
        : { kind: 'notFound', top: null },
    exported: {
      project: cell('project'),
      slot: cell('slot') || null,
      checkedAt,
      source: cell('source') || null,
      depth: depth ?? 0,
      page: page ?? null,
      absoluteRank: absoluteRank ?? null,
      ownedFeatures: cell('owned_features')
        .split('|')
        .filter((name) => name !== ''),
    },
  };
}
