// What the newest slot of a project left undone, when it is tried again, and the command that does so now. Reads only.

import type { CheckState } from '../../db/history/checks/checks.ts';
import type { RunRow } from '../../db/history/runs/runs.ts';
import type { CheckOutcome } from '../../db/reads/reports/run-facts.ts';
import type { Store } from '../../db/store.ts';
import { sumOf } from '../../src/tracker/figures.ts';
import type { Project } from '../../src/tracker/project.ts';
import type { DueSlots } from '../../src/tracker/schedule/due-slots.ts';
import { localDate, localDateTimeKey } from '../../src/tracker/schedule/local-time.ts';
import { dayMs } from '../../src/tracker/schedule/time-units.ts';
import { firstPageCredits, type JobContext } from '../context.ts';
import { triesAfterMs } from '../retry.ts';
import { windowKeysAt } from './money.ts';

/** Checks that read nothing: they can be made again in their run. */
type Retried = Extract<CheckState, 'failed' | 'unknown_paid' | 'deferred'>;

/** The newest slot of a project, if its run has ended and did not check everything. */
export interface UnfinishedSlot extends CheckOutcome {
  readonly slot: string;
  readonly run: RunRow;
  /** Backfills since then: what they completed is not tried again. */
  readonly backfills: readonly number[];
  readonly isRetryDue: boolean;
  readonly retried: readonly Retried[];
  /** When it is tried again, UTC milliseconds, past or future; null: the next slot has its searches first. */
  readonly retryAt: number | null;
  /** The next `run` does not wait until `retryAt`. */
  readonly isFirstTry: boolean;
  readonly hasRoom: boolean;
}

/** The slots of a project that are due, and the one that follows. */
type SlotsAround = Pick<DueSlots, 'due' | 'next'>;

/**
 * Failed and deferred searches are tried again on the day of their slot, at growing intervals: at once where the budget
 * was raised, and with `isAtOnce` the first time. Where the next slot is more than a day away, deferred ones are tried
 * later, too, once a day: otherwise a weekly project would lose its week.
 */
export function findUnfinished(
  context: Pick<JobContext, 'store' | 'timezone' | 'services'>,
  project: Project,
  around: SlotsAround,
  now: number,
  isAtOnce = false,
): UnfinishedSlot | null {
  const { store, timezone } = context;
  const last = store.runs.lastSlot(project.id, 'ranks', now);
  const run = last === null || last.runId === null ? null : store.runs.run(last.runId);
  if (last === null || run === null || run.closedAt === null || run.discardedAt !== null) return null;
  if (run.state === 'complete') return null;
  const backfills = backfillsOf(store, project.id, run, now);
  const outcome = store.runCounts.outcome([run.id, ...backfills], project.id);
  if (outcome.complete === outcome.checks) return null;
  const keys = windowKeysAt(now, timezone);
  const least = firstPageCredits(context, project.service) + outcome.leastDepth - 1;
  const hasRoom = store.ledger
    .windows(String(run.id), keys)
    .every((one) => one.currency !== 'serp_credit' || one.cap === null || one.reserved + one.spent + least <= one.cap);
  const wasRaised = outcome.short > 0 && hasRoom && store.ledger.wasRaised(String(run.id), keys);
  const isOwnDay = (at: number): boolean => localDate(at, last.timezone) === last.localDate;
  const isBeforeNext = (at: number): boolean => around.next === null || at < around.next.at;
  const lacks = outcome.failed + outcome.deferred > 0 && around.due.length === 0;
  const isRetried = lacks && project.retryFailed !== false && isOwnDay(now);
  const today = !isRetried ? null : wasRaised ? run.closedAt : nextTry(run, isAtOnce);
  const retryAt = today !== null && isOwnDay(today) && isBeforeNext(today) ? today : null;
  const isLaterDay =
    lacks &&
    outcome.deferred > 0 &&
    around.next !== null &&
    around.next.at - now > dayMs &&
    keys.day > windowKeysAt(run.closedAt, timezone).day;
  return {
    ...outcome,
    slot: `${last.slot} ${last.timezone}`,
    run,
    backfills,
    isRetryDue: hasRoom && ((retryAt !== null && retryAt <= now) || isLaterDay),
    retried: retryAt === null ? ['deferred'] : ['failed', 'unknown_paid', 'deferred'],
    retryAt: retryAt ?? (isLaterDay ? now : null),
    isFirstTry: retryAt !== null && run.epoch === 1,
    hasRoom,
  };
}

