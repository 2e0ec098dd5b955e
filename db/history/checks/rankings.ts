// Rankings: a target's result in each check. Append-only; a row holds only what the pages prove. Bench: `throughput`.

import type { Observation } from '../../../src/tracker/observation.ts';
import type { TargetOutcome } from '../../../src/tracker/targets/match.ts';
import type { Connection } from '../../connection/client.ts';

import type { TableRow } from '../../schema/rows.ts';
import { belongsToProject, isSameSourceSql, rankingIsBaseline, rankingStands } from './conditions.ts';

interface NewRanking {
  readonly targetId: number;
  readonly searchId: number;
  readonly moment: number;
  readonly checkId: number;
  /** Pages requested. */
  readonly depth: number;
  readonly outcome: TargetOutcome;
  readonly ownedFeatures: readonly string[];
}

/** Moments of runs, UTC milliseconds, both inclusive. */
export interface TimeWindow {
  readonly from: number;
  readonly until: number;
  /** Leaves out rankings seen later than this, at any run moment; absent: keeps all. */
  readonly seenUntil?: number;
}

/** Selects an earlier ranking of a target in a search. */
interface RankingBefore {
  readonly targetId: number;
  readonly searchId: number;
  readonly moment: number;
  readonly window: TimeWindow;
  /** Pages that its check proves at least: what a deep check compares with. */
  readonly depthMin: number;
  /** Only rankings of this source; null: of any. */
  readonly source: string | null;
  /** Only rankings that a report of this project may compare with: none of suspect runs. Null: all. */
  readonly baselineOf: string | null;
}

/** Selects earlier ranks of a target in a search, for its noise band. */
interface RanksBefore extends Pick<RankingBefore, 'targetId' | 'searchId' | 'moment'> {
  /** UTC milliseconds. */
  readonly checkedAt: number;
  readonly source: string;
  readonly max: number;
}

/** Stands for the URL of a rank that another tool recorded without one. Readers give null for it. */
export const urlUnknown = '';

/**
 * Whether a ranking `r` of a check `c` proves a rank or an absence. An absence must reach the check's depth; with fewer
 * pages the target was not followed further. The same rule reads rows of older versions. An absence from another tool
 * is as deep as that tool searched.
 */
export function isProvenSql(ranking: string, check: string): string {
  return `(${ranking}.rank IS NOT NULL OR (${ranking}.url_id IS NULL AND NOT ${isNotFollowedSql(ranking, check)}))`;
}

/** Whether a ranking is an absence from fewer pages than its check's depth. */
export function isNotFollowedSql(ranking: string, check: string): string {
  return `(${ranking}.url_id IS NULL AND ${ranking}.depth < ${check}.depth AND coalesce(${check}.source, '') NOT LIKE 'import/%')`;
}

/**
 * The number of pages read for a target that was not followed to the depth, otherwise null. It comes from the ranking
 * `r` or, where a complete check `c` has none, from the check. A check that reached the end of the results was followed
 * to the end.
 */
export const pagesFollowedSql = `CASE WHEN r.check_id IS NOT NULL THEN iif(${isNotFollowedSql('r', 'c')}, r.depth, NULL)
    WHEN c.state = 'ok' AND c.pages_read < c.depth AND NOT EXISTS (
      SELECT 1 FROM check_pages read_page JOIN pages last_page ON last_page.id = read_page.page_id
      WHERE read_page.check_id = c.id AND last_page.last = 1) THEN c.pages_read END`;

/**
 * The number of organic results that prove the absence in a complete check of this id; see `Observation.resultsRead`.
 */
export function resultsReadSql(checkId: string): string {
  return `(SELECT iif(max(read_page.last) = 1, NULL, sum(organic_count(read_page.archive)))
    FROM check_pages of_check JOIN pages read_page ON read_page.id = of_check.page_id WHERE of_check.check_id = ${checkId})`;
}

/** Of complete checks, which all have a source and a time. */
type ObservationRow = Omit<Observation, 'status' | 'url'> & { urlId: number | null };

/** Observations are proven rankings in complete checks; sightings without a rank are left out. */
const observed = `SELECT r.rank, r.absolute_rank AS absoluteRank, r.page, r.url_id AS urlId, r.depth, iif(r.rank IS NULL, ${resultsReadSql('c.id')}, NULL) AS resultsRead, c.checked_at AS checkedAt, c.source
  FROM rankings r JOIN checks c ON c.id = r.check_id
  WHERE r.target_id = @targetId AND r.search_id = @searchId AND r.moment BETWEEN @from AND @until AND c.checked_at <= @seenUntil AND c.state = 'ok' AND ${isProvenSql('r', 'c')}`;

