// Derives the columns of a run and target from its checks and rankings. Reads only.
import { codeOfRank, rankCodes } from '../../../src/tracker/rank-codes.ts';
import type { Connection } from '../../connection/client.ts';
import { sharedTexts } from '../../connection/shared-texts.ts';
import type { TableRow } from '../../schema/rows.ts';
import { isNotFollowedSql } from '../checks/rankings.ts';
import type { ColumnEntry } from './rank-columns.ts';

type EntryRow = TableRow<'checks', 'id' | 'search_id' | 'state' | 'checked_at' | 'source' | 'features'> &
  TableRow<'rankings', 'rank' | 'page' | 'url_id' | 'depth' | 'owned_features'> & {
    check_depth: number;
    is_not_followed: number;
  };

/** The rankings of a target in the checks of a run, by search. */
export function columnEntries(db: Connection, runId: number, targetId: number): ColumnEntry[] {
  const shared = sharedTexts();
  const rows = db
    .sql<EntryRow>(
      `SELECT c.id, c.search_id, c.state, c.checked_at, c.source, c.features, c.depth AS check_depth,
         r.rank, r.page, r.url_id, r.depth, r.owned_features, ${isNotFollowedSql('r', 'c')} AS is_not_followed
       FROM checks c JOIN rankings r ON r.target_id = @targetId AND r.search_id = c.search_id
         AND r.moment = (SELECT moment FROM runs WHERE id = @runId) AND r.check_id = c.id
       WHERE c.run_id = @runId ORDER BY c.search_id`,
    )
    .iterate({ runId, targetId });
  return Array.from(rows, (row) => ({
    searchId: row.search_id,
    checkId: row.id,
    code: codeOf(row),
    depth: row.depth,
    checkDepth: row.check_depth,
    page: row.page,
    urlId: row.url_id,
    checkedAt: row.checked_at ?? 0,
    source: shared(row.source ?? ''),
    features: shared(row.features ?? ''),
    ownedFeatures: shared(row.owned_features ?? ''),
  }));
}

function codeOf({ state, rank, url_id, is_not_followed }: EntryRow): number {
  if (state !== 'ok') return rankCodes.incomplete;
  if (rank !== null) return codeOfRank(rank);
  if (url_id !== null) return rankCodes.incomplete;
  return is_not_followed === 1 ? rankCodes.not_followed : rankCodes.not_found;
}
