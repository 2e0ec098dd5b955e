// AI overviews on the first pages of a project's checks, with the pages that they cite. Reads only. Bench: `reports`.
import { dayMs } from '../../../src/tracker/schedule/time-units.ts';
import type { Connection } from '../../connection/client.ts';
import { urlSql } from '../../connection/names.ts';
import { decodeShown } from '../../connection/serp-archive.ts';
import { isCheckOfProject, projectChecks } from '../../history/checks/conditions.ts';
import {
  CheckColumnStore,
  type CheckSums,
  hasOverview,
  overviewType,
  type StoredChecks,
} from '../../history/columns/check-columns.ts';
import type { TableRow } from '../../schema/rows.ts';
import { lateDaysMax } from './report-series.ts';

const isShown = `coalesce(instr('|' || c.features || '|', '|${overviewType}|') > 0, 0)`;
/** A complete check of the project in a run. One that reused the pages of an earlier check is no further sample. */
const isSample = `${isCheckOfProject} AND c.checked_at BETWEEN @from AND @until
  AND (c.pages_reused = 0 OR NOT EXISTS (
    SELECT 1 FROM checks e WHERE e.search_id = c.search_id AND e.id < c.id AND e.checked_at = c.checked_at AND e.state = 'ok'))`;
const lateMs = lateDaysMax * dayMs;

/** A complete check of a live or simulated source. */
export interface OverviewCheck {
  readonly searchId: number;
  /** UTC milliseconds. */
  readonly checkedAt: number;
  readonly source: string;
  /** What the overview links to; null: the page shows none. */
  readonly urlIds: readonly number[] | null;
}

/** The checks of one run from one source. */
interface OverviewCount {
  readonly source: string;
  readonly checks: number;
  readonly shown: number;
  /** UTC milliseconds. */
  readonly first: number;
  readonly last: number;
}

/** Seen within these moments, UTC milliseconds, both inclusive. */
export interface OverviewQuery {
  readonly project: string;
  readonly from: number;
  readonly until: number;
}

interface OverviewSearch extends TableRow<'markets', 'country' | 'language' | 'device' | 'location'> {
  readonly id: number;
  readonly keyword: string;
}

export class Overviews {
  readonly #db: Connection;
  readonly #columns: CheckColumnStore;

  constructor(db: Connection) {
    this.#db = db;
    this.#columns = new CheckColumnStore(db);
  }

  /** Newest first. Imported checks have no features; second looks follow changes: they are not a fair sample. */
  runs({ project, from, until }: OverviewQuery): number[] {
    return this.#db
      .sql<TableRow<'runs', 'id'>>(
        `SELECT n.id FROM slots s JOIN projects p ON p.id = s.project_id JOIN runs n ON n.id = s.run_id
         WHERE p.name = ? AND n.kind = 'ranks' AND n.origin <> 'import' AND n.confirms IS NULL AND n.discarded_at IS NULL
           AND n.moment BETWEEN ? AND ? ORDER BY n.moment DESC, n.id DESC`,
      )
      .all(project, from - lateMs, until)
      .map(({ id }) => id);
  }

  /** Whether a check of the run shows one: most projects have none, and nothing to count. */
  areShown(runId: number, { project }: OverviewQuery): boolean {
    const sums = this.#columns.sums(runId, project);
    if (sums !== null) return sums.shown > 0;
    const row = this.#db
      .sql<{ found: number }>(
        `SELECT EXISTS (SELECT 1 FROM ${projectChecks} WHERE ${isCheckOfProject} AND ${isShown}) AS found`,
      )
      .get({ runId, project, after: 0 });
    return row?.found === 1;
  }

  counts(runId: number, query: OverviewQuery): OverviewCount[] {
    const sums = this.#columns.sums(runId, query.project);
    const known = sums === null ? null : countSums(sums, query);
    if (known !== null) return known;
    const columns = this.#samples(runId, query);
    if (columns !== null) return countSamples(columns, query);
    return this.#db
      .sql<{ [Name in keyof OverviewCount]: OverviewCount[Name] }>(
        `SELECT c.source, count(*) AS checks, sum(${isShown}) AS shown, min(c.checked_at) AS first, max(c.checked_at) AS last
         FROM ${projectChecks} WHERE ${isSample} GROUP BY c.source`,
      )
      .all({ runId, after: 0, ...query });
  }

