// What a report page says in text: facts of the run, sums, movers, and what each section lists. Gathering them is left to jobs.
import type { MoverRow } from '../movers.ts';
import type { SpendRow } from '../spend.ts';
import type { SummaryRow } from '../summary.ts';
import type { PageData } from './page-data.ts';

/** Checks that are not complete, of one state and reason. */
export interface ProblemGroup {
  readonly state: string;
  readonly reason: string;
  readonly remedy: string | null;
  readonly count: number;
  /** Some of the keywords, with their market. */
  readonly examples: readonly string[];
}

/** How many rows show a SERP feature, and how many show the target in it. */
export interface FeatureLine {
  readonly name: string;
  readonly shown: number;
  readonly owned: number;
  /** Rows that had a complete check. */
  readonly of: number;
}

/** A target or competitor over the same checks. */
export interface CompetitorLine {
  readonly target: string;
  readonly isOwn: boolean;
  /** Percent. */
  readonly visibility: number | null;
  readonly visibilityChange: number | null;
  /** Percent; null where it was not reckoned. */
  readonly shareOfVoice: number | null;
  readonly shareOfVoiceChange: number | null;
  /** Rows that the share is of, and those in which the target was not followed to the depth. */
  readonly shareCount: number;
  readonly notFollowed: number;
  /** Rows that both changes are of. */
  readonly comparable: number;
  readonly averageRank: number | null;
  /** Null where nothing was checked, like `top10`. */
  readonly top3: number | null;
  readonly top10: number | null;
  readonly ranked: number;
  readonly checked: number;
  /** Searches where the best of ours ranks better than it, and where it ranks better; null for our own, and where nothing was checked. */
  readonly wins: number | null;
  readonly losses: number | null;
}

export interface PageFacts {
  readonly project: string;
  readonly run: {
    readonly id: number;
    readonly state: string;
    /** Local date-time, `2026-11-20T06:00`. */
    readonly slot: string;
    readonly timezone: string;
  };
  /** What stands at the top of each report; null where there is nothing to say. */
  readonly warning: string | null;
  readonly isSuspect: boolean;
  /** What changes are reckoned from: `previous`, `7d`, a date. */
  readonly compare: string;
  readonly ctrCurve: string;
  readonly sources: readonly string[];
  /** UTC milliseconds. */
  readonly generatedAt: number;
  /** Of each own target: its own line first, then its markets and tags. */
  readonly summary: readonly SummaryRow[];
  readonly movers: readonly MoverRow[];
  readonly features: readonly FeatureLine[];
  readonly competitors: readonly CompetitorLine[];
  readonly spend: readonly SpendRow[];
  readonly problems: readonly ProblemGroup[];
  /** Rows of the table, kept or not. */
  readonly rowsTotal: number;
  readonly data: PageData;
}

/** What a page is made with: the library that draws charts, and the page's own script. */
export interface PageAssets {
  readonly chartLibrary: string;
  readonly script: string;
}
