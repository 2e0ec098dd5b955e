// Keyword lists of Semrush, Ahrefs and other tools: columns by name.
import { plainWord } from '../cells/amounts.ts';
import { monthsBetween, parseMonth, parseMonthHeader } from '../cells/months.ts';
import { performanceLayout } from '../history/performance-report.ts';
import { UnreadableFile } from '../text/unreadable-file.ts';
import {
  type Intent,
  type KeywordLayout,
  type KeywordReadOptions,
  type KeywordRole,
  type KeywordTableFormat,
  keywordRoles,
} from './keyword-reading.ts';

type Names = Partial<Readonly<Record<KeywordRole, readonly string[]>>>;

const semrushNames: Names = {
  keyword: ['keyword', 'ph'],
  volume: ['volume', 'search volume', 'nq'],
  cpc: ['cpc', 'cp'],
  competition: ['competitive density', 'competition density', 'competition', 'com.', 'co'],
  intent: ['intent', 'intents', 'keyword intents', 'in'],
  country: ['database'],
};
/** Column names that only Semrush uses beside keyword and volume. */
const semrushSigns = [
  'competitive density',
  'competition density',
  'keyword difficulty index',
  'keyword intents',
  'serp features by keyword',
  'nq',
];

const ahrefsNames: Names = {
  keyword: ['keyword'],
  volume: ['volume'],
  cpc: ['cpc'],
  intent: ['intents'],
  country: ['country'],
};
const ahrefsSigns = [
  'parent keyword',
  'parent topic',
  'traffic potential',
  'global volume',
  'cps',
  'return rate',
  'current organic traffic',
  'organic traffic change',
];

export const usualKeywordNames: readonly string[] = [
  'keyword',
  'keywords',
  'query',
  'search term',
  'search query',
  'keyphrase',
  'phrase',
  'search phrase',
  // de, es, fr, it, pt, nl
  'suchbegriff',
  'palabra clave',
  'mot-cle',
  'parola chiave',
  'palavra-chave',
  'zoekwoord',
];

const usualNames: Readonly<Record<KeywordRole, readonly string[]>> = {
  keyword: usualKeywordNames,
  volume: [
    'volume',
    'search volume',
    'search_volume',
    'searches',
    'monthly searches',
    'avg monthly searches',
    'avg. monthly searches',
    'average monthly searches',
    // de, es, fr, it, pt, nl; Volumen is German and Spanish
    'suchvolumen',
    'volumen',
    'volumen de busqueda',
    'volume de recherche',
    'volume di ricerca',
    'volume de pesquisa',
    'zoekvolume',
  ],
  cpc: ['cpc', 'cost per click', 'cost_per_click', 'avg cpc', 'avg. cpc', 'average cpc'],
  bid_low: ['low_top_of_page_bid', 'top of page bid (low range)', 'bid low', 'bid_low'],
  bid_high: ['high_top_of_page_bid', 'top of page bid (high range)', 'bid high', 'bid_high'],
  competition: ['competition', 'competition index', 'competition_index', 'competition (indexed value)'],
  level: ['competition level', 'competition_level'],
  intent: ['intent', 'search intent', 'search_intent', 'main_intent'],
  country: ['country', 'country code', 'country_code', 'market', 'location', 'database'],
  language: ['language', 'language code', 'language_code', 'lang'],
  currency: ['currency', 'currency code'],
};

const intentNames: readonly Intent[] = ['commercial', 'informational', 'navigational', 'transactional'];

export const semrushKeywords: KeywordTableFormat = {
  name: 'semrush',
  layoutOf(header) {
    const columns = findColumns(header, semrushNames);
    if (!hasMetrics(columns) || !hasAnyColumn(header, semrushSigns)) return null;
    const currency = parseHeaderCurrency(header, columns) ?? 'USD';
    return { ...plainLayout(header, columns), currency, competitionMax: 1, hasIntentCodes: true };
  },
};

export const ahrefsKeywords: KeywordTableFormat = {
  name: 'ahrefs',
  layoutOf(header) {
    const columns = findColumns(header, ahrefsNames);
    if (!hasMetrics(columns) || !hasAnyColumn(header, ahrefsSigns)) return null;
    const layout = plainLayout(header, columns);
    const intents = columns.has('intent')
      ? []
      : intentNames.flatMap((intent) => {
          const column = header.findIndex((cell) => cell.toLowerCase() === intent);
          return column === -1 ? [] : [{ intent, column }];
        });
    return { ...layout, intents, series: findSeries(header), currency: parseHeaderCurrency(header, columns) ?? 'USD' };
  },
};

/** Queries of Search Console's performance report. Their clicks and impressions are not searches a month. */
export const searchConsoleQueries: KeywordTableFormat = {
  name: 'search-console',
  layoutOf(header, options, below) {
    const found = performanceLayout(header, below);
    if (found === null || found.name === -1) return null;
    if (found.others > 0 && anyKeywords.layoutOf(header, options, below) !== null) return null;
    if (found.isOtherEngine)
      throw new UnreadableFile(
        'it has clicks of another search engine, and no metrics of keywords',
        'Track its keywords: rankledger keywords add FILE.',
      );
    if (found.kind !== 'queries')
      throw new UnreadableFile(`it has clicks by ${found.kind}, not by queries`, 'Export the table of queries.');
    return { ...plainLayout(header, new Map([['keyword', found.name]])), hasHeader: found.hasHeader };
  },
};

