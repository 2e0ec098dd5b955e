// What ranks are worth: click-through curves, estimated clicks, visibility, share of voice, rank buckets. Choosing rows is left to callers.

/** Click-through rate by organic rank, in 1/100 of a percent, rank 1 first; 0 beyond the last. Never rises with the rank. */
type Curve = readonly number[];

/** Makes a measured curve fall: no rank gets more than the one above it. */
function falling(measured: Curve): Curve {
  let most = Number.POSITIVE_INFINITY;
  return measured.map((value) => {
    most = Math.min(most, value);
    return most;
  });
}

/**
 * The curves by name; a name carries the version of its numbers.
 *
 * - `sistrix-2020`: Sistrix, 80 million keywords, 2020. Published to rank 10, and as less than 1 % below: 1.0 % at 11 falling evenly to
 *   0.1 % at 20.
 * - `backlinko-4m`: Backlinko, 4 million results. Published to rank 10; 0 beyond.
 * - `awr-2020-desktop`, `awr-2020-mobile`: Advanced Web Ranking, June to October 2020, ranks 1 to 20. Measured rates rise again on page 2 (those who
 *   go there click more); they are held at the lowest rate above, so that losing a rank never looks like a gain.
 */
const curves: ReadonlyMap<string, Curve> = new Map([
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

/** Names that `reports.ctrCurve` may have; the first is the default. */
export const ctrCurveNames: readonly string[] = [...curves.keys()];

/** Click-through rate of an organic rank, 0 to 1; 0 where there is no rank. Throws RangeError for a curve that does not exist. */
export function ctr(curveName: string, rank: number | null): number {
  return rateOn(curveOf(curveName), rank);
}

/**
 * Clicks a month that a rank is worth: volume x CTR(rank), not rounded. `rank` null means not found, which is worth 0; null where the volume is
 * not known. One target's best result counts, no second one.
 */
export function estimatedClicks(volume: number | null, rank: number | null, curveName: string): number | null {
  return volume === null ? null : volume * ctr(curveName, rank);
}

/** Sums for visibility: each keyword adds once, with a complete check and a known volume. */
export interface Visibility {
  /** `rank` null: not found. A keyword without volume adds nothing. */
  add(volume: number | null, rank: number | null): void;
  /** Estimated clicks a month of all that was added. */
  clicks(): number;
  /** Sum of volume x CTR(rank) / sum of volume x CTR(1), in percent; null where no volume is known, or all are 0. */
  percent(): number | null;
  /** Keywords that added something. */
  count(): number;
}

/** Starts an empty sum. Throws RangeError for a curve that does not exist. */
export function startVisibility(curveName: string): Visibility {
  const curve = curveOf(curveName);
  const atTop = rateOn(curve, 1);
  let clicks = 0;
  let most = 0;
  let count = 0;
  return {
    add(volume, rank) {
      if (volume === null) return;
      clicks += volume * rateOn(curve, rank);
      most += volume * atTop;
      count += 1;
    },
    clicks: () => clicks,
    percent: () => (most === 0 ? null : (100 * clicks) / most),
    count: () => count,
  };
}

/** Sums for share of voice over checks: a target's estimated clicks against those of all domains seen in the same checks. */
export interface ShareOfVoice {
  /**
   * One complete check: the best rank of the target (null: not found), and the rates of all domains seen on the pages read, the target's among
   * them, as `rateOfAll` adds them up. A check whose volume is not known adds nothing.
   */
  add(volume: number | null, rank: number | null, rateOfDomains: number): void;
  /** In percent; null where nothing was seen that is worth a click. */
  percent(): number | null;
}

/** Starts an empty sum. Throws RangeError for a curve that does not exist. */
export function startShareOfVoice(curveName: string): ShareOfVoice {
  const curve = curveOf(curveName);
  let own = 0;
  let all = 0;
  return {
    add(volume, rank, rateOfDomains) {
      if (volume === null) return;
      own += volume * rateOn(curve, rank);
      all += volume * rateOfDomains;
    },
    percent: () => (all === 0 ? null : (100 * own) / all),
  };
}

/** Click-through rates of some ranks together: those of all domains of a check, each at its best rank. Throws RangeError for a curve that does not exist. */
export function rateOfAll(curveName: string, ranks: Iterable<number>): number {
  const curve = curveOf(curveName);
  let sum = 0;
  for (const rank of ranks) sum += rateOn(curve, rank);
  return sum;
}

function curveOf(name: string): Curve {
  const curve = curves.get(name);
  if (curve === undefined) throw new RangeError(`no click-through curve "${name}"; known: ${ctrCurveNames.join(', ')}`);
  return curve;
}

function rateOn(curve: Curve, rank: number | null): number {
  return rank === null ? 0 : (curve[rank - 1] ?? 0) / 10_000;
}

/** Groups of ranks. They are disjoint and take every row: `unknown` is a row without a complete check. */
export const buckets = ['1', '2-3', '4-10', '11-20', '21-50', '51-100', 'not_found', 'unknown'] as const;

export type Bucket = (typeof buckets)[number];

/** Bucket of an organic rank, null being not found. The last one takes ranks beyond 100 too, which only a depth above ten pages can find. */
export function bucketOf(rank: number | null): Exclude<Bucket, 'unknown'> {
  if (rank === null) return 'not_found';
  if (rank <= 1) return '1';
  if (rank <= 3) return '2-3';
  if (rank <= 10) return '4-10';
  if (rank <= 20) return '11-20';
  return rank <= 50 ? '21-50' : '51-100';
}
