// The newest ranking of a search that a run did not check: it is older than the slot, and says so.
import type { Store } from '../../../db/store.ts';
import type { RowInput } from '../../../src/rows/row.ts';
import type { Search, Target } from '../../../src/tracker/project.ts';
import { dayMs } from '../../../src/tracker/schedule/time-units.ts';
import { targetKey } from '../../../src/tracker/targets/target.ts';

interface Waiting {
  readonly store: Store;
  readonly runs: readonly [{ readonly moment: number }, ...unknown[]];
  readonly slot: { readonly at: number };
}

/** Empty if there is none. */
export function lastRanking(
  { store, runs: [{ moment }], slot }: Waiting,
  target: Target,
  search: Search,
): Pick<RowInput, 'last'> {
  const [targetId, searchId] = [store.names.knownTargetId(targetKey(target)), store.names.knownSearchId(search)];
  if (targetId === null || searchId === null) return {};
  const window = { from: 0, until: moment - 1 };
  const any = { depthMin: 1, source: null, baselineOf: null };
  const last = store.rankings.newestBefore({ targetId, searchId, moment, window, ...any });
  if (last === null) return {};
  const { rank, checkedAt, depth } = last;
  return { last: { rank, checkedAt, ageDays: Math.max(0, Math.round((slot.at - checkedAt) / dayMs)), depth } };
}
