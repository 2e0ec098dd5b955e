// Finds what the keyword rules match in the rows of a report, in one pass.
import type { HistoryRow, Row, RowInput } from '../../src/rows/row.ts';
import { addToSums, type Sums, startSums } from '../../src/rows/sums.ts';
import {
  type AlertRule,
  appliesTo,
  checksMax,
  featureChanges,
  hasOvertaken,
  isKeywordRule,
  matchesRule,
  type ProvenRanking,
} from '../../src/tracker/changes/alerts.ts';
import { marketName } from '../../src/tracker/project.ts';
import { targetKey } from '../../src/tracker/targets/target.ts';
import { reportRows } from '../report/rows/report-rows.ts';
import type { ReportScope } from '../report/rows/report-scope.ts';
import { AlertCandidates, addKeywordAlert, joinSubject } from './alert-candidates.ts';

/** The proven rankings of a target in two complete checks of one source. */
interface RankMove {
  readonly target: string;
  readonly now: ProvenRanking;
  readonly before: ProvenRanking;
  /** Of `before`, UTC milliseconds: two moves compare if it is the same. */
  readonly checkedAt: number;
}

/**
 * Alerts of rules about keywords and targets. Rows are always compared with the previous check, also if reports use
 * another baseline, so each change is reported once. Checks of suspect runs are no baselines: their alerts are held.
 */
export function findRowAlerts(scope: ReportScope, rules: readonly AlertRule[]): AlertCandidates[] {
  const { context, settings, runs, slot, project } = scope;
  const { store } = context;
  const found = rules.map((rule) => new AlertCandidates(rule));
  const ofRows = found.filter(({ rule }) => isKeywordRule(rule));
  const falls = found.flatMap((findings) =>
    findings.rule.when === 'visibility-fell' ? [new VisibilityFall(scope, findings, findings.rule)] : [],
  );
  const rivals = ofRows.filter(({ rule }) => rule.when === 'competitor-overtook');
  const since = store.alertHistory.suspectSince(project.id, runs[0].moment);
  const features = new FeatureReading(scope, ofRows, since ?? Number.POSITIVE_INFINITY);
  const own = new Set(project.targets);
  const ownMoves = new Map<string, { readonly move: RankMove; readonly own: HistoryRow }[]>();
  const source = {
    store,
    project: rivals.length === 0 ? project : { ...project, targets: [...project.targets, ...project.competitors] },
    runs,
    slot,
    comparison: { kind: 'previous' } as const,
    ctrCurve: settings.ctrCurve,
  };
  for (const row of reportRows(source)) {
    const key = rivals.length === 0 ? '' : joinSubject(row.keyword, marketName(row));
    const move = rivals.length === 0 ? null : toRankMove(row.input);
    if (!own.has(row.own)) {
      if (move !== null) for (const passed of ownMoves.get(key) ?? []) addOvertakingAlert(scope, rivals, passed, move);
      continue;
    }
    for (const findings of ofRows) addChangeAlert(scope, findings, row);
    for (const fall of falls) fall.add(row);
    features.add(row);
    if (move !== null) ownMoves.set(key, [...(ownMoves.get(key) ?? []), { move, own: row }]);
  }
  features.finish();
  for (const fall of falls) fall.finish();
  return found;
}

function addChangeAlert(scope: ReportScope, findings: AlertCandidates, row: HistoryRow): void {
  const { rule } = findings;
  if (!isKeywordRule(rule) || row.runId === null || !row.complete || isHeldBack(row)) return;
  if (appliesTo(rule, row.tags) && matchesRule(rule, row)) addKeywordAlert(scope, findings, row);
}

/** A change waits for its second look; where that shows noise, there is nothing to report. */
function isHeldBack({ input: { awaitsSecondLook, secondLook }, significance }: HistoryRow): boolean {
  return awaitsSecondLook === true || (secondLook !== undefined && significance === 'noise');
}

function addOvertakingAlert(
  scope: ReportScope,
  rules: readonly AlertCandidates[],
  { move: ours, own }: { readonly move: RankMove; readonly own: HistoryRow },
  theirs: RankMove,
): void {
  if (ours.checkedAt !== theirs.checkedAt) return;
  if (!hasOvertaken({ own: ours.before, rival: theirs.before }, { own: ours.now, rival: theirs.now })) return;
  const competitor = { target: theirs.target, rank: theirs.now.rank, previousRank: theirs.before.rank };
  for (const findings of rules) {
    if (isKeywordRule(findings.rule) && appliesTo(findings.rule, own.tags))
      addKeywordAlert(scope, findings, own, { competitor });
  }
}

/** Null where one of the two checks is not complete, or they are not of one source. */
function toRankMove({ target, check, outcome, baseline }: RowInput): RankMove | null {
  if (check?.status !== 'ok' || baseline === null || baseline.source !== check.source) return null;
  if (outcome.kind !== 'ranked' && outcome.kind !== 'notFound') return null;
  const now =
    outcome.kind === 'ranked'
      ? { rank: outcome.organicRank, page: outcome.page, depth: check.depth }
      : { rank: null, page: null, depth: outcome.depth };
  const before = { rank: baseline.rank, page: baseline.page, depth: baseline.depth };
  return { target: target.value, now, before, checkedAt: baseline.checkedAt };
}

/** The visibility of each own target over the rows that a rule speaks of. */
class VisibilityFall {
  readonly #scope: ReportScope;
  readonly #findings: AlertCandidates;
  readonly #rule: Extract<AlertRule, { when: 'visibility-fell' }>;
  readonly #sums = new Map<string, Sums>();

  constructor(scope: ReportScope, findings: AlertCandidates, rule: Extract<AlertRule, { when: 'visibility-fell' }>) {
    this.#scope = scope;
    this.#findings = findings;
    this.#rule = rule;
  }

  add(row: HistoryRow): void {
    if (!appliesTo(this.#rule, row.tags)) return;
    const sums = this.#sums.get(row.target) ?? startSums(this.#scope.settings.ctrCurve);
    this.#sums.set(row.target, sums);
    addToSums(sums, row);
  }

  finish(): void {
    const { percent, tags } = this.#rule;
    for (const [target, sums] of this.#sums) {
      const now = sums.comparableNow.percent();
      const before = sums.comparableBefore.percent();
      if (now === null || before === null || before === 0) continue;
      const fellPercent = (100 * (before - now)) / before;
      if (fellPercent < percent) continue;
      this.#findings.add({
        runId: this.#scope.run.id,
        subject: joinSubject(target),
        weight: fellPercent,
        alert: {
          about: 'visibility',
          when: 'visibility-fell',
          rule: this.#findings.name,
          target,
          tags,
          visibility: now,
          previousVisibility: before,
          fellPercent,
          keywords: sums.comparableNow.count(),
        },
      });
    }
  }
}

// Finds features that a target won or lost since the checks before, some hundred rows at a time.

const rowsPerRead = 500;

/** Takes rows in the order of a reading, market by market and target by target. */
class FeatureReading {
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
