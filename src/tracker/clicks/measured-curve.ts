// A click-through curve fitted to what a search engine counted for a site.

/** Clicks at an average position, which lies between ranks. */
export interface CurveReading {
  readonly position: number;
  readonly clicks: number;
  readonly impressions: number;
}

/** The rate of one rank, with the interval that holds it with 95 % confidence. */
export interface FittedRank {
  readonly rank: number;
  /** 0 to 1. */
  readonly rate: number;
  readonly low: number;
  readonly high: number;
  /** What was counted there; a reading between two ranks is shared between them. */
  readonly clicks: number;
  readonly impressions: number;
}

/** The built-in curve counts as much as this many impressions at each rank. */
const priorImpressions = 1_000;

/** Below, the built-in curve would decide most ranks. */
export const impressionsMin = 10_000;

/** Deeper positions hardly have clicks. */
export const ranksMax = 50;
/** Of the normal distribution, for 95 %. */
const z = 1.96;

interface Sum {
  clicks: number;
  impressions: number;
}

/**
 * Rates that never rise from rank to rank. At each rank, the rate is (clicks + prior rate x 1,000) / (impressions +
 * 1,000); neighbours that rise are pooled, weighted by impressions (pool adjacent violators).
 */
export function fitCurve(
  readings: Iterable<CurveReading>,
  priorRate: (rank: number) => number,
  prior: number = priorImpressions,
): FittedRank[] {
  const sums: Sum[] = Array.from({ length: ranksMax }, () => ({ clicks: 0, impressions: 0 }));
  for (const { position, clicks, impressions } of readings) {
    const above = Math.floor(position);
    share(sums[above - 1], clicks, impressions, 1 - (position - above));
    share(sums[above], clicks, impressions, position - above);
  }
  const shrunk = sums.map(({ clicks, impressions }, index) => ({
    clicks: clicks + prior * priorRate(index + 1),
    impressions: impressions + prior,
  }));
  return pooled(shrunk).map((block, index) => ({
    rank: index + 1,
    rate: block.clicks / block.impressions,
    ...wilson(block),
    clicks: sums[index]?.clicks ?? 0,
    impressions: sums[index]?.impressions ?? 0,
  }));
}

/** The rate at an average position: between two ranks, on the line between their rates. 0 beyond the last. */
export function rateAt(rateOf: (rank: number) => number, position: number): number {
  const above = Math.floor(position);
  const share = position - above;
  return above < 1 ? rateOf(1) : rateOf(above) * (1 - share) + rateOf(above + 1) * share;
}

function share(sum: Sum | undefined, clicks: number, impressions: number, weight: number): void {
  if (sum === undefined) return;
  sum.clicks += clicks * weight;
  sum.impressions += impressions * weight;
}

/** For each rank, the sums of the block that it is pooled into. */
function pooled(sums: readonly Sum[]): Sum[] {
  const blocks: (Sum & { length: number })[] = [];
  for (const sum of sums) {
    let block = { ...sum, length: 1 };
    for (let before = blocks.at(-1); before !== undefined && rate(before) < rate(block); before = blocks.at(-1)) {
      blocks.pop();
      block = {
        clicks: before.clicks + block.clicks,
        impressions: before.impressions + block.impressions,
        length: before.length + block.length,
      };
    }
    blocks.push(block);
  }
  return blocks.flatMap(({ length, ...block }) => Array.from({ length }, () => block));
}

function rate({ clicks, impressions }: Sum): number {
  return clicks / impressions;
}

/** Wilson's score interval. */
function wilson({ clicks, impressions }: Sum): { readonly low: number; readonly high: number } {
  const share = Math.min(1, clicks / impressions);
  const scale = 1 + z ** 2 / impressions;
  const middle = share + z ** 2 / (2 * impressions);
  const width = z * Math.sqrt((share * (1 - share)) / impressions + z ** 2 / (4 * impressions ** 2));
  return { low: Math.max(0, (middle - width) / scale), high: Math.min(1, (middle + width) / scale) };
}
