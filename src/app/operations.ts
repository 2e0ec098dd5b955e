// Keeping a database for years: backups, proofs and retention. Each opens the file by itself, because none needs a service or an open app.
import { existsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { ResolvedConfig } from '../../config/resolve.ts';
import {
  type Backup,
  type BackupProgress,
  backUp,
  backupName,
  recordedSha256,
  removeOlderBackups,
  sha256Of,
} from '../../db/backup.ts';
import { type Connection, openConnection, openForReading } from '../../db/client.ts';
import { freeBytesAt } from '../../db/disk.ts';
import { asStoreError, StoreError } from '../../db/errors.ts';
import { Names } from '../../db/names.ts';
import { Prunable } from '../../db/prune.ts';
import { Runs } from '../../db/runs.ts';
import { verification } from '../../db/verify.ts';
import { Witness, witnessFile } from '../../db/witness.ts';
import { isAlive } from '../../jobs/ownership.ts';
import { type PruneResult, pruneHistory, pruneReport } from '../../jobs/prune-history.ts';
import { UsageError } from './contract.ts';

export interface BackupRequest {
  /** Absolute: the file to make, or a folder that is there. Default: `backups` beside the database. */
  readonly to?: string;
  /** Older backups that this made in the same folder go, but for so many. */
  readonly keep?: number;
  /** UTC milliseconds of now. */
  readonly at: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: BackupProgress) => void;
}

export interface BackupReport extends Backup {
  readonly database: string;
  /** Older backups that went. */
  readonly removed: readonly string[];
}

/** Copies the config's database, checks the copy and puts it in place. Throws StoreError; UsageError where `keep` fits no file of one's own name. */
export async function backUpDatabase(config: ResolvedConfig, request: BackupRequest): Promise<BackupReport> {
  const { databaseFile } = config;
  const { to, keep, at, signal, onProgress } = request;
  const name = basename(databaseFile).replace(/\.(sqlite3?|db)$/, '');
  const folder = to === undefined ? join(dirname(databaseFile), 'backups') : isFolder(to) ? resolve(to) : null;
  if (folder === null && keep !== undefined)
    throw new UsageError('--keep counts the backups of a folder: name a folder, or nothing, in place of a file');
  const backup = await backUp(databaseFile, folder === null ? String(to) : join(folder, backupName(name, at)), {
    at,
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
  });
  const removed = folder === null || keep === undefined ? [] : removeOlderBackups(folder, name, keep);
  return { database: databaseFile, ...backup, removed };
}

function isFolder(path: string): boolean {
  return path.endsWith(sep) || statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

export interface VerifyReport {
  readonly ok: boolean;
  readonly file: string;
  readonly bytes: number;
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[];
}

export interface VerifyRequest {
  /** Absolute. Default: the config's database. */
  readonly file?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number) => void;
}

/** Proves a database or a backup. Changes nothing. Throws StoreError where the file is none of ours, or so damaged that it cannot be opened. */
export async function verifyDatabase(databaseFile: string, request: VerifyRequest): Promise<VerifyReport> {
  const { file = databaseFile, signal, onProgress } = request;
  const checks: VerifyReport['checks'][number][] = [];
  openForReading(file).close(); // what is no database of ours is refused before all of it is read
  const sum = await sumCheck(file); // not while it is open: closing a second handle would drop SQLite's locks on it
  if (sum !== null) checks.push(sum);
  const db = openForReading(file);
  try {
    for (const check of verification(db)) {
      checks.push(check);
      onProgress?.(checks.length);
      await new Promise((next) => setImmediate(next)); // a signal is noticed between two proofs
      signal?.throwIfAborted();
    }
    checks.push(witnessCheck(db));
  } catch (error) {
    throw asStoreError(error, file);
  } finally {
    db.close();
  }
  return { ok: checks.every(({ ok }) => ok), file, bytes: statSync(file).size, checks };
}

