// `prune`: deletes old raw pages, never history. Without --yes it only reports what it would delete.
import { InvalidArgumentError } from 'commander';
import { durationMs } from '../../../config/schema/duration.ts';
import type { PruneOutcome } from '../../app/upkeep/prune.ts';
import type { CommandDefinition, Context } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { counted, megabytes } from '../text/numbers.ts';
import { factLines } from '../text/table.ts';

interface Flags {
  readonly olderThan?: number;
  readonly yes?: boolean;
  readonly vacuum?: boolean;
}

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
  describe: (command) =>
    void command
      .option('--older-than <duration>', 'age of the pages to delete, such as 30d (default: `retention.rawPages`)', age)
      .option('--yes', 'delete; without it, only show what would be deleted')
      .option('--vacuum', 'rewrite the database without its free space, so that the file shrinks'),
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

async function prune(context: Context): Promise<PruneOutcome> {
  const { host, signal, progress } = context;
  const { olderThan, yes = false, vacuum = false } = context.flags<Flags>();
  const config = await context.config();
  const { pruneDatabase } = await import('../../app/upkeep/prune.ts');
  return await pruneDatabase(config, {
    isReal: yes,
    vacuum,
    at: host.now(),
    signal,
    olderThanMs: olderThan,
    onProgress: (done, total) => progress.update({ label: 'removed', done, total, creditsSpent: 0 }),
  });
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
