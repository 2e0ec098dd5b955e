// Of one search: its checks with what was bought for them, and its archived results. Reads only.
import type { Connection } from '../connection/client.ts';
import { urlSql } from '../connection/names.ts';
import { decodePage, decodeShown, UnreadableArchive } from '../connection/serp-archive.ts';
import { belongsToProject } from '../history/checks/conditions.ts';
import { readPlace, type StoredPlace } from '../history/checks/pages.ts';
import type { TableRow } from '../schema/rows.ts';

interface SearchCheck {
  readonly id: number;
  readonly runId: number;
  readonly status: TableRow<'checks'>['state'];
  readonly reason: string | null;
  readonly depth: number;
  readonly pagesRead: number;
  readonly pagesReused: number;
  /** UTC milliseconds. */
  readonly checkedAt: number | null;
  readonly source: string | null;
  readonly purchases: readonly CheckPurchase[];
}

interface CheckPurchase {
  readonly page: number | null;
  readonly attempt: number;
  readonly state: TableRow<'purchases'>['state'];
  readonly charged: number;
  /** UTC milliseconds. */
  readonly openedAt: number;
  readonly errorCode: string | null;
  readonly message: string | null;
}

/** The archived results of one check. */
export interface ArchivedSerp {
  readonly checkId: number;
  readonly runId: number;
  /** UTC milliseconds. */
  readonly checkedAt: number;
  readonly source: string;
  /** In page order; some may be missing. */
  readonly pages: readonly {
    readonly page: number;
    readonly urls: readonly string[];
    readonly features: readonly { readonly type: string; readonly urls: readonly string[] }[];
    /** Unpaid local results, in order. */
    readonly places: readonly StoredPlace[];
  }[];
}

/** The archived pages of one check, as numbers. */
export interface ShownSerp {
  readonly checkId: number;
  readonly source: string;
  /** Pages requested. */
  readonly depth: number;
  /** The newest moment of a run for which one of the pages was bought, UTC milliseconds. */
  readonly moment: number;
  /** In page order; some may be missing. */
  readonly pages: readonly {
    readonly page: number;
    readonly last: boolean;
    readonly urlIds: readonly number[];
    readonly features: readonly { readonly type: string; readonly urlIds: readonly number[] }[];
  }[];
}

/**
 * Of several checks `c` at a moment, that with the most pages: projects that share a search share its pages, and may
 * read fewer of them.
 */
const fullestSql = 'c.pages_read + c.pages_reused DESC, c.id DESC';

/** A check `c` of a run whose results count: neither discarded nor a second look. */
const countsSql =
  'NOT EXISTS (SELECT 1 FROM runs dr WHERE dr.id = c.run_id AND (dr.discarded_at IS NOT NULL OR dr.confirms IS NOT NULL))';

const isArchived = (check: string): string => `EXISTS (SELECT 1 FROM check_pages cp WHERE cp.check_id = ${check}.id)`;

const hasPages = `c.checked_at IS NOT NULL AND ${isArchived('c')} AND ${countsSql}`;

const seenSql = 'SELECT c.id, c.run_id AS runId, c.checked_at AS checkedAt, c.source FROM checks c';

interface SeenCheck {
  readonly id: number;
  readonly runId: number;
  readonly checkedAt: number;
  readonly source: string | null;
}

export class SearchRecords {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Newest first. `from` and `until`: UTC milliseconds of `checked_at`, both inclusive. */
  checkIds(searchId: number, { from, until }: { from: number; until: number }): number[] {
    return this.#db
      .sql<{ id: number }>(
        `SELECT c.id FROM checks c JOIN runs n ON n.id = c.run_id
         WHERE c.search_id = @searchId AND coalesce(c.checked_at, n.moment) BETWEEN @from AND @until
         ORDER BY c.id DESC`,
      )
      .all({ searchId, from, until })
      .map(({ id }) => id);
  }

  /** In the order of their ids. */
  checks(ids: readonly number[]): SearchCheck[] {
    const rows = this.#db
      .sql<Omit<SearchCheck, 'purchases'>>(
        `SELECT c.id, c.run_id AS runId, c.state AS status, c.reason, c.depth,
           c.pages_read AS pagesRead, c.pages_reused AS pagesReused, c.checked_at AS checkedAt, c.source
         FROM json_each(?) w CROSS JOIN checks c ON c.id = w.value ORDER BY w.key`,
      )
      .all(JSON.stringify(ids));
    const purchases = this.#purchases(ids);
    return rows.map((row) => ({ ...row, purchases: purchases.get(row.id) ?? [] }));
  }

