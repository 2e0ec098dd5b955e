// Finds the alerts of a run that has ended: about its rankings, the run and the budget.
import { posix, relative, sep } from 'node:path';
import type { NewDelivery } from '../../db/history/outbox.ts';
import type { RunRow } from '../../db/history/runs/runs.ts';
import { type Alert, type AlertRule, isRunRule, type KeptAlert, ruleName } from '../../src/tracker/changes/alerts.ts';
import type { Project } from '../../src/tracker/project.ts';
import type { JobContext } from '../context.ts';
import { windowKeysAt } from '../purchase/money.ts';
import { suspectSlot } from '../report/rows/report-rows.ts';
import { type ReportScope, type ReportSettings, reportScope } from '../report/rows/report-scope.ts';
import { suspectedUpdates } from '../report/rows/suspected-updates.ts';
import { type AlertCandidate, joinSubject } from './alert-candidates.ts';
import { findRowAlerts } from './alert-rows.ts';

/** Markets and tags of one run; more show the same. */
const updatesMax = 5;

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

/**
 * The deliveries of a run to each channel. `onFailed` gets the projects whose alerts could not be found; the others go
 * on.
 */
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
  /** Deliveries of the projects before: an alert about the run or the budget is sent once a channel. */
  const found: NewDelivery[] = [];
  for (const slot of store.runs.slotsOf(runId)) {
    const project = context.projects.get(slot.project);
    const rules = project === undefined ? [] : rulesFor(settings.alerts, project);
    if (project === undefined || rules.length === 0) continue;
    try {
      const scope = reportScope(context, settings.reports, run, slot, project);
      const pending = new PendingAlerts(scope, settings.alerts, findFolder(settings.reports, written, project.id));
      // ranks and budgets are those of the run whose changes second looks are at
      const isSecondLook = run.origin === 'confirm';
      if (run.kind === 'ranks' && !isSecondLook) addRankAlerts(pending, rules);
      if (run.kind === 'ranks' && !isSecondLook) addUpdateAlerts(pending, run, rules);
      if (run.kind === 'ranks' && !isSecondLook) addNothingChecked(pending, run, rules);
      addRunAlert(pending, run, rules, found);
      if (!isSecondLook) addBudgetAlerts(pending, run, rules, found);
      found.push(...pending.deliveries);
    } catch (error) {
      onFailed(project.id, error);
    }
  }
  return found;
}

function rulesFor(alerts: AlertSettings, { id }: Project): AlertRule[] {
  return alerts.rulesOf(id).filter(({ projects }) => projects === undefined || projects.includes(id));
}

/** Collects the deliveries of one project. */
class PendingAlerts {
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

