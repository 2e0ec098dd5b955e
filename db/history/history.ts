// History of a keyword: one row per target and check, failures included, no gaps filled.
import type { Connection } from '../connection/client.ts';
import { joinUrl } from '../connection/names.ts';
import type { OuterJoined, TableRow } from '../schema/rows.ts';
import type { CheckState } from './checks/checks.ts';
import { seenDateSql } from './checks/conditions.ts';
import { pagesFollowedSql, urlUnknown } from './checks/rankings.ts';

export interface HistoryFilter {
  readonly project: string;
  /** In any spelling. */
  readonly keyword: string;
  readonly country?: string;
  readonly device?: string;
  /** Canonical; empty: the country as a whole. Absent: all. */
  readonly location?: string;
  /** Local dates, inclusive. */
  readonly from?: string;
  readonly to?: string;
}

export interface HistoryRecord {
  readonly keyword: string;
  readonly service: string;
  readonly country: string;
  readonly language: string;
  readonly device: string;
  /** Null: the country as a whole. */
  readonly location: string | null;
  readonly slot: string;
  /** The day on which the pages were seen; of a check that read nothing, the day of the slot. */
  readonly localDate: string;
  readonly runId: number;
  readonly state: CheckState;
  readonly depth: number;
  readonly checkedAt: number | null;
  readonly source: string | null;
  readonly features: readonly string[];
  readonly reason: string | null;
  /** Another tool saw it, on that day. */
  readonly isImported: boolean;
  /** Pages read of a target that was not followed to the depth; null where it was. */
  readonly pagesFollowed: number | null;
  /** Its run was discarded. */
  readonly isDiscarded: boolean;
  readonly discardReason: string | null;
  /** The target's row in that check; null if the check could not prove its ranking. */
  readonly ranking: {
    readonly rank: number | null;
    readonly absoluteRank: number | null;
    readonly page: number | null;
    readonly url: string | null;
    readonly depth: number;
    readonly ownedFeatures: readonly string[];
  } | null;
}

export class History {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Every check of a project's keyword with the ranking of one target, by market and slot. */
  *records(targetIdentity: string, filter: HistoryFilter): IterableIterator<HistoryRecord> {
    for (const row of this.#rows(targetIdentity, filter)) {
      const { keyword, service, country, language, device, location, slot, state, source, reason } = row;
      yield {
        keyword,
        service,
        country,
        language,
        device,
        location,
        slot,
        localDate: row.localDate,
        runId: row.runId,
        state,
        depth: row.checkDepth,
        checkedAt: row.checkedAt,
        source,
        features: splitList(row.features),
        reason,
        isImported: row.origin === 'import',
        pagesFollowed: row.pagesFollowed,
        isDiscarded: row.discardedAt !== null,
        discardReason: row.discardReason,
        ranking: toRanking(row),
      };
    }
  }

  /**
   * Changes when a run opens, ends or is discarded, and with each note, alert, report and day of clicks. Costs a pass
   * over runs.
   */
  version(): string {
    const row = this.#db
      .sql<Record<string, number | null>>(
        `SELECT (SELECT max(id) FROM runs) AS runs, (SELECT max(closed_at) FROM runs) AS closed,
           (SELECT count(*) FROM runs WHERE discarded_at IS NOT NULL) AS discarded,
           (SELECT max(id) FROM notes) AS notes, (SELECT count(*) FROM notes) AS noteCount,
           (SELECT max(id) FROM alert_deliveries) AS alerts,
           (SELECT max(fetched_at) FROM click_days) AS clicks, (SELECT count(*) FROM click_days) AS clickCount`,
      )
      .get();
    return Object.values(row ?? {}).join(' ');
  }

