// Tables of keywords with metrics: their types, and the formats of Keyword Planner, Semrush, Ahrefs and others.

import { parseAmount, parseCurrency, parseVolume, plainWord } from '../cells/amounts.ts';
import { monthsBetween, parseMonth, parseMonthHeader } from '../cells/dates.ts';
import { cellAt } from '../cells/values.ts';
import { performanceLayout } from '../history/performance-report.ts';
import { findColumn } from '../history/table.ts';
import { widestRow } from '../text/table.ts';
import { UnreadableFile } from '../text/text-file.ts';

export const keywordFormats = ['keyword-planner', 'semrush', 'ahrefs', 'search-console', 'csv'] as const;
export type KeywordFormat = (typeof keywordFormats)[number];

/** The meanings that a column may have. */
export const keywordRoles = [
  'keyword',
  'volume',
  'cpc',
  'bid_low',
  'bid_high',
  'competition',
  'level',
  'intent',
  'country',
  'language',
  'currency',
] as const;
export type KeywordRole = (typeof keywordRoles)[number];

/**
 * Why a row or cell is rejected, and what to do about it. A closed table: reports count by code. Codes of the first
 * group reject the whole row.
 */
export const keywordRejectReasons = {
  bad_keyword: { isRow: true, what: 'no keyword, or one that cannot be searched', remedy: null },
  broken_row: {
    isRow: true,
    what: 'a row that does not fit the header, or a quote that is not closed',
    remedy: null,
  },
  segment: {
    isRow: true,
    what: 'covers only a part of the searches, such as those on one device or in one place',
    remedy: 'Export without segments.',
  },
  no_market: {
    isRow: true,
    what: 'has no country or no language',
    remedy: 'Name them with --country and --language.',
  },
  unknown_market: { isRow: true, what: 'has an unknown country or language', remedy: null },
  other_currency: {
    isRow: false,
    what: 'has an amount in a currency other than US dollars, or in an unnamed one',
    remedy: 'Give the value of one unit: --usd-per-unit 1.08, or 1 for US dollars.',
  },
  unreadable: {
    isRow: false,
    what: 'has a cell of the wrong type, such as a word instead of a number',
    remedy: 'Name the right column: --map volume=COLUMN.',
  },
  unclear_number: {
    isRow: false,
    what: 'has an ambiguous number, such as 1,234 or a competition of 1',
    remedy: null,
  },
  unknown_intent: { isRow: false, what: 'has a search intent that is not one of the four', remedy: null },
} as const satisfies Readonly<
  Record<string, { readonly isRow: boolean; readonly what: string; readonly remedy: string | null }>
>;

export type KeywordRejectReason = keyof typeof keywordRejectReasons;

/** One row: a keyword with its metrics. Null: not in the file. */
export interface KeywordReading {
  /** 1-based. */
  readonly line: number;
  readonly keyword: string;
  /** ISO 3166-1, upper case. */
  readonly country: string | null;
  /** As written in the file. */
  readonly language: string | null;
  /** Searches a month. */
  readonly searchVolume: number | null;
  /** A range in place of a number. `high` null: open-ended. */
  readonly volumeRange: { readonly low: number; readonly high: number | null } | null;
  readonly cpcMicroUsd: number | null;
  readonly bidLowMicroUsd: number | null;
  readonly bidHighMicroUsd: number | null;
  /** 0 to 100. */
  readonly competition: number | null;
  readonly competitionLevel: 'low' | 'medium' | 'high' | null;
  readonly intent: Intent | null;
  /** Searches by month, `2026-01`. */
  readonly months: ReadonlyMap<string, number>;
}

export type Intent = 'commercial' | 'informational' | 'navigational' | 'transactional';

/** A rejected row, or a rejected cell of an accepted row. */
export interface RejectedKeyword {
  readonly line: number;
  readonly refused: KeywordRejectReason;
  /** The rejected text. */
  readonly said: string;
}

export interface KeywordReadOptions {
  /** Columns by meaning. With any mapping the file is read as `csv`. */
  readonly map: ReadonlyMap<KeywordRole, string>;
  /** US dollars per unit of the file's currency, if it is not USD; null: unknown. */
  readonly usdPerUnit: number | null;
}

/** The columns of a table. */
export interface KeywordLayout {
  readonly width: number;
  /** False: the first row is data. */
  readonly hasHeader?: boolean;
  readonly columns: ReadonlyMap<KeywordRole, number>;
  /** Columns of one month each, `2026-01`. */
  readonly months: readonly { readonly month: string; readonly column: number }[];
  /** One column with many months; a cell with another number of values is ignored. */
  readonly series: { readonly column: number; readonly months: readonly string[] } | null;
  /** Columns with yes or no for one intent. */
  readonly intents: readonly { readonly intent: Intent; readonly column: number }[];
  /** The column that names the segment of searches. */
  readonly segment: number | null;
  /** Currency of the money columns if no column names it; null: unknown. */
  readonly currency: string | null;
  /** How full competition is written; null: inferred from the numbers of the file. */
  readonly competitionMax: 1 | 100 | null;
  /** Whether intents are codes from 0 to 3. */
  readonly hasIntentCodes: boolean;
  /** Whether volumes may be the midpoints that stand for ranges: see `isMarked`. */
  readonly mayBeMarked: boolean;
}