  /** By check. */
  #purchases(checkIds: readonly number[]): ReadonlyMap<number, CheckPurchase[]> {
    const rows = this.#db
      .sql<CheckPurchase & { checkId: number }>(
        `SELECT v.check_id AS checkId, p.page, p.attempt, p.state, p.charged, p.opened_at AS openedAt,
           p.error_code AS errorCode, p.message
         FROM json_each(?) w CROSS JOIN checks c ON c.id = w.value
         CROSS JOIN reservations v ON v.run_id = c.run_id AND v.check_id = c.id
         CROSS JOIN purchases p ON p.reservation_id = v.id ORDER BY p.id`,
      )
      .all(JSON.stringify(checkIds));
    const byCheck = new Map<number, CheckPurchase[]>(checkIds.map((id) => [id, []]));
    for (const { checkId, ...purchase } of rows) byCheck.get(checkId)?.push(purchase);
    return byCheck;
  }

  /** Times of the checks whose results are archived, at or before `until`, newest first, UTC milliseconds. */
  serpTimes(searchId: number, limit: number, until = Number.MAX_SAFE_INTEGER): number[] {
    return this.#db
      .sql<{ checkedAt: number }>(
        `SELECT c.checked_at AS checkedAt FROM checks c WHERE c.search_id = ? AND c.checked_at <= ? AND ${hasPages} ORDER BY c.checked_at DESC LIMIT ?`,
      )
      .all(searchId, until, limit)
      .map((row) => row.checkedAt);
  }

  /**
   * The newest archived results that were seen from `from` to `until`, UTC milliseconds, those of the project's checks
   * first: another project that shares the search may read fewer pages. Null: none.
   */
  serp(searchId: number, project: string, { from, until }: Record<'from' | 'until', number>): ArchivedSerp | null {
    const check = this.#db
      .sql<SeenCheck>(
        `${seenSql} WHERE c.search_id = @searchId AND c.checked_at BETWEEN @from AND @until AND ${hasPages}
         ORDER BY ${belongsToProject('c.id')} DESC,
           c.checked_at DESC, ${fullestSql} LIMIT 1`,
      )
      .get({ searchId, project, from, until });
    return check === undefined ? null : (this.#archived([check])[0] ?? null);
  }

  /**
   * The archived results that were seen at these moments, in their order; null: none. Reads the newest checks first, up
   * to the one at the moment, archived or not: a long history costs no more.
   */
  serpsSeenAt(seen: readonly { readonly searchId: number; readonly moment: number }[]): (ArchivedSerp | null)[] {
    const checks = this.#db
      .sql<SeenCheck & { at: number }>(
        `SELECT j.key AS at, o.id, o.run_id AS runId, o.checked_at AS checkedAt, o.source FROM json_each(?) j CROSS JOIN checks o ON o.id = (
           SELECT c.id FROM checks c WHERE c.search_id = j.value ->> 0 AND c.checked_at = j.value ->> 1 AND ${countsSql}
           ORDER BY ${fullestSql} LIMIT 1) WHERE ${isArchived('o')}`,
      )
      .all(JSON.stringify(seen.map(({ searchId, moment }) => [searchId, moment])));
    const serps: (ArchivedSerp | null)[] = seen.map(() => null);
    for (const [index, serp] of this.#archived(checks).entries()) serps[checks[index]?.at ?? 0] = serp;
    return serps;
  }

  /**
   * Like `serpsSeenAt`, with the numbers of URLs instead of their texts: of thousands of searches. A
   * damaged page counts as none: `verify` names it. Bench: `why`.
   */
  shownAt(seen: readonly { readonly searchId: number; readonly moment: number }[]): (ShownSerp | null)[] {
    const rows = this.#db
      .sql<{
        at: number;
        checkId: number;
        source: string | null;
        depth: number;
        moment: number;
        page: number;
        last: number;
        archive: Uint8Array;
      }>(
        `SELECT j.key AS at, o.id AS checkId, o.source, o.depth, p.moment, cp.page, p.last, p.archive FROM json_each(?) j CROSS JOIN checks o ON o.id = (
           SELECT c.id FROM checks c WHERE c.search_id = j.value ->> 0 AND c.checked_at = j.value ->> 1 AND ${countsSql}
           ORDER BY ${fullestSql} LIMIT 1)
         CROSS JOIN check_pages cp ON cp.check_id = o.id CROSS JOIN pages p ON p.id = cp.page_id ORDER BY j.key, cp.page`,
      )
      .iterate(JSON.stringify(seen.map(({ searchId, moment }) => [searchId, moment])));
    const serps: ((Omit<ShownSerp, 'pages'> & { pages: ShownSerp['pages'][number][] }) | null)[] = seen.map(() => null);
    const damaged = new Set<number>();
    for (const { at, checkId, source, depth, moment, page, last, archive } of rows) {
      const shown = readableShown(archive);
      if (shown === null) damaged.add(at);
      if (shown === null || damaged.has(at)) continue;
      const { urlIds, features } = shown;
      const named = features.map(({ typeId, urlIds: links }) => ({
        type: this.#db.names.featureTypeName(typeId),
        urlIds: links,
      }));
      const serp = serps[at] ?? { checkId, source: source ?? '', depth, moment, pages: [] };
      serp.pages.push({ page, last: last === 1, urlIds, features: named });
      serps[at] = { ...serp, moment: Math.max(serp.moment, moment) };
    }
    return serps.map((serp, at) => (damaged.has(at) ? null : serp));
  }

  #archived(checks: readonly SeenCheck[]): ArchivedSerp[] {
    const rows = this.#db
      .sql<TableRow<'check_pages', 'checkId' | 'page'> & TableRow<'pages', 'archive'>>(
        `SELECT cp.check_id AS checkId, cp.page, p.archive FROM json_each(?) w CROSS JOIN check_pages cp ON cp.check_id = w.value
         CROSS JOIN pages p ON p.id = cp.page_id ORDER BY w.key, cp.page`,
      )
      .all(JSON.stringify(checks.map(({ id }) => id)));
    const pages = rows.map(({ checkId, page, archive }) => ({ checkId, page, ...decodePage(archive) }));
    const idsOf = (organic: readonly { readonly urlId: number }[]): number[] => organic.map(({ urlId }) => urlId);
    const urls = this.#urls(
      new Set(pages.flatMap(({ organic, features }) => [...idsOf(organic), ...features.flatMap((f) => f.urlIds)])),
    );
    const named = (ids: readonly number[]): string[] => ids.map((id) => urls.get(id) ?? '');
    const byCheck = Map.groupBy(pages, ({ checkId }) => checkId);
    return checks.map((check) => ({
      checkId: check.id,
      runId: check.runId,
      checkedAt: check.checkedAt,
      source: check.source ?? '',
      pages: (byCheck.get(check.id) ?? []).map(({ page, organic, features, places }) => ({
        page,
        urls: named(idsOf(organic)),
        features: features.map(({ typeId, urlIds }) => ({
          type: this.#db.names.featureTypeName(typeId),
          urls: named(urlIds),
        })),
        places: places.map((place) => readPlace(this.#db.names, place)),
      })),
    }));
  }

  /** The local results on page 1 of each complete check of a project in these runs; a check without any has none. */
  *localResults(runIds: readonly number[], project: string): Generator<readonly StoredPlace[]> {
    const pages = this.#db
      .sql<TableRow<'pages', 'archive'>>(
        `SELECT p.archive FROM json_each(@runIds) j CROSS JOIN checks c ON c.run_id = j.value
         JOIN check_projects cp ON cp.check_id = c.id AND cp.project_id = (SELECT id FROM projects WHERE name = @project)
         JOIN check_pages g ON g.check_id = c.id AND g.page = 1 JOIN pages p ON p.id = g.page_id
         WHERE c.state = 'ok' ORDER BY c.id`,
      )
      .iterate({ runIds: JSON.stringify(runIds), project });
    for (const { archive } of pages) yield decodePage(archive).places.map((place) => readPlace(this.#db.names, place));
  }

  #urls(ids: ReadonlySet<number>): ReadonlyMap<number, string> {
    const rows = this.#db
      .sql<{ id: number; url: string }>(
        `SELECT u.id, ${urlSql()} AS url FROM json_each(?) j CROSS JOIN urls u ON u.id = j.value JOIN hosts h ON h.id = u.host_id`,
      )
      .all(JSON.stringify([...ids]));
    return new Map(rows.map(({ id, url }) => [id, url]));
  }
}

function readableShown(archive: Uint8Array): ReturnType<typeof decodeShown> | null {
  try {
    return decodeShown(archive);
  } catch (error) {
    if (error instanceof UnreadableArchive) return null;
    throw error;
  }
}
