// Keyword metrics by month: stored ones, missing ones, and reads of many keywords per statement. Bench: `reports`.

import type { Market } from '../../src/tracker/project.ts';
import type { Connection } from '../connection/client.ts';

import type { OuterJoined, TableRow } from '../schema/rows.ts';

export interface VolumeMarket {
  readonly service: string;
  readonly country: string;
  readonly language: string;
}

/** Metrics of one keyword in one month; nulls where the service knew nothing. */
interface Volume {
  readonly searchVolume: number | null;
  readonly cpcMicroUsd: number | null;
  readonly competition: number | null;
  readonly competitionLevel: string | null;
  readonly intent: string | null;
  readonly relatedKeywords: readonly string[] | null;
}

export interface StoredVolume extends Volume {
  /** `2026-11` */
  readonly month: string;
  readonly observedAt: number;
  readonly source: string;
}

/** What a month has already stays. */
export const addVolume = 'ON CONFLICT (keyword_id, service, country, language, month) DO NOTHING';

export class Volumes {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  has(keyword: string, market: VolumeMarket, month: string): boolean {
    return (
      this.#db
        .sql(
          `SELECT 1 AS found FROM volumes v JOIN keywords k ON k.id = v.keyword_id
           WHERE k.text = stored_keyword(?) AND v.service = first_service_name(?) AND v.country = ? AND v.language = ? AND v.month = ?`,
        )
        .get(keyword, market.service, market.country, market.language, month) !== undefined
    );
  }

  /**
   * Adds metrics bought again in a month that has some. The old ones stay, and reads use the newest of the month. The
   * key allows one row per service, so later rows are named by service and purchase (`vendor#812`); no service in a
   * config can have such a name.
   */
  insertNewer(keyword: string, market: VolumeMarket, volume: StoredVolume, purchaseId: number): void {
    const isFirst = !this.has(keyword, market, volume.month);
    const service = this.#db.firstServiceName(market.service);
    this.insert(keyword, { ...market, service: isFirst ? service : `${service}#${purchaseId}` }, volume, purchaseId);
  }

  /** Adds a month's metrics; what a month has already stays. */
  insert(keyword: string, market: VolumeMarket, volume: StoredVolume, purchaseId: number | null): void {
    const { country, language } = market;
    const { month, observedAt, source, searchVolume, cpcMicroUsd, competition, competitionLevel, intent } = volume;
    const { relatedKeywords } = volume;
    this.#db.record(
      'volumes',
      {
        keywordId: this.#db.names.keywordId(keyword),
        service: this.#db.firstServiceName(market.service),
        country,
        language,
        month,
        observedAt,
        source,
        purchaseId,
        searchVolume,
        cpcMicroUsd,
        competition,
        competitionLevel,
        intent,
        relatedKeywords: relatedKeywords === null ? null : JSON.stringify(relatedKeywords),
      },
      addVolume,
    );
  }
}

export type TrackedMetrics = Omit<StoredVolume, 'observedAt' | 'source' | 'relatedKeywords'>;

/** Of the metrics `v`. */
export const metricsColumns = `v.month, v.search_volume AS searchVolume, v.cpc_micro_usd AS cpcMicroUsd, v.competition,
  v.competition_level AS competitionLevel, v.intent`;
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
      .sql<OuterJoined<TrackedMetrics>>(
        `SELECT ${metricsColumns}
         FROM json_each(@keywords) w LEFT JOIN keywords k ON k.text = stored_keyword(w.value) ${isOnce ? volumesOnceSql : volumesSql} ORDER BY w.key`,
      )
      .all({ service, country, language, month, keywords: JSON.stringify(keywords) })
      .map((row) => (row.month === null ? null : row));
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

/** Metrics of one keyword from the newest purchase of the month. */
export type MonthlyVolume = Omit<StoredVolume, 'relatedKeywords'>;

/** Metrics of a keyword in the requested months, in order; null for a month without data. */
export interface KeywordMonths {
  readonly keyword: string;
  readonly months: readonly (MonthlyVolume | null)[];
}