  #rows(targetIdentity: string, filter: HistoryFilter): JoinedRow[] {
    const { project, keyword, ...optional } = filter;
    const [conditions, values] = matchFilter(optional);
    return this.#db
      .sql<JoinedRow>(`${selectRows} ${conditions.map((condition) => `AND ${condition}`).join(' ')} ${inOrder}`)
      .all(targetIdentity, JSON.stringify(this.#db.names.spellings(keyword)), project, ...values);
  }
}

type JoinedRow = TableRow<'markets', 'service' | 'country' | 'language' | 'device'> &
  TableRow<'slots', 'slot'> &
  TableRow<'checks', 'runId' | 'state' | 'checkedAt' | 'source' | 'features' | 'reason'> &
  TableRow<'runs', 'origin' | 'discardedAt' | 'discardReason'> &
  OuterJoined<TableRow<'rankings', 'rank' | 'absoluteRank' | 'page' | 'ownedFeatures'>> &
  OuterJoined<TableRow<'urls', 'scheme' | 'rest'> & { host: string }> & {
    keyword: string;
    location: string | null;
    localDate: string;
    checkDepth: number;
    pagesFollowed: number | null;
    /** Of the ranking; null: there is none. */
    depth: number | null;
  };

/** Cross joins keep this order: from one keyword to its checks. A start of `history` loads no query builder. */
const selectRows = `SELECT keywords.text AS keyword, markets.service, markets.country, markets.language, markets.device,
    nullif(markets.location, '') AS location, l.slot, ${seenDateSql} AS localDate,
    c.run_id AS runId, c.state, c.depth AS checkDepth, c.checked_at AS checkedAt, c.source, c.features, c.reason,
    n.origin, n.discarded_at AS discardedAt, n.discard_reason AS discardReason, ${pagesFollowedSql} AS pagesFollowed,
    r.depth, r.rank, r.absolute_rank AS absoluteRank, r.page, r.owned_features AS ownedFeatures, urls.scheme, urls.rest, hosts.name AS host
  FROM keywords CROSS JOIN projects CROSS JOIN searches CROSS JOIN checks c CROSS JOIN check_projects
  JOIN runs n ON n.id = c.run_id
  JOIN slots l ON l.run_id = c.run_id AND l.project_id = projects.id
  JOIN markets ON markets.id = searches.market_id
  LEFT JOIN targets ON targets.identity = ?
  LEFT JOIN rankings r ON r.target_id = targets.id AND r.search_id = c.search_id AND r.moment = n.moment AND r.check_id = c.id
  LEFT JOIN urls ON urls.id = r.url_id
  LEFT JOIN hosts ON hosts.id = urls.host_id
  WHERE keywords.text IN (SELECT value FROM json_each(?)) AND projects.name = ? AND searches.keyword_id = keywords.id AND c.search_id = searches.id
    AND check_projects.project_id = projects.id AND check_projects.check_id = c.id AND n.confirms IS NULL`;

const inOrder =
  'ORDER BY markets.service, markets.country, markets.language, markets.device, markets.location, n.moment, c.id';

const conditionOf = {
  country: 'markets.country = ?',
  device: 'markets.device = ?',
  location: 'markets.location = ?',
  from: `${seenDateSql} >= ?`,
  to: `${seenDateSql} <= ?`,
} as const;

/** The conditions on what the filter has, and their values. */
function matchFilter(filter: Omit<HistoryFilter, 'project' | 'keyword'>): [conditions: string[], values: string[]] {
  const keys = Object.keys(conditionOf) as (keyof typeof conditionOf)[]; // an object literal has no other keys
  const given = keys.flatMap((key) => {
    const value = filter[key];
    return value === undefined ? [] : [{ condition: conditionOf[key], value }];
  });
  return [given.map(({ condition }) => condition), given.map(({ value }) => value)];
}

function toRanking(row: JoinedRow): HistoryRecord['ranking'] {
  if (row.depth === null) return null;
  const { depth, rank, absoluteRank, page } = row;
  return { depth, rank, absoluteRank, page, url: urlIn(row), ownedFeatures: splitList(row.ownedFeatures) };
}

/** Null where nothing was found, and for a rank that another tool recorded without a URL. */
function urlIn({ scheme, host, rest }: JoinedRow): string | null {
  if (scheme === null || host === null || rest === null) return null;
  const url = joinUrl({ scheme, host, rest });
  return url === urlUnknown ? null : url;
}

function splitList(joined: string | null): string[] {
  return joined === null || joined === '' ? [] : joined.split('|');
}
