// The checks of a run: planned, claimed one batch at a time, ended with a state and a reason. Bench: `throughput`.

import type { CheckStatus } from '../../../src/tracker/observation.ts';
import type { Market, PagingStrategy } from '../../../src/tracker/project.ts';
import type { Connection } from '../../connection/client.ts';
import { marketIn } from '../../connection/names.ts';

import type { TableRow } from '../../schema/rows.ts';

export interface NewCheck {
  readonly searchId: number;
  readonly sequence: number;
  readonly depth: number;
  readonly paging: PagingStrategy;
  readonly deep: boolean;
  readonly freshForMs: number;
  readonly projects: readonly string[];
}

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
SELECT newest.state = 'deferred' AS wasDeferred,
  CASE WHEN newest.state IN ('ok', 'incomplete') THEN newest.checked_at WHEN newest.id IS NOT NULL THEN (
    SELECT c.checked_at FROM checks c JOIN runs r ON r.id = c.run_id
    WHERE c.search_id = j.value AND c.state IN ('ok', 'incomplete') AND ${ofSlots} ORDER BY c.id DESC LIMIT 1) END AS lastCheckedAt,
  CASE WHEN @withDeep AND newest.id IS NOT NULL THEN (
    SELECT r.moment FROM checks c JOIN runs r ON r.id = c.run_id
    WHERE c.search_id = j.value AND c.deep = 1 AND c.state = 'ok' AND r.discarded_at IS NULL ORDER BY c.id DESC LIMIT 1) END AS lastDeepAt
FROM json_each(@searchIds) j
LEFT JOIN checks newest ON newest.id = (
  SELECT c.id FROM checks c JOIN runs r ON r.id = c.run_id WHERE c.search_id = j.value AND ${ofSlots} ORDER BY c.id DESC LIMIT 1)`;

const firstReadsSql = `
SELECT count(*) AS checks, coalesce(sum(first.pages_read), 0) AS pages
FROM json_each(@searchIds) j
JOIN checks first ON first.id = (
  SELECT c.id FROM checks c JOIN runs r ON r.id = c.run_id
  WHERE c.search_id = j.value AND c.state = 'ok' AND ${ofSlots} ORDER BY c.id LIMIT 1)
