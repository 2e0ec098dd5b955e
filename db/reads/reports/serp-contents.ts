// Archived pages for reports: a run's complete checks and their baselines; URLs stay ids. Reads only. Bench: `reports`.
import type { CheckStatus } from '../../../src/tracker/observation.ts';
import type { Connection } from '../../connection/client.ts';
import { marketValues, urlSql } from '../../connection/names.ts';
import { decodeShown } from '../../connection/serp-archive.ts';
import { belongsToProject, isSameSourceSql, isSuspectRun, rankingStands } from '../../history/checks/conditions.ts';
import { boundsBefore, isProvenSql, type TimeWindow } from '../../history/checks/rankings.ts';
import { volumesSql } from '../../history/volumes.ts';
import type { OuterJoined, TableRow } from '../../schema/rows.ts';
import { inOneRun, inSeveralRuns, type TrackedRowsQuery } from './tracked-rows.ts';

/** A query of many searches, like `TrackedRowsQuery`, for all targets. */
interface SerpContentsQuery extends Omit<TrackedRowsQuery, 'target'> {
  /** Runs in the window of the baseline, from `baselineRuns`. */
  readonly baselineRuns: readonly number[];
}

/** A complete check with its pages. */
export interface StoredSerp {
  readonly checkId: number;
  /** UTC milliseconds. */
  readonly checkedAt: number;
  readonly source: string;
  /** Pages requested. */
  readonly depth: number;
  /** In page order; some may be missing. */
  readonly pages: readonly StoredSerpPage[];
}

interface StoredSerpPage {
  readonly page: number;
  readonly last: boolean;
  /** Organic results in order. */
  readonly urlIds: readonly number[];
  readonly features: readonly { readonly type: string; readonly urlIds: readonly number[] }[];
}

/** A search in the runs of a report. */
export interface SearchContents {
  /** Null where it was never made. */
  readonly searchId: number | null;
  readonly searchVolume: number | null;
  /** Null where the runs have no check of it, or it has not ended. */
  readonly check: { readonly runId: number; readonly status: CheckStatus; readonly reason: string | null } | null;
  /** Null unless the check is complete. */
  readonly now: StoredSerp | null;
  /** Its newest complete check in the window, the project's and of one source if possible; null: none, or no `now`. */
  readonly before: StoredSerp | null;
  /** It was checked completely before, within the window or not. */
  readonly hasHistory: boolean;
}

/** Baselines are looked for in this many runs one by one, then in all checks of a search. */
const baselineRunsMax = 32;

/** A complete check has a source and a time. */
type CheckRow = TableRow<'checks', 'id' | 'runId' | 'reason' | 'depth'> &
  (
    | { state: 'ok'; checkedAt: number; source: string }
    | { state: Exclude<CheckStatus, 'ok'>; checkedAt: number | null; source: string | null }
  );
type SearchRow = OuterJoined<CheckRow> & {
  searchId: number | null;
  searchVolume: number | null;
};
interface BaselineRow {
  readonly current: number;
  readonly id: number;
  readonly checkedAt: number;
  readonly depth: number;
  readonly source: string;
}
type FoundRow = OuterJoined<Omit<BaselineRow, 'current'>> & { current: number; hasHistory: number };

const searchesSql = ({ checks }: typeof inOneRun): string => `
SELECT s.id AS searchId, c.id, c.run_id AS runId, c.state, c.reason, c.checked_at AS checkedAt, c.depth, c.source, v.search_volume AS searchVolume
FROM json_each(@keywords) w
LEFT JOIN keywords k ON k.text = stored_keyword(w.value)
LEFT JOIN searches s ON s.keyword_id = k.id AND s.market_id = (
  SELECT id FROM markets WHERE service = @service AND country = @country AND language = @language AND device = @device AND location = @location)
LEFT JOIN ${checks}
${volumesSql}
ORDER BY w.key`;
const oneRunSql = searchesSql(inOneRun);
const severalRunsSql = searchesSql(inSeveralRuns);

/**
 * Complete checks of one run with the searches and source of the given ones. CROSS JOIN fixes the order: SQLite would
 * begin with all checks of the run.
 */
const ofRunSql = `
SELECT n.id AS current, b.id, b.checked_at AS checkedAt, b.depth, b.source
FROM json_each(@checkIds) w CROSS JOIN checks n ON n.id = w.value
CROSS JOIN checks b INDEXED BY checks_identity ON b.run_id = @runId AND b.search_id = n.search_id
WHERE b.state = 'ok' AND ${isSameSourceSql('b.source', 'n.source')} AND b.checked_at <= @seenUntil`;

