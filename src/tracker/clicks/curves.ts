// Click-through curves fitted to what a search engine counted for a site, with and without SERP features. Pure.

import { sumOf } from '../figures.ts';
import { getOrInsert } from '../maps.ts';
import { wilsonInterval } from '../proportions.ts';

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
const ranksMax = 50;
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
    ...wilsonInterval({ count: Math.min(block.clicks, block.impressions), of: block.impressions }, z),
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

/** Features that take room above organic results, or answer on the page itself. */
const curveFeatures = [
  'ai_overview',
  'featured_snippet',
  'knowledge_graph',
  'local_pack',
  'paid',
  'popular_products',
  'shopping',
] as const;

/** A reading whose results page was checked near its day. */
export interface FeatureReading extends CurveReading {
  readonly query: string;
  readonly features: ReadonlySet<string>;
}

interface Side {
  readonly queries: number;
  readonly clicks: number;
  readonly impressions: number;
}

/** Clicks with the feature / clicks without it, at equal positions. The interval holds it with 95 % confidence. */
interface ClickRatio {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

export interface FeatureCurve {
  readonly feature: string;
  readonly present: Side;
  readonly absent: Side;
  /** Of pages that show it; empty: too few impressions or queries with or without it. */
  readonly ranks: readonly FittedRank[];
  /** Null: as above, or nothing was clicked. */
  readonly ratio: ClickRatio | null;
}

/** Fewer would not show how much queries differ. */
const queriesMin = 20;

/**
 * One curve for each feature, shrunk to `siteRate`, the curve without regard to features. The ratio compares clicks
 * with and without the feature by half ranks, and weighs them as Mantel and Haenszel do (1959, for rates Greenland and
 * Robins 1985): those that have only one of both count for nothing. Its error is that of a jackknife which leaves out
 * one query at a time: queries differ more than chance, and their days are alike.
 */
export function fitFeatureCurves(
  readings: readonly FeatureReading[],
  siteRate: (rank: number) => number,
): FeatureCurve[] {
  return curveFeatures.map((feature) => {
    const shown = readings.filter(({ features }) => features.has(feature));
    const others = readings.filter(({ features }) => !features.has(feature));
    const [present, absent] = [sideOf(shown), sideOf(others)];
    const isEnough = [present, absent].every(
      ({ impressions, queries }) => impressions >= impressionsMin && queries >= queriesMin,
    );
    if (!isEnough) return { feature, present, absent, ranks: [], ratio: null };
    const ratio = ratioOf(readings, feature);
    return { feature, present, absent, ranks: fitCurve(shown, siteRate), ratio };
  });
}

function sideOf(readings: readonly FeatureReading[]): Side {
  return {
    queries: new Set(readings.map(({ query }) => query)).size,
    clicks: sumOf(readings, ({ clicks }) => clicks),
    impressions: sumOf(readings, ({ impressions }) => impressions),
  };
}

/** Half ranks: clicks and impressions of each, with the feature and without it. */
type Strata = Float64Array;

const cells = 4;
const strataPerRank = 2;
const strataMax = ranksMax * strataPerRank;

/** The Mantel-Haenszel ratio of two rates; NaN where no rank has both. */
function mantelHaenszel(strata: Strata): number {
  let [above, below] = [0, 0];
  for (let at = 0; at < strata.length; at += cells) {
    const [clicks = 0, impressions = 0, otherClicks = 0, others = 0] = strata.subarray(at, at + cells);
    if (impressions === 0 || others === 0) continue;
    above += (clicks * others) / (impressions + others);
    below += (otherClicks * impressions) / (impressions + others);
  }
  return above / below;
}

const entryLength = 3;

/** Counts are whole numbers: their sums are exact. */
function add(strata: Strata, entries: readonly number[], sign: 1 | -1): void {
  for (let index = 0; index < entries.length; index += entryLength) {
    const [at = 0, clicks = 0, impressions = 0] = entries.slice(index, index + entryLength);
    strata[at] = (strata[at] ?? 0) + sign * clicks;
    strata[at + 1] = (strata[at + 1] ?? 0) + sign * impressions;
  }
}

function ratioOf(readings: readonly FeatureReading[], feature: string): ClickRatio | null {
  const total = new Float64Array(strataMax * cells);
  /** Of each query: place in `total`, clicks, impressions; and again. */
  const queries = new Map<string, number[]>();
  for (const { query, clicks, impressions, position, features } of readings) {
    const stratum = Math.floor((position - 1) * strataPerRank);
    if (stratum < 0 || stratum >= strataMax) continue;
    const at = stratum * cells + (features.has(feature) ? 0 : 2);
    const own = getOrInsert(queries, query, () => []);
    own.push(at, clicks, impressions);
    add(total, own.slice(-entryLength), 1);
  }
  const value = mantelHaenszel(total);
  const logs = [...queries.values()].map((own) => {
    add(total, own, -1);
    const without = mantelHaenszel(total);
    add(total, own, 1);
    return Math.log(without);
  });
  if (!(value > 0) || !Number.isFinite(value) || !logs.every(Number.isFinite)) return null;
  const mean = sumOf(logs) / logs.length;
  const squares = sumOf(logs, (log) => (log - mean) ** 2);
  const error = Math.sqrt((squares * (logs.length - 1)) / logs.length);
  return { value, low: value * Math.exp(-z * error), high: value * Math.exp(z * error) };
}
