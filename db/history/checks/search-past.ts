// What earlier checks of searches say to the plan of the next ones.
import type { Connection } from '../../connection/client.ts';

/** What planning needs to know of a search's past. */
export interface SearchPast {
  /** Last check that read something, UTC milliseconds; null: never. */
  readonly lastCheckedAt: number | null;
  /** Slot of the last complete deep check, UTC milliseconds. */
  readonly lastDeepAt: number | null;
  /** The newest check was deferred: the search goes first within its priority. */
  readonly wasDeferred: boolean;
}

// checks of another tool and second looks belong to no slot of ours: they neither make a search less overdue nor
// hide that it was deferred
const ofSlots = "r.origin <> 'import' AND r.confirms IS NULL AND r.discarded_at IS NULL";

const pastsSql = `
SELECT newest.state = 'deferred' AS was_deferred,
  CASE WHEN newest.state IN ('ok', 'incomplete') THEN newest.checked_at WHEN newest.id IS NOT NULL THEN (
    SELECT c.checked_at FROM checks c JOIN runs r ON r.id = c.run_id
    WHERE c.search_id = j.value AND c.state IN ('ok', 'incomplete') AND ${ofSlots} ORDER BY c.id DESC LIMIT 1) END AS last_checked_at,
  CASE WHEN @withDeep AND newest.id IS NOT NULL THEN (
    SELECT r.moment FROM checks c JOIN runs r ON r.id = c.run_id
    WHERE c.search_id = j.value AND c.deep = 1 AND c.state = 'ok' AND r.discarded_at IS NULL ORDER BY c.id DESC LIMIT 1) END AS last_deep_at
FROM json_each(@searchIds) j
LEFT JOIN checks newest ON newest.id = (
  SELECT c.id FROM checks c JOIN runs r ON r.id = c.run_id WHERE c.search_id = j.value AND ${ofSlots} ORDER BY c.id DESC LIMIT 1)`;

/**
 * The pasts of these searches, in their order. `withDeep`: also finds the last deep check. That reads every check of a
 * search without one, so only plans with deep checks ask for it.
 */
export function readPasts(
  db: Connection,
  searchIds: readonly number[],
  { withDeep }: { readonly withDeep: boolean },
): SearchPast[] {
  return db
    .sql<{ was_deferred: number | null; last_checked_at: number | null; last_deep_at: number | null }>(pastsSql)
    .all({ searchIds: JSON.stringify(searchIds), withDeep: withDeep ? 1 : 0 })
    .map((row) => ({
      lastCheckedAt: row.last_checked_at,
      lastDeepAt: row.last_deep_at,
      wasDeferred: row.was_deferred === 1,
    }));
}