/** Reads all checks of a search, for searches that the newest runs did not check. */
const anywhereSql = `
SELECT n.id AS current, b.id, b.checked_at AS checkedAt, b.depth, b.source, EXISTS (
  SELECT 1 FROM checks e JOIN runs er ON er.id = e.run_id WHERE e.search_id = n.search_id AND e.state = 'ok' AND er.moment <= @until
    AND er.discarded_at IS NULL AND er.confirms IS NULL AND NOT ${isSuspectRun('er.id')}) AS hasHistory
FROM json_each(@checkIds) w CROSS JOIN checks n ON n.id = w.value
LEFT JOIN checks b ON b.id = (
  SELECT e.id FROM checks e JOIN runs er ON er.id = e.run_id
  WHERE e.search_id = n.search_id AND e.state = 'ok' AND er.moment BETWEEN @from AND @windowUntil AND e.checked_at <= @seenUntil
    AND er.discarded_at IS NULL AND er.confirms IS NULL AND NOT ${isSuspectRun('er.id')}
  ORDER BY ${isSameSourceSql('e.source', 'n.source')} DESC, ${belongsToProject('e.id')} DESC,
    er.moment DESC, e.id DESC LIMIT 1)`;

const pagesSql = `
SELECT cp.check_id AS checkId, p.page, p.last, p.archive FROM json_each(@checkIds) w
CROSS JOIN check_pages cp ON cp.check_id = w.value CROSS JOIN pages p ON p.id = cp.page_id ORDER BY w.key, cp.page`;

const historySql = `
SELECT (
  SELECT json_group_array(x.url_id ORDER BY x.moment DESC, x.check_id DESC) FROM (
    SELECT r.url_id, r.moment, r.check_id FROM rankings r JOIN checks c ON c.id = r.check_id
    WHERE r.target_id = t.id AND r.search_id = n.search_id AND r.moment <= @moment
      AND c.state = 'ok' AND ${isSameSourceSql('c.source', 'n.source')} AND ${isProvenSql('r', 'c')} AND ${rankingStands('r')}
    ORDER BY r.moment DESC, r.check_id DESC LIMIT @limit) x) AS urls
FROM json_each(@checkIds) w CROSS JOIN checks n ON n.id = w.value LEFT JOIN targets t ON t.identity = @target ORDER BY w.key`;

/** Groups rows into lists; SQLite may return them in any order. */
const hostsSql = `
SELECT json_group_array(w.value) AS urls, json_group_array(iif(lower(u.scheme) IN ('http', 'https', ''), u.host_id, 0)) AS hosts,
  json_group_array(u.scheme = '' OR substr(u.rest, 1, 6) = '/goto?') AS others
FROM json_each(?) w CROSS JOIN urls u ON u.id = w.value`;

const namesSql = 'SELECT h.id, h.name FROM json_each(?) w CROSS JOIN hosts h ON h.id = w.value';

const urlsSql = `
SELECT json_group_array(u.id) AS urls, json_group_array(${urlSql()}) AS texts
FROM json_each(?) w CROSS JOIN urls u ON u.id = w.value CROSS JOIN hosts h ON h.id = u.host_id`;

export class SerpContents {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /**
   * The newest runs of ranks that a project's run at `moment` may be compared with, newest first. Its own runs: another
   * project that shares the search may read fewer pages of it.
   */
  baselineRuns(project: string, moment: number, window: TimeWindow): number[] {
    const { from, until } = boundsBefore(moment, window);
    return this.#db
      .sql<TableRow<'runs', 'id'>>(
        `SELECT id FROM runs WHERE kind = 'ranks' AND origin <> 'import' AND confirms IS NULL AND discarded_at IS NULL AND NOT ${isSuspectRun('id')}
           AND id IN (SELECT o.run_id FROM slots o JOIN projects p ON p.id = o.project_id WHERE p.name = @project)
           AND moment BETWEEN @from AND @until ORDER BY moment DESC, id DESC LIMIT @runsMax`,
      )
      .all({ project, from, until, runsMax: baselineRunsMax })
      .map(({ id }) => id);
  }

