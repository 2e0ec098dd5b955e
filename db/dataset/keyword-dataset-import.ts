// Adds a file's keywords to a dataset in one transaction: a failure leaves it as it was. Bench: `dataset`.
import type { DatasetKeyword } from '../../src/service/index.ts';
import { asStoreError } from '../connection/errors.ts';
import {
  type DatasetConnection,
  type KeywordRow,
  openDatasetForWriting,
  settleDataset,
} from './keyword-dataset-file.ts';
import { datasetId, indexedText, toSequence } from './keyword-search.ts';

/** A keyword with what a file says of it. */
export interface DatasetRow extends DatasetKeyword {
  /** As `keywordKey` writes it. */
  readonly key: string;
  /** ISO 3166-1, upper case. */
  readonly country: string;
  readonly language: string;
  /** The file has a range instead of a volume. */
  readonly volumeRange: { readonly low: number; readonly high: number | null } | null;
  /** By month, `2026-01`. */
  readonly months: ReadonlyMap<string, number>;
}

/** What became of a row: `repeated` is one that the same file had before. */
export type AddedAs = 'new' | 'replaced' | 'repeated';

const selectKnown = 'SELECT id, search_volume, monthly, import_id FROM keywords WHERE key = ? AND market_id = ?';
const insertKeyword = `INSERT INTO keywords (id, market_id, key, keyword, search_volume, volume_low, volume_high, cpc_micro_usd, bid_low_micro_usd,
  bid_high_micro_usd, competition, competition_level, intent, monthly, import_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (key, market_id) DO NOTHING`;
const updateKeyword = `UPDATE keywords SET id = ?, keyword = ?, search_volume = ?, volume_low = ?, volume_high = ?, cpc_micro_usd = ?,
  bid_low_micro_usd = ?, bid_high_micro_usd = ?, competition = ?, competition_level = ?, intent = ?, monthly = ?, import_id = ? WHERE id = ?`;
const indexKeyword = 'INSERT INTO keyword_search (rowid, words) VALUES (?, ?)';

/** A dataset to be added to. */
export class KeywordDatasetWriter {
  readonly #db: DatasetConnection;
  readonly #markets = new Map<string, number>();
  #importId = 0;
  #keywords = 0;
  #nextSequence = 1;

  /** Makes the file where there is none. `busyTimeoutMs`: how long it waits for another import. Throws StoreError. */
  constructor(file: string, options: { readonly busyTimeoutMs?: number } = {}) {
    this.#db = openDatasetForWriting(file, options.busyTimeoutMs);
  }

