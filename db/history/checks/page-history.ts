// Earlier observations of a search, its doubted pages, and the error rate of a service. Reads only.

import { placeUrl } from '../../../src/tracker/targets/target.ts';
import type { Connection } from '../../connection/client.ts';
import type { Names } from '../../connection/names.ts';
import { decodePage, decodeShown } from '../../connection/serp-archive.ts';
import type { TableRow } from '../../schema/rows.ts';
import { readPlace } from './pages.ts';

/** Purchases in a service's error rate: limited, so that a long history costs no more. */
const purchasesMax = 2000;

/** Earlier answers for a page that are compared with a new one. */
const doubtedAnswersMax = 32;

/** An answer that was bought for a page and not believed. */
export interface DoubtedPurchase {
  readonly purchaseId: number;
  readonly errorCode: string;
  /** When it was bought, UTC milliseconds. */
  readonly at: number;
}

/** A page that a check of a run was read from. */
export interface RunPageLinks {
  readonly keyword: string;
  readonly page: number;
  readonly links: readonly string[];
}

export class PageHistory {
  readonly #db: Connection;
  readonly #names: Names;

  constructor(db: Connection, names: Names) {
    this.#db = db;
    this.#names = names;
  }

  /**
   * Links of the last complete check before `checkId`, by page number: organic ones, or those of places on a page that
   * has places alone. Discarded runs are left out, and those that are suspect for a project of the check. Null: no such
   * check.
   */
  lastComplete(searchId: number, source: string, checkId: number): ReadonlyMap<number, readonly string[]> | null {
    const check = this.#db
      .sql<TableRow<'checks', 'id'>>(
        `SELECT c.id FROM checks c JOIN runs r ON r.id = c.run_id
         WHERE c.search_id = ? AND c.id < ? AND c.state = 'ok' AND c.source = ? AND r.discarded_at IS NULL
           AND NOT EXISTS (
             SELECT 1 FROM check_projects cp JOIN slots o ON o.project_id = cp.project_id AND o.run_id = c.run_id
             WHERE cp.check_id = c.id AND o.suspect_reason IS NOT NULL)
         ORDER BY c.id DESC LIMIT 1`,
      )
      .get(searchId, checkId, source);
    if (check === undefined) return null;
    const rows = this.#db
      .sql<TableRow<'pages', 'page' | 'archive'>>(
        'SELECT cp.page, p.archive FROM check_pages cp JOIN pages p ON p.id = cp.page_id WHERE cp.check_id = ?',
      )
      .all(check.id);
    return new Map(rows.map((row) => [row.page, this.#shownIn(row.archive)]));
  }

  /** Answers for this page that were bought since the last accepted one, newest first, without the accepted one. */
  doubtedAnswers(searchId: number, page: number, codes: readonly string[], without: number): DoubtedPurchase[] {
    return this.#db
      .sql<TableRow<'purchases', 'id' | 'opened_at'> & { error_code: string }>(
        `SELECT p.id, p.error_code, p.opened_at FROM purchases p
         WHERE p.search_id = @searchId AND p.page = @page AND p.error_code IS NOT NULL AND p.id <> @without
           AND p.error_code IN (SELECT value FROM json_each(@codes))
           AND p.id > coalesce((SELECT max(g.purchase_id) FROM pages g WHERE g.search_id = @searchId AND g.page = @page), 0)
         ORDER BY p.id DESC LIMIT @limit`,
      )
      .all({ searchId, page, codes: JSON.stringify(codes), without, limit: doubtedAnswersMax })
      .map((row) => ({
        purchaseId: row.id,
        errorCode: row.error_code,
        at: row.opened_at,
      }));
  }

  /**
   * The share, 0 to 1, of a service's recent purchases with this doubt that no later fetch confirmed. Leaves out the
   * search under judgement. A doubt without a later fetch counts.
   */
  errorRate(service: string, code: string, searchId: number): number {
    const row = this.#db
      .sql<{ bought: number; wrong: number }>(
        `SELECT count(*) AS bought, coalesce(sum(p.error_code = @code AND NOT EXISTS (
             SELECT 1 FROM pages g JOIN purchases b ON b.id = g.purchase_id
             WHERE g.search_id = p.search_id AND g.moment = p.moment AND g.page = p.page AND b.error_code = @code)), 0) AS wrong
         FROM purchases p
         WHERE p.id > (SELECT coalesce(max(id), 0) FROM purchases) - @limit AND p.service = @service AND p.page IS NOT NULL
           AND p.state <> 'open' AND p.search_id <> @searchId`,
      )
      .get({ service, code, searchId, limit: purchasesMax });
    const { bought, wrong } = row ?? { bought: 0, wrong: 0 };
    return bought === 0 ? 0 : wrong / bought;
  }

  /** Of the newest checks of a run that have ended, their pages. */
  ofRun(runId: number, limit: number): RunPageLinks[] {
    return this.#db
      .sql<TableRow<'pages', 'page' | 'archive'> & { keyword: string }>(
        `SELECT k.text AS keyword, cp.page, p.archive FROM checks c JOIN check_pages cp ON cp.check_id = c.id JOIN pages p ON p.id = cp.page_id
           JOIN searches s ON s.id = c.search_id JOIN keywords k ON k.id = s.keyword_id
         WHERE c.run_id = ? AND c.state IN ('ok', 'incomplete') ORDER BY c.id DESC LIMIT ?`,
      )
      .all(runId, limit)
      .map((row) => ({
        keyword: row.keyword,
        page: row.page,
        links: this.#linksIn(row.archive),
      }));
  }

  #shownIn(archive: Buffer): readonly string[] {
    const links = this.#linksIn(archive);
    if (links.length > 0) return links;
    return decodePage(archive).places.map((each) => {
      const place = readPlace(this.#names, each);
      return placeUrl(place) ?? place.name;
    });
  }

  #linksIn(archive: Buffer): readonly string[] {
    return decodeShown(archive).urlIds.map((id) => this.#names.url(id));
  }
}
