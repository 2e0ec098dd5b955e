// Checks of one search by several sources in one run: what each showed, and what that cost.
import type { Market } from '../../../src/tracker/project.ts';
import type { Connection } from '../../connection/client.ts';
import type { CheckState } from './checks.ts';

/** A check, and those that look at its search from other sources. */
export interface DoubledCheck {
  readonly checkId: number;
  readonly doubleIds: readonly number[];
  /** Looks at pages that were not sought for a difference. */
  readonly standsFor: number;
}

/** A check of a joint look. */
interface LookCheck extends Pick<Market, 'service' | 'country' | 'language' | 'device'> {
  readonly id: number;
  readonly state: CheckState;
  readonly keyword: string;
  /** UTC milliseconds. */
  readonly moment: number;
  /** Null: nothing was read. */
  readonly source: string | null;
  /** Pages that it was to read. */
  readonly depth: number;
  /** Those that wanted it; a double has none. */
  readonly projects: readonly string[];
}

/** A planned check that may be doubled. */
export interface DoubleCandidate {
  readonly id: number;
  readonly searchId: number;
  /** The pages that its search needed the last time; null: it was never complete. */
  readonly pages: number | null;
  readonly projects: readonly string[];
}

/** Names joined by a unit separator; null: none. */
const namesOf = (joined: string | null): string[] => (joined === null ? [] : joined.split('\u001f'));
const projectsSql =
  '(SELECT group_concat(p.name, char(31)) FROM check_projects cp JOIN projects p ON p.id = cp.project_id WHERE cp.check_id = c.id)';

const lastPagesSql = (searchId: string, before: string): string =>
  `SELECT l.pages_read AS pages FROM checks l WHERE l.search_id = ${searchId} AND l.id < ${before} AND l.state = 'ok' ORDER BY l.id DESC LIMIT 1`;

/** Purchases in a service's cost: limited, so that a long history costs no more. */
const purchasesMax = 20_000;

/** Before all others of a run. */
const firstSequence = -1;

export class JointLooks {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Planned checks of a run in markets of a service, without those that are doubled or double others. */
  planned(runId: number, service: string): number[] {
    return this.#db
      .sql<{ id: number }>(
        `SELECT c.id FROM checks c JOIN searches s ON s.id = c.search_id JOIN markets m ON m.id = s.market_id
         WHERE c.run_id = @runId AND c.state = 'planned' AND m.service = @service
           AND NOT EXISTS (SELECT 1 FROM double_checks d WHERE d.check_id = c.id OR d.double_id = c.id) ORDER BY c.id`,
      )
      .all({ runId, service })
      .map(({ id }) => id);
  }

  candidates(ids: readonly number[]): DoubleCandidate[] {
    return this.#db
      .sql<Omit<DoubleCandidate, 'projects'> & { readonly projects: string | null }>(
        `SELECT c.id, c.search_id AS searchId, ${projectsSql} AS projects, (${lastPagesSql('c.search_id', 'c.id')}) AS pages
         FROM json_each(?) j JOIN checks c ON c.id = j.value`,
      )
      .all(JSON.stringify(ids))
      .map((row) => ({ ...row, projects: namesOf(row.projects) }));
  }

  /** The pages that a search needed the last time before a check; null: it was never complete. */
  lastPages({ searchId, id }: { readonly searchId: number; readonly id: number }): number | null {
    const sql = lastPagesSql('@searchId', '@id');
    return this.#db.sql<{ pages: number }>(sql).get({ searchId, id })?.pages ?? null;
  }

