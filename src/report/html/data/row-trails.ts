// The history of rows over the dates: a code per date, and where the URL and the owned features changed.

import type { DatedRanks, RankDate } from '../../../read/sums/timeline.ts';
import { isProvenCode, rankCodes } from '../../../tracker/rank-codes.ts';

/** Dates and values, newest first. */
export type StepList<Value> = [date: number, value: Value][];

/**
 * Dates come newest first: a value that is equal on an older date began there. Of several values on a date the first
 * to come counts.
 */
export function addStep<Value>(steps: StepList<Value>, date: number, value: Value): void {
  const oldest = steps.at(-1);
  if (oldest?.[0] === date) return;
  if (oldest !== undefined && oldest[1] === value) oldest[0] = date;
  else steps.push([date, value]);
}

/** Of many rows. */
export class RowTrails {
  /** Of each row the index of its search in the columns; -1: it was never made. */
  readonly #searchIndices: Int32Array;
  readonly #dateCount: number;
  readonly #codes: Uint16Array;
  readonly #urls: readonly StepList<number>[];
  readonly #owned: readonly StepList<number>[];

  constructor(searchIndices: Int32Array, dateCount: number) {
    this.#searchIndices = searchIndices;
    this.#dateCount = dateCount;
    this.#codes = new Uint16Array(searchIndices.length * dateCount);
    this.#urls = Array.from(searchIndices, () => []);
    this.#owned = Array.from(searchIndices, () => []);
  }

  /** Dates come newest first. */
  add({ date, codes, urlIds, owned }: RankDate): void {
    for (const [row, searchIndex] of this.#searchIndices.entries()) {
      const [urlSteps, ownedSteps] = [this.#urls[row], this.#owned[row]];
      if (searchIndex < 0 || urlSteps === undefined || ownedSteps === undefined) continue;
      const code = codes[searchIndex] ?? rankCodes.none;
      this.#codes[row * this.#dateCount + date] = code;
      if (!isProvenCode(code)) continue;
      const urlId = urlIds[searchIndex] ?? 0;
      if (urlId > 0) addStep(urlSteps, date, urlId);
      addStep(ownedSteps, date, owned[searchIndex] ?? 0);
    }
  }

  /** One code per date. */
  codes(row: number): Uint16Array {
    return this.#codes.subarray(row * this.#dateCount, (row + 1) * this.#dateCount);
  }

  urlSteps(row: number): DatedRanks['urlSteps'] {
    return (this.#urls[row] ?? []).toReversed();
  }

  /** `names`: features joined by `|`, by number. */
  ownedSteps(row: number, names: readonly string[]): DatedRanks['ownedSteps'] {
    const steps = (this.#owned[row] ?? []).map(([date, id]) => [date, names[id] ?? ''] as const).toReversed();
    return steps[0]?.[1] === '' ? steps.slice(1) : steps;
  }

  /** Of all steps. */
  urlIds(): ReadonlySet<number> {
    return new Set(this.#urls.flatMap((steps) => steps.map(([, urlId]) => urlId)));
  }
}
