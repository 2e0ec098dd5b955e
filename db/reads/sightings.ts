// Recent rankings of a target in every search, and volumes of searches, for the adaptive plan. Bench: `plan`.
import type { Sighting } from '../../src/tracker/signal/sightings.ts';
import type { Connection } from '../connection/client.ts';
import { rankingStands } from '../history/checks/conditions.ts';
import { isProvenSql } from '../history/checks/rankings.ts';
import type { TableRow } from '../schema/rows.ts';

/** A sighting as the statement gives it: copying two million rows would take a second. */
type SightingRow = Sighting & { readonly searchId: number };

export class Sightings {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /**
   * The proven rankings of a target since `since` (UTC milliseconds), per search, oldest first. One pass over the
   * primary key. An absence counts as ten results per page.
   */
  *ofTarget(targetId: number, since: number): Generator<readonly [searchId: number, sightings: readonly Sighting[]]> {
    const rows = this.#db
      .sql<SightingRow>(
        `SELECT r.search_id AS searchId, r.rank, r.depth, NULL AS resultsRead, c.checked_at AS checkedAt, c.source FROM rankings r JOIN checks c ON c.id = r.check_id
         WHERE r.target_id = ? AND r.moment >= ? AND c.state = 'ok' AND c.checked_at IS NOT NULL
           AND ${isProvenSql('r', 'c')} AND ${rankingStands('r')}
         ORDER BY r.target_id, r.search_id, r.moment, r.check_id`,
      )
      .iterate(targetId, since);
    let searchId: number | null = null;
    let sightings: Sighting[] = [];
    for (const row of rows) {
      if (row.searchId !== searchId) {
        if (searchId !== null) yield [searchId, sightings];
        searchId = row.searchId;
        sightings = [];
      }
      sightings.push(row);
    }
    if (searchId !== null) yield [searchId, sightings];
  }

  /** Searches that a run checks. */
  searchesOf(runId: number): number[] {
    return this.#db
      .sql<TableRow<'checks', 'searchId'>>('SELECT search_id AS searchId FROM checks WHERE run_id = ?')
      .all(runId)
      .map((row) => row.searchId);
  }

  /** The newest known volume of each search, whichever service gave it. */
  volumes(): Map<number, number> {
    const rows = this.#db
      .sql<{ id: number; volume: number }>(
        `SELECT s.id, v.search_volume AS volume, max(v.month) FROM volumes v
         JOIN searches s ON s.keyword_id = v.keyword_id
         JOIN markets m ON m.id = s.market_id AND m.country = v.country AND m.language = v.language
         WHERE v.search_volume IS NOT NULL GROUP BY s.id`,
      )
      .iterate();
    return new Map([...rows].map(({ id, volume }) => [id, volume]));
  }
}