WHERE first.depth = @depth AND first.paging = @paging`;

/** Of checks that were deferred because the budget had no room. */
export const shortRemedy = 'It is first in line next time. Raise the budget to check it sooner.';

export type CheckState = 'planned' | 'running' | CheckStatus;

export interface PlannedCheck extends NewCheck {
  readonly id: number;
  readonly runId: number;
  readonly keyword: string;
  readonly market: Market;
  /** The service that its pages are bought from: that of its market, unless this one chooses among several. */
  readonly seller: string;
  /** It has ended before, and is tried again. */
  readonly wasTried: boolean;
  /** The check that it is compared with, and that its cost belongs to; null: it is an ordinary check. */
  readonly doubles: number | null;
}

interface CheckEnd {
  readonly state: CheckStatus;
  readonly pagesRead: number;
  readonly pagesReused: number;
  readonly checkedAt: number | null;
  readonly source: string | null;
  readonly features: readonly string[];
  readonly reason: string | null;
  readonly remedy: string | null;
  readonly at: number;
}

/** `projects`: names, joined by a unit separator; null: none. */
type CheckRow = TableRow<
  'checks',
  'id' | 'runId' | 'sequence' | 'searchId' | 'depth' | 'paging' | 'deep' | 'freshForMs'
> &
  TableRow<'markets', keyof Market> & {
    keyword: string;
    projects: string | null;
    wasTried: number;
    doubles: number | null;
  };

const checkColumns = `c.id, c.run_id AS runId, c.sequence, c.search_id AS searchId, c.depth, c.paging, c.deep, c.fresh_for_ms AS freshForMs,
  k.text AS keyword, m.service, m.country, m.language, m.device, m.location, c.finished_at IS NOT NULL AS wasTried,
  (SELECT group_concat(p.name, char(31)) FROM check_projects cp JOIN projects p ON p.id = cp.project_id WHERE cp.check_id = c.id) AS projects,
  (SELECT d.check_id FROM double_checks d WHERE d.double_id = c.id) AS doubles
  FROM checks c JOIN searches s ON s.id = c.search_id JOIN keywords k ON k.id = s.keyword_id JOIN markets m ON m.id = s.market_id`;

const isNoDouble = 'NOT EXISTS (SELECT 1 FROM double_checks d WHERE d.double_id = c.id)';
const isFailure = `c.state IN ('incomplete', 'failed', 'deferred', 'unknown_paid') AND ${isNoDouble}`;

const endSql = `UPDATE checks SET state = ?, pages_read = ?, pages_reused = ?, checked_at = ?, finished_at = ?, source = ?, features = ?, reason = ?, remedy = ?
  WHERE id = ? AND state IN ('planned', 'running')`;

export class Checks {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Plans a check; one that the run has already stays as it is (planning again after a crash). */
  plan(runId: number, { searchId, sequence, depth, paging, deep, freshForMs, projects }: NewCheck): void {
    const { changes, lastInsertRowid } = this.#db.insert(
      'checks',
      { runId, searchId, state: 'planned', sequence, depth, paging, deep: deep ? 1 : 0, freshForMs },
      'ON CONFLICT (run_id, search_id) DO NOTHING',
    );
    if (changes === 0) return;
    for (const project of projects) {
      const projectId = this.#db.names.projectId(project);
      this.#db.insert('check_projects', { projectId, checkId: Number(lastInsertRowid) });
    }
  }

  /**
   * The pasts of these searches, in their order. `withDeep`: also finds the last deep check. That reads every check of
   * a search without one, so only plans with deep checks ask for it.
   */
  pasts(searchIds: readonly number[], { withDeep }: { readonly withDeep: boolean }): SearchPast[] {
    return this.#db
      .sql<Omit<SearchPast, 'wasDeferred'> & { wasDeferred: number | null }>(pastsSql)
      .all({ searchIds: JSON.stringify(searchIds), withDeep: withDeep ? 1 : 0 })
      .map((row) => ({ ...row, wasDeferred: row.wasDeferred === 1 }));
  }

  /** What the first complete checks of these searches have read, of those with this depth and paging. */
  firstReads(
    searchIds: readonly number[],
    { depth, paging }: Pick<NewCheck, 'depth' | 'paging'>,
  ): { readonly checks: number; readonly pages: number } {
    const row = this.#db.sql<{ readonly checks: number; readonly pages: number }>(firstReadsSql).get({
      searchIds: JSON.stringify(searchIds),
      depth,
      paging,
    });
    return row ?? { checks: 0, pages: 0 };
  }

  /**
   * The next planned checks of a run in order of work, except at the services `without`. They stay planned until
   * `start`.
   */
  next(runId: number, limit: number, without: readonly string[] = []): PlannedCheck[] {
    const others = without.length === 0 ? '' : 'AND m.service NOT IN (SELECT value FROM json_each(@without))';
    return this.#db
      .sql<CheckRow>(
        // repeated, because SQLite uses the partial index only with these words; without it each claim sorts the whole
        // run
        `SELECT ${checkColumns} WHERE c.run_id = @runId AND c.state = 'planned' AND c.state IN ('planned', 'running') ${others}
         ORDER BY c.sequence, c.id LIMIT +@limit`, // see keepingPlan
      )
      .all({ runId, limit, ...(without.length === 0 ? {} : { without: JSON.stringify(without) }) })
      .map(toPlannedCheck);
  }

  /** Planned checks of a run behind another one in the order of work; null: from the first. */
  plannedAfter(runId: number, after: Pick<PlannedCheck, 'sequence' | 'id'> | null, checksMax: number): PlannedCheck[] {
    const { sequence, id } = after ?? { sequence: Number.MIN_SAFE_INTEGER, id: -1 };
    return this.#db
      .sql<CheckRow>(
        `SELECT ${checkColumns} WHERE c.run_id = @runId AND c.state = 'planned' AND c.state IN ('planned', 'running')
           AND (c.sequence, c.id) > (@sequence, @id) ORDER BY c.sequence, c.id LIMIT +@checksMax`, // see keepingPlan
      )
      .all({ runId, sequence, id, checksMax })
      .map(toPlannedCheck);
  }

  /**
   * The planned check of the service whose attempts in this run failed least often, first in order of work; null: none
   * is planned.
   */
  leastFailed(runId: number, service: string): PlannedCheck | null {
    const row = this.#db
      .sql<CheckRow>(
        `WITH failures AS MATERIALIZED (
           SELECT v.check_id, count(*) AS tries FROM reservations v JOIN purchases p ON p.reservation_id = v.id
           WHERE v.run_id = @runId AND p.state <> 'open' AND p.error_code <> 'SHARED' GROUP BY v.check_id)
         SELECT ${checkColumns} LEFT JOIN failures f ON f.check_id = c.id
         WHERE c.run_id = @runId AND c.state = 'planned' AND c.state IN ('planned', 'running') AND m.service = @service
         ORDER BY coalesce(f.tries, 0), c.sequence, c.id LIMIT 1`,
      )
      .get({ runId, service });
    return row === undefined ? null : toPlannedCheck(row);
  }

  start(ids: readonly number[]): void {
    this.#db
      .sql("UPDATE checks SET state = 'running' WHERE id IN (SELECT value FROM json_each(?)) AND state = 'planned'")
      .run(JSON.stringify(ids));
  }

  /** Puts a started check back: the pages it has are kept, the rest is claimable. */
  putBack(id: number): void {
    this.#db.sql("UPDATE checks SET state = 'planned' WHERE id = ? AND state = 'running'").run(id);
  }

  /** Moves a started check behind all that are planned or running, so that it reads its next page after them. */
  putLast(id: number): void {
    this.#db
      .sql(
        `UPDATE checks SET state = 'planned', sequence = (
           SELECT max(o.sequence) + 1 FROM checks o WHERE o.run_id = checks.run_id AND o.state IN ('planned', 'running'))
         WHERE id = ? AND state = 'running'`,
      )
      .run(id);
  }

  /** After a crash: what a dead process was working on becomes claimable. */
  putBackAll(runId: number): void {
    this.#db.sql("UPDATE checks SET state = 'planned' WHERE run_id = ? AND state = 'running'").run(runId);
  }

  end(id: number, end: CheckEnd): void {
    const { changes } = this.#db
      .sql(endSql)
      .run(
        end.state,
        end.pagesRead,
        end.pagesReused,
        end.checkedAt,
        end.at,
        end.source,
        end.features.length === 0 ? null : end.features.join('|'),
        end.reason,
        end.remedy,
        id,
      );
    if (changes > 0 && end.state === 'ok') this.#db.digests.addCheck(id);
  }

  /** Defers all checks of a run that are still planned at one service. */
  deferRest(runId: number, service: string, reason: string, remedy: string | null, at: number): number {
    return this.#db
      .sql(
        `UPDATE checks SET state = 'deferred', reason = ?, remedy = ?, finished_at = ? WHERE run_id = ? AND state = 'planned'
           AND search_id IN (SELECT s.id FROM searches s JOIN markets m ON m.id = s.market_id WHERE m.service = ?)`,
      )
      .run(reason, remedy, at, runId, service).changes;
  }

  /**
   * Makes checks of a project claimable again that ended in these states, except of searches that one of the runs
   * `completedBy` has completed. They keep the time at which they ended: `wasTried`. Returns their number.
   */
  replan(runId: number, project: string, states: readonly CheckStatus[], completedBy: readonly number[]): number {
    return this.#db
      .sql(
        `UPDATE checks SET state = 'planned', reason = NULL, remedy = NULL
         WHERE run_id = @runId AND state IN (SELECT value FROM json_each(@states)) AND id IN (
           SELECT cp.check_id FROM check_projects cp JOIN projects p ON p.id = cp.project_id WHERE p.name = @project)
         AND NOT EXISTS (
           SELECT 1 FROM json_each(@completedBy) j CROSS JOIN checks o ON o.run_id = j.value AND o.search_id = checks.search_id AND o.state = 'ok')`,
      )
      .run({
        runId,
        project,
        states: JSON.stringify(states),
        completedBy: JSON.stringify(completedBy),
      }).changes;
  }

  /** Without those that only double others. */
  counts(runId: number): Record<CheckState, number> {
    const counts: Record<CheckState, number> = {
      planned: 0,
      running: 0,
      ok: 0,
      incomplete: 0,
      failed: 0,
      deferred: 0,
      unknown_paid: 0,
    };
    for (const row of this.#db
      .sql<TableRow<'checks', 'state'> & { n: number }>(
        `SELECT c.state, count(*) AS n FROM checks c WHERE c.run_id = ? AND ${isNoDouble} GROUP BY c.state`,
      )
      .all(runId)) {
      counts[row.state] = row.n;
    }
    return counts;
  }

  pagesReused(runId: number): number {
    return this.#db.number('SELECT sum(pages_reused) FROM checks WHERE run_id = ?', runId);
  }

  /** Checks of a run that did not end well, with what to do: the first of each kind, then the others. */
  problems(runId: number, limit: number): CheckWithProblem[] {
    return this.#failures('c.run_id = @runId', { runId, limit });
  }

  /**
   * The same for runs of several projects, each with the runs of its newest slot: of a search checked twice the later
   * check counts. `total` counts beyond the limit.
   */
  problemsLeft(
    runsOf: ReadonlyMap<string, readonly number[]>,
    limit: number,
  ): { readonly problems: CheckWithProblem[]; readonly total: number } {
    const ids = JSON.stringify([...runsOf].flatMap(([project, runIds]) => runIds.map((runId) => [project, runId])));
    const isOfSlot = (check: string): string => `EXISTS (
      SELECT 1 FROM json_each(@ids) w JOIN projects p ON p.name = w.value ->> 0 JOIN check_projects cp ON cp.project_id = p.id
      WHERE w.value ->> 1 = ${check}.run_id AND cp.check_id = ${check}.id)`;
    const left = `c.run_id IN (SELECT value ->> 1 FROM json_each(@ids)) AND ${isOfSlot('c')}
      AND NOT EXISTS (SELECT 1 FROM checks later WHERE later.search_id = c.search_id AND later.id > c.id AND ${isOfSlot('later')})`;
    const problems = this.#failures(left, { ids, limit });
    if (problems.length < limit) return { problems, total: problems.length };
    const total = this.#db.number(`SELECT count(*) FROM checks c WHERE ${left} AND ${isFailure}`, { ids });
    return { problems, total };
  }

  #failures(where: string, values: { readonly limit: number } & Record<string, string | number>): CheckWithProblem[] {
    const kind = 'PARTITION BY c.state, c.reason, c.remedy';
    return this.#db
      .sql<CheckRow & Pick<CheckWithProblem, 'state' | 'remedy' | 'alike'> & { reason: string | null }>(
        `WITH found AS (SELECT c.id, count(*) OVER (${kind}) AS alike, row_number() OVER (${kind} ORDER BY c.run_id, c.sequence, c.id) AS nth
           FROM checks c WHERE ${where} AND ${isFailure})
         SELECT found.alike, c.state, c.reason, c.remedy, ${checkColumns} JOIN found ON found.id = c.id ORDER BY min(found.nth, 2), c.run_id, c.sequence, c.id LIMIT @limit`,
      )
      .all(values)
      .map(({ alike, state, reason, remedy, ...row }) => ({
        ...toPlannedCheck(row),
        state,
        reason: reason ?? '',
        remedy,
        alike,
      }));
  }
}

/** A check that did not end well, why, and what to do. */
export type CheckWithProblem = PlannedCheck & {
  readonly state: CheckStatus;
  readonly reason: string;
  readonly remedy: string | null;
  /** Checks with this state, reason and remedy, this one included. */
  readonly alike: number;
};

function toPlannedCheck(row: CheckRow): PlannedCheck {
  const { service, country, language, device, location, deep, projects, wasTried, ...check } = row;
  return {
    ...check,
    market: marketIn({ service, country, language, device, location }),
    deep: deep === 1,
    wasTried: wasTried === 1,
    projects: (projects ?? '').split('\u001f').filter((name) => name !== ''),
    seller: service,
  };
}
