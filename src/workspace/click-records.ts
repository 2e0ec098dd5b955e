// Measured clicks in rows and sums: what the search engine counted over the newest 28 final days. Never ranks.
import type { ClickFacts, DayClicks } from '../tracker/clicks/matching.ts';

/** Null: nothing is reported. Rare queries are hidden. */
export interface ClickSums {
  readonly measuredClicks: number | null;
  readonly impressions: number | null;
}

/** On pages of the target, for the query, country and device of a row. */
export interface ClickColumns extends ClickSums {
  /** An average over people, places and days: not a rank. */
  readonly averagePosition: number | null;
}

export interface ProjectClicks {
  /** What these sums are made of; absent: the project has no clicks. */
  readonly clicks?: ClickFacts;
}

export interface ClickHistory {
  /** By day, as the search engine counted; absent: the project has no clicks, or this is a file. */
  readonly clicks?: readonly DayClicks[];
}
