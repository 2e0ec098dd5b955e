// What reading a list of keywords with their metrics yields, and what of it is not taken and why. Types and the table of reasons.

export const keywordFormats = ['keyword-planner', 'semrush', 'ahrefs', 'csv'] as const;
export type KeywordFormat = (typeof keywordFormats)[number];

/** What a column of a file may stand for. */
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

/** Why something in a file is not taken, and what can be done about it. A closed table: reports count by code. The first group costs a whole row. */
export const keywordRefusals = {
  bad_keyword: { isRow: true, what: 'no keyword, or one that cannot be searched', remedy: null },
  broken_row: {
    isRow: true,
    what: 'a row that does not fit the header, or a quote that is not closed',
    remedy: null,
  },
  segment: {
    isRow: true,
    what: 'of a part of the searches only, such as one device',
    remedy: 'Export without segments.',
  },
  no_market: {
    isRow: true,
    what: 'of no country or no language',
    remedy: 'Say it with --country and --language.',
  },
  unknown_market: { isRow: true, what: 'of a country or a language that is none', remedy: null },
  other_currency: {
    isRow: false,
    what: 'an amount in another currency than US dollars, or in one that the file does not name',
    remedy: 'Say what one unit of it is worth: --usd-per-unit 1.08, or 1 where it is in US dollars.',
  },
  unreadable: {
    isRow: false,
    what: 'not what its column should hold, such as a word in place of a number',
    remedy: 'Name the right column: --map volume=COLUMN.',
  },
  unclear_number: {
    isRow: false,
    what: 'a number that may be read in two ways, such as 1,234 or a competition of 1',
    remedy: null,
  },
  unknown_intent: { isRow: false, what: 'a search intent that is none of the four', remedy: null },
} as const satisfies Readonly<
  Record<string, { readonly isRow: boolean; readonly what: string; readonly remedy: string | null }>
>;

export type KeywordRefusal = keyof typeof keywordRefusals;

/** One keyword with what a row says of it. Null where it does not say. */
export interface KeywordReading {
  /** 1-based. */
  readonly line: number;
  readonly keyword: string;
  /** ISO 3166-1, upper case. */
  readonly country: string | null;
  /** As the file writes it. */
  readonly language: string | null;
  /** Searches a month. */
  readonly searchVolume: number | null;
  /** Where the file has a range in place of a number. `high` null: it is open. */
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

/** Something that cannot be taken: a row, or one cell of a row that is taken. */
export interface KeywordRefused {
  readonly line: number;
  readonly refused: KeywordRefusal;
  /** The text in question. */
  readonly said: string;
}

export interface KeywordReadOptions {
  /** Columns by what they stand for; with any the file is a `csv`. */
  readonly map: ReadonlyMap<KeywordRole, string>;
  /** What a unit of the file's currency is worth, where it is not in US dollars; null: unknown. */
  readonly usdPerUnit: number | null;
}

/** Where in a row things stand. */
export interface KeywordLayout {
  readonly width: number;
  readonly columns: ReadonlyMap<KeywordRole, number>;
  /** Columns of one month each, `2026-01`. */
  readonly months: readonly { readonly month: string; readonly column: number }[];
  /** One column with many months; a cell with another number of values says nothing. */
  readonly series: { readonly column: number; readonly months: readonly string[] } | null;
  /** Columns that say yes or no to one intent. */
  readonly intents: readonly { readonly intent: Intent; readonly column: number }[];
  /** What part of the searches a row is about. */
  readonly segment: number | null;
  /** Of the columns of money, where none of the row tells it; null: nobody knows. */
  readonly currency: string | null;
  /** What full competition is written as; null: the numbers of the file tell. */
  readonly competitionMax: 1 | 100 | null;
  /** Whether intents are numbers from 0 to 3. */
  readonly hasIntentCodes: boolean;
  /** Whether volumes may be the marks of ranges: see `isMarked`. */
  readonly mayBeMarked: boolean;
}

/** A kind of file. */
export interface KeywordTableFormat {
  readonly name: KeywordFormat;
  /** The layout, where `header` is a header of this format; `below`: the first rows under it. */
  layoutOf(
    header: readonly string[],
    options: KeywordReadOptions,
    below: readonly (readonly string[])[],
  ): KeywordLayout | null;
}