  /**
   * Looks at the search of a check from another service, too: these pages, before other checks of its run. A check of
   * that search in the run serves as it is. `standsFor`: 1, unless it was sought. Call inside a transaction.
   */
  double(checkId: number, service: string, depth: number, standsFor: number): void {
    const check = this.#db
      .sql<Market & { readonly runId: number; readonly keyword: string }>(
        `SELECT c.run_id AS runId, k.text AS keyword, m.country, m.language, m.device, m.location
         FROM checks c JOIN searches s ON s.id = c.search_id JOIN keywords k ON k.id = s.keyword_id JOIN markets m ON m.id = s.market_id
         WHERE c.id = ?`,
      )
      .get(checkId);
    if (check === undefined) throw new Error(`there is no check ${checkId}`);
    const { runId, keyword, ...market } = check;
    const where = { ...market, service, location: market.location || undefined };
    const searchId = this.#db.names.searchId({ keyword, market: where });
    this.#db.insert(
      'checks',
      { runId, searchId, state: 'planned', sequence: firstSequence, depth, paging: 'full', deep: 0, freshForMs: 0 },
      'ON CONFLICT (run_id, search_id) DO NOTHING',
    );
    this.#db
      .sql(
        `INSERT INTO double_checks (double_id, check_id, stands_for) SELECT id, @checkId, @standsFor FROM checks
         WHERE run_id = @runId AND search_id = @searchId ON CONFLICT DO NOTHING`,
      )
      .run({ runId, searchId, checkId, standsFor });
    this.#db.sql("UPDATE checks SET sequence = ? WHERE id = ? AND state = 'planned'").run(firstSequence, checkId);
  }

  /** The doubled check that a check belongs to; null: it is neither doubled nor a double. */
  of(checkId: number): DoubledCheck | null {
    const rows = this.#db
      .sql<{ checkId: number; doubleId: number; standsFor: number }>(
        `SELECT d.check_id AS checkId, d.double_id AS doubleId, d.stands_for AS standsFor FROM double_checks d
         WHERE d.check_id = coalesce((SELECT check_id FROM double_checks WHERE double_id = @checkId), @checkId) ORDER BY d.double_id`,
      )
      .all({ checkId });
    const [first] = rows;
    if (first === undefined) return null;
    const doubleIds = rows.map(({ doubleId }) => doubleId);
    return { checkId: first.checkId, doubleIds, standsFor: Math.max(...rows.map(({ standsFor }) => standsFor)) };
  }

  /** The newest doubled checks of runs that stand, oldest first. */
  newest(limit: number): DoubledCheck[] {
    return this.#db
      .sql<{ checkId: number; doubleIds: string; standsFor: number }>(
        `SELECT d.check_id AS checkId, json_group_array(d.double_id) AS doubleIds, max(d.stands_for) AS standsFor
         FROM double_checks d JOIN checks c ON c.id = d.check_id JOIN runs r ON r.id = c.run_id
         WHERE r.discarded_at IS NULL GROUP BY d.check_id ORDER BY d.check_id DESC LIMIT ?`,
      )
      .all(limit)
      .map((row) => ({ ...row, doubleIds: JSON.parse(row.doubleIds) as number[] })) // by its query
      .reverse();
  }

  checks({ checkId, doubleIds }: DoubledCheck): LookCheck[] {
    return this.#db
      .sql<Omit<LookCheck, 'projects'> & { readonly projects: string | null }>(
        `SELECT c.id, c.state, c.depth, ${projectsSql} AS projects, k.text AS keyword, r.moment, c.source, m.service, m.country, m.language, m.device
         FROM json_each(@ids) j JOIN checks c ON c.id = j.value JOIN runs r ON r.id = c.run_id
         JOIN searches s ON s.id = c.search_id JOIN keywords k ON k.id = s.keyword_id JOIN markets m ON m.id = s.market_id ORDER BY j.key`,
      )
      .all({ ids: JSON.stringify([checkId, ...doubleIds]) })
      .map((row) => ({ ...row, projects: namesOf(row.projects) }));
  }

  /**
   * Pages of checks of a service since that moment, UTC milliseconds, and pages that were bought to compare them.
   * `firstAt`: the first run among these; null: none.
   */
  pagesSince(service: string, since: number) {
    const row = this.#db
      .sql<{ pages: number; doubles: number; firstAt: number | null }>(
        `SELECT coalesce(sum(c.pages_read), 0) AS pages, coalesce(sum((
           SELECT sum(o.pages_read) FROM double_checks d JOIN checks o ON o.id = d.double_id WHERE d.check_id = c.id)), 0) AS doubles,
           min(r.moment) AS firstAt
         FROM runs r JOIN checks c ON c.run_id = r.id JOIN searches s ON s.id = c.search_id JOIN markets m ON m.id = s.market_id
         WHERE r.moment >= @since AND r.kind = 'ranks' AND m.service = @service`,
      )
      .get({ service, since });
    return row ?? { pages: 0, doubles: 0, firstAt: null };
  }

  /** The service that may have sold a page to a check; null: none. */
  sellerOf(checkId: number): string | null {
    const row = this.#db
      .sql<{ service: string }>(
        `SELECT p.service FROM checks c JOIN reservations v ON v.run_id = c.run_id AND v.check_id = c.id
         JOIN purchases p ON p.reservation_id = v.id AND p.search_id = c.search_id
         WHERE c.id = ? AND p.state <> 'free' ORDER BY p.id DESC LIMIT 1`,
      )
      .get(checkId);
    return row?.service ?? null;
  }

  /**
   * What each service took for pages in recent purchases, in credits: for all, and for those that gave a page which was
   * believed.
   */
  soldLately() {
    return this.#db
      .sql<{ service: string; charged: number; believed: number }>(
        `SELECT service, sum(charged) AS charged, sum(iif(state = 'paid' AND error_code IS NULL, charged, 0)) AS believed
         FROM purchases WHERE id > (SELECT coalesce(max(id), 0) FROM purchases) - ? AND page IS NOT NULL GROUP BY service`,
      )
      .all(purchasesMax);
  }

  /** What each service sold to a run: credits, those of purchases without an outcome, and pages that were believed. */
  soldIn(runId: number) {
    return this.#db
      .sql<{ service: string; spent: number; unknown: number; pages: number }>(
        `SELECT p.service, sum(iif(p.state = 'paid' OR p.reconciled = 'charged', p.charged, 0)) AS spent,
           sum(iif(p.state = 'unknown' AND p.reconciled IS NULL, p.charged, 0)) AS unknown,
           sum((SELECT count(*) FROM pages g WHERE g.search_id = p.search_id AND g.moment = p.moment AND g.purchase_id = p.id)) AS pages
         FROM reservations v JOIN purchases p ON p.reservation_id = v.id
         WHERE v.run_id = ? AND p.page IS NOT NULL GROUP BY p.service ORDER BY p.service`,
      )
      .all(runId);
  }

  /** Removes doubles that were not begun when their run ends: no check waits for them. */
  dropPlanned(runId: number): void {
    const unbegun =
      "SELECT c.id FROM checks c JOIN double_checks d ON d.double_id = c.id WHERE c.run_id = ? AND c.state = 'planned'";
    const ids = this.#db
      .sql<{ id: number }>(unbegun)
      .all(runId)
      .map(({ id }) => id);
    if (ids.length === 0) return;
    const json = JSON.stringify(ids);
    this.#db.sql('DELETE FROM double_checks WHERE double_id IN (SELECT value FROM json_each(?))').run(json);
    this.#db
      .sql(
        'DELETE FROM checks WHERE id IN (SELECT value FROM json_each(?)) AND NOT EXISTS (SELECT 1 FROM check_projects w WHERE w.check_id = checks.id)',
      )
      .run(json);
  }
}