export class Rankings {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  insert(ranking: NewRanking): void {
    const { outcome } = ranking;
    if (outcome.kind === 'unproven') return;
    const isPlaced = 'page' in outcome;
    const { moment, targetId, searchId, checkId, ownedFeatures } = ranking;
    this.#db.record('rankings', {
      moment,
      targetId,
      searchId,
      checkId,
      rank: outcome.kind === 'ranked' ? outcome.organicRank : null,
      absoluteRank: outcome.kind === 'ranked' ? outcome.absoluteRank : null,
      page: isPlaced ? outcome.page : null,
      urlId: isPlaced ? this.#db.names.urlId(outcome.url) : null,
      depth:
        outcome.kind === 'notFound' ? outcome.depth : outcome.kind === 'notFollowed' ? outcome.pages : ranking.depth,
      ownedFeatures: ownedFeatures.length === 0 ? null : ownedFeatures.join('|'),
    });
  }

  /**
   * The newest proven ranking before `moment` and within the window. Other sources or tools in between do not matter.
   */
  newestBefore({
    targetId,
    searchId,
    moment,
    window,
    depthMin,
    source,
    baselineOf,
  }: RankingBefore): Observation | null {
    const row = this.#db
      .sql<ObservationRow>(
        `${observed} AND ${baselineOf !== null ? rankingIsBaseline('r') : rankingStands('r')} AND r.depth >= @depthMin AND (@source IS NULL OR ${isSameSourceSql('c.source', '@source')}) ORDER BY r.moment DESC, r.check_id DESC LIMIT 1`,
      )
      .get({
        targetId,
        searchId,
        ...boundsBefore(moment, window),
        depthMin,
        source,
        ...(baselineOf !== null && { project: baselineOf }),
      });
    return row === undefined ? null : this.#observation(row);
  }

  /**
   * The newest ranks of a target in complete checks of one source that were made before `checkedAt`, oldest first;
   * absences are left out. `RanksBefore.max` bounds their number.
   */
  ranksBefore({ targetId, moment, max, ...search }: RanksBefore): number[] {
    return this.ranksOfMany({ targetId, moment, max }, [search])[0] ?? [];
  }

  /** `ranksBefore` of many searches in one statement, in their order: less than half of the time. */
  ranksOfMany(
    { targetId, moment, max }: Pick<RanksBefore, 'targetId' | 'moment' | 'max'>,
    searches: readonly Pick<RanksBefore, 'searchId' | 'checkedAt' | 'source'>[],
  ): number[][] {
    const rows = JSON.stringify(searches.map(({ searchId, checkedAt, source }) => [searchId, checkedAt, source]));
    return this.#db
      .sql<{ found: string }>(
        `SELECT (SELECT json_group_array(s.rank ORDER BY s.moment, s.check_id) FROM (
             SELECT r.rank, r.moment, r.check_id FROM rankings r JOIN checks c ON c.id = r.check_id
             WHERE r.target_id = @targetId AND r.search_id = w.value ->> 0 AND r.moment < @moment AND r.rank IS NOT NULL
               AND c.state = 'ok' AND ${isSameSourceSql('c.source', '(w.value ->> 2)')} AND c.checked_at < w.value ->> 1 AND ${rankingStands('r')}
             ORDER BY r.moment DESC, r.check_id DESC LIMIT @max) s) AS found
         FROM json_each(@rows) w ORDER BY w.key`,
      )
      .all({ targetId, moment, max, rows })
      .map(({ found }) => JSON.parse(found) as number[]); // as SQLite wrote it
  }

  /** The best rank of a target in a search, up to and including a moment; null: it never ranked. */
  bestRank(targetId: number, searchId: number, moment: number): number | null {
    const row = this.#db
      .sql<{ best: number | null }>(
        `SELECT min(r.rank) AS best FROM rankings r
         WHERE r.target_id = ? AND r.search_id = ? AND r.moment <= ? AND ${rankingStands('r')}`,
      )
      .get(targetId, searchId, moment);
    return row?.best ?? null;
  }

  /** How many pages a check read. */
  pagesRead(checkId: number): number {
    const row = this.#db
      .sql<TableRow<'checks', 'pagesRead'>>('SELECT pages_read AS pagesRead FROM checks WHERE id = ?')
      .get(checkId);
    return row?.pagesRead ?? 0;
  }

  /**
   * The number of organic results that prove an absence in a complete check; null: its depth proves it
   * (`Observation.resultsRead`).
   */
  resultsRead(checkId: number): number | null {
    const row = this.#db.sql<{ results: number | null }>(`SELECT ${resultsReadSql('?')} AS results`).get(checkId);
    return row?.results ?? null;
  }

  /**
   * The last ranking page of a target in each of these searches; null where the last check that followed the target did
   * not find it, or none exists.
   */
  lastKnownPages(targetId: number, searchIds: readonly number[]): (number | null)[] {
    return this.#db
      .sql<TableRow<'rankings', 'page'>>(
        `SELECT (SELECT r.page FROM rankings r JOIN checks c ON c.id = r.check_id
           WHERE r.target_id = @targetId AND r.search_id = j.value AND NOT ${isNotFollowedSql('r', 'c')} AND ${rankingStands('r')}
           ORDER BY r.moment DESC, r.check_id DESC LIMIT 1) AS page FROM json_each(@searchIds) j`,
      )
      .all({ targetId, searchIds: JSON.stringify(searchIds) })
      .map(({ page }) => page);
  }

  /** Of these searches, those in which a target ranked since that moment, UTC milliseconds. */
  rankedSince(targetId: number, searchIds: readonly number[], since: number): number[] {
    return this.#db
      .sql<{ id: number }>(
        `SELECT j.value AS id FROM json_each(@searchIds) j WHERE EXISTS (
           SELECT 1 FROM rankings r WHERE r.target_id = @targetId AND r.search_id = j.value AND r.moment >= @since
             AND r.page IS NOT NULL AND ${rankingStands('r')})`,
      )
      .all({ targetId, searchIds: JSON.stringify(searchIds), since })
      .map(({ id }) => id);
  }

  /**
   * Compares these targets' rankings in the checks of a run that a project wanted with the previous ones of the same
   * source, within the depth read now: how many ranked before, and how many of those are not found now.
   */
  losses(
    runId: number,
    moment: number,
    project: string,
    targetIds: readonly number[],
  ): { rankedBefore: number; lost: number } {
    return this.#db.one<{ rankedBefore: number; lost: number }>(
      `SELECT count(*) AS rankedBefore, coalesce(sum(url_id IS NULL), 0) AS lost FROM (
         SELECT r.url_id, r.depth, r.check_id, (
           SELECT json_array(p.rank, p.page) FROM rankings p JOIN checks pc ON pc.id = p.check_id
           WHERE p.target_id = r.target_id AND p.search_id = r.search_id AND p.moment < r.moment AND ${isProvenSql('p', 'pc')}
             AND ${isSameSourceSql('pc.source', 'c.source')} AND ${rankingStands('p')}
           ORDER BY p.moment DESC, p.check_id DESC LIMIT 1) AS earlier
         FROM checks c
         JOIN json_each(@targetIds) t
         JOIN rankings r ON r.target_id = t.value AND r.search_id = c.search_id AND r.moment = @moment AND r.check_id = c.id
         WHERE c.run_id = @runId AND NOT ${isNotFollowedSql('r', 'c')} AND ${belongsToProject('c.id')}) found
       WHERE earlier ->> 0 IS NOT NULL AND (url_id IS NOT NULL OR coalesce(
           earlier ->> 0 <= ${resultsReadSql('found.check_id')} OR max(earlier ->> 1, (earlier ->> 0 + 9) / 10) <= depth,
           earlier ->> 1 <= depth))`,
      { runId, moment, project, targetIds: JSON.stringify(targetIds) },
    );
  }

  #observation({ urlId, ...row }: ObservationRow): Observation {
    const url = urlId === null ? null : this.#db.names.url(urlId) || null;
    return { status: row.rank === null ? 'not_found' : 'ranked', url, ...row };
  }
}

/** The window as far as it lies before `moment`. */
export function boundsBefore(moment: number, window: TimeWindow): Required<TimeWindow> {
  const { from, until, seenUntil = Number.MAX_SAFE_INTEGER } = window;
  return { from: Math.max(0, Math.ceil(from)), until: Math.min(until, moment - 1), seenUntil };
}
