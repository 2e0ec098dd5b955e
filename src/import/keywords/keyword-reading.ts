// Types of imported keyword metrics, and the table of reasons for rejecting rows and cells.

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
