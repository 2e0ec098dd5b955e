// Dates the run of a slot in history: a ranking belongs to the day on which it was seen.
import type { ClaimedSlot, RunRow, SlotClaim } from '../db/history/runs/runs.ts';
import type { Project } from '../src/tracker/project.ts';
import { localDate, localDateTimeKey, toInstant } from '../src/tracker/schedule/local-time.ts';
import { previousSlot } from '../src/tracker/schedule/schedule.ts';
import type { JobContext } from './context.ts';

/** Between two leap days lie eight years at most. */
const leapYearsMax = 8;

/** A slot to be claimed, and the moment that history orders its run by. */
export interface DatedClaim {
  readonly claim: SlotClaim;
  readonly moment: number;
}

/** Whether a project's pages show the present, for any slot. */
export function isLive(context: Pick<JobContext, 'services'>, project: Pick<Project, 'service'>): boolean {
  const service = context.services.get(project.service);
  return service === undefined || service.kind === 'live';
}

/**
 * Dates the run of a slot. A live source shows only the present: on another day than the slot's, or after a later slot,
 * the run stands under the present moment and date. A simulated source shows the slot's own moment, but its run never
 * stands in the future.
 */
export function dated(context: JobContext, project: Project, claim: SlotClaim): DatedClaim {
  const now = context.clock.now();
  if (!isLive(context, project)) return { claim, moment: Math.min(claim.at, now) };
  const today = localDate(now, claim.timezone);
  const last = context.store.runs.lastSlot(project.id, 'ranks', now);
  const isOlder = last !== null && last.at > claim.at;
  if (today === claim.localDate && !isOlder) return { claim, moment: Math.min(claim.at, now) };
  return { claim: { ...claim, localDate: today }, moment: now };
}

/**
 * A run, and the moment that its pages show: a simulated source follows the slot, a live one knows only the present.
 */
export interface ShownRun extends RunRow {
  readonly shownAt: number;
}

/** Throws where there is no such run. */
export function shownRun({ store }: Pick<JobContext, 'store'>, runId: number): ShownRun {
  const run = store.runs.run(runId);
  if (run === null) throw new Error(`there is no run ${runId}`);
  return { ...run, shownAt: store.runs.slotsOf(runId)[0]?.at ?? run.moment };
}

/**
 * `late run: seen on 2026-11-22, for the slot of 2026-11-01T06:00`, or of pages from before it `reused pages: ...`;
 * null where they were seen on its own day.
 */
export function seenNote(slot: string, seenOn: string): string | null {
  const minute = slot.slice(0, '2026-11-01T06:00'.length);
  if (minute.startsWith(seenOn)) return null;
  return `${seenOn < minute ? 'reused pages' : 'late run'}: seen on ${seenOn}, for the slot of ${minute}`;
}

/**
 * `seen on 2026-11-22, for the slot of 2026-11-01T06:00`: the days on which pages of a project's run were seen late;
 * null where none were.
 */
export function lateNote({ store }: Pick<JobContext, 'store'>, slot: ClaimedSlot): string | null {
  const minute = slot.slot.slice(0, '2026-11-01T06:00'.length);
  const seen = store.reportSeries.datesSeen(slot);
  const dates = seen.length === 0 ? [slot.localDate] : seen;
  const isLate = dates.some((date) => date > minute);
  const shown = dates.filter((date) => date > minute || minute.startsWith(date));
  return isLate ? `seen on ${shown.join(' and ')}, for the slot of ${minute}` : null;
}

/** `discarded run: wrong country`: what rows of a discarded run say. */
export function discardNote(reason: string | null): string {
  return reason === null ? 'discarded run' : `discarded run: ${reason}`;
}

/** Why a slot that is named may not be run, and what to do. */
interface SlotRejection {
  readonly message: string;
  readonly hint: string;
}

/**
 * Why a live source may not be asked for a slot: it lies ahead, or a later slot of the schedule has passed and `late`
 * is not said. Null where it may, and where the slot has run already.
 */
export function findSlotRejection(
  context: JobContext,
  project: Project,
  at: number,
  late: boolean,
): SlotRejection | null {
  if (!isLive(context, project)) return null;
  const now = context.clock.now();
  const { timezone, id } = project;
  const key = localDateTimeKey(at, timezone);
  const shows = `${project.service} has only current pages`;
  if (at > now) {
    const meant = pastDate(at, now, timezone);
    return {
      message: `project ${id}: the slot ${key} is in the future, and ${shows}.`,
      hint: meant === null ? 'Name a slot that has passed.' : `Did you mean ${meant}? An older slot needs --late.`,
    };
  }
  if (late || hasRun(context, project, key)) return null;
  const newest = newestSlot(project, now);
  const isNewest = newest === null ? localDate(at, timezone) === localDate(now, timezone) : at >= newest;
  if (isNewest) return null;
  const since = newest === null ? 'its day is over' : `${localDateTimeKey(newest, timezone)} has passed since`;
  return {
    message: `project ${id}: the slot ${key} is not the newest (${since}), and ${shows}.`,
    hint: "With --late it is run anyway: its rankings get today's date and a note.",
  };
}

/** Whether a run holds the slot, and nothing in it is left to buy. */
function hasRun({ store }: JobContext, { id }: Project, key: string): boolean {
  const runId = store.runs.slot(id, 'ranks', key)?.runId ?? null;
  return runId !== null && store.checks.counts(runId).deferred === 0;
}

function newestSlot({ schedule, timezone }: Project, now: number): number | null {
  return schedule === undefined ? null : (previousSlot(schedule, timezone, now)?.at ?? null);
}

/** The same day and time of the newest year in which it has passed, as a local date-time. */
function pastDate(at: number, now: number, timezone: string): string | null {
  const rest = localDateTimeKey(at, timezone).slice(4);
  const thisYear = Number(localDate(now, timezone).slice(0, 4));
  for (let year = thisYear; year >= thisYear - leapYearsMax; year -= 1) {
    const key = `${year}${rest}`;
    const clock = Date.parse(`${key}Z`);
    // Date.parse makes the 1st of March of a 29th of February
    const isRealDay = !Number.isNaN(clock) && new Date(clock).toISOString().startsWith(key);
    const moment = isRealDay ? toInstant(clock, timezone) : null;
    if (moment !== null && moment <= now) return key;
  }
  return null;
}
