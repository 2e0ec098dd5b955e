// Data of each tracked row: check, ranking, baseline, best rank, metrics; many searches at once. Bench: `reports`.
import type { OwnedFeatures } from '../../../src/tracker/changes/alerts.ts';
import type { CheckStatus, Observation } from '../../../src/tracker/observation.ts';
import type { Market } from '../../../src/tracker/project.ts';
import type { TargetOutcome } from '../../../src/tracker/targets/match.ts';
import type { Connection } from '../../connection/client.ts';
import { marketValues, urlSql } from '../../connection/names.ts';
import { rankingIsBaseline, rankingStands } from '../../history/checks/conditions.ts';
import {
  boundsBefore,
  isProvenSql,
  pagesFollowedSql,
  resultsReadSql,
  type TimeWindow,
} from '../../history/checks/rankings.ts';
import { metricsColumns, type TrackedMetrics, volumesSql } from '../../history/volumes.ts';
import type { OuterJoined, TableRow } from '../../schema/rows.ts';

/** A query of many tracked rows. */
export interface TrackedRowsQuery {
  /**
   * Oldest first: one run, or a run and its backfills. Of each search the most complete check counts, then the newest.
   */
  readonly runs: readonly { readonly id: number; readonly moment: number }[];
  /** Whose report it is: runs that are suspect for it are no baseline. */
  readonly project: string;
  /** As `targetKey` makes it. */
  readonly target: string;
  readonly market: Market;
  /** Searches of this market; some hundred make one statement worth its while. */
  readonly keywords: readonly string[];
  /** The window of the baseline; it also lies before the oldest run. */
  readonly baselines: TimeWindow;
  /** Metrics of this month, or the newest before it. */
  readonly month: string;
}

/** The check of a search in a run. */
interface EndedCheck {
  readonly id: number;
  readonly runId: number;
  readonly status: CheckStatus;
  readonly reason: string | null;
  /** UTC milliseconds. */
  readonly checkedAt: number | null;
  readonly depth: number;
  /** Empty where nothing was read. */
  readonly source: string;
  readonly features: readonly string[];
  /** Pages that were read. */
  readonly pagesRead: number;
}

/** A target's ranking in the run. */
export interface TrackedRanking {
  readonly targetId: number;
  readonly searchId: number;
  readonly check: EndedCheck;
  readonly outcome: TargetOutcome;
  readonly ownedFeatures: readonly string[];
  /** The newest proven ranking before the run and within the window. */
  readonly before: Observation | null;
  /** The features that showed the target in the check of `before`. */
  readonly ownedBefore: OwnedFeatures | null;
  /** Best rank up to and including the run; null where it never ranked. */
  readonly bestRank: number | null;
}

interface TrackedRow {
  /** Null if the run has no ended check of the search, or the check did not track the target. */
  readonly ranking: TrackedRanking | null;
  /** Null where none were ever bought. */
  readonly metrics: TrackedMetrics | null;
}

const ended = "state NOT IN ('planned', 'running')";
/** The check `c` of a search `s` that a report is made of. */
export const inOneRun = {
  checks: `checks c ON c.run_id = @runId AND c.search_id = s.id AND c.${ended}`,
  moment: '@moment',
};
export const inSeveralRuns = {
  checks: `checks c ON c.id = (
  SELECT o.id FROM json_each(@runIds) j CROSS JOIN checks o ON o.run_id = j.value AND o.search_id = s.id WHERE o.${ended}
  ORDER BY CASE o.state WHEN 'ok' THEN 0 WHEN 'incomplete' THEN 1 ELSE 2 END, j.key DESC LIMIT 1)`,
  moment: '(SELECT moment FROM runs WHERE id = c.run_id)',
};

type CheckColumns = TableRow<
  'checks',
  'searchId' | 'runId' | 'reason' | 'checkedAt' | 'source' | 'features' | 'pagesRead'
