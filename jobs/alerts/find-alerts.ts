// Finds the alerts of a run that has ended: about its rankings, the run and the budget.

import { posix, relative, sep } from 'node:path';
import type { NewDelivery } from '../../db/history/outbox.ts';
import type { RunRow } from '../../db/history/runs/runs.ts';
import type { HistoryRow, Row, RowInput } from '../../src/read/row.ts';
import { addToSums, type Sums, startSums } from '../../src/read/row-sums.ts';
import {
  type Alert,
  type AlertRule,
  appliesTo,
  checksMax,
  featureChanges,
  hasOvertaken,
  isKeywordRule,
  isRunRule,
  type KeptAlert,
  matchesRule,
  overSubject,
  type ProvenRanking,
  ruleName,
  type Trouble,
} from '../../src/tracker/changes/alerts.ts';
import { comparableSource } from '../../src/tracker/changes/change.ts';
import { sumOf } from '../../src/tracker/figures.ts';
import { getOrInsert } from '../../src/tracker/maps.ts';
import { marketName, type Project } from '../../src/tracker/project.ts';
import { targetKey } from '../../src/tracker/targets/target.ts';
import type { JobContext } from '../context.ts';
import { windowKeysAt } from '../purchase/money.ts';
import { repairText } from '../purchase/unfinished.ts';
import { type CauseReader, Changes, reportCauses } from '../read/causes/read-causes.ts';
import { type RowSource, reportRows, suspectSlot } from '../read/rows/report-rows.ts';
import { type ReportScope, type ReportSettings, reportScope } from '../read/rows/report-scope.ts';
import { suspectedUpdates } from '../read/rows/suspected-updates.ts';
import { type AlertCandidate, AlertCandidates, addKeywordAlert, joinSubject } from './alert-candidates.ts';
import { causeOf, Troubles } from './troubles.ts';

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

/** A part of the reports that could not be written; `project` null: one of all projects. */
export interface Unwritten {
  readonly project: string | null;
  readonly reason: string;
}

/**
 * The deliveries of a run to each channel. `onFailed` gets the projects whose alerts could not be found; the others go
 * on.
 */
export function findAlerts(
  context: JobContext,
  settings: { readonly reports: ReportSettings; readonly alerts: AlertSettings },
  runId: number,
  { written, unwritten }: { readonly written: readonly Written[]; readonly unwritten: readonly Unwritten[] },
  onFailed: (project: string, error: unknown) => void,
): NewDelivery[] {
  const { store } = context;
  const run = store.runs.run(runId);
  if (run === null) return [];
  const found: NewDelivery[] = [];
  const slots = store.runs.slotsOf(runId);
  const troubles = new Troubles(context);
  const others = slots.map(({ project }) => project);
  for (const slot of slots) {
    const project = context.projects.get(slot.project);
    const rules = project === undefined ? [] : rulesFor(settings.alerts, project);
    if (project === undefined || rules.length === 0) continue;
    try {
      const scope = reportScope(context, settings.reports, run, slot, project);
      const folder = findFolder(settings.reports, written, project.id);
      const pending = new PendingAlerts(scope, settings.alerts, folder, troubles, [project.id, ...others]);
      // ranks and budgets are those of the run whose changes second looks are at
      const isSecondLook = run.origin === 'confirm';
      if (run.kind === 'ranks' && !isSecondLook) addRankAlerts(pending, rules);
      if (run.kind === 'ranks' && !isSecondLook) addUpdateAlerts(pending, run, rules);
      if (run.kind === 'ranks' && !isSecondLook) addNothingChecked(pending, run, rules);
      addRunAlert(pending, run, rules);
      addUnwritten(pending, run, rules, unwritten, () => folder !== null);
      if (!isSecondLook) addBudgetAlerts(pending, run, rules);
      found.push(...pending.deliveries);
    } catch (error) {
      onFailed(project.id, error);
    }
  }
  return found;
}

/** The alerts that reports are written again, found when those of a run were retried. */
export function findRewritten(
  context: JobContext,
  settings: { readonly reports: ReportSettings; readonly alerts: AlertSettings },
  runId: number,
  isWritten: IsWritten,
  onFailed: (project: string, error: unknown) => void,
): NewDelivery[] {
  const run = context.store.runs.run(runId);
  const troubles = new Troubles(context);
  return context.store.runs.slotsOf(runId).flatMap((slot) => {
    const project = context.projects.get(slot.project);
    if (run === null || project === undefined) return [];
    try {
      const scope = reportScope(context, settings.reports, run, slot, project);
      const pending = new PendingAlerts(scope, settings.alerts, null, troubles, [project.id]);
      addUnwritten(pending, run, rulesFor(settings.alerts, project), [], isWritten);
      return pending.deliveries;
    } catch (error) {
      onFailed(project.id, error);
      return [];
    }
  });
}

