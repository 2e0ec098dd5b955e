// The findings of one rule in one report: the weightiest changes one by one, the rest counted.
import type { HistoryRow, Row } from '../../src/read/row.ts';
import { type Alert, type AlertRule, type KeywordAlert, ruleName } from '../../src/tracker/changes/alerts.ts';
import { changeWeight } from '../../src/tracker/changes/visibility.ts';
import { namedMarket } from '../../src/tracker/project.ts';
import { targetKey } from '../../src/tracker/targets/target.ts';
import type { ReportScope } from '../read/rows/report-scope.ts';

/** More are counted, not listed; the report has all. */
const candidatesMax = 200;

/** One change that is worth an alert. */
export interface AlertCandidate {
  /** The run whose check shows it. */
  readonly runId: number;
  /** Identifies the event: a rule sends it once a channel. */
  readonly subject: string;
  /** Heavier findings are listed first. */
  readonly weight: number;
  readonly alert: Alert;
  /** Absent: it is not about one row. */
  readonly row?: Row;
}

/** What one rule has found so far. */
export class AlertCandidates {
  readonly rule: AlertRule;
  readonly name: string;
  #kept: AlertCandidate[] = [];
  #count = 0;

  constructor(rule: AlertRule) {
    this.rule = rule;
    this.name = ruleName(rule);
  }

  get count(): number {
    return this.#count;
  }

  add(finding: AlertCandidate): void {
    this.#count += 1;
    this.#kept.push(finding);
    if (this.#kept.length >= 2 * candidatesMax) this.#keepWeightiest();
  }

  /** The weightiest first. One more candidate, of the run `runId`, counts those beyond them. */
  list(runId: number): AlertCandidate[] {
    this.#keepWeightiest();
    const count = this.#count - this.#kept.length;
    if (count === 0) return this.#kept;
    const rest: Alert = { about: 'rest', when: this.rule.when, rule: this.name, count };
    return [...this.#kept, { runId, subject: 'rest', weight: 0, alert: rest }];
  }

  #keepWeightiest(): void {
    this.#kept = this.#kept.toSorted((a, b) => b.weight - a.weight).slice(0, candidatesMax);
  }
}

/** A key of these parts, which may hold any characters. */
export function joinSubject(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}

/** What a rule about features or competitors found in a row. */
type Finding = Partial<Pick<KeywordAlert, 'feature' | 'competitor'>>;

/** Adds the alert of a row to what a rule has found. */
export function addKeywordAlert(
  { settings }: ReportScope,
  findings: AlertCandidates,
  row: HistoryRow,
  found: Finding = {},
): void {
  if (row.runId === null) return;
  const { preferredUrl } = row;
  const alert: KeywordAlert = {
    about: 'keyword',
    when: findings.rule.when,
    rule: findings.name,
    keyword: row.keyword,
    ...namedMarket(row),
    target: row.target,
    tags: row.tags,
    changeClass: row.changeClass,
    now: { rank: row.rank, url: row.url, depth: row.depth, date: row.checkedAt === null ? null : row.date },
    before: {
      rank: row.previousRank,
      url: row.previousUrl,
      depth: row.previousDepth,
      date: row.previousDate,
    },
    searchVolume: row.searchVolume,
    estimatedClicksChange: row.estimatedClicksChange,
    preferredUrl: preferredUrl ?? undefined,
    ...found,
  };
  findings.add({
    runId: row.runId,
    subject: subjectOf(row, found),
    weight: changeWeight(row, settings.ctrCurve),
    alert,
    row: row.copy(),
  });
}

function subjectOf(row: Row, { feature, competitor }: Finding): string {
  const { keyword, country, language, device, location } = row;
  const found = [feature, competitor?.target].filter((name) => name !== undefined);
  const where = location === undefined ? [] : [`@ ${location}`];
  return joinSubject(keyword, country, language, device, targetKey(row.own), ...found, ...where);
}
