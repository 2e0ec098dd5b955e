// Types of keywords in the export of another tool, and why rows are left out.

/** One row: a keyword that another tool tracks or found. Null: not in the file. */
export interface ListedKeyword {
  /** 1-based. */
  readonly line: number;
  readonly keyword: string;
  /** ISO 3166-1, upper case. */
  readonly country: string | null;
  /** As written. */
  readonly language: string | null;
  /** The place inside the country, as written. */
  readonly location: string | null;
  readonly device: 'desktop' | 'mobile' | null;
  readonly tags: readonly string[];
  /** The page that should rank, as the file says. */
  readonly preferredUrl: string | null;
  /** Pages that ranked, best evidence first; of any site. */
  readonly urls: readonly string[];
  /** Of these pages; null: not in the file. */
  readonly rank: number | null;
}

/** Why a row is left out, and what to do about it. A closed table: reports count by code. */
export const listRejectReasons = {
  bad_keyword: { what: 'no keyword, or one that cannot be searched', remedy: null },
  broken_row: { what: 'a row that does not fit the header, or a quote that is not closed', remedy: null },
  several_cells: {
    what: 'several cells in a list of one keyword a line',
    remedy: 'Put a keyword that contains a comma in quotes, or name the columns in the first line.',
  },
  address: { what: 'the address of a page instead of a keyword', remedy: null },
  unknown_market: { what: 'an unknown country, language or device', remedy: null },
  location: {
    what: 'a place that is not in the table of locations',
    remedy: 'Import the whole table: rankledger locations import.',
  },
  untaken_location: {
    what: 'a place inside a country, for which the service of the project cannot request pages',
    remedy: 'Use another source: docs/places.md lists those that take places.',
  },
} as const satisfies Readonly<Record<string, { readonly what: string; readonly remedy: string | null }>>;

export type ListRejectReason = keyof typeof listRejectReasons;

export interface RejectedRow {
  readonly line: number;
  readonly refused: ListRejectReason;
  /** The rejected text. */
  readonly said: string;
}

/** The meanings that a column may have. */
export const listRoles = [
  'keyword',
  'country',
  'language',
  'device',
  'location',
  'tags',
  'preferred_url',
  'url',
] as const;
export type ListRole = (typeof listRoles)[number];
