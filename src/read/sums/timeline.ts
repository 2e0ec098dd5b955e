// The dates of the charts, a target's ranking on each of them, and sums of many targets over time.

import { type Bucket, bucketOf, buckets, ctr } from '../../tracker/changes/visibility.ts';
import { figureDecimals, rounded } from '../../tracker/figures.ts';
import type { DatedRanking } from '../../tracker/observation.ts';
import { codeOfRank, isProvenCode, rankCodes, rankOfCode } from '../../tracker/rank-codes.ts';
import type { DatedSums } from './code-sums.ts';

/** A value per date of the axis; null: unknown, which charts show as a gap. */
export type Series = readonly (number | null)[];

/** What a date says of each search, by its index in a list of searches. */
export interface RankDate {
  readonly date: number;
  /** See src/tracker/rank-codes.ts. */
  readonly codes: Uint16Array;
  /** Where the code is a rank; 0: none. */
  readonly urlIds: Int32Array;
  /** Where the code is a rank or an absence: a number of a set of features; 0: none. */
  readonly owned: Uint16Array;
}

/** The history of a search over the dates. */
export interface DatedRanks {
  /** One code per date, see src/tracker/rank-codes.ts. */
  readonly codes: Uint16Array;
  /** Date and URL id: where the ranking URL first appeared or changed. */
  readonly urlSteps: readonly (readonly [number, number])[];
  /** Date and features joined by `|`: where the owned features changed. */
  readonly ownedSteps: readonly (readonly [number, string])[];
}

/**
 * Assigns the rankings of a search to dates. The last complete check of each date counts; `isComplete` takes a check
 * id.
 */
export function buildTrail(
  found: readonly DatedRanking[],
  dateOf: (ranking: DatedRanking) => number | undefined,
  dateCount: number,
  isComplete: (checkId: number) => boolean,
): DatedRanks {
  const chosen: (DatedRanking | undefined)[] = new Array(dateCount);
  const trail = new Uint16Array(dateCount);
  for (const ranking of found) {
    const date = dateOf(ranking);
    if (date === undefined) continue;
    if (!isComplete(ranking.checkId) || (ranking.rank === null && ranking.urlId !== null)) {
      trail[date] ||= rankCodes.incomplete;
      continue;
    }
    if (ranking.isNotFollowed) {
      trail[date] ||= rankCodes.not_followed;
      continue;
    }
    const other = chosen[date];
    const isNewer =
      other === undefined ||
      seenAt(ranking) > seenAt(other) ||
      (seenAt(ranking) === seenAt(other) && ranking.checkId > other.checkId);
    if (!isNewer) continue;
    chosen[date] = ranking;
    trail[date] = ranking.rank === null ? rankCodes.not_found : codeOfRank(ranking.rank);
  }
  return { codes: trail, ...findUrlSteps(chosen) };
}

/** The time of a ranking; a run of one date has no times per check. */
function seenAt({ checkedAt, moment }: DatedRanking): number {
  return checkedAt ?? moment;
}

function findUrlSteps(chosen: readonly (DatedRanking | undefined)[]): Pick<DatedRanks, 'urlSteps' | 'ownedSteps'> {
  const urlSteps: [number, number][] = [];
  const ownedSteps: [number, string][] = [];
  for (const [date, ranking] of chosen.entries()) {
    if (ranking === undefined) continue;
    if (ranking.urlId !== null && ranking.urlId !== urlSteps.at(-1)?.[1]) urlSteps.push([date, ranking.urlId]);
    const owned = ranking.ownedFeatures ?? '';
    if (owned !== (ownedSteps.at(-1)?.[1] ?? '')) ownedSteps.push([date, owned]);
  }
  return { urlSteps, ownedSteps };
}

/** Ranks below this have no click-through rate: their volumes are summed like those of absences, under 0. */
const ratedRanksMax = 100;
const volumesPerDate = ratedRanksMax + 1;

/**
 * Sums of one target by date. Volumes are whole numbers and are summed by rank, so that the order of the searches
 * changes no digit.
 */
export class TargetTimeline {
  readonly #rates: Float64Array;
  /** By date and rank; 0: not found. */
  readonly #volumes: Float64Array;
  readonly #weighed: Uint32Array;
  readonly #checked: Uint32Array;
  readonly #counts: readonly Uint32Array[];
  readonly #rankSums: Float64Array;
  readonly #rankCounts: Uint32Array;
  #total = 0;