/** Whether the reports of the project, or those of all, are written now. */
type IsWritten = (topic: 'report' | 'reports', project: string) => boolean;

function rulesFor(alerts: AlertSettings, { id }: Project): AlertRule[] {
  return alerts.rulesOf(id).filter(({ projects }) => projects === undefined || projects.includes(id));
}

/** Collects the deliveries of one project. */
class PendingAlerts {
  readonly scope: ReportScope;
  readonly deliveries: NewDelivery[] = [];
  readonly #settings: AlertSettings;
  readonly #report: string | null;
  readonly #troubles: Troubles;
  /** The project, and those of the same run. */
  readonly #projects: readonly string[];

  constructor(
    scope: ReportScope,
    settings: AlertSettings,
    report: string | null,
    troubles: Troubles,
    projects: readonly string[],
  ) {
    this.scope = scope;
    this.#report = report;
    this.#settings = settings;
    this.#troubles = troubles;
    this.#projects = projects;
  }

  /** The projects of the run that the config still has. */
  get projects(): readonly Project[] {
    return [...new Set(this.#projects)].flatMap((id) => this.scope.context.projects.get(id) ?? []);
  }

  channelsOf({ channels }: AlertRule): readonly string[] {
    return channels ?? this.#settings.channels;
  }

  write(finding: Finding, channels: Iterable<string>): void {
    const { runId, subject, alert, trouble } = finding;
    const kept: KeptAlert = {
      alert,
      warning: this.scope.warning,
      report: this.#report,
      ...(trouble === undefined ? {} : { trouble }),
    };
    const payload = JSON.stringify(kept);
    for (const channel of channels) {
      this.deliveries.push({ runId, project: this.scope.project.id, rule: alert.rule, subject, channel, payload });
    }
  }

  /** Writes the alert for the channels that do not know the trouble yet. Those of a whole run are written once. */
  begin(finding: Finding & { readonly trouble: Trouble }, channels: Iterable<string>): void {
    const { trouble, alert } = finding;
    const isOfRun = trouble.topic === 'run' || trouble.topic === 'volumes';
    const projects = isOfRun ? this.#projects : [this.scope.project.id];
    this.write(this.#named(finding), this.#troubles.begin(trouble, { projects, rule: alert.rule }, channels));
  }

  /** Writes that a trouble is over for the channels that know of it. `alertOf` gets the words for it. */
  end(
    { rule, topic, cause }: { readonly rule: string; readonly topic: Trouble['topic']; readonly cause?: string },
    alertOf: (words: string) => Alert,
  ): void {
    const { project, run } = this.scope;
    const ended = this.#troubles.end({ project: project.id, rule, topic }, cause);
    for (const { channel, cause, reason } of ended) {
      const trouble: Trouble = { topic, cause, reason, isOver: true };
      const subject = overSubject(trouble, run.epoch);
      const alert = alertOf(`${endWords[topic]}; before: ${reason}`);
      this.write({ runId: run.id, subject, alert, trouble }, [channel]);
    }
  }

  /** A subject occurs once a run: a run that was opened again names its alerts anew. */
  #named<Of extends Finding>(finding: Of): Of {
    const { epoch } = this.scope.run;
    return epoch === 1 ? finding : { ...finding, subject: joinSubject(finding.subject, `${epoch}`) };
  }
}

const endWords: Readonly<Record<Trouble['topic'], string>> = {
  run: 'runs succeed again',
  volumes: 'keyword metrics are bought again',
  budget: 'the budget has room again',
  checks: 'searches are checked again',
  losses: 'the run is not suspect',
  report: 'its reports are written again',
  reports: 'the reports of all projects are written again',
  window: 'the budget has room again',
};

type Finding = Pick<AlertCandidate, 'runId' | 'subject' | 'alert'> & { readonly trouble?: Trouble };

/** Alerts about rankings. A suspect run gets one alert in place of all, on the channels of all. */
function addRankAlerts(pending: PendingAlerts, rules: readonly AlertRule[]): void {
  const ofRanks = rules.filter((rule) => !isRunRule(rule));
  const found = ofRanks.length === 0 ? [] : findRowAlerts(pending.scope, ofRanks);
  const { context, project, runs, run } = pending.scope;
  const suspect = suspectSlot({ store: context.store, project, runs });
  const suspects = rules.filter((rule) => rule.when === 'run-suspect' || !isRunRule(rule));
  const channels = new Set(suspects.flatMap((rule) => pending.channelsOf(rule)));
  const rule = ruleName({ when: 'run-suspect' });
  if (suspect === undefined || suspect.suspectReason === null) {
    if (hasRead(pending))
      pending.end({ rule, topic: 'losses' }, (reason) => runAlert(run, 'run-suspect', reason, { isOver: true }));
    const causes = reportCauses(pending.scope, () => Changes.of(reportRows(previousRows(pending.scope))));
    for (const findings of found) {
      for (const finding of findings.list(run.id))
        pending.write(withCause(finding, causes), pending.channelsOf(findings.rule));
    }
    return;
  }
  const reason = suspect.suspectReason;
  const alert = runAlert(run, 'run-suspect', `${reason}${repairText(context, [project], run)}`, {
    heldBack: sumOf(found, ({ count }) => count),
  });
  const trouble: Trouble = { topic: 'losses', cause: causeOf(reason), reason };
  pending.begin({ runId: suspect.runId ?? run.id, subject: 'run', alert, trouble }, channels);
}

function runAlert(
  { state }: RunRow,
  when: 'run-failed' | 'nothing-checked' | 'run-suspect',
  reason: string,
  more: { readonly heldBack?: number; readonly isUnwritten?: true; readonly isOver?: true } = {},
): Alert {
  return { about: 'run', when, rule: ruleName({ when }), state, reason, heldBack: 0, ...more };
}

/** Whether the run read results pages of the project. */
function hasRead({ scope: { context, run, project } }: PendingAlerts): boolean {
  const { complete, incomplete } = context.store.runCounts.outcome([run.id], project.id);
  return complete + incomplete > 0;
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
function addRunAlert(pending: PendingAlerts, run: RunRow, rules: readonly AlertRule[]): void {
  const { context, project } = pending.scope;
  const failure = describeFailure(context, run);
  const topic = run.kind === 'volumes' ? 'volumes' : 'run';
  const rule = ruleName({ when: 'run-failed' });
  const ends = (topic: Trouble['topic']): void =>
    pending.end({ rule, topic }, (reason) => runAlert(run, 'run-failed', reason, { isOver: true }));
  const { short, complete, incomplete, reason } = context.store.runCounts.outcome([run.id], project.id);
  const isWorking = run.origin !== 'confirm' && rules.some(({ when }) => when === 'run-failed');
  const isRead = complete + incomplete > 0;
  if (isWorking && failure === null && (isRead || topic === 'volumes')) ends(topic);
  if (isWorking && isRead && short === 0) ends('budget');
  if (failure === null) return;
  const isShort = short > 0 && run.reason === null;
  const trouble: Trouble = isShort
    ? { topic: 'budget', cause: 'budget', reason: `${failure}: ${reason}` }
    : { topic, cause: causeOf(failure), reason: failure };
  const alert = runAlert(run, 'run-failed', `${failure}${repairText(context, pending.projects, run)}`);
  for (const rule of rules)
    if (rule.when === 'run-failed')
      pending.begin({ runId: run.id, subject: 'run', alert, trouble }, pending.channelsOf(rule));
}

/** Reports that could not be written: of the project, or once a channel those of all. */
function addUnwritten(
  pending: PendingAlerts,
  run: RunRow,
  rules: readonly AlertRule[],
  unwritten: readonly Unwritten[],
  isWritten: IsWritten,
): void {
  const { id } = pending.scope.project;
  const ofProject = unwritten.find(({ project }) => project === id);
  const ofAll = unwritten.find(({ project }) => project === null);
  for (const rule of rules) {
    if (rule.when !== 'run-failed') continue;
    for (const [topic, lost] of [['report', ofProject] as const, ['reports', ofAll] as const]) {
      if (lost === undefined) {
        const alertOf = (reason: string) => runAlert(run, rule.when, reason, { isUnwritten: true, isOver: true });
        if (isWritten(topic, id)) pending.end({ rule: ruleName(rule), topic }, alertOf);
      } else if (topic === 'report' || ofProject === undefined) {
        const alert = runAlert(run, rule.when, lost.reason, { isUnwritten: true });
        const trouble: Trouble = { topic, cause: 'unwritten', reason: lost.reason };
        pending.begin({ runId: run.id, subject: topic, alert, trouble }, pending.channelsOf(rule));
      }
    }
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
  const { checks, complete, incomplete, reason, short } = context.store.runCounts.outcome([run.id], project.id);
  if (checks === 0) return;
  for (const rule of rules) {
    if (rule.when !== 'nothing-checked') continue;
    if (complete + incomplete > 0) {
      const alertOf = (reason: string) => runAlert(run, rule.when, reason, { isOver: true });
      pending.end({ rule: ruleName(rule), topic: 'checks' }, alertOf);
      continue;
    }
    const why = `none of ${checks} searches of ${project.id}${reason === null ? '' : `: ${reason}`}`;
    const alert = runAlert(run, rule.when, `${why}${repairText(context, [project], run)}`);
    // the words of failed searches differ from run to run
    const cause = short > 0 ? 'budget' : run.state === 'halted' ? causeOf(run.reason ?? '') : 'failed';
    const trouble: Trouble = { topic: 'checks', cause, reason: why };
    pending.begin({ runId: run.id, subject: 'run', alert, trouble }, pending.channelsOf(rule));
  }
}

/**
 * Each budget window makes one alert a rule and channel, over all runs and projects, and one when it has room again: a
 * month that follows, or a cap that was raised.
 */
function addBudgetAlerts(pending: PendingAlerts, run: RunRow, rules: readonly AlertRule[]): void {
  const { store, clock, timezone } = pending.scope.context;
  for (const rule of rules) {
    if (rule.when !== 'budget-share') continue;
    const name = ruleName(rule);
    const windows = store.ledger.windows(String(run.id), windowKeysAt(run.closedAt ?? clock.now(), timezone));
    for (const { currency, scope: window, key, cap, reserved, spent } of windows) {
      const used = reserved + spent;
      const cause = joinSubject(currency, window, ...(window === 'month' ? [] : [key]));
      const alert: Alert = { about: 'budget', when: rule.when, rule: name, currency, window, key, used, cap: cap ?? 0 };
      const hasRoom = cap === null || used === 0 || used * 100 < rule.percent * cap;
      if (hasRoom) pending.end({ rule: name, topic: 'window', cause }, () => ({ ...alert, isOver: true }));
      else
        pending.begin(
          {
            runId: run.id,
            subject: joinSubject(currency, window, key),
            alert,
            trouble: { topic: 'window', cause, reason: '' },
          },
          pending.channelsOf(rule),
        );
    }
  }
}

/** The report's folder below that of all reports, the same on every system. */
function findFolder({ directory }: ReportSettings, written: readonly Written[], project: string): string | null {
  const report = written.find((one) => one.project === project);
  return report === undefined ? null : relative(directory, report.directory).split(sep).join(posix.sep);
}

// Finds what the keyword rules match in the rows of a report, in one pass.

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
function findRowAlerts(scope: ReportScope, rules: readonly AlertRule[]): AlertCandidates[] {
  const { context, runs, project } = scope;
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
  const targets = rivals.length === 0 ? project.targets : [...project.targets, ...project.competitors];
  for (const row of reportRows({ ...previousRows(scope), project: { ...project, targets } })) {
    const key = rivals.length === 0 ? '' : joinSubject(row.keyword, marketName(row));
    const move = rivals.length === 0 ? null : toRankMove(row.input);
    if (!own.has(row.own)) {
      if (move !== null) for (const passed of ownMoves.get(key) ?? []) addOvertakingAlert(scope, rivals, passed, move);
      continue;
    }
    for (const findings of ofRows) addChangeAlert(scope, findings, row);
    for (const fall of falls) fall.add(row);
    features.add(row);
    if (move !== null) getOrInsert(ownMoves, key, () => []).push({ move, own: row });
  }
  features.finish();
  for (const fall of falls) fall.finish();
  return found;
}

function previousRows({ context: { store }, settings: { ctrCurve }, project, runs, slot }: ReportScope): RowSource {
  return { store, project, runs, slot, comparison: { kind: 'previous' }, ctrCurve };
}

function withCause(finding: AlertCandidate, causes: CauseReader): AlertCandidate {
  const { alert, row } = finding;
  if (row === undefined || alert.about !== 'keyword') return finding;
  const cause = causes.first(row);
  if (cause === null) return finding;
  const { kind, sentence, certainty } = cause;
  return { ...finding, alert: { ...alert, cause: { kind, sentence, certainty } } };
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
  if (check?.status !== 'ok' || baseline === null) return null;
  if (comparableSource(baseline.source) !== comparableSource(check.source)) return null;
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
    const sums = getOrInsert(this.#sums, row.target, () => startSums(this.#scope.settings.ctrCurve));
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
  #waiting: HistoryRow[] = [];

  /** `believedBefore`: checks of runs at or after this moment say nothing of what was before. */
  constructor(scope: ReportScope, rules: readonly AlertCandidates[], believedBefore: number) {
    this.#scope = scope;
    this.#rules = rules.filter(({ rule }) => rule.when === 'feature-won' || rule.when === 'feature-lost');
    this.#before = Math.min(scope.runs[0].moment, believedBefore);
  }

  add(one: HistoryRow): void {
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