  /** `which`: all, or only those that show an overview. */
  *checks(runId: number, query: OverviewQuery, which: 'all' | 'shown'): Generator<OverviewCheck> {
    const columns = this.#samples(runId, query);
    if (columns !== null) {
      yield* sampleChecks(columns, query, which);
      return;
    }
    const rows = this.#db
      .sql<TableRow<'checks', 'searchId'> & { checkedAt: number; source: string; archive: Uint8Array | null }>(
        `SELECT c.search_id AS searchId, c.checked_at AS checkedAt, c.source, g.archive
         FROM ${projectChecks} LEFT JOIN check_pages cp ON cp.check_id = c.id AND cp.page = 1 AND ${isShown}
         LEFT JOIN pages g ON g.id = cp.page_id WHERE ${isSample}${which === 'all' ? '' : ` AND ${isShown}`}`,
      )
      .iterate({ runId, after: 0, ...query });
    for (const { searchId, checkedAt, source, archive } of rows)
      yield {
        searchId,
        checkedAt,
        source,
        urlIds: archive === null ? null : this.#links(archive),
      };
  }

  /** Null: none are stored, or which of the checks are samples depends on checks of other runs. */
  #samples(runId: number, { project }: OverviewQuery): StoredChecks | null {
    const columns = this.#columns.read(runId, project);
    return columns?.reused.includes(1) === true ? null : columns;
  }

  #links(archive: Uint8Array): readonly number[] | null {
    const found = decodeShown(archive).features.filter(
      ({ typeId }) => this.#db.names.featureTypeName(typeId) === overviewType,
    );
    return found.length === 0 ? null : found.flatMap(({ urlIds }) => urlIds);
  }

  searches(ids: readonly number[]): OverviewSearch[] {
    return this.#db
      .sql<OverviewSearch>(
        `SELECT s.id, k.text AS keyword, m.country, m.language, m.device, m.location FROM json_each(?) j
         CROSS JOIN searches s ON s.id = j.value JOIN keywords k ON k.id = s.keyword_id JOIN markets m ON m.id = s.market_id`,
      )
      .all(JSON.stringify(ids));
  }

  urls(ids: readonly number[]): ReadonlyMap<number, string> {
    const rows = this.#db
      .sql<{ id: number; url: string }>(
        `SELECT u.id, ${urlSql()} AS url FROM json_each(?) j CROSS JOIN urls u ON u.id = j.value JOIN hosts h ON h.id = u.host_id`,
      )
      .all(JSON.stringify(ids));
    return new Map(rows.map(({ id, url }) => [id, url]));
  }
}

/** Null: sums do not say it, because of several sources or checks that do not count. */
function countSums(
  { rows, source, shown, reused, firstAt, lastAt }: CheckSums,
  { from, until }: OverviewQuery,
): OverviewCount[] | null {
  if (rows === 0) return [];
  if (source === null || reused > 0 || firstAt === null || lastAt === null) return null;
  return firstAt < from || lastAt > until ? null : [{ source, checks: rows, shown, first: firstAt, last: lastAt }];
}

function countSamples({ checkedAt, sources, features }: StoredChecks, { from, until }: OverviewQuery): OverviewCount[] {
  const isShown = features.names.map(hasOverview);
  const counts = sources.names.map((source) => ({ source, checks: 0, shown: 0, first: until, last: from }));
  for (const [row, at] of checkedAt.entries()) {
    const count = counts[sources.column[row] ?? 0];
    if (count === undefined || at < from || at > until) continue;
    count.checks += 1;
    if (isShown[features.column[row] ?? 0] === true) count.shown += 1;
    count.first = Math.min(count.first, at);
    count.last = Math.max(count.last, at);
  }
  return counts.filter(({ checks }) => checks > 0);
}

function* sampleChecks(
  { searchIds, checkedAt, sources, overviewOf }: StoredChecks,
  { from, until }: OverviewQuery,
  which: 'all' | 'shown',
): Generator<OverviewCheck> {
  for (const [row, at] of checkedAt.entries()) {
    const urlIds = overviewOf(row);
    if (at < from || at > until || (which === 'shown' && urlIds === undefined)) continue;
    yield {
      searchId: searchIds[row] ?? 0,
      checkedAt: at,
      source: sources.names[sources.column[row] ?? 0] ?? '',
      urlIds: urlIds ?? null,
    };
  }
}
