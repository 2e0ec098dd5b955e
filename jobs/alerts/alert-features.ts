// Finds features that a target won or lost since the checks before, some hundred rows at a time.
import type { Row } from '../../src/rows/row.ts';
import { appliesTo, checksMax, featureChanges, isKeywordRule } from '../../src/tracker/changes/alerts.ts';
import { marketName } from '../../src/tracker/project.ts';
import { targetKey } from '../../src/tracker/targets/target.ts';
import type { ReportScope } from '../report/rows/report-scope.ts';
import { type AlertCandidates, addKeywordAlert } from './alert-candidates.ts';

const rowsPerRead = 500;

/** Takes rows in the order of a reading, market by market and target by target. */
export class FeatureReading {
  readonly #scope: ReportScope;
  readonly #rules: readonly AlertCandidates[];
  readonly #before: number;
  /** All of one target and market. */
  #waiting: Row[] = [];

  /** `believedBefore`: checks of runs at or after this moment say nothing of what was before. */
  constructor(scope: ReportScope, rules: readonly AlertCandidates[], believedBefore: number) {
    this.#scope = scope;
    this.#rules = rules.filter(({ rule }) => rule.when === 'feature-won' || rule.when === 'feature-lost');
    this.#before = Math.min(scope.runs[0].moment, believedBefore);
  }

  add(one: Row): void {
    if (this.#rules.length === 0 || !one.complete) return;
    const [first] = this.#waiting;
    if (first !== undefined && (this.#waiting.length >= rowsPerRead || !areOfOneReading(first, one))) this.finish();
    this.#waiting.push(one);
  }

  /** Adds the alerts of the last batch. */
  finish(): void {
    const rows = this.#waiting;
    const [first] = rows;
    if (first === undefined) return;
    this.#waiting = [];
    const { context, runs } = this.#scope;
    const runIds = runs.map(({ id }) => id);
    const checks = Map.groupBy(
      context.store.alertHistory.ownedFeatures({
        target: targetKey(first.own),
        market: first.market,
        keywords: rows.map(({ keyword }) => keyword),
        before: this.#before,
        runIds,
        limit: checksMax + runIds.length,
      }),
      ({ at }) => at,
    );
    for (const [at, one] of rows.entries()) {
      const ofRow = (checks.get(at) ?? [])
        .filter(({ source }) => source === one.source)
        .map(({ checkId, ...check }) => ({
          ...check,
          // read for checks that may have won or lost a feature only
          get unlinked() {
            return context.store.pages.unlinkedFeatures(checkId);
          },
        }));
      const now = ofRow.find(({ runId }) => runId === one.runId);
      const before = ofRow.filter(({ runId }) => !runIds.includes(runId));
      if (now === undefined) continue;
      for (const findings of this.#rules) {
        const { rule } = findings;
        if (!isKeywordRule(rule) || !appliesTo(rule, one.tags)) continue;
        for (const feature of featureChanges(rule, now, before))
          addKeywordAlert(this.#scope, findings, one, { feature });
      }
    }
  }
}

function areOfOneReading(a: Row, b: Row): boolean {
  return a.own === b.own && marketName(a) === marketName(b);
}
