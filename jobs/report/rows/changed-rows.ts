// What history knows of the changes of rows: earlier sightings and second looks, read for many rows at a time.
import type { Store } from '../../../db/store.ts';
import type { RankChangeInput } from '../../../src/report/rows/row.ts';
import { sightingsMax } from '../../../src/tracker/signal/significance.ts';

/** A row whose rank has moved since its baseline. */
export interface ChangedRow {
  readonly targetId: number;
  readonly searchId: number;
  readonly checkId: number;
  /** Of the check. */
  readonly source: string;
  /** Of the baseline, UTC milliseconds. */
  readonly checkedAt: number;
}

type ChangePast = Pick<RankChangeInput, 'earlier' | 'secondLook' | 'awaitsSecondLook'>;

/** Of each row, all of one target. Sightings lie before `moment`. */
export function readChanges(
  store: Store,
  moment: number,
  rows: readonly ChangedRow[],
): ReadonlyMap<ChangedRow, ChangePast> {
  const [first] = rows;
  if (first === undefined) return new Map();
  const { targetId } = first;
  const sightings = store.rankings.sightingsOfMany({ targetId, moment, max: sightingsMax }, rows);
  const checkIds = rows.map(({ checkId }) => checkId);
  const asked = store.secondLooks.askedBetween(Math.min(...checkIds), Math.max(...checkIds));
  return new Map(
    rows.map((row, index) => {
      const look = asked.has(row.checkId) ? secondLookAt(store, row) : {};
      return [row, { earlier: sightings[index] ?? [], ...look }];
    }),
  );
}

/** The second look at the change of a check, or that it is to come. Only one of the same source compares. */
function secondLookAt(store: Store, { targetId, checkId, source }: ChangedRow): Omit<ChangePast, 'earlier'> {
  const found = store.secondLooks.of(checkId, targetId);
  if (found === null) return {};
  if (found.isAwaited) return { awaitsSecondLook: true };
  return found.sighting?.source === source ? { secondLook: found.sighting } : {};
}
