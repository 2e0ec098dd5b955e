// Counts how often each SERP feature is shown, and how often a target owns it.
import type { Row } from '../../../rows/row.ts';
import type { FeatureSummary } from './page-facts.ts';

export class FeatureCounts {
  readonly #counts = new Map<string, { shown: number; owned: number }>();
  #of = 0;

  add({ complete, serpFeatures, ownedFeatures }: Row): void {
    if (!complete) return;
    this.#of += 1;
    for (const name of serpFeatures) {
      const count = this.#counts.get(name) ?? { shown: 0, owned: 0 };
      this.#counts.set(name, count);
      count.shown += 1;
      if (ownedFeatures.includes(name)) count.owned += 1;
    }
  }

  /** Most frequent first. */
  lines(): FeatureSummary[] {
    return [...this.#counts]
      .map(([name, { shown, owned }]) => ({ name, shown, owned, of: this.#of }))
      .sort((a, b) => b.shown - a.shown || (a.name < b.name ? -1 : 1));
  }
}
