// Types of imported rankings, and the table of reasons for rejecting rows.
import type { DateFormat } from '../cells/dates.ts';
import type { ImportedRanking } from '../cells/values.ts';

export const importFormats = ['rankledger', 'semrush', 'serpbear', 'serposcope', 'search-console', 'csv'] as const;
export type ImportFormat = (typeof importFormats)[number];

/** The meanings that a column may have. */
export const columnRoles = [
  'keyword',
  'date',
  'rank',
  'url',
  'country',
  'language',
  'device',
  'location',
  'target',
  'volume',
  'element',
] as const;
export type ColumnRole = (typeof columnRoles)[number];

/** Why a row is rejected, and what to do about it. A closed table: reports count by code. */
export const rejectReasons = {
  average: {
    what: 'an average over impressions, which is not a rank on any results page',
    remedy:
      'Import its clicks: rankledger backfill clicks --file FILE. Track its queries: rankledger keywords add FILE.',
  },
  other_element: {
    what: 'the position of another element, such as a local pack or an AI overview, or of an unnamed one',
    remedy: null,
  },
  unclear: {
    what: 'a value that may mean "not found", "unknown" or "failed"',
    remedy: 'If it means "not found", add --not-found 0, or --not-found=- for a dash.',
  },
  beyond_top: {
    what: 'a rank below the results that the tool checked',
    remedy: 'Name the number of checked results with --top, or add --not-found 101 if the number means "not found".',
  },
  unreadable_rank: { what: 'not a rank', remedy: 'Name the right column: --map rank=COLUMN.' },
  unreadable_date: { what: 'not a date', remedy: 'Name the right column: --map date=COLUMN.' },
  ambiguous_date: {
    what: 'a date with ambiguous day and month',
    remedy: 'Name their order: --date-format dmy or --date-format mdy.',
  },
  future_date: { what: 'a date in the future', remedy: 'Check --date-format.' },
  bad_keyword: { what: 'no keyword, or one that cannot be searched', remedy: null },
  broken_row: { what: 'a row that does not fit the header, or a quote that is not closed', remedy: null },
  location: {
    what: 'a search from a place that is not in the table of locations',
    remedy: 'Import the whole table: rankledger locations import.',
  },
  unknown_target: {
    what: 'a site that the project does not track',
    remedy: 'Add it to the targets or competitors, or name it: --target "NAME IN THE FILE=acme.com".',
  },
  unknown_market: {
    what: 'a market that the project does not track',
    remedy: 'Add the market to the project. If the file leaves its place out, name it with --location.',
  },
  ambiguous_device: {
    what: 'a keyword that is tracked on several devices, without a device in the file',
    remedy: 'Name it with --device.',
  },
  ambiguous_country: {
    what: 'a keyword that is tracked in several countries, without a country in the file',
    remedy: 'Name it with --country.',
  },
  ambiguous_language: {
    what: 'a keyword that is tracked in several languages, without a language in the file',
    remedy: 'Name it with --language.',
  },
  ambiguous_market: {
    what: 'a keyword that is tracked in several markets, without a market in the file',
    remedy: 'Name it with --country, --language and --device.',
  },
  foreign_url: { what: 'a URL that does not belong to the target', remedy: 'Check --target.' },
  contradiction: {
    what: 'another rank than the same tool gave for that day before; the first one is kept',
    remedy: null,
  },
} as const satisfies Readonly<Record<string, { readonly what: string; readonly remedy: string | null }>>;

export type RejectReason = keyof typeof rejectReasons;

/** One ranking of one target for one keyword on one day. Null: not in the file. */
export interface Reading {
  /** 1-based. */
  readonly line: number;
  readonly keyword: string;
  /** Local date, `YYYY-MM-DD`. */
  readonly date: string;
  /** As named in the file. */
  readonly target: string | null;
  /** ISO 3166-1, upper case. */
  readonly country: string | null;
  readonly language: string | null;
  readonly device: 'desktop' | 'mobile' | null;
  /** The place inside the country, as written. */
  readonly location: string | null;
  readonly url: string | null;
  /** Searches a month, as the tool recorded it that day. */
  readonly volume: number | null;
  readonly ranking: Exclude<ImportedRanking, { readonly kind: 'refused' }>;
  /** What our own export says beyond that. */
  readonly exported?: ExportedFacts;
}

interface ExportedFacts {
  readonly project: string;
  /** `2026-11-20T06:00`, or the name that an import gave to its day; null: a table of a report, by day. */
  readonly slot: string | null;
  /** UTC milliseconds. */
  readonly checkedAt: number | null;
  readonly source: string | null;
  /** Pages. */
  readonly depth: number;
  readonly page: number | null;
  readonly absoluteRank: number | null;
  readonly ownedFeatures: readonly string[];
}

/** A rejected row or cell. */
export interface RejectedCell {
  readonly line: number;
  readonly refused: RejectReason;
  /** The rejected text. */
  readonly said: string;
}

export interface ReadOptions {
  /** Columns by meaning. */
  readonly map: ReadonlyMap<ColumnRole, string>;
  /** The order of dates such as 03/04/2026; absent: such dates are rejected. */
  readonly dateFormat?: DateFormat;
  /** The day of every row, for a file without dates. */
  readonly date?: string;
  /** Additional texts that mean "not found". */
  readonly notFound: readonly string[];
  /** How many results the tool searched. */
  readonly top: number;
  /** IANA: instants become local dates. */
  readonly timezone: string;
}