  /** One a keyword, in their order. */
  of(query: SerpContentsQuery): SearchContents[] {
    const { runs, market, keywords, month } = query;
    const [oldest, newest] = [runs[0], runs.at(-1)];
    if (oldest === undefined || newest === undefined) throw new Error('a report is of a run');
    const which = { runId: newest.id, runIds: JSON.stringify(runs.map(({ id }) => id)) };
    const rows = this.#db
      .sql<SearchRow>(runs.length === 1 ? oneRunSql : severalRunsSql)
      .all({ ...marketValues(market), month, ...which, keywords: JSON.stringify(keywords) });
    const complete = rows.flatMap((row) => (row.state === 'ok' ? [row.id] : []));
    const earlier = this.#baselines(complete, oldest.moment, query);
    const pages = this.#pages([
      ...complete,
      ...[...earlier.values()].flatMap(({ row }) => (row === null ? [] : row.id)),
    ]);
    return rows.map((row) => {
      const before = row.id === null ? undefined : earlier.get(row.id);
      return {
        searchId: row.searchId,
        searchVolume: row.searchVolume,
        check: toCheck(row),
        now: row.state === 'ok' ? toStoredSerp(row, pages) : null,
        before: before === undefined || before.row === null ? null : toStoredSerp(before.row, pages),
        hasHistory: before !== undefined,
      };
    });
  }

  /**
   * The ranking URLs in the newest complete checks of some searches, newest first, null for not found: one list per
   * check.
   */
  urlHistories(checkIds: readonly number[], target: string, moment: number, limit: number): (number | null)[][] {
    return this.#db
      .sql<{ urls: string }>(historySql)
      .all({ checkIds: JSON.stringify(checkIds), target, moment, limit })
      .map((row) => JSON.parse(row.urls) as (number | null)[]);
  }

  /** The hosts of some URLs; 0: not a web address. */
  *hostIds(urlIds: readonly number[]): Generator<readonly [urlId: number, hostId: number, mayHide: boolean]> {
    const { urls, hosts, others } =
      this.#db.sql<{ urls: string; hosts: string; others: string }>(hostsSql).get(JSON.stringify(urlIds)) ?? {};
    const ids = parseList<number>(hosts);
    const hiding = parseList<number>(others);
    for (const [at, id] of parseList<number>(urls).entries()) yield [id, ids[at] ?? 0, hiding[at] === 1];
  }

  /** Hosts as written in URLs, in lower case, with their ports if they have one; empty for a text without a host. */
  *hosts(ids: readonly number[]): Generator<readonly [id: number, name: string]> {
    if (ids.length === 0) return;
    for (const { id, name } of this.#db.sql<TableRow<'hosts'>>(namesSql).all(JSON.stringify(ids))) yield [id, name];
  }

  url(id: number): string {
    return this.#db.names.url(id);
  }

  /** The texts of some URLs, by their ids. */
  *urls(ids: readonly number[]): Generator<readonly [id: number, url: string]> {
    const { urls, texts } = this.#db.sql<{ urls: string; texts: string }>(urlsSql).get(JSON.stringify(ids)) ?? {};
    const found = parseList<string>(texts);
    for (const [at, id] of parseList<number>(urls).entries()) yield [id, found[at] ?? ''];
  }

  /** By the check that is compared; those that have no earlier complete check are missing. */
  #baselines(
    checkIds: readonly number[],
    moment: number,
    { project, baselines, baselineRuns }: Pick<SerpContentsQuery, 'project' | 'baselines' | 'baselineRuns'>,
  ): Map<number, { row: BaselineRow | null }> {
    const found = new Map<number, { row: BaselineRow | null }>();
    const { from, until, seenUntil } = boundsBefore(moment, baselines);
    let missing = checkIds;
    for (const runId of baselineRuns) {
      if (missing.length === 0) return found;
      for (const row of this.#db
        .sql<BaselineRow>(ofRunSql)
        .all({ checkIds: JSON.stringify(missing), runId, seenUntil })) {
        found.set(row.current, { row });
      }
      missing = missing.filter((id) => !found.has(id));
    }
    if (missing.length === 0) return found;
    const values = {
      project,
      checkIds: JSON.stringify(missing),
      from,
      windowUntil: until,
      until: moment - 1,
      seenUntil,
    };
    for (const row of this.#db.sql<FoundRow>(anywhereSql).all(values)) {
      if (row.id !== null) found.set(row.current, { row });
      else if (row.hasHistory === 1) found.set(row.current, { row: null });
    }
    return found;
  }

  #pages(checkIds: readonly number[]): Map<number, StoredSerpPage[]> {
    const pages = new Map<number, StoredSerpPage[]>();
    for (const row of this.#db
      .sql<TableRow<'check_pages', 'checkId'> & TableRow<'pages', 'page' | 'last' | 'archive'>>(pagesSql)
      .iterate({ checkIds: JSON.stringify(checkIds) })) {
      const checkId = row.checkId;
      const { urlIds, features } = decodeShown(row.archive);
      const named = features.map(({ typeId, urlIds: links }) => ({
        type: this.#db.names.featureTypeName(typeId),
        urlIds: links,
      }));
      const page = { page: row.page, last: row.last === 1, urlIds, features: named };
      const known = pages.get(checkId);
      if (known === undefined) pages.set(checkId, [page]);
      else known.push(page);
    }
    return pages;
  }
}

/** A list as SQLite has put it together: handing over its items one by one would take twice as long. */
function parseList<Item>(json = '[]'): readonly Item[] {
  return JSON.parse(json) as Item[];
}

function toCheck(row: SearchRow): SearchContents['check'] {
  if (row.id === null) return null;
  return {
    runId: row.runId,
    status: row.state,
    reason: row.reason,
  };
}

function toStoredSerp(row: Omit<BaselineRow, 'current'>, pages: ReadonlyMap<number, StoredSerpPage[]>): StoredSerp {
  const checkId = row.id;
  return {
    checkId,
    checkedAt: row.checkedAt,
    source: row.source,
    depth: row.depth,
    pages: pages.get(checkId) ?? [],
  };
}