export const anyKeywords: KeywordTableFormat = {
  name: 'csv',
  layoutOf(header, options) {
    const columns = mappedColumns(header, options);
    if (columns === null || !columns.has('keyword')) return null;
    const layout = {
      ...plainLayout(header, columns),
      months: header.flatMap((cell, column) => {
        const month = [...columns.values()].includes(column) ? null : parseMonthHeader(cell);
        return month === null ? [] : [{ month, column }];
      }),
      currency: parseHeaderCurrency(header, columns),
    };
    return hasMetrics(columns) || layout.months.length > 0 ? layout : null;
  },
};

/** Describes the missing columns. The header is taken to be the row with a keyword column, else the widest row. */
export function missingKeywordColumns(rows: readonly (readonly string[])[], options: KeywordReadOptions): string {
  const named = rows.filter((cells) => findColumn(cells, usualNames.keyword) !== -1);
  const widest = (named.length > 0 ? named : rows).reduce<readonly string[]>(
    (best, cells) => (cells.length > best.length ? cells : best),
    [],
  );
  const header = widest.slice(0, 20);
  const has = `it has: ${header.join(', ')}`;
  const unknown = [...options.map.values()].filter((name) => findColumn(header, [name]) === -1);
  if (unknown.length > 0) return `it has no column ${unknown.map((name) => `"${name}"`).join(', ')}; ${has}`;
  const columns = mappedColumns(header, options);
  const missing = columns?.has('keyword') === true ? 'metrics of keywords' : 'keyword';
  return `no column was recognised as the ${missing}; ${has}`;
}

function plainLayout(header: readonly string[], columns: ReadonlyMap<KeywordRole, number>): KeywordLayout {
  return {
    width: header.length,
    columns,
    months: [],
    series: null,
    intents: [],
    segment: null,
    currency: null,
    competitionMax: null,
    hasIntentCodes: false,
    mayBeMarked: false,
  };
}

function hasMetrics(columns: ReadonlyMap<KeywordRole, number>): boolean {
  const metrics = ['volume', 'cpc', 'bid_low', 'bid_high', 'competition', 'level', 'intent'] as const;
  return columns.has('keyword') && metrics.some((role) => columns.has(role));
}

function hasAnyColumn(header: readonly string[], names: readonly string[]): boolean {
  return findColumn(header, names) !== -1;
}

/** Null if a mapped column is missing. */
function mappedColumns(header: readonly string[], { map }: KeywordReadOptions): Map<KeywordRole, number> | null {
  const columns = findColumns(header, usualNames);
  for (const [role, name] of map) {
    const at = findColumn(header, [name]);
    if (at === -1) return null;
    for (const [other, column] of columns) if (column === at) columns.delete(other);
    columns.set(role, at);
  }
  return columns;
}

/** A currency in parentheses is not part of the name: `CPC (USD)`. */
function findColumns(header: readonly string[], names: Names): Map<KeywordRole, number> {
  const columns = new Map<KeywordRole, number>();
  for (const role of keywordRoles) {
    const known = names[role] ?? [];
    const bare = header.map((cell) => (isMoney(role) ? cell.replace(/\([A-Z]{3}\)$/, '').trimEnd() : cell));
    const at = findColumn(bare, known);
    if (at !== -1) columns.set(role, at);
  }
  return columns;
}

function isMoney(role: KeywordRole): boolean {
  return role === 'cpc' || role === 'bid_low' || role === 'bid_high';
}

function findColumn(header: readonly string[], names: readonly string[]): number {
  const known = names.map(plainWord);
  for (const name of known) {
    const at = header.findIndex((cell) => plainWord(cell) === name);
    if (at !== -1) return at;
  }
  return -1;
}

/** The currency in a column name: `CPC (EUR)`. */
function parseHeaderCurrency(header: readonly string[], columns: ReadonlyMap<KeywordRole, number>): string | null {
  const money = [...columns].filter(([role]) => isMoney(role)).map(([, column]) => header[column] ?? '');
  return money.map((cell) => /\(([A-Z]{3})\)$/.exec(cell)?.[1] ?? null).find((code) => code !== null) ?? null;
}

/** `SV trend (09-2024 - 08-2026)`: all these months in one cell. Forecasts are ignored. */
function findSeries(header: readonly string[]): KeywordLayout['series'] {
  for (const [column, cell] of header.entries()) {
    const [, first = '', last = ''] = /^SV trend \((\d\d-\d{4}) - (\d\d-\d{4})\)$/i.exec(cell) ?? [];
    const months = monthsBetween(parseMonth(first), parseMonth(last));
    if (months.length > 0) return { column, months };
  }
  return null;
}
