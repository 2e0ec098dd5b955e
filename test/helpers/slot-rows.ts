// Rows of `slots` with stretches of missed slots expanded, so that tests see one entry per slot.
import type { Row } from '../../db/connection/statement.ts';
import { slotsBetween } from '../../src/tracker/schedule/schedule.ts';

/** Expects complete rows. Throws if a row counts another number of slots than it spans. */
export function slotRows(rows: readonly Row[]): Row[] {
  return rows.flatMap((row) => {
    if (row['first_slot'] === null) return [row];
    const [schedule, timezone] = [String(row['schedule']), String(row['timezone'])];
    const slots = slotsBetween(schedule, timezone, Number(row['first_at']) - 1, Number(row['at']), Infinity);
    const isExact =
      slots.length === row['slot_count'] && slots[0]?.key === row['first_slot'] && slots.at(-1)?.key === row['slot'];
    if (!isExact) throw new Error(`wrong row of missed slots: ${JSON.stringify(row)}`);
    return slots.map(({ key, at }) => ({ ...row, slot: key, at }));
  });
}