function witnessCheck(db: Connection): VerifyReport['checks'][number] {
  const ok = new Witness(db).gap() === null;
  const detail = ok ? '' : `it lacks what ${basename(witnessFile(db.file))} says: an older copy, or another database`;
  return { name: 'the ledger holds what its witness saw', ok, detail };
}

async function sumCheck(file: string): Promise<VerifyReport['checks'][number] | null> {
  const sha256 = recordedSha256(file);
  if (sha256 === null) return null;
  const ok = (await sha256Of(file)) === sha256;
  const name = 'the file is byte for byte what was backed up (SHA-256)';
  return { name, ok, detail: ok ? '' : `it is not what ${basename(file)}.sha256 says` };
}

export interface PruneOptions {
  /** Raw bodies older than this go. Default: the config's `retention.rawPages`. */
  readonly olderThanMs?: number;
  /** False: says what would go. */
  readonly isReal: boolean;
  /** Gives the space back to the disk. */
  readonly vacuum: boolean;
  /** UTC milliseconds of now. */
  readonly at: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface PruneOutcome extends PruneResult {
  readonly database: string;
  readonly isDryRun: boolean;
  /** What was received before went. */
  readonly before: string;
  readonly fileBytes: number;
  /** Of the file, used by what is recorded next. */
  readonly freeBytes: number;
  /** What the disk got back; null where that was not asked for, or nothing was changed. */
  readonly bytesGivenBack: number | null;
}

/** Removes raw bodies that have been read and are old, never history. Throws StoreError. */
export async function pruneDatabase(config: ResolvedConfig, options: PruneOptions): Promise<PruneOutcome> {
  const { databaseFile } = config;
  const { isReal, vacuum, at, signal, onProgress } = options;
  const before = at - (options.olderThanMs ?? config.retention.rawPagesMs);
  const request = {
    before,
    at,
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
  };
  openForReading(databaseFile).close(); // a file that is not there is not made for this
  const db = openConnection(databaseFile);
  try {
    const prunable = new Prunable(db);
    if (isReal && vacuum) {
      const busy = new Runs(db, new Names(db)).openRuns().find((run) => isAlive(run.owner, run.heartbeatAt, at));
      if (busy !== undefined) throw runInTheWay(busy.id);
    }
    const result = isReal ? await pruneHistory(prunable, request) : pruneReport(prunable, request);
    const bytesGivenBack = isReal && vacuum ? giveBack(prunable, databaseFile) : null;
    const { bytes: fileBytes, freeBytes } = prunable.size();
    return {
      database: databaseFile,
      isDryRun: !isReal,
      before: new Date(before).toISOString(),
      ...result,
      fileBytes,
      freeBytes,
      bytesGivenBack,
    };
  } catch (error) {
    throw asStoreError(error, databaseFile);
  } finally {
    db.close();
  }
}

function runInTheWay(runId: number): StoreError {
  return new StoreError(
    'RUN_IN_PROGRESS',
    `run ${runId} is under way, and --vacuum locks the database while it writes it anew`,
    'Wait until it ends, or prune without --vacuum: the space is used by what is recorded next.',
  );
}

/** The new copy lies in the folder for temporary files first, then in the write-ahead log beside the database. */
function giveBack(prunable: Prunable, databaseFile: string): number {
  const { bytes, freeBytes } = prunable.size();
  const needed = bytes - freeBytes;
  for (const [folder, room] of [
    [dirname(databaseFile), 2 * needed],
    ...[tmpdir(), '/var/tmp'].filter(existsSync).map((temporary) => [temporary, needed] as const),
  ] as const) {
    if (freeBytesAt(folder) >= room) continue;
    throw new StoreError(
      'DISK_FULL',
      `${folder} has no room to write the database anew: that takes ${Math.ceil(room / 1e6)} MB there`,
      'The old pages are gone, and their space is used by what is recorded next. Free some space to give it back to the disk.',
    );
  }
  prunable.giveBackSpace();
  return bytes - prunable.size().bytes;
}
