// The ranks of a target in each run, all searches at once, from the covering index of rankings. Bench: `view`.

import { getOrInsert } from '../../src/tracker/maps.ts';
import type { Market } from '../../src/tracker/project.ts';
import { codeOfRank, rankCodes } from '../../src/tracker/rank-codes.ts';
import type { Connection } from '../connection/client.ts';
import { marketValues } from '../connection/names.ts';
import { searchesAmong } from '../history/checks/conditions.ts';
import { isNotFollowedSql } from '../history/checks/rankings.ts';
import { completeChecks } from '../history/columns/check-columns.ts';
import { type Texts, textColumn } from '../history/columns/column-bytes.ts';
import type { TableRow } from '../schema/rows.ts';

/** The searches of a run's ranks, ascending: runs mostly have the same, and share the list then. */
export interface RankedSearches {
  readonly searchIds: Int32Array;
}

/** In the order of the searches. */
export interface Ranks extends RankedSearches {
  /** See src/tracker/rank-codes.ts. */
  readonly codes: Uint16Array;
}

/** The facts of each check, in the same order. */
export interface RankDetails {
  readonly checkIds: Float64Array;
  /** Pages, of the rankings, and of their checks. */
  readonly depths: Uint16Array;
  readonly checkDepths: Uint16Array;
  /** 0: none. */
  readonly pages: Uint16Array;
  /** 0: none. */
  readonly urlIds: Int32Array;
  /** UTC milliseconds. */
  readonly checkedAt: Float64Array;
  /** Texts by the number in the column. */
  readonly sources: Texts;
  readonly features: Texts;
  readonly ownedFeatures: Texts;
}

/** A run that ended. */
export interface ColumnRun {
  readonly id: number;
  readonly moment: number;
  /** No report of these projects compares with it. */
  readonly suspectFor: ReadonlySet<string>;
  /** Differs once it has other rankings or checks. */
  readonly stamp: string;
}

interface RanksOptions {
  readonly like?: RankedSearches | undefined;
  /** As `RankColumns.among` gives it: others are left out. Absent or null: all searches are read. */
  readonly among?: string | null;
}

/** Seeking one ranking takes as long as scanning this many. */
const searchesPerSeek = 8;

/** The complete checks of a run, of all projects. */
interface SeenRun {
  /** The only one. */
  readonly names: readonly [string];
  readonly bySearch: null;
  /** UTC milliseconds, of the first and the last check. */
  readonly earliest: number;
  readonly latest: number;
}

/** Codes have 16 bits. */
const codesMax = 65_536;

/** Rankings `r` of a target in a run, with their checks `c`, by search. */
const ofRun = (
  searches: string,
) => `FROM ${searches} rankings r CROSS JOIN checks c ON c.id = r.check_id AND c.run_id = @runId
  WHERE r.target_id = @targetId AND r.moment = (SELECT moment FROM runs WHERE id = @runId)`;
/** Seeks of few searches. */
const ofSearches = `${ofRun('json_each(@among) w CROSS JOIN')} AND r.search_id = w.value ORDER BY r.search_id`;
const ofAll = `${ofRun('')} ORDER BY r.search_id`;
const codeSql = `CASE WHEN c.state <> 'ok' THEN ${rankCodes.incomplete} WHEN r.rank IS NOT NULL THEN r.rank + ${codeOfRank(0)}
  WHEN r.url_id IS NOT NULL THEN ${rankCodes.incomplete} WHEN ${isNotFollowedSql('r', 'c')} THEN ${rankCodes.not_followed}
  ELSE ${rankCodes.not_found} END`;

type DetailRow = TableRow<'checks', 'id' | 'checkedAt' | 'source' | 'features'> &
  TableRow<'rankings', 'page' | 'urlId' | 'depth' | 'ownedFeatures'> & { readonly checkDepth: number };

export class RankColumns {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Every run of ranks from a moment on that ended and was not discarded, newest moment first. */
  runs(from = 0): ColumnRun[] {
    const none: ReadonlySet<string> = new Set();
    const suspect = new Map<number, Set<string>>();
    for (const { runId, project } of this.#db
      .sql<{ runId: number; project: string }>(
        'SELECT s.run_id AS runId, p.name AS project FROM slots s JOIN projects p ON p.id = s.project_id WHERE s.suspect_reason IS NOT NULL',
      )
      .iterate())
      getOrInsert(suspect, runId, () => new Set<string>()).add(project);
    return this.#db
      .sql<TableRow<'runs', 'id' | 'moment'> & { readonly stamp: string }>(
        `SELECT r.id, r.moment, concat_ws(' ', d.rows, d.digest, o.rows, o.digest) AS stamp FROM runs r
         LEFT JOIN history_digests d ON d.subject = 'rankings' AND d.key = r.moment
         LEFT JOIN history_digests o ON o.subject = 'checks' AND o.key = r.id
         WHERE r.kind <> 'volumes' AND r.state <> 'open' AND r.discarded_at IS NULL AND r.moment >= ?
         ORDER BY r.moment DESC, r.id DESC`,
      )
      .all(from)
      .map((run) => ({ ...run, suspectFor: suspect.get(run.id) ?? none }));
  }

  /** 0: no search was ever made. */
  newestSearchId(): number {
    return this.#db.sql<{ id: number | null }>('SELECT max(id) AS id FROM searches').get()?.id ?? 0;
  }

  /** The searches of these keywords in a market, in their order; 0: it was never made. */
  searchIds(market: Market, keywords: readonly string[]): number[] {
    return this.#db
      .sql<{ id: number }>(`SELECT coalesce(s.id, 0) AS id ${searchesAmong('LEFT JOIN')} ORDER BY w.key`)
      .all({ ...marketValues(market), target: '', keywords: JSON.stringify(keywords) })
      .map(({ id }) => id);
  }

