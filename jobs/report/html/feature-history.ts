// Reads which SERP features each search showed over time, newest date first, for the report page.
import type { SeriesDate } from '../../../db/reads/reports/report-series.ts';
import type { FeatureSteps } from '../../../src/report/html/data/timeline.ts';
import type { ReportScope } from '../rows/report-scope.ts';

/** Complete checks: after so many no further date is read, and nothing is known of the dates before. */
const checksMax = 3_000_000;

export class FeatureHistory {
  /** Each set of features once, its names in order; null: not recorded. */
  readonly #sets: (string | null)[] = [];
  readonly #setOf = new Map<string | null, number>();
  /** Of each search its oldest step so far, and of each step its date, its set and the newer step; -1: none. */
  readonly #oldest = new Map<number, number>();
  readonly #dates = new Numbers();
  readonly #setIds = new Numbers();
  readonly #newer = new Numbers();

  /** Of these searches. */
  constructor(
    { context, project }: Pick<ReportScope, 'context' | 'project'>,
    dates: readonly SeriesDate[],
    searchIds: ReadonlySet<number>,
  ) {
    let left = checksMax;
    for (const [date, { runs }] of [...dates.entries()].reverse()) {
      if (left <= 0) return;
      for (const run of runs.toReversed()) {
        for (const shown of context.store.reportSeries.features(project.id, run)) {
          left -= shown.length;
          for (const { searchId, features } of shown)
            if (searchIds.has(searchId)) this.#add(searchId, date, this.#idOf(features));
        }
      }
    }
  }

  of(searchId: number): FeatureSteps {
    const steps: [number, string | null][] = [];
    for (let at = this.#oldest.get(searchId) ?? -1; at >= 0; at = this.#newer.at(at))
      steps.push([this.#dates.at(at), this.#sets[this.#setIds.at(at)] ?? null]);
    return steps;
  }

  /**
   * Dates come newest first. A value that is equal on an older date began there. Of several checks on a date the first
   * to come, which is the last made, counts.
   */
  #add(searchId: number, date: number, set: number): void {
    const oldest = this.#oldest.get(searchId) ?? -1;
    if (oldest >= 0 && this.#dates.at(oldest) === date) return;
    if (oldest >= 0 && this.#setIds.at(oldest) === set) {
      this.#dates.set(oldest, date);
      return;
    }
    this.#oldest.set(searchId, this.#dates.push(date));
    this.#setIds.push(set);
    this.#newer.push(oldest);
  }

  #idOf(features: string | null): number {
    const known = this.#setOf.get(features);
    if (known !== undefined) return known;
    const sorted = features === null ? null : features.split('|').sort().join('|');
    const id = this.#setOf.get(sorted) ?? this.#sets.length;
    if (id === this.#sets.length) this.#sets.push(sorted);
    this.#setOf.set(sorted, id).set(features, id);
    return id;
  }
}

/** A list of numbers in four bytes each: a hundred thousand searches have a step a week. */
class Numbers {
  #values = new Int32Array(1_024);
  #length = 0;

  at(index: number): number {
    return this.#values[index] ?? 0;
  }

  set(index: number, value: number): void {
    this.#values[index] = value;
  }

  /** Returns its index. */
  push(value: number): number {
    if (this.#length === this.#values.length) {
      const larger = new Int32Array(2 * this.#length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length] = value;
    this.#length += 1;
    return this.#length - 1;
  }
}