/** A file format. */
export interface KeywordTableFormat {
  readonly name: KeywordFormat;
  /** The layout if `header` is a header of this format; `below`: the first rows under it. */
  layoutOf(
    header: readonly string[],
    options: KeywordReadOptions,
    below: readonly (readonly string[])[],
  ): KeywordLayout | null;
}

type PlannerRole = Extract<KeywordRole, 'keyword' | 'currency' | 'volume' | 'level' | 'competition'> | BidRole;
type BidRole = 'bid_low' | 'bid_high';

/** Column names without accents and punctuation: English, German, French, Spanish, Italian, Portuguese, Dutch. */
const names: Readonly<Record<Exclude<PlannerRole, BidRole>, readonly string[]>> = {
  keyword: (
    'keyword, suchbegriff, mot cle, palabra clave, parola chiave, palavra chave, zoekwoord, ' + 'keyword text'
  ).split(', '),
  currency: ['currency', 'wahrung', 'devise', 'moneda', 'divisa', 'valuta', 'moeda'],
  volume: (
    'avg monthly searches, average monthly searches, durchschnittl suchanfragen pro monat, ' +
    'durchschn suchanfragen pro monat, recherches mensuelles moyennes, ' +
    'promedio de busquedas mensuales, media ricerche mensili, media de pesquisas mensais, ' +
    'gem maandelijkse zoekopdrachten'
  ).split(', '),
  level: ['competition', 'wettbewerb', 'concurrence', 'competencia', 'concorrenza', 'concorrencia', 'concurrentie'],
  competition: (
    'competition indexed value, wettbewerb indexierter wert, concurrence valeur indexee, ' +
    'competencia valor indexado, concorrenza valore indicizzato, concorrencia valor indexado, ' +
    'concurrentie geindexeerde waarde'
  ).split(', '),
};

/** Words that identify an unknown column name, in any order: versions of the tool order them differently. */
const words = {
  searches: /search|suchanfrag|recherch|busqueda|ricerch|pesquisa|zoek/,
  monthly: /month|monat|mensu|mensil|mensa|maand/,
  competition: /compet|wettbewerb|concurren|concorren/,
  index: /index|indiz|indic|indeks/,
  bid: /\bbids?\b|gebot|enchere|\bpuja|oferta|offert|\blance|licitac|\bbod\b/,
  low: /low|niedrig|unter|faible|basse?|baj[oa]|inferi|baix|menor|minim|laag|lage|onder/,
  high: /high|hoch|hoh|ober|haut|elev|alt[oa]|superi|maior|mayor|maxim|hoog|hoge|boven/,
  segment: /segment/,
  change: /change|ander|variation|cambi|variaz|varia|mudanca|wijzig|evolution/,
};

/** Least number of columns; some files have a column of segments before the volume. */
const widthMin = 9;

export const keywordPlanner: KeywordTableFormat = {
  name: 'keyword-planner',
  layoutOf(header, _options, below) {
    const columns = namedColumns(header) ?? columnsByIndex(header, below);
    if (columns === null) return null;
    const segment = header.findIndex((cell) => words.segment.test(plainWord(cell)));
    return {
      ...plainLayout(header, columns),
      months: monthColumns(header),
      segment: segment === -1 ? null : segment,
      competitionMax: 100,
      mayBeMarked: true,
    };
  },
};

/**
 * Null if the header is of another tool. A Keyword Planner header has a keyword, searches a month, and bids, a
 * currency, changes or single months, but no cost per click.
 */
function namedColumns(header: readonly string[]): Map<KeywordRole, number> | null {
  const columns = new Map<KeywordRole, number>();
  for (const [column, cell] of header.entries()) {
    const role = parseMonthHeader(cell) === null ? findRole(cell) : null;
    if (role !== null && !columns.has(role)) columns.set(role, column);
  }
  if (!columns.has('keyword') || !columns.has('volume') || header.some((cell) => /^cpc\b/i.test(cell))) return null;
  const isPlanner =
    (['currency', 'bid_low', 'bid_high'] as const).some((role) => columns.has(role)) ||
    header.some((cell) => cell.includes(':') && parseMonthHeader(cell) !== null) ||
    header.some((cell) => words.change.test(plainWord(cell)));
  return isPlanner ? columns : null;
}

