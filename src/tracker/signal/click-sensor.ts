// A free sensor for the adaptive plan: a move in impressions or average position makes a change of rank more likely.

/** A query over some days. */
export interface SensedClicks {
  readonly days: number;
  /** Null: unknown. */
  readonly impressions: number | null;
  /** Null: there are no impressions, or they are unknown. */
  readonly averagePosition: number | null;
}

/** Fewer impressions move by chance. */
const impressionsMin = 30;
/** A position moves where it is this many times as large or small, and a whole place away. */
const positionRatio = 1.3;
/** Impressions a day move where they double or halve, and by more than chance: standard deviations of a count. */
const impressionsRatio = 2;
const deviationsMin = 4;
/** How many times as high the change rate of the search counts. */
const positionFactor = 3;
const impressionsFactor = 2;

/** The factor on the change rate of a search: 1 where nothing moved, or too little was counted. */
export function sensedFactor(before: SensedClicks, now: SensedClicks): number {
  if (before.days === 0 || now.days === 0 || before.impressions === null || now.impressions === null) return 1;
  const expected = (before.impressions / before.days) * now.days;
  if (Math.max(expected, now.impressions) < impressionsMin || before.impressions < impressionsMin) return 1;
  const [was, is] = [before.averagePosition, now.averagePosition];
  const hasPositions = was !== null && is !== null && now.impressions >= impressionsMin;
  if (hasPositions && Math.abs(is - was) >= 1 && Math.max(is / was, was / is) >= positionRatio) return positionFactor;
  const ratio = now.impressions / expected;
  const isFar = Math.abs(now.impressions - expected) > deviationsMin * Math.sqrt(expected);
  return isFar && (ratio >= impressionsRatio || ratio <= 1 / impressionsRatio) ? impressionsFactor : 1;
}