/**
 * Metrics bought again in a month are stored as `service#purchase` (`Volumes.insertNewer`); no other name sorts between
 * the two.
 */
const ofService = "v.service >= first_service_name(@service) AND v.service < first_service_name(@service) || '$'";

export class VolumeSeries {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Months in which any keyword of the market has metrics, newest first, both ends included. */
  months(market: VolumeMarket, from: string, until: string): string[] {
    const { service, country, language } = market;
    return this.#db
      .sql<TableRow<'volumes', 'month'>>(
        `SELECT DISTINCT v.month FROM volumes v
         WHERE ${ofService} AND v.country = @country AND v.language = @language AND v.month BETWEEN @from AND @until ORDER BY v.month DESC`,
      )
      .all({ service, country, language, from, until })
      .map((row) => row.month);
  }

  /** In how many months each of these keywords has metrics. */
  counts(market: VolumeMarket, keywords: readonly string[]): number[] {
    const { service, country, language } = market;
    const counts: number[] = new Array(keywords.length).fill(0);
    const rows = this.#db.sql<{ key: number; months: number }>(
      `SELECT w.key, count(DISTINCT v.month) AS months
       FROM json_each(@keywords) w JOIN keywords k ON k.text = w.value
       JOIN volumes v ON v.keyword_id = k.id AND ${ofService} AND v.country = @country AND v.language = @language
       GROUP BY w.key`,
    );
    for (const { key, months } of rows.iterate({ service, country, language, keywords: JSON.stringify(keywords) }))
      counts[key] = months;
    return counts;
  }

  /** All months of these keywords, in their order, newest first. */
  history(market: VolumeMarket, keywords: readonly string[]): (MonthlyVolume & { readonly keyword: string })[] {
    const { service, country, language } = market;
    const rows = this.#db
      .sql<MonthlyVolume & { key: number }>(
        `SELECT w.key, ${metricsColumns}, v.source, v.observed_at AS observedAt
         FROM json_each(@keywords) w JOIN keywords k ON k.text = w.value
         JOIN volumes v ON v.keyword_id = k.id AND ${ofService} AND v.country = @country AND v.language = @language
         ORDER BY w.key, v.month DESC, v.observed_at DESC`,
      )
      .all({ service, country, language, keywords: JSON.stringify(keywords) });
    return rows.flatMap(({ key, ...volume }, at) => {
      const before = rows[at - 1];
      const isOlder = before?.key === key && before.month === volume.month;
      return isOlder ? [] : [{ ...volume, keyword: keywords[key] ?? '' }];
    });
  }

  /** Keywords in their order; those that have metrics in none of the months are left out. */
  of(market: VolumeMarket, keywords: readonly string[], months: readonly string[]): KeywordMonths[] {
    const { service, country, language } = market;
    const rows = this.#db
      .sql<MonthlyVolume & { key: number }>(
        `SELECT w.key, ${metricsColumns}, v.source, v.observed_at AS observedAt
         FROM json_each(@keywords) w JOIN keywords k ON k.text = stored_keyword(w.value)
         JOIN volumes v ON v.keyword_id = k.id AND ${ofService} AND v.country = @country AND v.language = @language
         WHERE v.month IN (SELECT value FROM json_each(@months)) ORDER BY w.key`,
      )
      .iterate({ service, country, language, keywords: JSON.stringify(keywords), months: JSON.stringify(months) });
    const found: { readonly keyword: string; readonly months: (MonthlyVolume | null)[] }[] = [];
    let last: number | undefined;
    for (const { key, ...volume } of rows) {
      if (key !== last) found.push({ keyword: keywords[key] ?? '', months: months.map(() => null) });
      last = key;
      const known = found.at(-1)?.months ?? [];
      const at = months.indexOf(volume.month);
      const other = known[at] ?? null;
      if (other === null || other.observedAt <= volume.observedAt) known[at] = volume;
    }
    return found;
  }
}
