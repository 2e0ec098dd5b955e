// Queries of a keyword dataset: one keyword by its key, and related ones by full-text search. Bench: `dataset`.
import type { DatasetKeyword, DatasetQuestion, KeywordDataset, KeywordDatasets } from '../../src/service/index.ts';
import { type DatasetConnection, type KeywordRow, openDatasetForReading } from './keyword-dataset-file.ts';
import { firstDatasetId, indexedText, lastDatasetId, saysSomething, searchTerms } from './keyword-search.ts';

/** The number of highest-volume matches that are scored: several times the number requested. */
const weighedPerWanted = 4;
const weighedMin = 200;
/** A word is as common as this at most: counting goes no further. */
const countedMax = 50_000;
/** The rarest words of a question say what it is about. */
const termsMax = 6;
/** Parameters of BM25, and how many words a keyword has on average. */
const saturation = 1.2;
const lengthShare = 0.75;
const wordsUsual = 4;

const columns = `k.keyword, k.key, k.search_volume, k.cpc_micro_usd, k.bid_low_micro_usd, k.bid_high_micro_usd, k.competition, k.competition_level, k.intent`;
const selectOne = `SELECT ${columns} FROM keywords k WHERE k.key = ? AND k.market_id = ?`;
/** In id order, which is volume order: it stops after the last row needed. The materialised part fixes the plan. */
const selectMatching = `WITH found AS MATERIALIZED (
    SELECT rowid AS id FROM keyword_search WHERE keyword_search MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid LIMIT ?
  ) SELECT k.id, ${columns} FROM found JOIN keywords k ON k.id = found.id`;
const countMatching = `SELECT count(*) AS n FROM (
    SELECT 1 FROM keyword_search WHERE keyword_search MATCH ? AND rowid BETWEEN ? AND ? LIMIT ${countedMax}
  )`;

/** Datasets in SQLite files. */
export const keywordDatasets: KeywordDatasets = { open: openKeywordDataset };

/** Throws StoreError where there is no dataset. */
export function openKeywordDataset(file: string): KeywordDataset {
  return new SqliteKeywordDataset(openDatasetForReading(file));
}

interface Relative {
  readonly id: number;
  readonly row: KeywordRow;
  readonly weight: number;
}

class SqliteKeywordDataset implements KeywordDataset {
  readonly #db: DatasetConnection;

  constructor(db: DatasetConnection) {
    this.#db = db;
  }

  lookup({ key, country, languages, relatedMax }: DatasetQuestion) {
    const market = this.#market(country, languages);
    if (market === null) return { asked: null, related: [] };
    const row = this.#db.sql<KeywordRow>(selectOne).get(key, market);
    const related = relatedMax === 0 ? [] : this.#related(key, market, relatedMax);
    return { asked: row === undefined ? null : toKeyword(row), related: related.map(({ row: one }) => toKeyword(one)) };
  }

  contents() {
    const markets = this.#db
      .sql<{ country: string; language: string; n: number }>(
        'SELECT country, language, count(*) AS n FROM keywords JOIN markets m ON m.id = market_id GROUP BY m.id ORDER BY n DESC, country, language',
      )
      .all()
      .map((row) => ({
        country: row.country,
        language: row.language,
        keywords: row.n,
      }));
    const importedAt =
      this.#db.sql<{ at: number | null }>('SELECT max(imported_at) AS at FROM imports').get()?.at ?? null;
    return { markets, importedAt };
  }

  close(): void {
    this.#db.close();
  }

  #market(country: string, languages: readonly string[]): number | null {
    for (const language of languages) {
      const row = this.#db
        .sql<{ id: number }>('SELECT id FROM markets WHERE country = ? AND language = ?')
        .get(country, language);
      if (row !== undefined) return row.id;
    }
    return null;
  }

  /**
   * First keywords with all words, then those with all but the most common, and so on to the rarest word alone; then
   * those with only one of the other words, rarer words first. Within each group the best come first.
   */
  #related(key: string, market: number, wanted: number): Relative[] {
    const range = [firstDatasetId(market), lastDatasetId(market)] as const;
    const words = searchTerms(key)
      .map((term) => ({ term, count: this.#db.sql<{ n: number }>(countMatching).get(term, ...range)?.n ?? 0 }))
      .filter(({ count }) => count > 0)
      .sort((a, b) => a.count - b.count)
      .slice(0, termsMax);
    const terms = words.map(({ term }) => term);
    const queries = terms.map((_, dropped) => terms.slice(0, terms.length - dropped).join(' AND '));
    for (const { term, count } of words.slice(1)) if (count < countedMax && saysSomething(term)) queries.push(term);
    const found = new Map<number, Relative>();
    for (const query of queries) {
      const missing = wanted - found.size;
      if (missing === 0) break;
      const weighed = Math.max(weighedMin, weighedPerWanted * missing) + found.size;
      const matching = this.#db
        .sql<KeywordRow>(selectMatching)
        .all(query, ...range, weighed)
        .map(toRelative);
      const others = matching.filter(({ id, row }) => !found.has(id) && row.key !== key);
      for (const relative of others.sort(byWeight).slice(0, missing)) found.set(relative.id, relative);
    }
    return [...found.values()];
  }
}

/**
 * BM25 times the volume; an unknown volume sorts as 0. Keywords found together contain the same words once each, so
 * only their length changes BM25. SQLite's own BM25 would count every word through the whole index for the same result.
 */
function toRelative(row: KeywordRow): Relative {
  const volume = row.search_volume ?? 0;
  const length = indexedText(row.key).trim().split(/\s+/).length;
  const norm = 1 - lengthShare + (lengthShare * length) / wordsUsual;
  return { id: row.id, row, weight: ((saturation + 1) / (1 + saturation * norm)) * Math.log2(2 + volume) };
}

function byWeight(a: Relative, b: Relative): number {
  return b.weight - a.weight || a.id - b.id;
}

function toKeyword(row: KeywordRow): DatasetKeyword {
  return {
    keyword: row.keyword ?? row.key,
    searchVolume: row.search_volume,
    cpcMicroUsd: row.cpc_micro_usd,
    bidLowMicroUsd: row.bid_low_micro_usd,
    bidHighMicroUsd: row.bid_high_micro_usd,
    competition: row.competition,
    competitionLevel: row.competition_level,
    intent: row.intent,
  };
}
