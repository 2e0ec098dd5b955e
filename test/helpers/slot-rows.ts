// Rows of `slots` with those of several missed slots taken apart, so that tests see one entry a slot.
import type { Row } from '../../db/connection/statement.ts';
import { slotsBetween } from '../../src/tracker/schedule/schedule.ts';

/** Expects whole rows. Throws where a row counts other slots than it spans. */
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
