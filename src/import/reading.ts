// What reading another tool's file yields: places as that tool recorded them, and what of it is not taken and why. Types and the table of reasons.

export const importFormats = ['semrush', 'serpbear', 'serposcope', 'search-console', 'csv'] as const;
export type ImportFormat = (typeof importFormats)[number];

/** What a column of a file may stand for. */
export const columnRoles = [
  'keyword',
  'date',
  'rank',
  'url',
  'country',
  'language',
  'device',
  'target',
  'volume',
] as const;
export type ColumnRole = (typeof columnRoles)[number];

/** Why something in a file is not taken, and what can be done about it. A closed table: reports count by code. */
export const refusals = {
  average: {
    what: 'an average over impressions, which is not a rank: nobody saw a results page with it',
    remedy: null,
  },
  other_element: {
    what: 'the place of another element, such as a local pack or an AI overview, not of an organic result',
    remedy: null,
  },
  unclear: {
    what: 'a sign that may mean "not found" as well as "not known" or "failed"',
    remedy: 'Where it means "not found", say so: --not-found 0, or --not-found=- for a dash.',
  },
  beyond_top: {
    what: 'a rank beyond the results that the tool looked at',
    remedy: 'Say how many results it looked at with --top, or with --not-found 101 that the number means "not found".',
  },
  unreadable_rank: { what: 'not a rank', remedy: 'Name the right column: --map rank=COLUMN.' },
  unreadable_date: { what: 'not a date', remedy: 'Name the right column: --map date=COLUMN.' },
  ambiguous_date: {
    what: 'a date whose day and month cannot be told apart',
    remedy: 'Say which comes first: --date-format dmy or --date-format mdy.',
  },
  future_date: { what: 'a day that has not come yet', remedy: 'Check --date-format.' },
  bad_keyword: { what: 'no keyword, or one that cannot be searched', remedy: null },
  broken_row: { what: 'a row that does not fit the header, or a quote that is not closed', remedy: null },
  location: {
    what: 'a search from a place inside a country; the markets here are countries',
    remedy: null,
  },
  unknown_target: {
    what: 'of a site that the project does not follow',
    remedy: 'Add it to the targets or competitors, or name it: --target "NAME IN THE FILE=acme.com".',
  },
  unknown_market: {
    what: 'of a market that the project does not track',
    remedy: 'Add the market to the project.',
  },
  ambiguous_market: {
    what: 'of a keyword that is tracked in several markets, and the file does not say which',
    remedy: 'Say it with --country, --language and --device.',
  },
  foreign_url: { what: 'a URL that does not belong to the target', remedy: 'Check --target.' },
  contradiction: {
    what: 'another place than the same tool gave for the same day before; the first one stays',
    remedy: null,
  },
} as const satisfies Readonly<Record<string, { readonly what: string; readonly remedy: string | null }>>;

export type Refusal = keyof typeof refusals;

/** What a cell says about a place. */
export type ImportedPlace =
  | { readonly kind: 'ranked'; readonly rank: number }
  /** `top`: among how many results it was looked for; null: as many as the file's tool looks at. */
  | { readonly kind: 'notFound'; readonly top: number | null }
  /** Blank: nobody looked, or nobody knows. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'refused'; readonly reason: Refusal };

/** One place of one target for one keyword on one day. Null where the file does not say. */
export interface Reading {
  /** 1-based. */
  readonly line: number;
  readonly keyword: string;
  /** Local date, `YYYY-MM-DD`. */
  readonly date: string;
  /** As the file names it. */
  readonly target: string | null;
  /** ISO 3166-1, upper case. */
  readonly country: string | null;
  readonly language: string | null;
  readonly device: 'desktop' | 'mobile' | null;
  readonly url: string | null;
  /** Searches a month, as the tool had it on that day. */
  readonly volume: number | null;
  readonly place: Exclude<ImportedPlace, { readonly kind: 'refused' }>;
}

/** Something that cannot be taken. */
export interface Refused {
  readonly line: number;
  readonly refused: Refusal;
  /** The text in question. */
  readonly said: string;
}

export interface ReadOptions {
  /** Columns by what they stand for. */
  readonly map: ReadonlyMap<ColumnRole, string>;
  /** How dates such as 03/04/2026 are meant; absent: they are refused. */
  readonly dateFormat?: DateFormat;
  /** The day of every row of a file that names none. */
  readonly date?: string;
  /** Texts that mean "not found", beside those that the format is known to use. */
  readonly notFound: readonly string[];
  /** How many results the tool looked at. */
  readonly top: number;
  /** IANA: instants become local dates. */
  readonly timezone: string;
}

export type DateFormat = 'ymd' | 'dmy' | 'mdy';

/** The file cannot be read as what it should be: nothing of it was taken. */
export class UnreadableHistory extends Error {
  override readonly name = 'UnreadableHistory';
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}
