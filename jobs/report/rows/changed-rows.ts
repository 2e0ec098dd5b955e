// What history knows of the changes of rows: earlier ranks and second looks, read for many rows at a time.
import { findEarlierRanks, type PastRuns } from '../../../db/history/columns/past-runs.ts';
import type { Store } from '../../../db/store.ts';
import type { RowInput } from '../../../src/rows/row.ts';
import { sightingsMax } from '../../../src/tracker/signal/significance.ts';

type Writable<Facts> = { -readonly [Name in keyof Facts]: Facts[Name] };
type ChangePast = Pick<RowInput, 'ranksBefore' | 'secondLook' | 'awaitsSecondLook'>;

/** A row whose rank has moved since its baseline. */
export interface ChangedRow {
  /** Gets what is read. */
  readonly row: Writable<ChangePast>;
  readonly targetId: number;
  readonly searchId: number;
  readonly checkId: number;
  /** Of the check. */
  readonly source: string;
  /** Of the baseline, UTC milliseconds. */
  readonly checkedAt: number;
  /** Of the baseline; null: not found. */
  readonly rank: number | null;
}

/** Completes rows of one target. Their earlier ranks lie before `moment`; `past` has them, as far as columns do. */
export function readChanges(
  store: Store,
  moment: number,
  changes: readonly ChangedRow[],
  past: (targetId: number) => PastRuns | null,
): void {
  const [first] = changes;
  if (first === undefined) return;
  readRanks(store, moment, changes, past(first.targetId));
  let [least, most] = [first.checkId, first.checkId];
  for (const { checkId } of changes) {
    if (checkId < least) least = checkId;
    if (checkId > most) most = checkId;
  }
  const asked = store.secondLooks.askedBetween(least, most);
  if (asked.size === 0) return;
  for (const change of changes) if (asked.has(change.checkId)) Object.assign(change.row, secondLookAt(store, change));
}

function readRanks(store: Store, moment: number, changes: readonly ChangedRow[], past: PastRuns | null): void {
  const ranks = new Uint16Array(past === null ? 0 : changes.length * sightingsMax);
  const unknown: ChangedRow[] = [];
  for (const [index, change] of changes.entries()) {
    const { row, searchId, source, checkedAt: before, rank } = change;
    const end = (index + 1) * sightingsMax;
    const last = rank === null ? end : end - 1;
    const query = { search: searchId, source, before, max: sightingsMax - (end - last) };
    const start = past === null ? null : findEarlierRanks(past, query, ranks, last);
    if (start === null) {
      unknown.push(change);
      continue;
    }
    if (rank !== null) ranks[last] = rank;
    row.ranksBefore = ranks.subarray(start, end);
  }
  if (unknown.length === 0) return;
  const found = store.rankings.ranksOfMany({ targetId: unknown[0]?.targetId ?? 0, moment, max: sightingsMax }, unknown);
  for (const [index, { row, rank }] of unknown.entries()) {
    const earlier = found[index] ?? [];
    row.ranksBefore = rank === null ? earlier : [...earlier, rank].slice(-sightingsMax);
  }
}

/** The second look at the change of a check, or that it is to come. Only one of the same source compares. */
function secondLookAt(store: Store, { targetId, checkId, source }: ChangedRow): Omit<ChangePast, 'ranksBefore'> {
  const found = store.secondLooks.of(checkId, targetId);
  if (found === null) return {};
  if (found.isAwaited) return { awaitsSecondLook: true };
  return found.sighting?.source === source ? { secondLook: found.sighting } : {};
}
