// Second looks at changes: asked for at the end of a run, claimed by a run later the same day, and what they show.
import type { Sighting } from '../../../src/tracker/signal/sightings.ts';
import type { Connection } from '../../connection/client.ts';

import type { TableRow } from '../../schema/rows.ts';
import { resultsReadSql } from './rankings.ts';

export type NewSecondLook = Omit<TableRow<'second_looks'>, 'state' | 'lookId'>;

/** A second look that is due. */
interface DueLook {
  readonly checkId: number;
  readonly searchId: number;
  readonly depth: number;
  readonly projects: readonly string[];
}

/** A target's result in a second look; no rank: not found in the first `depth` pages. */
export type SecondLookRank = Omit<TableRow<'second_look_ranks'>, 'checkId'>;

/** Neither awaited nor with a sighting: it was not made, or is not complete. */
interface SecondLook {
  readonly isAwaited: boolean;
  readonly sighting: Sighting | null;
}

export class SecondLooks {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Asks for second looks; one that was asked for before stays as it is. Call inside a transaction. */
  ask(looks: readonly NewSecondLook[]): void {
    for (const look of looks)
      this.#db.insert('second_looks', { ...look, state: 'waiting' }, 'ON CONFLICT (check_id) DO NOTHING');
  }

  /**
   * The pages that a run bought for a project. A check that several projects share counts in equal parts, so that their
   * shares add up to the run.
   */
  pagesBought(runId: number, project: string): number {
    return this.#db.number(
      `SELECT sum(1.0 / (SELECT count(*) FROM check_projects o WHERE o.check_id = v.check_id))
       FROM reservations v JOIN purchases q ON q.reservation_id = v.id JOIN pages g ON g.purchase_id = q.id
       JOIN check_projects cp ON cp.check_id = v.check_id JOIN projects p ON p.id = cp.project_id
       WHERE v.run_id = ? AND p.name = ?`,
      runId,
      project,
    );
  }

  /** Runs with second looks that may be made now, oldest first. */
  dueRuns(now: number): number[] {
    return this.#db
      .sql<TableRow<'second_looks', 'runId'>>(
        `SELECT DISTINCT l.run_id AS runId FROM second_looks l JOIN runs r ON r.id = l.run_id
         WHERE l.state = 'waiting' AND l.not_before <= ? AND l.until > ? AND r.discarded_at IS NULL ORDER BY l.run_id`,
      )
      .all(now, now)
      .map((row) => row.runId);
  }

  /** In the order in which they were asked for. */
  waiting(runId: number): DueLook[] {
    return this.#db
      .sql<TableRow<'second_looks', 'checkId' | 'depth'> & { searchId: number; projects: string | null }>(
        `SELECT l.check_id AS checkId, l.depth, c.search_id AS searchId, (SELECT group_concat(p.name, char(31)) FROM check_projects cp
           JOIN projects p ON p.id = cp.project_id WHERE cp.check_id = c.id) AS projects
         FROM second_looks l JOIN checks c ON c.id = l.check_id WHERE l.run_id = ? AND l.state = 'waiting' ORDER BY l.rowid`,
      )
      .all(runId)
      .map((row) => ({
        checkId: row.checkId,
        searchId: row.searchId,
        depth: row.depth,
        projects: (row.projects ?? '').split('\u001f').filter((name) => name !== ''),
      }));
  }

  /** Makes the planned checks of a run the second looks of another one. Call inside a transaction. */
  claim(firstRunId: number, runId: number): void {
    this.#db
      .sql(
        `UPDATE second_looks SET state = 'claimed', look_id = look.id
         FROM checks first JOIN checks look ON look.search_id = first.search_id AND look.run_id = @runId
         WHERE first.id = second_looks.check_id AND second_looks.run_id = @firstRunId AND second_looks.state = 'waiting'`,
      )
      .run({ firstRunId, runId });
  }

  /** Gives up looks that were not claimed on their day. Returns the runs that waited for them. */
  lapse(now: number): number[] {
    const rows = this.#db
      .sql<TableRow<'second_looks', 'runId'>>(
        "UPDATE second_looks SET state = 'lapsed' WHERE state = 'waiting' AND until <= ? RETURNING run_id AS runId",
      )
      .all(now);
    return [...new Set(rows.map((row) => row.runId))];
  }

  /** Gives up looks of a run that cannot be claimed, such as those of keywords that are tracked no more. */
  giveUp(runId: number): void {
    this.#db.sql("UPDATE second_looks SET state = 'lapsed' WHERE run_id = ? AND state = 'waiting'").run(runId);
  }

  /** Defers the planned second looks of a run whose day is over. Returns their number. */
  deferLate(runId: number, now: number): number {
    return this.#db
      .sql(
        `UPDATE checks SET state = 'deferred', reason = 'the day of the first look is over', finished_at = @now
         WHERE run_id = @runId AND state = 'planned' AND id IN (SELECT look_id FROM second_looks WHERE until <= @now)`,
      )
      .run({ runId, now }).changes;
  }

  /** Records what a complete second look shows. Call inside a transaction. */
  record(checkId: number, ranks: readonly SecondLookRank[]): void {
    for (const { targetId, rank, depth } of ranks)
      this.#db.insert('second_look_ranks', { checkId, targetId, rank, depth });
  }

  /** The checks with ids in this range, inclusive, that were given a second look. */
  askedBetween(least: number, most: number): ReadonlySet<number> {
    const rows = this.#db
      .sql<TableRow<'second_looks', 'checkId'>>(
        'SELECT check_id AS checkId FROM second_looks WHERE check_id BETWEEN ? AND ?',
      )
      .all(least, most);
    return new Set(rows.map((row) => row.checkId));
  }

  /** The checks of a run that were given a second look. */
  checksIn(runId: number): ReadonlySet<number> {
    const rows = this.#db
      .sql<TableRow<'second_looks', 'checkId'>>('SELECT check_id AS checkId FROM second_looks WHERE run_id = ?')
      .all(runId);
    return new Set(rows.map((row) => row.checkId));
  }

  /** The second look at a check, as far as it concerns a target; null: none was asked for. */
  of(checkId: number, targetId: number): SecondLook | null {
    const row = this.#db
      .sql<
        TableRow<'second_looks', 'state'> & {
          isOpen: number | null;
          rank: number | null;
          depth: number | null;
          resultsRead: number | null;
          checkedAt: number;
          source: string;
        }
      >(
        `SELECT l.state, r.state = 'open' AS isOpen, k.rank, k.depth, c.checked_at AS checkedAt, c.source,
           iif(k.depth IS NOT NULL AND k.rank IS NULL, ${resultsReadSql('c.id')}, NULL) AS resultsRead
         FROM second_looks l LEFT JOIN checks c ON c.id = l.look_id LEFT JOIN runs r ON r.id = c.run_id
         LEFT JOIN second_look_ranks k ON k.check_id = c.id AND k.target_id = @targetId AND r.discarded_at IS NULL
         WHERE l.check_id = @checkId`,
      )
      .get({ checkId, targetId });
    if (row === undefined) return null;
    const { rank, depth, resultsRead, checkedAt, source } = row;
    return {
      isAwaited: row.state === 'waiting' || row.isOpen === 1,
      sighting: depth === null ? null : { rank, depth, resultsRead, checkedAt, source },
    };
  }
}
