// `prune`: deletes old raw pages, never history. Without --yes it only reports what it would delete.
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { type Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { durationMs } from '../../../config/schema/schema-parts.ts';
import { openConnection, openForReading } from '../../../db/connection/client.ts';
import { freeBytesAt } from '../../../db/connection/disk.ts';
import { asStoreError, StoreError } from '../../../db/connection/errors.ts';
import { LockPatience } from '../../../db/connection/group-commit.ts';
import { Runs } from '../../../db/history/runs/runs.ts';
import { Prunable } from '../../../db/integrity/prune.ts';
import { isAlive } from '../../../jobs/ownership.ts';
import { pruneHistory, pruneReport } from '../../../jobs/query/prune-history.ts';
import { pruneReports } from '../../../jobs/report/files/old-reports.ts';
import type { CommandDefinition, Context } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { counted, megabytes } from '../text/numbers.ts';
import { factLines } from '../text/table.ts';

const describe = (command: Command) =>
  command
    .option('--older-than <duration>', 'age of the pages to delete, such as 30d (default: `retention.rawPages`)', age)
    .option('--yes', 'delete; without it, only show what would be deleted')
    .option('--vacuum', 'rewrite the database without its free space, so that the file shrinks');

export const command: CommandDefinition = {
  about: `Raw pages are the provider's responses, kept so that later versions can parse them again. \`prune\` never deletes their parsed results, ranks, volumes,
the ledger, or pages that were never parsed. It also deletes expired idempotency records. With retention.reports in the config, prune
and runs delete reports of runs past that age. Runs delete nothing else; prune deletes only with --yes.`,
  examples: [
    { command: 'prune', does: 'dry run: what is older than `retention.rawPages` of the config (90d)' },
    { command: 'prune --older-than 30d --yes', does: 'delete raw pages older than 30 days' },
    { command: 'prune --yes --vacuum', does: 'and shrink the file; the database is locked meanwhile' },
  ],
  readsConfig: true,
  asksServices: () => false,
  describe,
  async run(context) {
    const outcome = await prune(context);
    if (context.json) context.out.json(outcome);
    else print(context, outcome);
    return exitCodes.done;
  },
};

function age(written: string): number {
  try {
    return durationMs(written);
  } catch {
    throw new InvalidArgumentError('Write a whole number and s, m, h, d or w, such as 90d.');
  }
}

type PruneOutcome = Awaited<ReturnType<typeof prune>>;

async function prune(context: Context) {
  const { host, signal, progress, lock } = context;
  const { olderThan, yes = false, vacuum = false } = context.flags(describe);
  const { databaseFile, retention, reports, projects } = await context.config();
  const at = host.now();
  const before = at - (olderThan ?? retention.rawPagesMs);
  const onProgress = (done: number, total: number) =>
    progress.update({ label: 'removed', done, total, creditsSpent: 0 });
  const request = { before, at, signal, onProgress };
  const open = () => {
    const reader = openForReading(databaseFile, { isCurrent: !yes }); // fails if the file is missing
    if (!yes) return reader;
    reader.close();
    return openConnection(databaseFile);
  };
  const db = yes ? await new LockPatience(lock.onLocked).until(open, lock.stop) : open();
  if (yes) db.onBlocked = lock.onBlocked ?? null;
  try {
    const prunable = new Prunable(db);
    if (yes && vacuum) {
      const busy = new Runs(db).openRuns().find((run) => isAlive(run.owner, run.heartbeatAt, at));
      if (busy !== undefined)
        throw new StoreError(
          'RUN_IN_PROGRESS',
          `run ${busy.id} is in progress, and --vacuum would lock the database`,
          'Wait until it ends, or prune without --vacuum: new data will use the freed space.',
        );
    }
    const result = yes ? await pruneHistory(prunable, request) : pruneReport(prunable, request);
    const bytesGivenBack = yes && vacuum ? giveBack(prunable, databaseFile) : null;
    const { bytes: fileBytes, freeBytes } = prunable.size();
    const ids = projects.map(({ id }) => id);
    return {
      database: databaseFile,
      isDryRun: !yes,
      before: new Date(before).toISOString(),
      ...result,
      /** Reports of runs past `retention.reports`; null: the config keeps them. */
      reports:
        retention.reportsMs === undefined ? null : pruneReports(reports.directory, ids, at - retention.reportsMs, yes),
      fileBytes,
      /** Inside the file; new rows use it. */
      freeBytes,
      /** Returned to the disk; null without `--vacuum`, and in a dry run. */
      bytesGivenBack,
    };
  } catch (error) {
    throw asStoreError(error, databaseFile);
  } finally {
    db.close();
  }
}

function print(context: Context, outcome: PruneOutcome): void {
  const { out, progress } = context;
  progress.clear();
  const { bodies, expiredRecords, unreadBodies, reports, isDryRun } = outcome;
  out.line(`${isDryRun ? 'Would remove' : 'Removed'} data received before ${outcome.before}:`);
  const facts = [
    ['raw pages', `${counted(bodies.rows, 'page')}, ${megabytes(bodies.bytes)}`],
    ['expired records', `${counted(expiredRecords.rows, 'idempotency record')}, ${megabytes(expiredRecords.bytes)}`],
    ['kept', `${counted(unreadBodies, 'old page')} never read, for a later version to read`],
    ['reports', reports === null ? '' : `${counted(reports.folders, 'report')} of runs, ${megabytes(reports.bytes)}`],
    ['file', `${megabytes(outcome.fileBytes)}, ${megabytes(outcome.freeBytes)} of it free for new data`],
  ] as const;
  for (const line of factLines(
    facts.filter(([name]) => (name !== 'kept' || unreadBodies > 0) && (name !== 'reports' || reports !== null)),
  ))
    out.line(line);
  const last = lastWord(outcome);
  if (last === null) return;
  out.line();
  out.line(last);
}

function lastWord({ isDryRun, bytesGivenBack, freeBytes }: PruneOutcome): string | null {
  if (isDryRun) return 'Nothing was changed: `--yes` removes it. History, archived pages and the ledger always stay.';
  if (bytesGivenBack !== null) return `Freed ${megabytes(bytesGivenBack)} of disk space.`;
  return freeBytes > 0 ? 'The file keeps its size; `--vacuum` shrinks it.' : null;
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
