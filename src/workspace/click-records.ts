// Measured clicks in rows and sums: what the search engine counted over the newest 28 final days. Never ranks.
import type { ClickChanges, ClickFacts, ClickNumbers, DayClicks } from '../tracker/clicks/clicks.ts';

/** Null: nothing is reported. Rare queries are hidden. */
export interface ClickSums {
  readonly measuredClicks: number | null;
  readonly impressions: number | null;
}

export interface ProjectClicks {
  /** What these sums are made of; absent: the project has no clicks. */
  readonly clicks?: ClickFacts;
}

export interface ClickHistory {
  /** By day, as the search engine counted; absent: the project has no clicks, or this is a file. */
  readonly clicks?: readonly DayClicks[];
}

/** Reads measured clicks. Throws NotFound and InvalidQuery. */
export interface ClickReader {
  changes(query: ClickChangesQuery): ClickChanges;
  /** Queries with at least so many impressions that are not tracked, most impressions first. */
  untracked(project: string, impressionsMin: number): UntrackedQuery[];
  /** Tracked keywords without reported impressions. */
  silent(project: string): SilentKeyword[];
}

export type ClickChangesBy = 'query' | 'page' | 'country' | 'device';

export interface ClickChangesQuery {
  readonly project: string;
  readonly by: ClickChangesBy;
  /** Last day. Default: the newest final one. */
  readonly to?: string;
  /** Of each period: 1 to 240. */
  readonly days: number;
}

/** A query of the newest 28 final days, as it could be tracked. */
export interface UntrackedQuery extends ClickNumbers {
  readonly query: string;
  readonly country: string;
  readonly language: string;
  /** Those with impressions that the project tracks in this country. */
  readonly devices: readonly string[];
  readonly brand: boolean;
  /** At worst, in a month of 31 days. */
  readonly creditsPerMonth: number;
}

/** A tracked keyword for which nothing is reported on these devices: no impressions, or it is a hidden query. */
export interface SilentKeyword {
  readonly keyword: string;
  readonly country: string;
  readonly language: string;
  readonly devices: readonly string[];
  readonly tags: readonly string[];
  readonly creditsPerMonth: number;
}
