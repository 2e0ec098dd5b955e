// History of a keyword as it stands: one row a target and check, failures included, nothing filled in. All of history is read by exports.ts.

import type { Connection } from '../connection/client.ts';
import { joinUrl } from '../connection/names.ts';
import type { OuterJoined, TableRow } from '../schema/rows.ts';
import type { CheckState } from './checks.ts';
import { pagesFollowedSql, urlUnknown } from './rankings.ts';
import { seenDateSql } from './seen-date.ts';

export interface HistoryFilter {
  readonly project: string;
  /** Exact. */
  readonly keyword: string;
  readonly country?: string;
  readonly device?: string;
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
  readonly slot: string;
  /** On which it was seen; of what was not read, of the slot. */
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
  /** The target's row in that check; null where the check could not prove its place. */
  readonly ranking: {
    readonly rank: number | null;
    readonly absoluteRank: number | null;
    readonly page: number | null;
    readonly url: string | null;
    readonly depth: number;
    readonly ownedFeatures: readonly string[];
  } | null;
}

type HistoryRow = TableRow<'markets', 'service' | 'country' | 'language' | 'device'> &
  TableRow<'slots', 'slot' | 'local_date'> &
  TableRow<'checks', 'run_id' | 'depth' | 'checked_at' | 'source' | 'features' | 'reason' | 'state'> &
  TableRow<'runs', 'origin' | 'discarded_at' | 'discard_reason'> &
  OuterJoined<
    TableRow<'rankings', 'rank' | 'absolute_rank' | 'page' | 'owned_features'> & {
      ranked_check: number;
      ranking_depth: number;
    }
  > &
  OuterJoined<TableRow<'urls', 'scheme' | 'rest'> & { host: string }> & {
    keyword: string;
    pages_followed: number | null;
  };

export class History {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Every check of a project's keyword with the place of one target, by market and slot. */
  *records(targetIdentity: string, filter: HistoryFilter): IterableIterator<HistoryRecord> {
    const rows = this.#db
      .sql<HistoryRow>(
        `SELECT k.text AS keyword, m.service, m.country, m.language, m.device, l.slot, ${seenDateSql} AS local_date, c.id AS check_id, c.run_id, c.state, c.depth,
                c.checked_at, c.source, c.features, c.reason, n.origin, n.discarded_at, n.discard_reason, ${pagesFollowedSql('r', 'c')} AS pages_followed, r.check_id AS ranked_check, r.rank, r.absolute_rank, r.page, r.depth AS ranking_depth, r.owned_features,
                u.scheme, h.name AS host, u.rest
         FROM keywords k
         CROSS JOIN projects p ON p.name = @project
         CROSS JOIN searches s ON s.keyword_id = k.id
         CROSS JOIN checks c ON c.search_id = s.id
         CROSS JOIN check_projects cp ON cp.project_id = p.id AND cp.check_id = c.id
         JOIN runs n ON n.id = c.run_id
         JOIN slots l ON l.run_id = c.run_id AND l.project_id = p.id
         JOIN markets m ON m.id = s.market_id
         LEFT JOIN targets t ON t.identity = @target
         LEFT JOIN rankings r ON r.target_id = t.id AND r.search_id = c.search_id AND r.moment = n.moment AND r.check_id = c.id
         LEFT JOIN urls u ON u.id = r.url_id
         LEFT JOIN hosts h ON h.id = u.host_id
         WHERE k.text = @keyword AND (@country IS NULL OR m.country = @country) AND (@device IS NULL OR m.device = @device)
           AND (@from IS NULL OR ${seenDateSql} >= @from) AND (@to IS NULL OR ${seenDateSql} <= @to)
         ORDER BY m.service, m.country, m.language, m.device, n.moment, c.id`,
      )
      .iterate({
        project: filter.project,
        target: targetIdentity,
        keyword: filter.keyword,
        country: filter.country ?? null,
        device: filter.device ?? null,
        from: filter.from ?? null,
        to: filter.to ?? null,
      });
    for (const row of rows) yield recordOf(row);
  }
}

function recordOf(row: HistoryRow): HistoryRecord {
  return {
    keyword: row.keyword,
    service: row.service,
    country: row.country,
    language: row.language,
    device: row.device,
    slot: row.slot,
    localDate: row.local_date,
    runId: row.run_id,
    state: row.state,
    depth: row.depth,
    checkedAt: row.checked_at,
    source: row.source,
    features: listOf(row.features),
    reason: row.reason,
    isImported: row.origin === 'import',
    pagesFollowed: row.pages_followed,
    isDiscarded: row.discarded_at !== null,
    discardReason: row.discard_reason,
    ranking:
      row.ranked_check === null
        ? null
        : {
            rank: row.rank,
            absoluteRank: row.absolute_rank,
            page: row.page,
            url: urlIn(row),
            depth: row.ranking_depth,
            ownedFeatures: listOf(row.owned_features),
          },
  };
}

/** Null where nothing was found, and for a rank that another tool recorded without a URL. */
function urlIn(row: HistoryRow): string | null {
  if (row.scheme === null) return null;
  const url = joinUrl({ scheme: row.scheme, host: row.host, rest: row.rest });
  return url === urlUnknown ? null : url;
}

function listOf(joined: string | null): string[] {
  return joined === null || joined === '' ? [] : joined.split('|');
}
