// A target's checks in some runs, failures included: the rows of the agency files. Reads only. Bench: `reports`.

import type { Connection } from '../../connection/client.ts';
import { joinUrl, marketValues } from '../../connection/names.ts';
import type { CheckState } from '../../history/checks/checks.ts';
import { searchesAmong } from '../../history/checks/conditions.ts';
import { pagesFollowedSql } from '../../history/checks/rankings.ts';
import type { TableRow } from '../../schema/rows.ts';
import type { SeriesQuery } from './report-series.ts';

/** An ended check with the target's ranking. */
export interface DailyCheck {
  readonly checkId: number;
  readonly runId: number;
  readonly state: Exclude<CheckState, 'planned' | 'running'>;
  /** Pages that prove an absence; pages read for a target not followed to the depth; otherwise pages requested. */
  readonly depth: number;
  /** UTC milliseconds. */
  readonly checkedAt: number | null;
  readonly source: string | null;
  /** The pages read do not reach the depth, and the target is on none of them. */
  readonly isNotFollowed: boolean;
  /** Null where the check proves nothing of the target. `rank` null with a URL: seen, no exact rank. */
  readonly ranking: {
    readonly rank: number | null;
    readonly absoluteRank: number | null;
    readonly page: number | null;
    readonly urlId: number | null;
  } | null;
}

interface DailyRankingsQuery extends Pick<SeriesQuery, 'target' | 'market' | 'keywords'> {
  readonly runIds: readonly number[];
  /** Of these runs, from `boundsOf`. */
  readonly bounds: RunBounds;
}

/** What lies outside is of other runs. */
export interface RunBounds {
  readonly firstCheckId: number;
  /** Moments, both inclusive. */
  readonly from: number;
  readonly until: number;
}

type Packed = readonly [
  run: number,
  state: DailyCheck['state'],
  depth: number,
  checkedAt: number | null,
  source: string | null,
  ranked: number | null,
  rank: number | null,
  absoluteRank: number | null,
  page: number | null,
  urlId: number | null,
  pagesFollowed: number | null,
  checkId: number,
][];

const checkSql = `json_group_array(json_array(c.run_id, c.state, coalesce(r.depth, c.depth), c.checked_at, c.source, r.check_id, r.rank, r.absolute_rank, r.page, r.url_id,
  ${pagesFollowedSql}, c.id))`;
const ofRunsSql = "c.state NOT IN ('planned', 'running') AND c.run_id IN (SELECT value FROM json_each(@runIds))";
/** Checks without a ranking are read only where a search has more checks than rankings: this takes half the time. */
const dailySql = `SELECT (
    SELECT ${checkSql} FROM rankings r JOIN checks c ON c.id = r.check_id
    WHERE r.target_id = t.id AND r.search_id = s.id AND r.moment BETWEEN @from AND @until AND ${ofRunsSql}) AS ranked,
  iif((SELECT count(*) FROM checks c WHERE c.search_id = s.id AND c.id >= @firstCheckId) = (
    SELECT count(*) FROM rankings r
    WHERE r.target_id = t.id AND r.search_id = s.id AND r.moment BETWEEN @from AND @until AND r.check_id >= @firstCheckId), '[]', (
    SELECT ${checkSql} FROM checks c JOIN runs n ON n.id = c.run_id
    LEFT JOIN rankings r ON r.target_id = t.id AND r.search_id = c.search_id AND r.moment = n.moment AND r.check_id = c.id
    WHERE c.search_id = s.id AND c.id >= @firstCheckId AND r.check_id IS NULL AND ${ofRunsSql})) AS others
  ${searchesAmong('LEFT JOIN')}
  ORDER BY w.key`;

export class DailyRankings {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  boundsOf(runIds: readonly number[]): RunBounds {
    return this.#db.one<RunBounds>(
      `SELECT coalesce(min((SELECT min(id) FROM checks WHERE run_id = j.value)), 0) AS firstCheckId,
         coalesce(min(n.moment), 0) AS "from", coalesce(max(n.moment), 0) AS until
       FROM json_each(?) j JOIN runs n ON n.id = j.value`,
      JSON.stringify(runIds),
    );
  }

  /** The URLs of these numbers. */
  *urls(ids: readonly number[]): Generator<readonly [id: number, url: string]> {
    const rows = this.#db
      .sql<TableRow<'urls', 'id' | 'scheme' | 'rest'> & { host: string }>(
        'SELECT u.id, u.scheme, h.name AS host, u.rest FROM json_each(?) w JOIN urls u ON u.id = w.value JOIN hosts h ON h.id = u.host_id',
      )
      .iterate(JSON.stringify(ids));
    for (const { id, scheme, host, rest } of rows) {
      yield [id, joinUrl({ scheme, host, rest })];
    }
  }

  /** The checks of each search, in the order of `keywords`; those of one search in no order. */
  *of({ target, market, keywords, runIds, bounds }: DailyRankingsQuery): Generator<DailyCheck[]> {
    const rows = this.#db.sql<{ ranked: string; others: string }>(dailySql).iterate({
      target,
      ...marketValues(market),
      ...bounds,
      keywords: JSON.stringify(keywords),
      runIds: JSON.stringify(runIds),
    });
    for (const { ranked, others } of rows) {
      const checks = (JSON.parse(ranked) as Packed).map(toDailyCheck);
      if (others !== '[]') checks.push(...(JSON.parse(others) as Packed).map(toDailyCheck));
      yield checks;
    }
  }
}

function toDailyCheck(packed: Packed[number]): DailyCheck {
  const [runId, state, depth, checkedAt, source, ranked, rank, absoluteRank, page, urlId, pagesFollowed, checkId] =
    packed;
  const ranking = ranked === null ? null : { rank, absoluteRank, page, urlId };
  return {
    checkId,
    runId,
    state,
    depth: pagesFollowed ?? depth,
    checkedAt,
    source,
    isNotFollowed: pagesFollowed !== null,
    ranking,
  };
}
