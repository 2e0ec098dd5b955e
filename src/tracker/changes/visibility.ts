// Click-through curves, estimated clicks, visibility, share of voice and rank buckets.

/** Click-through rate by organic rank, in 1/100 of a percent, rank 1 first; 0 beyond the last. Never rises. */
type Curve = readonly number[];

/** Makes a measured curve monotonic: no rank gets more than the one above it. */
function falling(measured: Curve): Curve {
  return measured.map((_, at) => Math.min(...measured.slice(0, at + 1)));
}

/**
 * The curves by name; the name includes the version of its numbers.
 *
 * - `sistrix-2020`: Sistrix, 80 million keywords, 2020. Published to rank 10, and "less than 1 %" below: 1.0 % at 11,
 *   falling evenly to 0.1 % at 20.
 * - `backlinko-4m`: Backlinko, 4 million results. Published to rank 10; 0 beyond.
 * - `awr-2020-desktop`, `awr-2020-mobile`: Advanced Web Ranking, June to October 2020, ranks 1 to 20. Measured rates
 *   rise again on page 2, whose visitors click more. They are held at the lowest rate above, so that losing a rank
 *   never looks like a gain.
 */
const builtIn: ReadonlyMap<string, Curve> = new Map([
  ['sistrix-2020', [2850, 1570, 1100, 800, 720, 510, 400, 320, 280, 250, 100, 90, 80, 70, 60, 50, 40, 30, 20, 10]],
  ['backlinko-4m', [2760, 1580, 1100, 840, 630, 490, 390, 330, 270, 240]],
  [
    'awr-2020-desktop',
    falling([3377, 1294, 694, 480, 317, 227, 172, 131, 123, 117, 253, 170, 104, 89, 80, 79, 68, 53, 50, 38]),
  ],
  [
    'awr-2020-mobile',
    falling([4876, 1422, 775, 756, 493, 314, 242, 185, 156, 116, 115, 130, 150, 213, 233, 246, 254, 267, 246, 149]),
  ],
]);

/** Names of the built-in curves; the first is the default. */
export const ctrCurveNames: readonly string[] = [...builtIn.keys()];

/** What `reports.ctrCurve` says for a curve that is fitted to each site. Without one, it is the default. */
export const measuredCurve = 'measured';

const curves = new Map(builtIn);

/** Adds a fitted curve; its name has a digest of its rates. Rates from 0 to 1, rank 1 first. */
export function addCurve(name: string, rates: readonly number[]): void {
  if (!builtIn.has(name)) curves.set(name, falling(rates.map((rate) => 10_000 * rate)));
}

/** The rates of a curve, 0 to 1, rank 1 first. Throws RangeError for an unknown curve. */
export function curveRates(name: string): readonly number[] {
  return getCurve(name).map((rate) => rate / 10_000);
}

/** Click-through rate of an organic rank, 0 to 1; 0 without a rank. Throws RangeError for an unknown curve. */
export function ctr(curveName: string, rank: number | null): number {
  return rateOn(getCurve(curveName), rank);
}

/**
 * Estimated clicks a month: volume x CTR(rank), not rounded. `rank` null means not found: 0 clicks. Null if the volume
 * is unknown. Only a target's best result counts.
 */
export function estimatedClicks(volume: number | null, rank: number | null, curveName: string): number | null {
  return volume === null ? null : volume * ctr(curveName, rank);
}

/** Sums for visibility. Add each keyword with a complete check once. Throws RangeError for an unknown curve. */
export class Visibility {
  readonly #curve: Curve;
  #clicks = 0;
  #most = 0;
  #count = 0;

  constructor(curveName: string) {
    this.#curve = getCurve(curveName);
  }

  /** `rank` null: not found. A keyword without volume adds nothing. */
  add(volume: number | null, rank: number | null): void {
    if (volume === null) return;
    this.#clicks += volume * rateOn(this.#curve, rank);
    this.#most += volume * rateOn(this.#curve, 1);
    this.#count += 1;
  }

  /** Estimated clicks a month, in total. */
  clicks(): number {
    return this.#clicks;
  }

  /** Sum of volume x CTR(rank) / sum of volume x CTR(1), in percent; null if no volume is known, or all are 0. */
  percent(): number | null {
    return this.#most === 0 ? null : (100 * this.#clicks) / this.#most;
  }

  /** Keywords with a volume. */
  count(): number {
    return this.#count;
  }
}

/**
 * Sums for share of voice: a target's estimated clicks against those of all domains in the same checks. Throws
 * RangeError for an unknown curve.
 */
export class ShareOfVoice {
  readonly #curve: Curve;
  #own = 0;
  #all = 0;

  constructor(curveName: string) {
    this.#curve = getCurve(curveName);
  }

  /**
   * One complete check: the best rank of the target (null: not found), and the summed rate (`sumRates`) of all domains
   * on the pages read, including the target's. A check without a known volume adds nothing.
   */
  add(volume: number | null, rank: number | null, rateOfDomains: number): void {
    if (volume === null) return;
    this.#own += volume * rateOn(this.#curve, rank);
    this.#all += volume * rateOfDomains;
  }

  /** In percent; null if no result is worth a click. */
  percent(): number | null {
    return this.#all === 0 ? null : (100 * this.#own) / this.#all;
  }
}

/**
 * Sums the click-through rates of all domains of a check, each at its best rank. Throws RangeError for an unknown
 * curve.
 */
export function sumRates(curveName: string, ranks: Iterable<number>): number {
  const curve = getCurve(curveName);
  let sum = 0;
  for (const rank of ranks) sum += rateOn(curve, rank);
  return sum;
}

function getCurve(name: string): Curve {
  const curve = curves.get(name === measuredCurve ? (ctrCurveNames[0] ?? '') : name);
  if (curve === undefined) throw new RangeError(`no click-through curve "${name}"; known: ${ctrCurveNames.join(', ')}`);
  return curve;
}

function rateOn(curve: Curve, rank: number | null): number {
  return rank === null ? 0 : (curve[rank - 1] ?? 0) / 10_000;
}

/** Rank buckets, disjoint and exhaustive. `unknown`: a row without a complete check. */
export const buckets = ['1', '2-3', '4-10', '11-20', '21-50', '51-100', 'not_found', 'unknown'] as const;

export type Bucket = (typeof buckets)[number];

/** Bucket of an organic rank; null: not found. Ranks beyond 100 count in the last numeric bucket. */
export function bucketOf(rank: number | null): Exclude<Bucket, 'unknown'> {
  if (rank === null) return 'not_found';
  if (rank <= 1) return '1';
  if (rank <= 3) return '2-3';
  if (rank <= 10) return '4-10';
  if (rank <= 20) return '11-20';
  return rank <= 50 ? '21-50' : '51-100';
}

/**
 * The heavier change is reported first: by clicks, and, where the volume is not known, after all of these by what it is
 * worth at any volume.
 */
export function changeWeight(
  change: { rank: number | null; previousRank: number | null; estimatedClicksChange: number | null },
  curveName: string,
): number {
  const { rank, previousRank, estimatedClicksChange } = change;
  if (estimatedClicksChange !== null) return Math.abs(estimatedClicksChange);
  return Math.abs(ctr(curveName, rank) - ctr(curveName, previousRank)) / 1000;
}
