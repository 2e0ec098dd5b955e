// Maps of a grid in the read API.
import type { MapSums } from '../report/rows/grid-maps.ts';
import type { GridPlace } from '../tracker/grid.ts';
import type { KeywordRow } from './records.ts';

/** The sums of one map: a keyword, device and target over all points. */
export interface GridSums extends MapSums, Pick<KeywordRow, 'keyword' | 'country' | 'language' | 'device' | 'target'> {
  /** Of the row of its first point; names the map. */
  readonly id: string;
  /** Newest local date of its checks; null: none. */
  readonly date: string | null;
}

/** A point of a map: row 1 is the northernmost, column 1 the westernmost. */
export interface GridPoint
  extends GridPlace,
    Pick<KeywordRow, 'keyword' | 'country' | 'language' | 'device' | 'target' | 'status' | 'rank' | 'depth' | 'url'>,
    Pick<KeywordRow, 'date' | 'previousRank' | 'previousDate' | 'change' | 'changeClass'> {
  /** Of a point that was not checked. */
  readonly last?: NonNullable<KeywordRow['last']>;
  /** Of its row. */
  readonly id: string;
  readonly location: string;
  /** Of a point that was not checked, estimated from the others: never a rank. */
  readonly estimatedRank: number | null;
}

export interface GridMapAnswer extends GridSums {
  readonly grid: {
    readonly center: string;
    readonly size: number;
    readonly spacing: string;
    readonly spacingKm: number;
  };
  readonly compare: string;
  readonly estimated: number;
  /** Mean absolute error of the estimates in ranks, by leave-one-out over the checked points; null: no estimates. */
  readonly estimateError: number | null;
  readonly mapPoints: readonly GridPoint[];
  /** By date, over the points with a complete check. Null: none. */
  readonly series: {
    readonly dates: readonly string[];
    readonly averageRank: readonly (number | null)[];
    readonly shareOfLocalVoice: readonly (number | null)[];
    readonly checked: readonly number[];
  };
}