  /** Throws RangeError for an unknown curve. */
  constructor(dateCount: number, curveName: string) {
    this.#rates = Float64Array.from({ length: volumesPerDate }, (_, rank) => ctr(curveName, rank === 0 ? null : rank));
    this.#volumes = new Float64Array(dateCount * volumesPerDate);
    this.#weighed = new Uint32Array(dateCount);
    this.#checked = new Uint32Array(dateCount);
    this.#counts = buckets.map(() => new Uint32Array(dateCount));
    this.#rankSums = new Float64Array(dateCount);
    this.#rankCounts = new Uint32Array(dateCount);
  }

  /** Adds a search. `volume` is today's, for all dates, so that only ranks change the sums. */
  add(trail: ArrayLike<number>, volume: number | null): void {
    this.#total += 1;
    for (let date = 0; date < this.#checked.length; date += 1) {
      const code = trail[date] ?? rankCodes.none;
      if (isProvenCode(code)) this.#addCode(date, code, 1, volume, 1);
    }
  }

  /** Adds the sums of many searches, or takes them away. `dates`: of the sums. */
  addSums({ sign, searches, of }: DatedSums, dates: readonly number[]): void {
    this.#total += sign * searches;
    for (let at = 0; at < this.#checked.length; at += 1) {
      const { codes, counts, weighed, volumes } = of(dates[at] ?? 0);
      for (let index = 0; index < codes.length; index += 1) {
        const code = codes[index] ?? 0;
        if (!isProvenCode(code)) continue;
        const volume = sign * (volumes[index] ?? 0);
        this.#addCode(at, code, sign * (counts[index] ?? 0), volume, sign * (weighed[index] ?? 0));
      }
    }
  }

  /** `weighed` of `count` searches have a volume: together `volume`. */
  #addCode(date: number, code: number, count: number, volume: number | null, weighed: number): void {
    const rank = rankOfCode(code);
    this.#checked[date] = (this.#checked[date] ?? 0) + count;
    const counts = this.#counts[bucketIndex.get(bucketOf(rank)) ?? 0];
    if (counts !== undefined) counts[date] = (counts[date] ?? 0) + count;
    if (rank !== null) {
      this.#rankSums[date] = (this.#rankSums[date] ?? 0) + rank * count;
      this.#rankCounts[date] = (this.#rankCounts[date] ?? 0) + count;
    }
    if (volume === null) return;
    const at = date * volumesPerDate + (rank === null || rank > ratedRanksMax ? 0 : rank);
    this.#volumes[at] = (this.#volumes[at] ?? 0) + volume;
    this.#weighed[date] = (this.#weighed[date] ?? 0) + weighed;
  }

  /** Estimated clicks on a date, and those of a first rank everywhere. */
  #clicksOn(date: number): { readonly clicks: number; readonly most: number } {
    let [clicks, volume] = [0, 0];
    for (let rank = 0; rank < volumesPerDate; rank += 1) {
      const sum = this.#volumes[date * volumesPerDate + rank] ?? 0;
      clicks += sum * (this.#rates[rank] ?? 0);
      volume += sum;
    }
    return { clicks, most: volume * (this.#rates[1] ?? 0) };
  }

  /** Of the searches with a rank; null without any. */
  averageRank(): Series {
    return Array.from(this.#rankCounts, (count, date) =>
      count === 0 ? null : rounded((this.#rankSums[date] ?? 0) / count, figureDecimals),
    );
  }

  /** Percent; null if nothing with a volume was checked. */
  visibility(): Series {
    return Array.from(this.#checked, (_, date) => {
      const { clicks, most } = this.#clicksOn(date);
      return most === 0 ? null : rounded((100 * clicks) / most, figureDecimals);
    });
  }

  /** A month; null if nothing with a volume was checked. */
  clicks(): Series {
    return Array.from(this.#weighed, (weighed, date) =>
      weighed === 0 ? null : rounded(this.#clicksOn(date).clicks, figureDecimals),
    );
  }

  /** Number of rows of each value of `visibility`. */
  weighed(): Series {
    return Array.from(this.#weighed, (weighed, date) => (this.#clicksOn(date).most === 0 ? null : weighed));
  }

  /** Rows per bucket, in the order of `buckets`. The last one, `unknown`, has rows without a complete check. */
  distribution(): Series[] {
    return this.#counts.map((counts, index) =>
      Array.from(this.#checked, (checked, date) => {
        if (checked === 0) return null;
        return buckets[index] === 'unknown' ? this.#total - checked : (counts[date] ?? 0);
      }),
    );
  }

  checked(): Series {
    return Array.from(this.#checked, (checked) => (checked === 0 ? null : checked));
  }

  get total(): number {
    return this.#total;
  }
}

const bucketIndex: ReadonlyMap<Bucket, number> = new Map(buckets.map((bucket, index) => [bucket, index]));