function findRole(cell: string): PlannerRole | null {
  const name = plainWord(cell)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  for (const role of ['keyword', 'currency', 'volume', 'level', 'competition'] as const) {
    if (names[role].includes(name)) return role;
  }
  if (words.competition.test(name)) return words.index.test(name) ? 'competition' : null;
  if (words.bid.test(name)) return parseBid(cell);
  return words.searches.test(name) && words.monthly.test(name) && !words.change.test(name) ? 'volume' : null;
}

/** The words in parentheses say which end of the range; the words before them say "top of the page". */
function parseBid(cell: string): BidRole | null {
  const end = plainWord(/\(([^()]*)\)$/.exec(cell.trimEnd())?.[1] ?? cell.split(/\s+/).slice(-2).join(' '));
  if (words.low.test(end)) return 'bid_low';
  return words.high.test(end) ? 'bid_high' : null;
}

/**
 * Columns of a header in an unknown language, by index: keyword, currency, perhaps a segment, searches, two changes,
 * competition, its index, two bids. The rows below must match too: the index alone proves nothing.
 */
function columnsByIndex(
  header: readonly string[],
  below: readonly (readonly string[])[],
): Map<KeywordRole, number> | null {
  const rows = below.filter((cells) => cells.length === header.length);
  if (header.length < widthMin || rows.length === 0 || header.some((cell) => parseCurrency(cell) !== null)) return null;
  if (!rows.every((cells) => parseCurrency(cellAt(cells, 1)) !== null)) return null;
  for (const volume of [2, 3]) {
    const fits = rows.every((cells) => matchesLayout(cells.slice(volume)));
    if (!fits || !rows.some((cells) => parseVolume(cellAt(cells, volume)).kind !== 'nothing')) continue;
    const roles = [
      ['keyword', 0],
      ['currency', 1],
      ['volume', volume],
      ['level', volume + 3],
      ['competition', volume + 4],
      ['bid_low', volume + 5],
      ['bid_high', volume + 6],
    ] as const;
    return new Map(roles);
  }
  return null;
}

function matchesLayout([volume = '', first = '', second = '', level = '', index = '', low = '', high = '']: string[]) {
  const isChange = (cell: string): boolean => /^[-+\u2212]?[\d.,\s\u00a0]*%?$|^\u221e$/.test(cell);
  return (
    parseVolume(volume).kind !== 'unreadable' &&
    isChange(first) &&
    isChange(second) &&
    !/\d/.test(level) &&
    /^(100|\d{1,2})?$/.test(index) &&
    parseAmount(low).kind !== 'unreadable' &&
    parseAmount(high).kind !== 'unreadable'
  );
}

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
const semrushSigns = (
  'competitive density, competition density, keyword difficulty index, keyword intents, ' +
  'serp features by keyword, nq'
).split(', ');

const ahrefsNames: Names = {
  keyword: ['keyword'],
  volume: ['volume'],
  cpc: ['cpc'],
  intent: ['intents'],
  country: ['country'],
};
const ahrefsSigns = (
  'parent keyword, parent topic, traffic potential, global volume, cps, return rate, ' +
  'current organic traffic, organic traffic change'
).split(', ');

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
    if (!hasMetrics(columns) || findColumn(header, semrushSigns) === -1) return null;
    const currency = parseHeaderCurrency(header, columns) ?? 'USD';
    return { ...plainLayout(header, columns), currency, competitionMax: 1, hasIntentCodes: true };
  },
};

export const ahrefsKeywords: KeywordTableFormat = {
  name: 'ahrefs',
  layoutOf(header) {
    const columns = findColumns(header, ahrefsNames);
    if (!hasMetrics(columns) || findColumn(header, ahrefsSigns) === -1) return null;
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
      months: monthColumns(header).filter(({ column }) => ![...columns.values()].includes(column)),
      currency: parseHeaderCurrency(header, columns),
    };
    return hasMetrics(columns) || layout.months.length > 0 ? layout : null;
  },
};

/** Describes the missing columns. The header is taken to be the row with a keyword column, else the widest row. */
export function missingKeywordColumns(first: string, options: KeywordReadOptions): string {
  const named = widestRow(first, (cells) => findColumn(cells, usualNames.keyword) !== -1);
  const header = named.length > 0 ? named : widestRow(first);
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

/** Columns of one month each. */
function monthColumns(header: readonly string[]): KeywordLayout['months'] {
  return header.flatMap((cell, column) => {
    const month = parseMonthHeader(cell);
    return month === null ? [] : [{ month, column }];
  });
}

function hasMetrics(columns: ReadonlyMap<KeywordRole, number>): boolean {
  const metrics = ['volume', 'cpc', 'bid_low', 'bid_high', 'competition', 'level', 'intent'] as const;
  return columns.has('keyword') && metrics.some((role) => columns.has(role));
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

/** The currency in a column name: `CPC (EUR)`. */
function parseHeaderCurrency(header: readonly string[], columns: ReadonlyMap<KeywordRole, number>): string | null {
  const money = [...columns].filter(([role]) => isMoney(role)).map(([, column]) => cellAt(header, column));
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
