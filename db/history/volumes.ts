// Keyword metrics by month: stored ones and missing ones.
import type { Connection } from '../connection/client.ts';
import { digestColumns } from '../connection/digests.ts';
import { insertInto, toValues } from '../connection/insert.ts';
import type { Names } from '../connection/names.ts';

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

export const insertVolume = insertInto(
  'volumes',
  digestColumns.volumes,
  'ON CONFLICT (keyword_id, service, country, language, month) DO NOTHING',
);

export class Volumes {
  readonly #db: Connection;
  readonly #names: Names;

  constructor(db: Connection, names: Names) {
    this.#db = db;
    this.#names = names;
  }

  has(keyword: string, market: VolumeMarket, month: string): boolean {
    return (
      this.#db
        .sql(
          `SELECT 1 AS found FROM volumes v JOIN keywords k ON k.id = v.keyword_id
           WHERE k.text = ? AND v.service = first_service_name(?) AND v.country = ? AND v.language = ? AND v.month = ?`,
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
    const values = toValues(insertVolume, {
      month: volume.month,
      keyword_id: this.#names.keywordId(keyword),
      service: this.#db.firstServiceName(market.service),
      country: market.country,
      language: market.language,
      observed_at: volume.observedAt,
      source: volume.source,
      purchase_id: purchaseId,
      search_volume: volume.searchVolume,
      cpc_micro_usd: volume.cpcMicroUsd,
      competition: volume.competition,
      competition_level: volume.competitionLevel,
      intent: volume.intent,
      related_keywords: volume.relatedKeywords === null ? null : JSON.stringify(volume.relatedKeywords),
    });
    const { changes } = this.#db.sql(insertVolume.sql).run(...values);
    if (changes > 0) this.#db.digests.add('volumes', values);
  }
}
