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
  /**
   * By search: date and set, date and set, from the newest back. Lists of numbers are what a hundred thousand searches
   * have room for.
   */
  readonly #steps = new Map<number, number[]>();

  constructor({ context, project }: Pick<ReportScope, 'context' | 'project'>, dates: readonly SeriesDate[]) {
    let left = checksMax;
    for (const [date, { runs }] of [...dates.entries()].reverse()) {
      if (left <= 0) return;
      for (const run of runs.toReversed()) {
        for (const shown of context.store.reportSeries.features(project.id, run)) {
          left -= shown.length;
          for (const { searchId, features } of shown) this.#add(searchId, date, this.#idOf(features));
        }
      }
    }
  }

  of(searchId: number): FeatureSteps {
    const flat = this.#steps.get(searchId) ?? [];
    const steps: [number, string | null][] = [];
    for (let at = flat.length - 2; at >= 0; at -= 2) steps.push([flat[at] ?? 0, this.#sets[flat[at + 1] ?? 0] ?? null]);
    return steps;
  }

  /**
   * Dates come newest first. A value that is equal on an older date began there. Of several checks on a date the first
   * to come, which is the last made, counts.
   */
  #add(searchId: number, date: number, set: number): void {
    const steps = this.#steps.get(searchId);
    if (steps === undefined) {
      this.#steps.set(searchId, [date, set]);
      return;
    }
    const last = steps.length - 2;
    if (steps[last] === date) return;
    if (steps[last + 1] === set) steps[last] = date;
    else steps.push(date, set);
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