> & {
  checkId: number;
  state: CheckStatus;
  checkDepth: number;
};
type RankingColumns = TableRow<'rankings', 'rank' | 'absoluteRank' | 'depth'> & { rankedCheck: number };
interface BaselineColumns {
  readonly beforeCheck: number;
  readonly beforeRank: number | null;
  readonly beforeAbsoluteRank: number | null;
  readonly beforePage: number | null;
  readonly beforeDepth: number;
  readonly beforeCheckedAt: number;
  readonly beforeSource: string;
  readonly beforePagesRead: number;
}
type TrackedSqlRow = OuterJoined<CheckColumns> &
  OuterJoined<RankingColumns> &
  OuterJoined<{ url: string; page: number }> &
  OuterJoined<BaselineColumns> &
  OuterJoined<TrackedMetrics> & {
    targetId: number | null;
    ownedFeatures: string | null;
    pagesFollowed: number | null;
    beforeUrl: string | null;
    beforeOwnedFeatures: string | null;
    beforeResultsRead: number | null;
    bestRank: number | null;
  };

const rowsSql = ({ checks, moment }: typeof inOneRun): string => `
SELECT t.id AS targetId, c.search_id AS searchId, c.id AS checkId, c.run_id AS runId, c.state, c.reason, c.checked_at AS checkedAt, c.depth AS checkDepth, c.source, c.features, c.pages_read AS pagesRead,
       r.check_id AS rankedCheck, ${pagesFollowedSql} AS pagesFollowed, r.rank, r.absolute_rank AS absoluteRank, r.page, r.depth, r.owned_features AS ownedFeatures, ${urlSql('u', 'h')} AS url,
       p.check_id AS beforeCheck, p.rank AS beforeRank, p.absolute_rank AS beforeAbsoluteRank, p.page AS beforePage, p.depth AS beforeDepth,
       pc.checked_at AS beforeCheckedAt, pc.source AS beforeSource, pc.pages_read AS beforePagesRead, p.owned_features AS beforeOwnedFeatures,
       ${urlSql('pu', 'ph')} AS beforeUrl,
       iif(p.rank IS NULL AND r.rank IS NOT NULL, ${resultsReadSql('p.check_id')}, NULL) AS beforeResultsRead,
       (SELECT min(b.rank) FROM rankings b WHERE b.target_id = t.id AND b.search_id = c.search_id AND b.moment <= @moment
          AND ${rankingStands('b')}) AS bestRank,
       ${metricsColumns}
FROM json_each(@keywords) w
LEFT JOIN targets t ON t.identity = @target
LEFT JOIN keywords k ON k.text = stored_keyword(w.value)
LEFT JOIN searches s ON s.keyword_id = k.id AND s.market_id = (
  SELECT id FROM markets WHERE service = @service AND country = @country AND language = @language AND device = @device AND location = @location)
LEFT JOIN ${checks}
LEFT JOIN rankings r ON r.target_id = t.id AND r.search_id = c.search_id AND r.moment = ${moment} AND r.check_id = c.id
LEFT JOIN urls u ON u.id = r.url_id
LEFT JOIN hosts h ON h.id = u.host_id
LEFT JOIN rankings p ON p.target_id = t.id AND p.search_id = c.search_id AND (p.moment, p.check_id) = (
  SELECT b.moment, b.check_id FROM rankings b JOIN checks bc ON bc.id = b.check_id
  WHERE b.target_id = t.id AND b.search_id = c.search_id AND b.moment BETWEEN @from AND @until
    AND bc.state = 'ok' AND bc.checked_at <= @seenUntil AND ${isProvenSql('b', 'bc')}
    AND ${rankingIsBaseline('b')}
  ORDER BY b.moment DESC, b.check_id DESC LIMIT 1)
LEFT JOIN checks pc ON pc.id = p.check_id
LEFT JOIN urls pu ON pu.id = p.url_id
LEFT JOIN hosts ph ON ph.id = pu.host_id
${volumesSql}
ORDER BY w.key`;
const oneRunSql = rowsSql(inOneRun);
const severalRunsSql = rowsSql(inSeveralRuns);

