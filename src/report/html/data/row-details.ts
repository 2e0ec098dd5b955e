// What the page knows of its first rows beyond their columns: competitors, volumes by month, and stored results.
import type { ListedPlace } from '../../../tracker/targets/target.ts';

/**
 * A value per row, in the order of the rows. Lists end where the page has room for no more: rows worth the most clicks
 * come first.
 */
export interface RowDetails {
  /** Competitors, and by row one packed trail for each; an empty text: nothing is known. */
  readonly rivals: { readonly targets: readonly string[]; readonly trails: readonly (readonly string[])[] };
  /** Months, oldest first, and by row a search volume for each. */
  readonly volumes: { readonly months: readonly string[]; readonly rows: readonly (readonly (number | null)[])[] };
  /** By row: indices in `serps` of its results on the date and in its baseline; -1: none are stored. */
  readonly serpsOfRow: readonly (readonly [now: number, before: number])[];
  readonly serps: readonly PackedSerp[];
  /** The addresses of results. */
  readonly urls: readonly string[];
  /** Of features and results: own targets first. */
  readonly targets: readonly string[];
  readonly ownCount: number;
}

/** A local result. Absent fields are unknown. */
interface SerpPlace extends ListedPlace {
  readonly rank: number;
  readonly category?: string;
  readonly phone?: string;
  /** 0 to 5. */
  readonly rating?: number;
  readonly reviews?: number;
  /** The own target or competitor that it is, or whose website it has. */
  readonly target: string | null;
  readonly isOwn: boolean;
}

/** The stored results of a check. */
export interface PackedSerp {
  readonly date: string;
  /** ISO 8601. */
  readonly at: string;
  readonly source: string;
  readonly runId: number;
  /** Number of pages. */
  readonly pages: number;
  /** Alternating: URL, page, target (-1: none). */
  readonly results: readonly number[];
  /** Results that have a rank: those before a missing page. */
  readonly ranked: number;
  /** Absent: none. */
  readonly places?: readonly SerpPlace[];
  readonly features: readonly (readonly [page: number, type: string, targets: readonly number[]])[];
}
