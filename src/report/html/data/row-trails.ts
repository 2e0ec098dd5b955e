// The history of rows over the dates: a code per date, and where the URL and the owned features changed.

import type { DatedRanks } from '../../../read/sums/timeline.ts';
import { isProvenCode, rankCodes } from '../../../tracker/rank-codes.ts';
import { StepLists } from './step-lists.ts';

/** What a date says of each search, by its index in a list of searches. */
export interface RankDate {
  readonly date: number;
  /** Of trail.ts. */
  readonly codes: Uint16Array;
  /** Where the code is a rank; 0: none. */
  readonly urlIds: Int32Array;
  /** Where the code is a rank or an absence: a number of a set of features; 0: none. */
  readonly owned: Uint16Array;
}

/** Twenty thousand rows, in a few lists. */
export class RowTrails {
  /** Of each row the index of its search in the columns; -1: it was never made. */
  readonly #searchIndices: Int32Array;
  readonly #dateCount: number;
  readonly #codes: Uint16Array;
  readonly #urls: StepLists;
  readonly #owned: StepLists;

  constructor(searchIndices: Int32Array, dateCount: number) {
    this.#searchIndices = searchIndices;
    this.#dateCount = dateCount;
    this.#codes = new Uint16Array(searchIndices.length * dateCount);
    this.#urls = new StepLists(searchIndices.length);
    this.#owned = new StepLists(searchIndices.length);
  }

  /** Dates come newest first. */
  add({ date, codes, urlIds, owned }: RankDate): void {
    for (let row = 0; row < this.#searchIndices.length; row += 1) {
      const searchIndex = this.#searchIndices[row] ?? -1;
      if (searchIndex < 0) continue;
      const code = codes[searchIndex] ?? rankCodes.none;
      this.#codes[row * this.#dateCount + date] = code;
      if (!isProvenCode(code)) continue;
      const urlId = urlIds[searchIndex] ?? 0;
      if (urlId > 0) this.#urls.add(row, date, urlId);
      this.#owned.add(row, date, owned[searchIndex] ?? 0);
    }
  }

  /** One code per date. */
  codes(row: number): Uint16Array {
    return this.#codes.subarray(row * this.#dateCount, (row + 1) * this.#dateCount);
  }

  urlSteps(row: number): DatedRanks['urlSteps'] {
    return [...this.#urls.of(row)];
  }

  /** `names`: features joined by `|`, by number. */
  ownedSteps(row: number, names: readonly string[]): DatedRanks['ownedSteps'] {
    const steps = [...this.#owned.of(row)].map(([date, id]) => [date, names[id] ?? ''] as const);
    return steps[0]?.[1] === '' ? steps.slice(1) : steps;
  }

  /** Of all steps. */
  urlIds(): ReadonlySet<number> {
    return this.#urls.values();
  }
}
