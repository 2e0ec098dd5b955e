// The order in which changes are reported.
import { ctr } from './visibility.ts';

/** A change of rank, and what it means in clicks. */
interface ClickChange {
  readonly rank: number | null;
  readonly previousRank: number | null;
  /** Null: the volume of the keyword is not known. */
  readonly estimatedClicksChange: number | null;
}

/** The heavier change is reported first: by clicks, and after all of these by what it is worth at any volume. */
export function changeWeight({ rank, previousRank, estimatedClicksChange }: ClickChange, curveName: string): number {
  if (estimatedClicksChange !== null) return Math.abs(estimatedClicksChange);
  return Math.abs(ctr(curveName, rank) - ctr(curveName, previousRank)) / 1000;
}