export class TrackedRows {
  readonly #db: Connection;
  readonly #lists = new Lists();

  constructor(db: Connection) {
    this.#db = db;
  }

  /** One row a keyword, in their order. */
  of({ runs, project, target, market, keywords, baselines, month }: TrackedRowsQuery): TrackedRow[] {
    const [oldest, newest] = [runs[0], runs.at(-1)];
    if (oldest === undefined || newest === undefined) throw new Error('a report is of a run');
    const values = {
      moment: newest.moment,
      project,
      target,
      month,
      ...marketValues(market),
      ...boundsBefore(oldest.moment, baselines),
    };
    const which = { runId: newest.id, runIds: JSON.stringify(runs.map(({ id }) => id)) };
    const lists = this.#lists;
    return this.#db
      .sql<TrackedSqlRow>(runs.length === 1 ? oneRunSql : severalRunsSql)
      .all({ ...values, ...which, keywords: JSON.stringify(keywords) })
      .map((row) => ({ ranking: toRanking(row, lists), metrics: metricsIn(row) }));
  }
}

function toRanking(row: TrackedSqlRow, lists: Lists): TrackedRanking | null {
  if (row.targetId === null || row.checkId === null) return null;
  return {
    targetId: row.targetId,
    searchId: row.searchId,
    check: {
      id: row.checkId,
      runId: row.runId,
      status: row.state,
      reason: row.reason,
      checkedAt: row.checkedAt,
      depth: row.checkDepth,
      source: row.source ?? '',
      features: lists.of(row.features),
      pagesRead: row.pagesRead,
    },
    outcome: toOutcome(row),
    ownedFeatures: lists.of(row.ownedFeatures),
    before: toBaseline(row),
    ownedBefore:
      row.beforeCheck === null ? null : { features: lists.of(row.beforeOwnedFeatures), pages: row.beforePagesRead },
    bestRank: row.bestRank,
  };
}

function metricsIn(row: TrackedSqlRow): TrackedMetrics | null {
  const { month, searchVolume, cpcMicroUsd, competition, competitionLevel, intent } = row;
  return month === null ? null : { month, searchVolume, cpcMicroUsd, competition, competitionLevel, intent };
}

function toOutcome(row: TrackedSqlRow): TargetOutcome {
  if (row.pagesFollowed !== null) return { kind: 'notFollowed', pages: row.pagesFollowed };
  if (row.rankedCheck === null) return { kind: 'unproven' };
  if (row.url === null) return { kind: 'notFound', depth: row.depth };
  const { page, url, rank, absoluteRank } = row;
  return rank === null ? { kind: 'seen', page, url } : { kind: 'ranked', organicRank: rank, absoluteRank, page, url };
}

function toBaseline(row: TrackedSqlRow): Observation | null {
  if (row.beforeCheck === null) return null;
  return {
    status: row.beforeRank === null ? 'not_found' : 'ranked',
    rank: row.beforeRank,
    absoluteRank: row.beforeAbsoluteRank,
    page: row.beforePage,
    url: row.beforeUrl || null,
    depth: row.beforeDepth,
    resultsRead: row.beforeResultsRead,
    checkedAt: row.beforeCheckedAt,
    source: row.beforeSource,
  };
}

/** Splits joined names; rows share equal lists, because a report holds many of its rows. */
class Lists {
  readonly #known = new Map<string, readonly string[]>();

  of(joined: string | null): readonly string[] {
    if (joined === null) return none;
    const known = this.#known.get(joined);
    if (known !== undefined) return known;
    const names = joined.split('|');
    if (this.#known.size >= listsMax) this.#known.clear();
    this.#known.set(joined, names);
    return names;
  }
}

/** Sets of features repeat. */
const listsMax = 10_000;
const none: readonly string[] = Object.freeze([]);
