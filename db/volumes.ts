// Keyword metrics by month: what was bought, and what is still missing.
import type { Connection } from './client.ts';
import type { Names } from './names.ts';

export interface VolumeMarket {
  readonly service: string;
  readonly country: string;
  readonly language: string;
}

/** Metrics of one keyword in one month; nulls where the service knew nothing. */
export interface Volume {
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
           WHERE k.text = ? AND v.service = ? AND v.country = ? AND v.language = ? AND v.month = ?`,
        )
        .get(keyword, market.service, market.country, market.language, month) !== undefined
    );
  }

  /** Adds a month's metrics; what a month has already stays. */
  insert(keyword: string, market: VolumeMarket, volume: StoredVolume, purchaseId: number | null): void {
    this.#db
      .sql(
        `INSERT INTO volumes (keyword_id, service, country, language, month, observed_at, source, purchase_id, search_volume, cpc_micro_usd,
                              competition, competition_level, intent, related_keywords)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (keyword_id, service, country, language, month) DO NOTHING`,
      )
      .run(
        this.#names.keywordId(keyword),
        market.service,
        market.country,
        market.language,
        volume.month,
        volume.observedAt,
        volume.source,
        purchaseId,
        volume.searchVolume,
        volume.cpcMicroUsd,
        volume.competition,
        volume.competitionLevel,
        volume.intent,
        volume.relatedKeywords === null ? null : JSON.stringify(volume.relatedKeywords),
      );
  }
}