  /** Begins with a file. Throws StoreError where another process is importing. */
  begin(file: string, format: string, at: number): void {
    this.#guarded(() => {
      this.#db.execute('BEGIN IMMEDIATE');
      this.#markets.clear();
      this.#keywords = 0;
      this.#nextSequence = this.#db.sql<{ n: number }>('SELECT next_sequence AS n FROM state').get()?.n ?? 1;
      this.#importId = Number(
        this.#db
          .sql('INSERT INTO imports (file, format, imported_at, keywords) VALUES (?, ?, ?, 0)')
          .run(file, format, at).lastInsertRowid,
      );
    });
  }

  /**
   * Replaces the keyword's data in its market, except months that the row does not name. Of several rows of one file
   * for a keyword the first with a volume counts.
   */
  add(row: DatasetRow): AddedAs {
    return this.#guarded(() => {
      const market = this.#marketId(row.country, row.language);
      if (this.#isNew(market, row)) return 'new';
      const known = this.#db
        .sql<Pick<KeywordRow, 'id' | 'search_volume' | 'monthly' | 'import_id'>>(selectKnown)
        .get(row.key, market);
      if (known === undefined) throw new Error(`${row.key} could neither be found nor added`);
      const isRepeated = known.import_id === this.#importId;
      if (isRepeated && (known.search_volume !== null || row.searchVolume === null)) return 'repeated';
      const before = known.id;
      const id = datasetId(market, row.searchVolume, toSequence(before));
      this.#db
        .sql(updateKeyword)
        .run(id, ...toValues(row), withEarlierMonths(known.monthly, row.months), this.#importId, before);
      if (id !== before) {
        this.#db.sql('DELETE FROM keyword_search WHERE rowid = ?').run(before);
        this.#db.sql(indexKeyword).run(id, indexedText(row.key));
      }
      if (!isRepeated) this.#keywords += 1;
      return isRepeated ? 'repeated' : 'replaced';
    });
  }

  /** Everything since `begin` is in the dataset when it returns, and nothing of it was before. */
  commit(): void {
    this.#guarded(() => {
      this.#db.sql('UPDATE imports SET keywords = ? WHERE id = ?').run(this.#keywords, this.#importId);
      this.#db.sql('UPDATE state SET next_sequence = ?').run(this.#nextSequence);
      this.#db.execute('COMMIT');
    });
  }

  /** The dataset is as it was before `begin`. */
  rollback(): void {
    if (this.#db.inTransaction) this.#db.execute('ROLLBACK');
  }

  /** Gives up what was not committed. */
  close(): void {
    try {
      this.rollback();
      settleDataset(this.#db);
    } finally {
      this.#db.close();
    }
  }

  /** Whether the keyword had no row; then it has one now. */
  #isNew(market: number, row: DatasetRow): boolean {
    const id = datasetId(market, row.searchVolume, this.#nextSequence);
    const { changes } = this.#db
      .sql(insertKeyword)
      .run(id, market, row.key, ...toValues(row), withEarlierMonths(null, row.months), this.#importId);
    if (changes === 0) return false;
    this.#nextSequence += 1;
    this.#keywords += 1;
    this.#db.sql(indexKeyword).run(id, indexedText(row.key));
    return true;
  }

  #marketId(country: string, language: string): number {
    const name = `${country} ${language}`;
    let id = this.#markets.get(name);
    if (id === undefined) {
      this.#db.sql('INSERT OR IGNORE INTO markets (country, language) VALUES (?, ?)').run(country, language);
      const row = this.#db
        .sql<{ id: number }>('SELECT id FROM markets WHERE country = ? AND language = ?')
        .get(country, language);
      if (row === undefined) throw new Error(`${name} could neither be found nor added`);
      id = row.id;
      this.#markets.set(name, id);
    }
    return id;
  }

  #guarded<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw asStoreError(error, this.#db.file);
    }
  }
}

/** In the order of `insertKeyword` from the keyword on. */
function toValues(row: DatasetRow): (string | number | null)[] {
  return [
    row.keyword === row.key ? null : row.keyword,
    row.searchVolume,
    row.volumeRange?.low ?? null,
    row.volumeRange?.high ?? null,
    row.cpcMicroUsd,
    row.bidLowMicroUsd,
    row.bidHighMicroUsd,
    row.competition,
    row.competition === null ? row.competitionLevel : null,
    row.intent,
  ];
}

/**
 * Merges two series `2025-11:1900,2400,,1600`; where both have a month the new value counts. Null if no month is known.
 */
function withEarlierMonths(earlier: string | null, months: ReadonlyMap<string, number>): string | null {
  if (months.size === 0) return earlier;
  const all = new Map([...parseMonths(earlier), ...months]);
  const sorted = [...all.keys()].sort();
  const [first = '', last = ''] = [sorted[0], sorted.at(-1)];
  const volumes: string[] = [];
  for (let month = first; month <= last; month = monthAfter(month)) volumes.push(String(all.get(month) ?? ''));
  return `${first}:${volumes.join(',')}`;
}

/** The months of a series. */
export function parseMonths(series: string | null): Map<string, number> {
  const months = new Map<string, number>();
  if (series === null) return months;
  let month = series.slice(0, series.indexOf(':'));
  for (const volume of series.slice(month.length + 1).split(',')) {
    if (volume !== '') months.set(month, Number(volume));
    month = monthAfter(month);
  }
  return months;
}

function monthAfter(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, '0')}`;
}
