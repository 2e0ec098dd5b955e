// The file of a keyword dataset: its schema, and opening or creating it.
import { existsSync } from 'node:fs';
import type BetterSqlite from 'better-sqlite3';
import type { DatasetKeyword } from '../../src/service/index.ts';
import { createWhole } from '../connection/disk.ts';
import { asStoreError, StoreError } from '../connection/errors.ts';
import { guardFile, isWritable } from '../connection/guards.ts';
import { closeDriver, type Row, sqliteDriver } from '../connection/statement.ts';

/** 'rnkd': marks a file as a dataset of ours. */
const datasetApplicationId = 0x726e6b64;
const datasetVersion = 1;
const busyTimeoutMsDefault = 3000;
/** An import touches the indexes all over: what does not fit is written and read again. */
const importCacheKiB = 64 * 1024;
const readingCacheKiB = 16 * 1024;

/**
 * `id` lets full-text search, which returns rows by id, find one market's keywords by volume, highest first: see
 * `datasetId`. A monthly series is a text, `2025-11:1900,2400,,1600`, in month order, empty where unknown; as rows it
 * would need ten times the space.
 */
const schema = `
CREATE TABLE markets (
  id INTEGER PRIMARY KEY,
  country TEXT NOT NULL,
  language TEXT NOT NULL,
  UNIQUE (country, language)
) STRICT;
CREATE TABLE imports (
  id INTEGER PRIMARY KEY,
  file TEXT NOT NULL,
  format TEXT NOT NULL,
  imported_at INTEGER NOT NULL,
  keywords INTEGER NOT NULL
) STRICT;
CREATE TABLE keywords (
  id INTEGER PRIMARY KEY,
  market_id INTEGER NOT NULL REFERENCES markets (id),
  key TEXT NOT NULL,
  keyword TEXT,
  search_volume INTEGER CHECK (search_volume >= 0),
  volume_low INTEGER CHECK (volume_low >= 0),
  volume_high INTEGER CHECK (volume_high >= volume_low),
  cpc_micro_usd INTEGER CHECK (cpc_micro_usd > 0),
  bid_low_micro_usd INTEGER CHECK (bid_low_micro_usd > 0),
  bid_high_micro_usd INTEGER CHECK (bid_high_micro_usd > 0),
  competition INTEGER CHECK (competition BETWEEN 0 AND 100),
  competition_level TEXT CHECK (competition_level IN ('low', 'medium', 'high')),
  intent TEXT CHECK (intent IN ('commercial', 'informational', 'navigational', 'transactional')),
  monthly TEXT,
  import_id INTEGER NOT NULL REFERENCES imports (id),
  UNIQUE (key, market_id),
  CHECK (search_volume IS NULL OR volume_low IS NULL)
) STRICT;
CREATE TABLE state (next_sequence INTEGER NOT NULL) STRICT;
INSERT INTO state VALUES (1);
CREATE VIRTUAL TABLE keyword_search USING fts5(
  words,
  content = '',
  contentless_delete = 1,
  tokenize = "unicode61 remove_diacritics 2 categories 'L* M* N* Co'"
);
PRAGMA application_id = ${datasetApplicationId};
PRAGMA user_version = ${datasetVersion};
`;

/** A row of `keywords`. */
export interface KeywordRow {
  readonly id: number;
  readonly key: string;
  /** Null where it is `key`. */
  readonly keyword: string | null;
  readonly search_volume: number | null;
  readonly cpc_micro_usd: number | null;
  readonly bid_low_micro_usd: number | null;
  readonly bid_high_micro_usd: number | null;
  readonly competition: number | null;
  readonly competition_level: DatasetKeyword['competitionLevel'];
  readonly intent: DatasetKeyword['intent'];
  readonly monthly: string | null;
  readonly import_id: number;
}

interface DatasetStatement<Result = Row> {
  run(...values: readonly (string | number | null)[]): { changes: number; lastInsertRowid: number | bigint };
  get(...values: readonly (string | number | null)[]): Result | undefined;
  all(...values: readonly (string | number | null)[]): Result[];
}

/** An open dataset. Statements are prepared once. */
export class DatasetConnection {
  readonly file: string;
  readonly #sqlite: BetterSqlite.Database;
  readonly #statements = new Map<string, DatasetStatement>();

  constructor(sqlite: BetterSqlite.Database, file: string) {
    this.#sqlite = sqlite;
    this.file = file;
  }

