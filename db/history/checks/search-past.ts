// What earlier checks of a search say to the plan of the next one.
import type { Connection } from '../../connection/client.ts';
import type { TableRow } from '../../schema/rows.ts';

/** What planning needs to know of a search's past. */
export interface SearchPast {
  /** Last check that read something, UTC milliseconds; null: never. */
  readonly lastCheckedAt: number | null;
  /** Slot of the last complete deep check, UTC milliseconds. */
  readonly lastDeepAt: number | null;
  /** The newest check was deferred: the search goes first within its priority. */
  readonly wasDeferred: boolean;
}

/**
 * `withDeep`: also finds the last deep check. That reads every check of a search without one, so only plans with deep
 * checks ask for it.
 */
export function readPast(db: Connection, searchId: number, { withDeep }: { readonly withDeep: boolean }): SearchPast {
  // checks of another tool and second looks belong to no slot of ours: they neither make a search less overdue nor
  // hide that it was deferred
  const newest = db
    .sql<TableRow<'checks', 'state' | 'checked_at'>>(
      `SELECT c.state, c.checked_at FROM checks c JOIN runs r ON r.id = c.run_id
       WHERE c.search_id = ? AND r.origin <> 'import' AND r.confirms IS NULL AND r.discarded_at IS NULL ORDER BY c.id DESC LIMIT 1`,
    )
    .get(searchId);
  if (newest === undefined) return { lastCheckedAt: null, lastDeepAt: null, wasDeferred: false };
  return {
    lastCheckedAt: isRead(newest.state) ? newest.checked_at : lastCheckedAt(db, searchId),
    lastDeepAt: withDeep ? lastDeepAt(db, searchId) : null,
    wasDeferred: newest.state === 'deferred',
  };
}

function lastCheckedAt(db: Connection, searchId: number): number | null {
  const read = db
    .sql<TableRow<'checks', 'checked_at'>>(
      `SELECT c.checked_at FROM checks c JOIN runs r ON r.id = c.run_id
       WHERE c.search_id = ? AND c.state IN ('ok', 'incomplete') AND r.origin <> 'import' AND r.confirms IS NULL AND r.discarded_at IS NULL ORDER BY c.id DESC LIMIT 1`,
    )
    .get(searchId);
  return read?.checked_at ?? null;
}

function lastDeepAt(db: Connection, searchId: number): number | null {
  const deep = db
    .sql<TableRow<'runs', 'moment'>>(
      `SELECT r.moment FROM checks c JOIN runs r ON r.id = c.run_id
       WHERE c.search_id = ? AND c.deep = 1 AND c.state = 'ok' AND r.discarded_at IS NULL ORDER BY c.id DESC LIMIT 1`,
    )
    .get(searchId);
  return deep?.moment ?? null;
}

function isRead(state: string): boolean {
  return state === 'ok' || state === 'incomplete';
}
