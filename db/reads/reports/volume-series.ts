// Keyword metrics of a month beside those of two other months, hundreds of keywords per statement.
import type { Connection } from '../../connection/client.ts';
import type { StoredVolume, VolumeMarket } from '../../history/volumes.ts';
import type { TableRow } from '../../schema/rows.ts';

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

type VolumeRow = Omit<
  TableRow<'volumes'>,
  'keyword_id' | 'service' | 'country' | 'language' | 'purchase_id' | 'related_keywords'
>;

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

  /** Keywords in their order; those that have metrics in none of the months are left out. */
  of(market: VolumeMarket, keywords: readonly string[], months: readonly string[]): KeywordMonths[] {
    const { service, country, language } = market;
    const rows = this.#db
      .sql<VolumeRow & { key: number }>(
        `SELECT w.key, v.month, v.search_volume, v.cpc_micro_usd, v.competition, v.competition_level, v.intent, v.source, v.observed_at
         FROM json_each(@keywords) w JOIN keywords k ON k.text = w.value
         JOIN volumes v ON v.keyword_id = k.id AND ${ofService} AND v.country = @country AND v.language = @language
         WHERE v.month IN (SELECT value FROM json_each(@months)) ORDER BY w.key`,
      )
      .iterate({ service, country, language, keywords: JSON.stringify(keywords), months: JSON.stringify(months) });
    const found: { readonly keyword: string; readonly months: (MonthlyVolume | null)[] }[] = [];
    let last: number | undefined;
    for (const row of rows) {
      if (row.key !== last) found.push({ keyword: keywords[row.key] ?? '', months: months.map(() => null) });
      last = row.key;
      const known = found.at(-1)?.months ?? [];
      const volume = toMonthlyVolume(row);
      const at = months.indexOf(volume.month);
      const other = known[at] ?? null;
      if (other === null || other.observedAt <= volume.observedAt) known[at] = volume;
    }
    return found;
  }
}

function toMonthlyVolume(row: VolumeRow): MonthlyVolume {
  return {
    month: row.month,
    searchVolume: row.search_volume,
    cpcMicroUsd: row.cpc_micro_usd,
    competition: row.competition,
    competitionLevel: row.competition_level,
    intent: row.intent,
    source: row.source,
    observedAt: row.observed_at,
  };
}
