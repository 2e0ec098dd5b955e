// Backs up the database of a config while runs go on.
import { statSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { ResolvedConfig } from '../../../config/resolve.ts';
import {
  type Backup,
  type BackupProgress,
  backUp,
  backupName,
  removeOlderBackups,
} from '../../../db/integrity/backup.ts';
import { isProcessRunning } from '../../service/index.ts';
import { UsageError } from '../opening/usage-error.ts';

export interface BackupRequest {
  /** Absolute: the file to create, or an existing folder. Default: `backups` beside the database. */
  readonly to?: string;
  /** How many backups in the same folder stay; older ones are deleted. */
  readonly keep?: number;
  /** UTC milliseconds of now. */
  readonly at: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: BackupProgress) => void;
}

export interface BackupReport extends Backup {
  readonly database: string;
  /** Older backups that were deleted. */
  readonly removed: readonly string[];
}

/**
 * Copies the database, checks the copy and puts it in place. Throws StoreError, and UsageError for `keep` with a file
 * name.
 */
export async function backUpDatabase(config: ResolvedConfig, request: BackupRequest): Promise<BackupReport> {
  const { databaseFile } = config;
  const { to, keep, at, signal, onProgress } = request;
  const name = basename(databaseFile).replace(/\.(sqlite3?|db)$/, '');
  const folder = to === undefined ? join(dirname(databaseFile), 'backups') : isFolder(to) ? resolve(to) : null;
  if (folder === null && keep !== undefined)
    throw new UsageError('--keep counts the backups in a folder: name a folder, or nothing, instead of a file');
  const backup = await backUp(databaseFile, folder === null ? String(to) : join(folder, backupName(name, at)), {
    at,
    isRunning: isProcessRunning,
    signal,
    onProgress,
  });
  const removed = folder === null || keep === undefined ? [] : removeOlderBackups(folder, name, keep);
  return { database: databaseFile, ...backup, removed };
}

function isFolder(path: string): boolean {
  return path.endsWith(sep) || statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
