// `backup`: a checked copy of the database while runs continue.

import { statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { type Backup, backUp, backupName, removeOlderBackups } from '../../../db/integrity/backup.ts';
import { isProcessRunning } from '../../service/terms.ts';
import type { CommandDefinition, Context } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { wholeNumber } from '../parsed-command.ts';
import { usageError } from '../text/failure.ts';
import { amount, counted, megabytes } from '../text/numbers.ts';
import { factLines } from '../text/table.ts';

const keepMax = 100_000;

const describe = (command: Command) =>
  command
    .argument('[file]', 'file to create, or a folder (default: backups/<name>-<time>.sqlite beside the database)')
    .option(
      '--keep <n>',
      'how many backups to keep in the folder; older ones are deleted once the new one is complete',
      wholeNumber(1, keepMax),
    );

export const command: CommandDefinition = {
  about: `The copy passes all checks of \`audit\` before it gets its name, and its SHA-256 is written to a file beside it. Runs continue meanwhile.
To restore: stop rankledger, replace the database with the backup, remove the -wal and -shm files beside it, and run \`rankledger audit\`.`,
  examples: [
    { command: 'backup', does: 'a new file in the folder backups beside the database' },
    { command: 'backup --keep 14', does: 'the same, and keep only the newest 14' },
    { command: 'backup /mnt/safe/rankledger.sqlite', does: 'a file of this name, which must not exist' },
    { command: 'backup /mnt/safe/ --keep 14 --json', does: 'in another folder, for scripts' },
  ],
  readsConfig: true,
  asksServices: () => false,
  describe,
  async run(context) {
    const startedAt = context.host.now();
    const backup = await copyDatabase(context);
    const report = { ...backup, elapsedMs: context.host.now() - startedAt };
    if (context.json) context.out.json(report);
    else print(context, report);
    return exitCodes.done;
  },
};

interface BackupReport extends Backup {
  readonly database: string;
  /** Older backups that were deleted. */
  readonly removed: readonly string[];
}

/** Copies the database, checks the copy and puts it in place. Throws StoreError, and a usage error for `--keep`. */
async function copyDatabase({ args, config, flags, host, signal, progress }: Context): Promise<BackupReport> {
  const { databaseFile } = await config();
  const { keep } = flags(describe);
  const [written] = args;
  const name = basename(databaseFile).replace(/\.(sqlite3?|db)$/, '');
  const to = resolve(host.cwd, written ?? join(dirname(databaseFile), 'backups'));
  const isFolder = written === undefined || /[/\\]$/.test(written) || existingFolder(to);
  if (!isFolder && keep !== undefined)
    throw usageError('--keep counts the backups in a folder: name a folder, or nothing, instead of a file');
  const at = host.now();
  const backup = await backUp(databaseFile, isFolder ? join(to, backupName(name, at)) : to, {
    at,
    isRunning: isProcessRunning,
    signal,
    onProgress: ({ phase, done, total }) => progress.update({ label: phase, done, total, creditsSpent: 0 }),
  });
  const removed = isFolder && keep !== undefined ? removeOlderBackups(to, name, keep) : [];
  return { database: databaseFile, ...backup, removed };
}

function existingFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function print({ out, shown, progress }: Context, report: BackupReport & { readonly elapsedMs: number }): void {
  progress.clear();
  const { checks, rankings, pages, ledger } = report.rows;
  out.line(`${out.styled('green', 'OK')}  ${shown(report.file)}`);
  const facts = [
    ['size', megabytes(report.bytes)],
    [
      'holds',
      `${counted(checks, 'check')}, ${counted(rankings, 'ranking')}, ${counted(pages, 'page')}, ${amount(ledger)} ledger entries`,
    ],
    ['checked', `${counted(report.proofs, 'proof')}, none broken`],
    ['took', `${amount(report.elapsedMs / 1_000)} s`],
    ['SHA-256', report.sha256],
    ['removed', counted(report.removed.length, 'older backup')],
  ] as const;
  for (const line of factLines(facts.filter(([name]) => name !== 'removed' || report.removed.length > 0)))
    out.line(line);
}
