// Keyword metrics of tracked rows: of a month, or the newest before it. Reads only.
import type { Market } from '../../../src/tracker/project.ts';
import type { Connection } from '../../connection/client.ts';
import type { StoredVolume } from '../../history/volumes.ts';
import type { OuterJoined, TableRow } from '../../schema/rows.ts';

export type TrackedMetrics = Omit<StoredVolume, 'observedAt' | 'source' | 'relatedKeywords'>;

export type MetricsColumns = TableRow<
  'volumes',
  'month' | 'search_volume' | 'cpc_micro_usd' | 'competition' | 'competition_level' | 'intent'
>;
interface MetricsQuery {
  readonly market: Market;
  readonly keywords: readonly string[];
  readonly month: string;
  /** As `areOnce` says. */
  readonly isOnce: boolean;
}

/** Metrics bought again in a month are stored as `service#purchase` (`Volumes.insertNewer`). */
const newestMonthSql = `(
  SELECT max(n.month) FROM volumes n
  WHERE n.keyword_id = k.id AND n.service = first_service_name(@service) AND n.country = @country AND n.language = @language AND n.month <= @month)`;

/** The metrics `v` of a keyword `k` in a market: of the requested month, or the newest before it. */
export const volumesSql = `LEFT JOIN volumes v ON v.keyword_id = k.id AND v.country = @country AND v.language = @language AND v.month = ${newestMonthSql}
  AND v.service = coalesce((
    SELECT o.service FROM volumes o
    WHERE o.keyword_id = k.id AND o.service > first_service_name(@service) || '#' AND o.service < first_service_name(@service) || '$' AND o.country = @country AND o.language = @language
      AND o.month = ${newestMonthSql} ORDER BY o.observed_at DESC LIMIT 1), first_service_name(@service))`;

/** The same where the service has no metrics that were bought again in a month: in half the time. */
const volumesOnceSql = `LEFT JOIN volumes v ON v.keyword_id = k.id AND v.service = first_service_name(@service) AND v.country = @country AND v.language = @language
  AND v.month = ${newestMonthSql}`;

export class TrackedMetricsReader {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Metrics of each keyword, in their order. */
  of({ market, keywords, month, isOnce }: MetricsQuery): (TrackedMetrics | null)[] {
    const { service, country, language } = market;
    return this.#db
      .sql<OuterJoined<MetricsColumns>>(
        `SELECT v.month, v.search_volume, v.cpc_micro_usd, v.competition, v.competition_level, v.intent
         FROM json_each(@keywords) w LEFT JOIN keywords k ON k.text = w.value ${isOnce ? volumesOnceSql : volumesSql} ORDER BY w.key`,
      )
      .all({ service, country, language, month, keywords: JSON.stringify(keywords) })
      .map(toMetrics);
  }

  /** Whether a service has metrics at most once for each keyword and month. One pass over all metrics. */
  areOnce(service: string): boolean {
    const row = this.#db
      .sql<{ again: number }>(
        "SELECT EXISTS (SELECT 1 FROM volumes WHERE service > first_service_name(@service) || '#' AND service < first_service_name(@service) || '$') AS again",
      )
      .get({ service });
    return row?.again !== 1;
  }

  /** Differs where metrics of a month may differ. Months without new metrics share it. */
  version(month: string): string {
    return this.#db
      .sql<TableRow<'history_digests', 'key' | 'rows'>>(
        "SELECT key, rows FROM history_digests WHERE subject = 'volumes' AND key <= ? ORDER BY key",
      )
      .all(Number(month.replace('-', '')))
      .map(({ key, rows }) => `${key} ${rows}`)
      .join();
  }
}

export function toMetrics(row: OuterJoined<MetricsColumns>): TrackedMetrics | null {
  if (row.month === null) return null;
  return {
    month: row.month,
    searchVolume: row.search_volume,
    cpcMicroUsd: row.cpc_micro_usd,
    competition: row.competition,
    competitionLevel: row.competition_level,
    intent: row.intent,
  };
}
