// Reads which SERP features each search showed over time, newest date first, for the report page.
import type { SeriesDate } from '../../../db/reads/reports/report-series.ts';
import { StepLists } from '../../../src/report/html/data/step-lists.ts';
import type { FeatureSteps } from '../../../src/report/html/data/timeline.ts';
import type { ReportScope } from '../rows/report-scope.ts';

/** Complete checks that are read, newest date first; dates beyond have no features. */
const checksMax = 3_000_000;

export class FeatureHistory {
  /** Each set of features once, its names in order; null: not recorded. */
  readonly #sets: (string | null)[] = [];
  readonly #setOf = new Map<string | null, number>();
  readonly #steps: StepLists;
  /** By search id, one more than its index in `#steps`; 0: it has none. */
  readonly #stepIndices: Int32Array;

  /** Of these searches. */
  constructor(
    { context, project }: Pick<ReportScope, 'context' | 'project'>,
    dates: readonly SeriesDate[],
    wanted: ReadonlySet<number>,
  ) {
    this.#stepIndices = new Int32Array(1 + wanted.values().reduce((most, id) => Math.max(most, id), 0));
    for (const [stepIndex, id] of [...wanted].entries()) this.#stepIndices[id] = stepIndex + 1;
    this.#steps = new StepLists(wanted.size);
    let left = checksMax;
    for (const [date, { runs }] of [...dates.entries()].reverse()) {
      if (left <= 0) return;
      // of several checks on a date the last made counts
      for (const run of runs.toReversed()) {
        for (const { searchIds, features, names } of context.store.reportSeries.features(project.id, run)) {
          left -= searchIds.length;
          const sets = names.map((name) => this.#idOf(name));
          for (let at = 0; at < searchIds.length; at += 1) {
            const stepIndex = this.#stepIndices[searchIds[at] ?? 0] ?? 0;
            if (stepIndex > 0) this.#steps.add(stepIndex - 1, date, sets[features[at] ?? 0] ?? 0);
          }
        }
      }
    }
  }

  of(searchId: number): FeatureSteps {
    const stepIndex = this.#stepIndices[searchId] ?? 0;
    if (stepIndex === 0) return [];
    return [...this.#steps.of(stepIndex - 1)].map(([date, set]) => [date, this.#sets[set] ?? null] as const);
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
