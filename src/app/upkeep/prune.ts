// Deletes raw pages past their retention, never history.
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import type { ResolvedConfig } from '../../../config/resolve.ts';
import { openConnection, openForReading } from '../../../db/connection/client.ts';
import { freeBytesAt } from '../../../db/connection/disk/disk.ts';
import { asStoreError, StoreError } from '../../../db/connection/errors.ts';
import { Names } from '../../../db/connection/names.ts';
import { Runs } from '../../../db/history/runs/runs.ts';
import { Prunable } from '../../../db/integrity/prune.ts';
import { isAlive } from '../../../jobs/ownership.ts';
import { type PruneResult, pruneHistory, pruneReport } from '../../../jobs/query/prune-history.ts';
import type { OldReports } from '../../../jobs/report/files/old-reports.ts';
import { pruneOldReports } from '../runs/prune-reports.ts';

export interface PruneOptions {
  /** Raw pages older than this are deleted. Default: the config's `retention.rawPages`. */
  readonly olderThanMs?: number;
  /** False: reports what would be deleted. */
  readonly isReal: boolean;
  /** Returns the space to the disk. */
  readonly vacuum: boolean;
  /** UTC milliseconds of now. */
  readonly at: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface PruneOutcome extends PruneResult {
  readonly database: string;
  readonly isDryRun: boolean;
  /** Pages received before this moment were deleted. */
  readonly before: string;
  /** Reports of runs past `retention.reports`; null: the config keeps them. */
  readonly reports: OldReports | null;
  readonly fileBytes: number;
  /** Inside the file; new rows use it. */
  readonly freeBytes: number;
  /** Returned to the disk; null without `vacuum`, and in a dry run. */
  readonly bytesGivenBack: number | null;
}

/** Throws StoreError. */
export async function pruneDatabase(config: ResolvedConfig, options: PruneOptions): Promise<PruneOutcome> {
  const { databaseFile } = config;
  const { isReal, vacuum, at, signal, onProgress } = options;
  const before = at - (options.olderThanMs ?? config.retention.rawPagesMs);
  const request = {
    before,
    at,
    signal,
    onProgress,
  };
  const reader = openForReading(databaseFile, { isCurrent: !isReal }); // fails if the file is missing
  if (isReal) reader.close();
  const db = isReal ? openConnection(databaseFile) : reader;
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
      reports: pruneOldReports(config, at, isReal),
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
    `run ${runId} is in progress, and --vacuum would lock the database`,
    'Wait until it ends, or prune without --vacuum: new data will use the freed space.',
  );
}

/**
 * SQLite writes the new copy to the folder for temporary files first, then to the write-ahead log beside the database.
 */
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
      `${folder} has no room to rewrite the database, which takes ${Math.ceil(room / 1e6)} MB there`,
      'The old pages are deleted, and new data will use their space. Free some disk space and prune with --vacuum again to shrink the file.',
    );
  }
  prunable.giveBackSpace();
  return bytes - prunable.size().bytes;
}
