// Rank tables of any other tool: columns by name or `--map`; one row a day, or one column a day.
import { parseDate } from './dates.ts';
import { type ColumnRole, columnRoles, type ReadOptions, UnreadableHistory } from './reading.ts';
import type { DatedColumn, Layout, TableFormat } from './table.ts';
import { parseDevice, unclearSigns } from './values.ts';

/** Usual column names, in lower case. */
const usualNames: Readonly<Record<ColumnRole, readonly string[]>> = {
  keyword: ['keyword', 'keywords', 'query', 'search term', 'keyphrase', 'phrase', 'search phrase'],
  date: ['date', 'day', 'local_date', 'checked_at', 'checked at', 'timestamp', 'datetime', 'date checked'],
  rank: ['rank', 'position', 'ranking', 'pos', 'organic rank', 'current rank', 'current position'],
  url: ['url', 'ranking url', 'landing', 'landing page', 'url found', 'ranking_url', 'page url'],
  country: ['country', 'country code', 'market', 'region', 'location'],
  language: ['language', 'lang'],
  device: ['device', 'device type', 'platform'],
  target: ['target', 'domain', 'website', 'site'],
  volume: ['volume', 'search volume', 'avg monthly searches', 'avg. monthly searches', 'searches', 'search_volume'],
};

const headerDate = /(?<!\d)(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|(?:19|20)\d{6}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4})(?!\d)/;

export const anyCsv: TableFormat = {
  name: 'csv',
  signs: { notFound: [], unclear: unclearSigns },
  layoutOf(header, options) {
    const columns = findColumns(header, options.map);
    if (columns === null || !columns.has('keyword')) return null;
    if (options.map.has('rank') || (columns.has('rank') && hasDay(columns, options))) {
      return columns.has('rank') && hasDay(columns, options) ? { width: header.length, columns, dated: [] } : null;
    }
    const dated = datedColumns(header, options);
    return dated.length === 0 ? null : { width: header.length, columns, dated };
  },
};

/** Describes the missing columns of a header, for the error message. */
export function missingColumns(header: readonly string[], { map, date }: ReadOptions): string {
  const unknown = [...map].filter(([, name]) => indexOf(header, [name]) === -1).map(([, name]) => `"${name}"`);
  if (unknown.length > 0) return `it has no column ${unknown.join(', ')}; it has: ${header.join(', ')}`;
  const columns = findColumns(header, map);
  const missing = (['keyword', 'rank', 'date'] as const).filter(
    (role) => columns?.has(role) !== true && !(role === 'date' && date !== undefined),
  );
  return `no column of it is known to hold the ${missing.join(', the ')}; it has: ${header.join(', ')}`;
}

/** Null if a mapped column is missing. */
function findColumns(header: readonly string[], map: ReadOptions['map']): Map<ColumnRole, number> | null {
  const columns = new Map<ColumnRole, number>();
  for (const role of columnRoles) {
    const named = map.get(role);
    const at = indexOf(header, named === undefined ? usualNames[role] : [named]);
    if (at !== -1) columns.set(role, at);
    else if (named !== undefined) return null;
  }
  return columns;
}

function hasDay(columns: Layout['columns'], options: ReadOptions): boolean {
  return columns.has('date') || options.date !== undefined;
}

function indexOf(header: readonly string[], names: readonly string[]): number {
  const known = names.map((name) => name.trim().toLowerCase());
  return header.findIndex((cell) => known.includes(cell.toLowerCase()));
}

/**
 * Columns such as `2026-01-27 Mobile`, `Rank 20260127`, `acme.com_2026-01-27`. A header with other words is not a rank
 * column.
 */
function datedColumns(header: readonly string[], options: ReadOptions): DatedColumn[] {
  return header.flatMap((cell, rank): DatedColumn[] => {
    const written = headerDate.exec(cell)?.[1];
    if (written === undefined) return [];
    const rest = cell
      .replace(written, ' ')
      .split(/[\s_()[\]:,|]+/)
      .filter((word) => word !== '' && word !== '-');
    const words = rest.filter((word) => !/^(rank|ranking|position|pos)$/i.test(word));
    const devices = words.flatMap((word) => parseDevice(word) ?? []);
    const targets = words.filter((word) => word.includes('.') && parseDevice(word) === null);
    if (devices.length + targets.length < words.length || devices.length > 1 || targets.length > 1) return [];
    const read = parseDate(written, options.timezone, options.dateFormat);
    if ('refused' in read) {
      if (read.refused !== 'ambiguous_date') return [];
      throw new UnreadableHistory(
        `the day of its column "${cell.slice(0, 60)}" may be a month`,
        'Say which comes first, day or month: --date-format dmy or --date-format mdy.',
      );
    }
    const { date } = read;
    return [{ date, rank, url: null, element: null, target: targets[0] ?? null, device: devices[0] ?? null }];
  });
}