  /**
   * Searches as the reading of ranks takes them; null: they are so many of all that reading those of all is quicker.
   * `projects`: that would share what is read of all.
   */
  among(searchIds: Int32Array, projects = 1): string | null {
    const seeks = searchIds.length * searchesPerSeek * projects;
    return seeks < this.newestSearchId() ? JSON.stringify([...searchIds]) : null;
  }

  /** `like`: searches that may be the same, and are shared then. Null: there are none. */
  ranks(runId: number, targetId: number, { like, among = null }: RanksOptions = {}): Ranks | null {
    // one text in place of an object a ranking: two thirds of the time
    const row = this.#db
      .sql<{ packed: string }>(
        `SELECT json_group_array(packed) AS packed FROM (SELECT r.search_id * ${codesMax} + ${codeSql} AS packed ${among === null ? ofAll : ofSearches})`,
      )
      .get({ runId, targetId, ...(among !== null && { among }) });
    const packed = JSON.parse(row?.packed ?? '[]') as number[]; // as SQLite wrote it
    if (packed.length === 0) return null;
    const searchIds = Int32Array.from(packed, (each) => Math.floor(each / codesMax));
    const isShared = like !== undefined && isEqual(like.searchIds, searchIds);
    return {
      searchIds: isShared ? like.searchIds : searchIds,
      codes: Uint16Array.from(packed, (each) => each % codesMax),
    };
  }

  /** Null: there are none. */
  details(runId: number, targetId: number, among: string | null = null): RankDetails | null {
    const rows = this.#db
      .sql<DetailRow>(
        `SELECT c.id, c.checked_at AS checkedAt, c.source, c.features, c.depth AS checkDepth, r.page, r.url_id AS urlId, r.depth,
           r.owned_features AS ownedFeatures ${among === null ? ofAll : ofSearches}`,
      )
      .all({ runId, targetId, ...(among !== null && { among }) });
    if (rows.length === 0) return null;
    return {
      checkIds: Float64Array.from(rows, ({ id }) => id),
      depths: Uint16Array.from(rows, ({ depth }) => depth),
      checkDepths: Uint16Array.from(rows, ({ checkDepth }) => checkDepth),
      pages: Uint16Array.from(rows, ({ page }) => page ?? 0),
      urlIds: Int32Array.from(rows, ({ urlId }) => urlId ?? 0),
      checkedAt: Float64Array.from(rows, ({ checkedAt }) => checkedAt ?? 0),
      sources: textColumn(rows.map(({ source }) => source ?? '')),
      features: textColumn(rows.map(({ features }) => features ?? '')),
      ownedFeatures: textColumn(rows.map(({ ownedFeatures }) => ownedFeatures ?? '')),
    };
  }

  /** When all complete checks of a run were made, from one source. Null: columns of checks do not say it. */
  seen(runId: number): SeenRun | null {
    const row = this.#db
      .sql<Pick<SeenRun, 'earliest' | 'latest'> & { readonly source: string }>(
        `SELECT max(c.source) AS source, min(c.first_at) AS earliest, max(c.last_at) AS latest FROM check_columns c
         WHERE c.run_id = @runId AND c.rows > 0
         HAVING count(c.source) = count(*) AND min(c.source) = max(c.source) AND sum(c.rows) >= ${completeChecks('@runId')}
           AND min(c.complete_checks = ${completeChecks('@runId')}) = 1`,
      )
      .get({ runId });
    if (row === undefined) return null;
    const { source, earliest, latest } = row;
    return { names: [source], bySearch: null, earliest, latest };
  }

  /** Exact ranks in the incomplete checks of a run, of which columns say only `unproven`. */
  ranksInIncomplete(runId: number, targetId: number): { searchId: number; rank: number }[] {
    return this.#db
      .sql<{ searchId: number; rank: number }>(
        `SELECT c.search_id AS searchId, r.rank AS rank FROM checks c JOIN rankings r ON r.target_id = @targetId AND r.search_id = c.search_id
           AND r.moment = (SELECT moment FROM runs WHERE id = @runId) AND r.check_id = c.id
         WHERE c.run_id = @runId AND c.state = 'incomplete' AND r.rank IS NOT NULL`,
      )
      .all({ runId, targetId });
  }
}

export class SearchPositions {
  /** 0: the search was never made. */
  readonly ids: Int32Array;
  #known: { readonly of: Int32Array; readonly positions: Int32Array } | undefined;

  constructor(ids: Int32Array) {
    this.ids = ids;
  }

  /** Where each search is in an ascending list of ids; -1: it is not. Runs mostly have the same list. */
  in(searchIds: Int32Array): Int32Array {
    const known = this.#known;
    if (known !== undefined && isEqual(known.of, searchIds)) return known.positions;
    const most = searchIds.at(-1) ?? 0;
    const indices = new Int32Array(most + 1).fill(-1);
    for (let index = 0; index < searchIds.length; index += 1) indices[searchIds[index] ?? 0] = index;
    const positions = this.ids.map((id) => (id > 0 && id <= most ? (indices[id] ?? -1) : -1));
    this.#known = { of: searchIds, positions };
    return positions;
  }
}

function isEqual(a: Int32Array, b: Int32Array): boolean {
  return a === b || (a.length === b.length && Buffer.compare(bytesOf(a), bytesOf(b)) === 0);
}

function bytesOf({ buffer, byteOffset, byteLength }: Int32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
