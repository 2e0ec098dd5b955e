// Reads tables of a performance report that Search Console exports as CSV: by query, by page or by date.
import { delimiters, parseRows } from '../text/delimited.ts';
import { isPerformanceReport } from './search-console.ts';

interface ReportLine {
  /** A query, the URL of a page, or a date. */
  readonly name: string;
  readonly clicks: number;
  readonly impressions: number;
  readonly position: number;
}

export interface PerformanceTable {
  readonly kind: 'queries' | 'pages' | 'dates' | 'other';
  /** Name of the first column, such as `Top queries`. */
  readonly column: string;
  readonly lines: readonly ReportLine[];
  /** Numbers of lines that cannot be read. */
  readonly rejected: readonly number[];
}

/** The first column of tables by country, device and search appearance, in the languages of Search Console. */
const otherTableColumn = new RegExp(
  [
    '^(countr|land$|länder|pays|pa[ií]s|paes|kraj|страна|ülke|国|國|국가|zem|maa|ország|țar', // country
    'devic|gerät|appar|dispo|urządz|enhe|устр|cihaz|デバイス|设备|裝置|기기|zaříz|lait|eszköz', // device
    'search app|darst|aspe|apar|wygl|udse|utse|вид|arama g|検索での|搜索结果呈|검색 노출|vzhl|ulko)', // search appearance
  ].join('|'),
  'iu',
);

/** Null: another table. In every language, the columns are name, clicks, impressions, CTR and position. */
export function readPerformanceTable(text: string): PerformanceTable | null {
  for (const delimiter of delimiters) {
    const [header, ...rows] = parseRows([text], delimiter);
    if (header === undefined || header.cells.length !== 5 || !isPerformanceReport(header.cells)) continue;
    const lines: ReportLine[] = [];
    const rejected: number[] = [];
    for (const { cells, line, isBroken } of rows) {
      const read = isBroken ? null : readLine(cells);
      if (read === null) rejected.push(line);
      else lines.push(read);
    }
    const [column = ''] = header.cells;
    return { kind: otherTableColumn.test(column) ? 'other' : kindOf(lines), column, lines, rejected };
  }
  return null;
}

function readLine([name = '', clicks = '', impressions = '', , position = '']: readonly string[]): ReportLine | null {
  const line = {
    name,
    clicks: wholeNumber(clicks),
    impressions: wholeNumber(impressions),
    position: /^\d+([.,]\d+)?$/.test(position) ? Number(position.replace(',', '.')) : Number.NaN,
  };
  const isRead = name !== '' && ![line.clicks, line.impressions, line.position].some(Number.isNaN);
  return isRead ? line : null;
}

function wholeNumber(cell: string): number {
  return /^\d+$/.test(cell) ? Number(cell) : Number.NaN;
}

function kindOf(lines: readonly ReportLine[]): PerformanceTable['kind'] {
  const all = (pattern: RegExp): boolean => lines.length > 0 && lines.every(({ name }) => pattern.test(name));
  if (all(/^\d{4}-\d\d-\d\d$/)) return 'dates';
  return all(/^https?:\/\//) ? 'pages' : 'queries';
}
