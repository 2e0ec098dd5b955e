// Sums of ranks by date. Those of all searches are kept, so that a question sums at most half of the searches.

import { type CodeSums, type DatedSums, SummedSearches } from '../../../src/read/sums/code-sums.ts';
import { getOrInsert } from '../../../src/tracker/maps.ts';
import type { Target } from '../../../src/tracker/project.ts';
import { targetKey } from '../../../src/tracker/targets/target.ts';
import type { RankTrails } from './rank-trails.ts';

export class RankSums {
  readonly #trails: Pick<RankTrails, 'of'>;
  readonly #volumes: readonly (number | null)[];
  readonly #all: SummedSearches;
  /** Of all searches, by target and date. */
  readonly #known = new Map<string, (CodeSums | undefined)[]>();

  /** `volumes`: of all searches of the project, in the order of the columns. */
  constructor(trails: Pick<RankTrails, 'of'>, volumes: readonly (number | null)[]) {
    this.#trails = trails;
    this.#volumes = volumes;
    this.#all = new SummedSearches(Int32Array.from(volumes.keys()), volumes);
  }

  /** All searches of the project on a date. */
  ofAll(target: Target, date: number): CodeSums {
    const key = targetKey(target);
    const byDate = getOrInsert(this.#known, key, () => []);
    const known = byDate[date] ?? this.#all.of(this.#trails.of(target).column(date));
    byDate[date] = known;
    return known;
  }

  /**
   * The sums of some searches, each once; more than half of all are summed as all less the others. `searchIndices`: in
   * the columns; -1: in none. `volumes`: of these. Returns what a timeline of the target adds.
   */
  of(searchIndices: Int32Array, volumes: readonly (number | null)[]): (target: Target) => DatedSums[] {
    const others = this.#others(searchIndices, volumes);
    const searches = new SummedSearches(others ?? searchIndices, others === null ? volumes : this.#volumesOf(others));
    return (target) => {
      const ranks = this.#trails.of(target);
      const of = (date: number): CodeSums => searches.of(ranks.column(date));
      if (others === null) return [{ sign: 1, searches: searchIndices.length, of }];
      const all = { sign: 1, searches: this.#volumes.length, of: (date: number) => this.ofAll(target, date) } as const;
      return others.length === 0 ? [all] : [all, { sign: -1, searches: others.length, of }];
    };
  }

  /** Null: there are more others, or the volumes are not those of the sums of all. */
  #others(searchIndices: Int32Array, volumes: readonly (number | null)[]): Int32Array | null {
    const { length } = this.#volumes;
    if (2 * searchIndices.length <= length) return null;
    if (!searchIndices.every((searchIndex, at) => searchIndex >= 0 && volumes[at] === this.#volumes[searchIndex]))
      return null;
    const isAmong = new Uint8Array(length);
    for (const searchIndex of searchIndices) isAmong[searchIndex] = 1;
    const others = Int32Array.from(this.#volumes.keys().filter((searchIndex) => isAmong[searchIndex] === 0));
    return others.length === length - searchIndices.length ? others : null;
  }

  #volumesOf(searchIndices: Int32Array): (number | null)[] {
    return Array.from(searchIndices, (searchIndex) => this.#volumes[searchIndex] ?? null);
  }
}