  write(finding: Pick<AlertCandidate, 'runId' | 'subject' | 'alert'>, channels: Iterable<string>): void {
    const { runId, subject, alert } = finding;
    const kept: KeptAlert = { alert, warning: this.scope.warning, report: this.#report };
    const payload = JSON.stringify(kept);
    for (const channel of channels) {
      this.deliveries.push({ runId, project: this.scope.project.id, rule: alert.rule, subject, channel, payload });
    }
  }
}

/** Alerts about rankings. A suspect run gets one alert in place of all, on the channels of all. */
function addRankAlerts(pending: PendingAlerts, rules: readonly AlertRule[]): void {
  const ofRanks = rules.filter((rule) => !isRunRule(rule));
  const found = ofRanks.length === 0 ? [] : findRowAlerts(pending.scope, ofRanks);
  const { context, project, runs, run } = pending.scope;
  const suspect = suspectSlot({ store: context.store, project, runs });
  if (suspect === undefined || suspect.suspectReason === null) {
    for (const findings of found) {
      for (const finding of findings.list(run.id)) pending.write(finding, pending.channelsOf(findings.rule));
    }
    return;
  }
  const suspects = rules.filter((rule) => rule.when === 'run-suspect' || !isRunRule(rule));
  const alert: Alert = {
    about: 'run',
    when: 'run-suspect',
    rule: ruleName({ when: 'run-suspect' }),
    state: run.state,
    reason: suspect.suspectReason,
    heldBack: found.reduce((sum, { count }) => sum + count, 0),
  };
  const channels = new Set(suspects.flatMap((rule) => pending.channelsOf(rule)));
  pending.write({ runId: suspect.runId ?? run.id, subject: 'run', alert }, channels);
}

/** Of the project; or else of each market and tag on which an update shows, the strongest first. */
function addUpdateAlerts(pending: PendingAlerts, run: RunRow, rules: readonly AlertRule[]): void {
  const ofUpdates = rules.filter(({ when }) => when === 'update-suspected');
  if (ofUpdates.length === 0) return;
  const { context, project } = pending.scope;
  const found = suspectedUpdates(context.store, project.id).filter(({ runId }) => runId === run.id);
  const shown = found[0]?.scope === 'project' ? found.slice(0, 1) : found.slice(0, updatesMax);
  for (const { scope, name, date, compared, outside, usualShare } of shown) {
    for (const rule of ofUpdates) {
      const facts = { scope, name, date, compared, outside, usualShare };
      const alert: Alert = { about: 'update', when: rule.when, rule: ruleName(rule), ...facts };
      pending.write({ runId: run.id, subject: joinSubject('update', scope, name), alert }, pending.channelsOf(rule));
    }
  }
}

/** A failed run of several projects makes one alert a channel, with the first project that has a rule for it. */
function addRunAlert(
  pending: PendingAlerts,
  run: RunRow,
  rules: readonly AlertRule[],
  earlier: readonly NewDelivery[],
): void {
  const reason = describeFailure(pending.scope.context, run);
  if (reason === null) return;
  for (const rule of rules) {
    if (rule.when !== 'run-failed') continue;
    const name = ruleName(rule);
    const alert: Alert = { about: 'run', when: rule.when, rule: name, state: run.state, reason, heldBack: 0 };
    const isNew = (channel: string): boolean => !earlier.some((one) => one.rule === name && one.channel === channel);
    pending.write({ runId: run.id, subject: 'run', alert }, pending.channelsOf(rule).filter(isNew));
  }
}

/**
 * Why a run counts as failed: it was halted, a service was given up, or no check came to its end. Null where it did not
 * fail.
 */
function describeFailure({ store }: JobContext, run: RunRow): string | null {
  if (run.state === 'halted' || run.reason !== null) return run.reason ?? 'nothing more could be bought';
  if (run.kind !== 'ranks') return null;
  const { ok, incomplete, failed, unknown_paid, deferred } = store.checks.counts(run.id);
  const lost = failed + unknown_paid + deferred;
  return ok + incomplete === 0 && lost > 0 ? `none of ${lost} checks was completed` : null;
}

/** A run of ranks that read no results page of the project. */
function addNothingChecked(pending: PendingAlerts, run: RunRow, rules: readonly AlertRule[]): void {
  const { context, project } = pending.scope;
  const { checks, read, reason } = context.store.runCounts.outcome(run.id, project.id);
  if (checks === 0 || read > 0) return;
  for (const rule of rules) {
    if (rule.when !== 'nothing-checked') continue;
    const why = `none of ${checks} searches of ${project.id}${reason === null ? '' : `: ${reason}`}`;
    const alert: Alert = {
      about: 'run',
      when: rule.when,
      rule: ruleName(rule),
      state: run.state,
      reason: why,
      heldBack: 0,
    };
    pending.write({ runId: run.id, subject: 'run', alert }, pending.channelsOf(rule));
  }
}

/** Each budget window makes one alert a rule and channel, over all runs and projects. */
function addBudgetAlerts(
  pending: PendingAlerts,
  run: RunRow,
  rules: readonly AlertRule[],
  earlier: readonly NewDelivery[],
): void {
  const { store, clock, timezone } = pending.scope.context;
  for (const rule of rules) {
    if (rule.when !== 'budget-share') continue;
    const name = ruleName(rule);
    const windows = store.ledger.windows(String(run.id), windowKeysAt(run.closedAt ?? clock.now(), timezone));
    for (const { currency, scope: window, key, cap, reserved, spent } of windows) {
      const used = reserved + spent;
      if (cap === null || used === 0 || used * 100 < rule.percent * cap) continue;
      const subject = joinSubject(currency, window, key);
      const alert: Alert = { about: 'budget', when: rule.when, rule: name, currency, window, key, used, cap };
      const isNew = (channel: string): boolean =>
        !store.alertDeliveries.wasSent(name, subject, channel) &&
        !earlier.some((one) => one.rule === name && one.subject === subject && one.channel === channel);
      pending.write({ runId: run.id, subject, alert }, pending.channelsOf(rule).filter(isNew));
    }
  }
}

/** The report's folder below that of all reports, the same on every system. */
function findFolder({ directory }: ReportSettings, written: readonly Written[], project: string): string | null {
  const report = written.find((one) => one.project === project);
  return report === undefined ? null : relative(directory, report.directory).split(sep).join(posix.sep);
}
