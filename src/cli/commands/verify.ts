// `verify`: proves that a database or a backup is unchanged since it was written.
import { resolve } from 'node:path';
import type { VerifyReport } from '../../app/upkeep/verify.ts';
import type { CommandDefinition, Context } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandError, describeFailure, usageError } from '../text/failure.ts';
import { megabytes } from '../text/numbers.ts';
import { printChecks } from '../text/results/audit-checks.ts';

const restoreHint = 'Stop rankledger, keep this file, and put your newest intact backup in its place.';

export const command: CommandDefinition = {
  about: `Runs all checks of \`audit\`, and also proves that the file and its tables are intact, that no recorded row has changed (checksums over all history),
and that every archived page and stored response can be read. It only reads, and may run during a run. Exit code 1 if anything is broken.`,
  examples: [
    { command: 'verify', does: 'the database of the config' },
    {
      command: 'verify data/backups/rankledger-20260115T060000.000Z.sqlite',
      does: 'a backup, against its SHA-256 too',
    },
    { command: 'verify --json', does: 'the same for monitoring' },
    {
      command: 'verify --accept-sums "version 0.9 wrote during the upgrade"',
      does: 'only if nothing but sums is broken; `account log` lists it',
    },
  ],
  readsConfig: true,
  asksServices: () => false,
  describe: (command) =>
    void command
      .argument('[file]', 'a database or a backup (default: the database of the config)')
      .option('--accept-sums <reason>', 'compute sums that differ again, for a cause that you know, and record it'),
  async run(context) {
    const { acceptSums } = context.flags<{ readonly acceptSums?: string }>();
    if (acceptSums !== undefined && context.args.length > 0) throw usageError('--accept-sums takes no file.');
    const report = acceptSums === undefined ? await verify(context) : await accept(context, acceptSums);
    if (context.json) context.out.json(report);
    else print(context, report);
    return report.ok ? exitCodes.done : exitCodes.failed;
  },
};

async function accept({ withApp, signal }: Context, reason: string): Promise<VerifyReport> {
  const { acceptDifferentSums } = await import('../../app/upkeep/verify.ts');
  return await withApp((app) => acceptDifferentSums(app, { reason, signal }));
}

async function verify(context: Context): Promise<VerifyReport> {
  const { host, signal, progress } = context;
  const [named] = context.args;
  const file = named === undefined ? (await context.config()).databaseFile : resolve(host.cwd, named);
  const { verifyDatabase } = await import('../../app/upkeep/verify.ts');
  try {
    return await verifyDatabase(file, {
      signal,
      onProgress: (done) => progress.update({ label: 'proof', done, total: done, creditsSpent: 0 }),
    });
  } catch (error) {
    throw withoutItself(error, named !== undefined);
  }
}

/** Hints of the store advise to run this command, or name `database:`; here they state what to do next. */
function withoutItself(error: unknown, isNamed: boolean): unknown {
  const { code, message, hint, exitCode } = describeFailure(error);
  if (isNamed && (hint?.includes('`database:`') === true || code === 'DATABASE_EMPTY_FILE'))
    return new CommandError(code, message, 'Name a database, or a backup that `rankledger backup` wrote.', exitCode);
  if (hint?.includes('rankledger verify') !== true) return error;
  return new CommandError(code, message, `Check the disk. ${restoreHint}`, exitCode);
}

function print({ out, shown, progress }: Context, report: VerifyReport): void {
  progress.clear();
  out.line(`${shown(report.file)}, ${megabytes(report.bytes)}`);
  out.line();
  printChecks(out, report.checks);
  out.line();
  if (report.ok) {
    out.line('The database is intact.');
    return;
  }
  const remedies = report.checks.flatMap(({ ok, remedy }) => (ok ? [] : [remedy ?? restoreHint]));
  const isBroken = remedies.includes(restoreHint);
  out.line(out.styled('red', `${isBroken ? 'The database is broken' : 'A check failed'}: see BROKEN above.`));
  out.line(isBroken ? restoreHint : remedies.join(' '));
}
