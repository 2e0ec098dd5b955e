// The shapes of answers about competitors.

export interface CompetitorSeries {
  readonly dates: readonly string[];
  readonly targets: readonly {
    readonly target: string;
    readonly isOwn: boolean;
    /** Percent, per date. */
    readonly visibility: readonly (number | null)[];
    readonly averageRank: number | null;
    readonly top10: number | null;
    /** Searches in which our best target ranks above it, and below it; null for own targets. */
    readonly wins: number | null;
    readonly losses: number | null;
  }[];
}
