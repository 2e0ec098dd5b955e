// Reads which SERP features each search showed over time, newest date first, for the report page.
import type { SeriesDate } from '../../../db/reads/reports/report-series.ts';
import { StepLists } from '../../../src/report/html/data/step-lists.ts';
import type { FeatureSteps } from '../../../src/report/html/data/timeline.ts';
import type { ReportScope } from '../rows/report-scope.ts';

/** Complete checks: after so many no further date is read, and nothing is known of the dates before. */
const checksMax = 3_000_000;

export class FeatureHistory {
  /** Each set of features once, its names in order; null: not recorded. */
  readonly #sets: (string | null)[] = [];
  readonly #setOf = new Map<string | null, number>();
  readonly #steps: StepLists;
  readonly #places: ReadonlyMap<number, number>;

  /** Of these searches. */
  constructor(
    { context, project }: Pick<ReportScope, 'context' | 'project'>,
    dates: readonly SeriesDate[],
    searchIds: ReadonlySet<number>,
  ) {
    this.#places = new Map([...searchIds].map((id, place) => [id, place]));
    this.#steps = new StepLists(searchIds.size);
    let left = checksMax;
    for (const [date, { runs }] of [...dates.entries()].reverse()) {
      if (left <= 0) return;
      // of several checks on a date the last made counts
      for (const run of runs.toReversed()) {
        for (const shown of context.store.reportSeries.features(project.id, run)) {
          left -= shown.length;
          for (const { searchId, features } of shown) {
            const place = this.#places.get(searchId);
            if (place !== undefined) this.#steps.add(place, date, this.#idOf(features));
          }
        }
      }
    }
  }

  of(searchId: number): FeatureSteps {
    const place = this.#places.get(searchId);
    if (place === undefined) return [];
    return [...this.#steps.of(place)].map(([date, set]) => [date, this.#sets[set] ?? null] as const);
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
