// Slots against the calendar: each due slot is in exactly one row, run or missed, and no other slot exists.
import type { Row } from '../../db/connection/statement.ts';
import { dayMs, isInGap, slotsOf, type Timetable } from './calendar.ts';
import type { SimulatedProject } from './options.ts';
import type { OperatorProcess } from './process.ts';
import type { Sometimes } from './sometimes.ts';

/** A run by name has its own slot, keyed to the millisecond. */
const scheduledKeyLength = 'yyyy-mm-ddThh:mm'.length;

export function slotProblems(
  process: OperatorProcess,
  projects: readonly SimulatedProject[],
  sometimes: Sometimes,
): string[] {
  const now = process.context.clock.now();
  return projects.flatMap(({ project, timetable }) => {
    const rows = process
      .rows(
        `SELECT s.slot, s.at, s.state, s.run_id, s.reason, s.first_slot, s.first_at, s.slot_count, r.opened_at FROM slots s JOIN projects p ON p.id = s.project_id
         LEFT JOIN runs r ON r.id = s.run_id
         WHERE p.name = '${project.id}' AND s.kind = 'ranks' ORDER BY s.at, s.slot`,
      )
      .filter((row) => String(row['slot']).length === scheduledKeyLength)
      .flatMap((row) => slotsOfRow(row, timetable, project.timezone));
    const first = rows[0];
    if (first === undefined) return [`${project.id}: no slot was ever run`];
    const lastAt = Number(rows.at(-1)?.['at']);
    // a clock that is set back may claim slots of days before tracking began: those days need no row
    const startedAt = Number(rows.filter((row) => row['run_id'] !== null).toSorted(byRun)[0]?.['at'] ?? first['at']);
    const calendar = slotsOf(timetable, project.timezone, Number(first['at']) - 1, Math.max(now, lastAt));
    const due = new Map(calendar.map(({ key, at }) => [key, at]));
    const seen = new Map(rows.map((row) => [String(row['slot']), row]));
    const problems: string[] = [];
    if (seen.size !== rows.length) problems.push(`${project.id}: ${rows.length - seen.size} slots have two rows`);
    for (const { slot, first_slot: from, slot_count: count, spanned } of rows) {
      if (from !== null && spanned !== count) problems.push(`${project.id}: the row of ${slot} counts ${count} slots`);
    }
    for (const [key, at] of due) {
      // the newest ones may still be pending when the month ends
      if (!seen.has(key) && at >= startedAt && at < now - dayMs)
        problems.push(`${project.id}: the slot ${key} has no row`);
      if (isInGap(key, timetable)) sometimes.count('slot in a clock gap');
    }
    for (const [key, { at, state, run_id: runId, reason, opened_at: openedAt }] of seen) {
      const later = calendar.find((slot) => slot.at > Number(at) && slot.at <= Number(openedAt));
      if (later !== undefined) problems.push(`${project.id}: ${key} was filled with pages of ${later.key} or later`);
      if (due.get(key) !== at) problems.push(`${project.id}: the calendar does not have the slot ${key} at ${at}`);
      if (state === 'missed') sometimes.count('slot missed');
      if (state === 'missed' && !reason) problems.push(`${project.id}: ${key} was missed without a reason`);
      const isOverlap = String(reason).includes('overlap is skip');
      if (isOverlap) sometimes.count('slot missed because of overlap');
      if (state === 'missed' && project.catchUp === 'all' && !isOverlap) {
        sometimes.count('old slot not filled with pages of today');
        if (!String(reason).includes('has only current pages'))
          problems.push(`${project.id}: ${key} was missed, and catchUp is all`);
      }
      if (isOverlap && project.overlap !== 'skip')
        problems.push(`${project.id}: ${key} was skipped, and overlap is queue`);
      if (state === 'claimed' && runId === null) problems.push(`${project.id}: ${key} is claimed by no run`);
    }
    return problems;
  });
}

function byRun(one: Row, other: Row): number {
  return Number(one['run_id']) - Number(other['run_id']);
}

/** A row of several missed slots as one row each, by the calendar. */
function slotsOfRow(row: Row, timetable: Timetable, timezone: string): Row[] {
  if (row['first_slot'] === null) return [row];
  const slots = slotsOf(timetable, timezone, Number(row['first_at']) - 1, Number(row['at']));
  return slots.map(({ key, at }) => ({ ...row, slot: key, at, spanned: slots.length }));
}