  sql<Result = Row>(text: string): DatasetStatement<Result> {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.#sqlite.prepare(text) as unknown as DatasetStatement;
      this.#statements.set(text, statement);
    }
    return statement as DatasetStatement<unknown> as DatasetStatement<Result>; // as far as the caller names the columns of its SELECT
  }

  execute(text: string): void {
    this.#sqlite.exec(text);
  }

  get inTransaction(): boolean {
    return this.#sqlite.inTransaction;
  }

  close(): void {
    this.#statements.clear();
    closeDriver(this.#sqlite);
  }
}

/** Opens a dataset for queries. Throws StoreError if it is missing, or is another kind of file. */
export function openDatasetForReading(file: string): DatasetConnection {
  return opened(file, () => {
    guard(file, 'read');
    const readonly = !isWritable(file);
    const sqlite = connected(file, { readonly, fileMustExist: true, timeout: busyTimeoutMsDefault }, readingCacheKiB);
    sqlite.pragma('query_only = ON');
    return sqlite;
  });
}

/**
 * Opens a dataset for adding keywords, and creates it if missing. Throws StoreError; leaves a file of another kind
 * unchanged.
 */
export function openDatasetForWriting(file: string, busyTimeoutMs = busyTimeoutMsDefault): DatasetConnection {
  return opened(file, () => {
    if (!existsSync(file)) createWhole(file, writeSchema);
    guard(file, 'write');
    const sqlite = connected(file, { fileMustExist: true, timeout: busyTimeoutMs }, importCacheKiB);
    sqlite.pragma('journal_mode = WAL'); // who asks meanwhile sees the dataset as it was
    sqlite.pragma('synchronous = FULL');
    sqlite.pragma('foreign_keys = ON');
    return sqlite;
  });
}

/**
 * Makes the file standalone, so that it can be copied, or read on a read-only disk. Does nothing while others have it
 * open.
 */
export function settleDataset(connection: DatasetConnection): void {
  connection.execute('PRAGMA busy_timeout = 0');
  connection.sql('PRAGMA wal_checkpoint(TRUNCATE)').all();
  try {
    connection.execute('PRAGMA journal_mode = DELETE');
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}

function opened(file: string, open: () => BetterSqlite.Database): DatasetConnection {
  try {
    return new DatasetConnection(open(), file);
  } catch (error) {
    throw asStoreError(error, file);
  }
}

function connected(file: string, options: BetterSqlite.Options, cacheKiB: number): BetterSqlite.Database {
  const Database = sqliteDriver();
  const sqlite = new Database(file, options);
  try {
    guardOwner(sqlite, file);
    sqlite.pragma(`cache_size = -${cacheKiB}`);
    return sqlite;
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

/** What guards.ts says of any file, with remedies for this one. */
function guard(file: string, use: 'read' | 'write'): void {
  try {
    guardFile(file, use);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const hint = hints[error.code];
    throw hint === undefined ? error : new StoreError(error.code, error.message, hint, error);
  }
}

const foreignHint = 'Name another file: a dataset is created by `rankledger keywords import FILE --into DATASET`.';
const hints: Readonly<Partial<Record<StoreError['code'], string>>> = {
  DATABASE_MISSING: 'Create it: `rankledger keywords import FILE --into DATASET`.',
  DATABASE_EMPTY_FILE: 'Delete the empty file, and import again.',
  DATABASE_CORRUPT: foreignHint,
  DATABASE_UNOPENABLE: foreignHint,
};

function guardOwner(sqlite: BetterSqlite.Database, file: string): void {
  const owner = sqlite.pragma('application_id', { simple: true }) as number;
  const version = sqlite.pragma('user_version', { simple: true }) as number;
  if (owner !== datasetApplicationId) {
    throw new StoreError('DATABASE_FOREIGN', `${file} is a database, but not a keyword dataset`, foreignHint);
  }
  if (version > datasetVersion) {
    throw new StoreError(
      'DATABASE_NEWER',
      `${file} was written by a newer rankledger (dataset ${version}, this one knows ${datasetVersion})`,
      'Upgrade rankledger, or import into another file.',
    );
  }
}

function writeSchema(file: string): void {
  const Database = sqliteDriver();
  const sqlite = new Database(file);
  try {
    sqlite.exec(schema);
  } finally {
    sqlite.close();
  }
}