/** Closed backfills of a project since a run of ranks. */
export function backfillsOf(store: Store, project: string, run: Pick<RunRow, 'id'>, now: number): number[] {
  const [slot, ...backfills] = store.reportRuns.latestWithBackfills(project, now);
  return slot?.id === run.id ? backfills.map(({ id }) => id) : [];
}

/** Of a run that has ended; `isAtOnce`: as soon as it has, unless it was taken over or opened again since it began. */
function nextTry({ openedAt, closedAt, epoch }: RunRow, isAtOnce: boolean): number | null {
  const ended = closedAt ?? openedAt;
  if (isAtOnce && epoch === 1) return ended;
  const after = triesAfterMs.find((ms) => openedAt + ms > ended);
  return after === undefined ? null : openedAt + after;
}

/** `2 failed, 3 deferred of 80 searches`. */
export function describeLack({ failed, deferred, incomplete, checks }: CheckOutcome): string {
  const counts = [
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(deferred > 0 ? [`${deferred} deferred`] : []),
    ...(incomplete > 0 ? [`${incomplete} incomplete`] : []),
  ];
  return `${counts.join(', ')} of ${checks} ${checks === 1 ? 'search' : 'searches'}`;
}

/** What happens to them without further action. */
export function describeRetry(
  { failed, deferred, isRetryDue, retryAt, isFirstTry, hasRoom }: UnfinishedSlot,
  { timezone }: Pick<Project, 'timezone'>,
): string {
  if (failed + deferred === 0) return 'incomplete searches are not tried again before the next slot';
  if (isRetryDue) return 'the next run tries them again';
  if (retryAt === null) return deferred > 0 ? 'deferred ones go first in the next slot' : 'the next slot checks them';
  if (!hasRoom) return 'tried again when the budget has room, at once if it is raised';
  const from = localDateTimeKey(retryAt, timezone);
  return isFirstTry
    ? `the next \`rankledger run\` tries them again, and \`schedule\` from ${from}`
    : `tried again from ${from}`;
}

/** The command that buys what the newest slots of these projects lack. */
export function repairCommand(...projects: readonly string[]): string {
  return ['rankledger backfill ranks --failed', ...projects.map((project) => `--project ${project}`)].join(' ');
}

/** For an alert about a run of these projects: what happens next, and the command; empty where they lack nothing. */
export function repairText(context: JobContext, projects: readonly Project[], run: RunRow): string {
  const found = projects.flatMap((project) => {
    const slot = findUnfinished(context, project, { due: [], next: null }, context.clock.now());
    return slot === null || slot.run.id !== run.id ? [] : [{ project, slot }];
  });
  const [first] = found;
  if (first === undefined) return '';
  const { unknown_paid, ...counts } = context.store.checks.counts(run.id);
  const checks = sumOf(Object.values(counts), (count) => count) + unknown_paid;
  // a search that projects share is one of the run
  const ofRun = { ...first.slot, ...counts, failed: counts.failed + unknown_paid, checks };
  const all = found.length === 1 ? first.slot : ofRun;
  const isOfAll = found.length > 1 && found.length === context.projects.size;
  const command = repairCommand(...(isOfAll ? [] : found.map(({ project }) => project.id)));
  return `; ${describeLack(all)}: ${describeRetry(all, first.project)}; to repair it now: ${command}`;
}
