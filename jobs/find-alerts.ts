// What a run that has ended is to tell, as deliveries that were not written down yet: its ranks, itself, the money. Sending is left to send-alerts.ts.
import { posix, relative, sep } from 'node:path';
import type { NewDelivery } from '../db/alert-deliveries.ts';
import type { RunRow } from '../db/runs.ts';
import type { Alert, KeptAlert } from '../src/tracker/alert.ts';
import { type AlertRule, isRunRule, ruleName } from '../src/tracker/alert-rules.ts';
import type { Project } from '../src/tracker/project.ts';
import { type Finding, subjectOf } from './alert-findings.ts';
import { rowFindings } from './alert-rows.ts';
import type { JobContext } from './context.ts';
import { windowKeysAt } from './money.ts';
import { suspicionOf } from './report-rows.ts';
import { type ReportScope, type ReportSettings, reportScope } from './report-scope.ts';

export interface AlertSettings {
  /** Names of all channels. */
  readonly channels: readonly string[];
  /** The rules that hold for a project. */
  readonly rulesOf: (project: string) => readonly AlertRule[];
}

/** A report that was written, as far as alerts point at it. */
interface Written {
  readonly project: string;
  /** Absolute. */
  readonly directory: string;
}

/** What is to be told of a run to each channel. One project whose alerts cannot be worked out is reported to `onFailed`, and keeps none from the others. */
export function findAlerts(
  context: JobContext,
  settings: { readonly reports: ReportSettings; readonly alerts: AlertSettings },
  runId: number,
  written: readonly Written[],
  onFailed: (project: string, error: unknown) => void,
): NewDelivery[] {
  const { store } = context;
  const run = store.runs.run(runId);
  if (run === null) return [];
  /** What was found of the projects before: an alert about the run or the budget is sent once a channel. */
  const found: NewDelivery[] = [];
  for (const slot of store.runs.slotsOf(runId)) {
    const project = context.projects.get(slot.project);
    const rules = project === undefined ? [] : rulesFor(settings.alerts, project);
    if (project === undefined || rules.length === 0) continue;
    try {
      const scope = reportScope(context, settings.reports, run, slot, project);
      const desk = new Desk(scope, settings.alerts, folderOf(settings.reports, written, project.id));
      if (run.kind === 'ranks') tellRanks(desk, rules);
      tellRun(desk, run, rules, found);
      tellBudget(desk, run, rules, found);
      found.push(...desk.deliveries);
    } catch (error) {
      onFailed(project.id, error);
    }
  }
  return found;
}

function rulesFor(alerts: AlertSettings, { id }: Project): AlertRule[] {
  return alerts.rulesOf(id).filter(({ projects }) => projects === undefined || projects.includes(id));
}

/** Writes findings of one project down for the channels of their rule. */
class Desk {
  readonly scope: ReportScope;
  readonly deliveries: NewDelivery[] = [];
  readonly #settings: AlertSettings;
  readonly #report: string | null;

  constructor(scope: ReportScope, settings: AlertSettings, report: string | null) {
    this.scope = scope;
    this.#settings = settings;
    this.#report = report;
  }

  channelsOf({ channels }: AlertRule): readonly string[] {
    return channels ?? this.#settings.channels;
  }

  write(finding: Pick<Finding, 'runId' | 'subject' | 'alert'>, channels: Iterable<string>): void {
    const { runId, subject, alert } = finding;
    const kept: KeptAlert = { alert, warning: this.scope.warning, report: this.#report };
    const payload = JSON.stringify(kept);
    for (const channel of channels) {
      this.deliveries.push({ runId, project: this.scope.project.id, rule: alert.rule, subject, channel, payload });
    }
  }
}

/** Alerts of ranks; of a suspect run one alert in place of all, to whoever would have got them. */
function tellRanks(desk: Desk, rules: readonly AlertRule[]): void {
  const ofRanks = rules.filter((rule) => !isRunRule(rule));
  const found = ofRanks.length === 0 ? [] : rowFindings(desk.scope, ofRanks);
  const { runs, run } = desk.scope;
  const reason = suspicionOf(runs);
  if (reason === null) {
    for (const findings of found) {
      for (const finding of findings.list(run.id)) desk.write(finding, desk.channelsOf(findings.rule));
    }
    return;
  }
  const suspects = rules.filter((rule) => rule.when === 'run-suspect' || !isRunRule(rule));
  const suspect = runs.findLast(({ suspectReason }) => suspectReason !== null) ?? run;
  const alert: Alert = {
    about: 'run',
    when: 'run-suspect',
    rule: ruleName({ when: 'run-suspect' }),
    state: run.state,
    reason,
    heldBack: found.reduce((sum, { count }) => sum + count, 0),
  };
  const channels = new Set(suspects.flatMap((rule) => desk.channelsOf(rule)));
  desk.write({ runId: suspect.id, subject: 'run', alert }, channels);
}

/** A run of several projects is told of once a channel, with the first of them that has a rule for it. */
function tellRun(desk: Desk, run: RunRow, rules: readonly AlertRule[], told: readonly NewDelivery[]): void {
  const reason = failureOf(desk.scope.context, run);
  if (reason === null) return;
  for (const rule of rules) {
    if (rule.when !== 'run-failed') continue;
    const name = ruleName(rule);
    const alert: Alert = { about: 'run', when: rule.when, rule: name, state: run.state, reason, heldBack: 0 };
    const isNew = (channel: string): boolean => !told.some((one) => one.rule === name && one.channel === channel);
    desk.write({ runId: run.id, subject: 'run', alert }, desk.channelsOf(rule).filter(isNew));
  }
}

/** Why a run counts as failed: it was halted, a service was given up, or no check came to its end. Null where it did not fail. */
function failureOf({ store }: JobContext, run: RunRow): string | null {
  if (run.state === 'halted' || run.reason !== null) return run.reason ?? 'nothing more could be bought';
  if (run.kind !== 'ranks') return null;
  const { ok, incomplete, failed, unknown_paid } = store.checks.counts(run.id);
  const lost = failed + unknown_paid;
  return ok + incomplete === 0 && lost > 0 ? `none of ${lost} checks came to an end` : null;
}

/** Each window of the budget is told of once a rule and channel, in whichever run and project. */
function tellBudget(desk: Desk, run: RunRow, rules: readonly AlertRule[], told: readonly NewDelivery[]): void {
  const { store, clock, timezone } = desk.scope.context;
  for (const rule of rules) {
    if (rule.when !== 'budget-share') continue;
    const name = ruleName(rule);
    const windows = store.ledger.windows(String(run.id), windowKeysAt(run.closedAt ?? clock.now(), timezone));
    for (const { currency, scope: window, key, cap, reserved, spent } of windows) {
      const used = reserved + spent;
      if (cap === null || used === 0 || used * 100 < rule.percent * cap) continue;
      const subject = subjectOf(currency, window, key);
      const alert: Alert = { about: 'budget', when: rule.when, rule: name, currency, window, key, used, cap };
      const isNew = (channel: string): boolean =>
        !store.alertHistory.wasTold(name, subject, channel) &&
        !told.some((one) => one.rule === name && one.subject === subject && one.channel === channel);
      desk.write({ runId: run.id, subject, alert }, desk.channelsOf(rule).filter(isNew));
    }
  }
}

/** The report's folder below that of all reports, the same on every system. */
function folderOf({ directory }: ReportSettings, written: readonly Written[], project: string): string | null {
  const report = written.find((one) => one.project === project);
  return report === undefined ? null : relative(directory, report.directory).split(sep).join(posix.sep);
}
