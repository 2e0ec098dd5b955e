// `run`: one run of what is due, or of what is named, and its reports.
import type { App } from '../../app/app.ts';
import type { RunOptions, RunOutcome } from '../../app/runs/run.ts';
import type { CommandDefinition, Context } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { collected, type NamedSlot, namedSlot, slotMoment, wholeNumber } from '../parsed-command.ts';
import { progressState } from '../terminal/run-progress.ts';
import { usageError } from '../text/failure.ts';
import {
  biggestMovers,
  printBroken,
  printDueness,
  printMovers,
  printOverdue,
  printRun,
  printUnwritten,
  runExitCode,
} from '../text/run-text.ts';
import { printable } from '../text/table.ts';

interface Flags {
  readonly project?: readonly string[];
  readonly all?: boolean;
  readonly slot?: NamedSlot;
  readonly late?: boolean;
}

interface DiscardFlags extends Flags {
  readonly reason?: string;
  readonly undo?: boolean;
}

export const command: CommandDefinition = {
  about: `Without options it runs every project whose slot is due, and says why where none is. An unfinished run is
resumed first: nothing is bought twice. \`run discard\` takes a run that should not have been out of reports, baselines and alerts: its rows and its
money stay, and its slot is due again.`,
  examples: [
    { command: 'run', does: 'what is due now; put this into cron' },
    { command: 'run --project acme', does: 'one project now, due or not' },
    { command: 'run --all --json', does: 'every project now, the result as JSON' },
    {
      command: 'run --all --slot 2026-03-01T06:00:00+01:00',
      does: 'the run of that moment: resumed, or nothing where it is complete',
    },
    { command: 'run --all --slot 2026-03-01T06:00 --late', does: 'an old slot with the pages of today, dated today' },
    { command: 'run discard 12 --reason "wrong country"', does: 'leaves run 12 out of all reports' },
    { command: 'run discard 12 --undo', does: 'makes run 12 count again' },
  ],
  readsConfig: true,
  leavesOutBroken: true,
  runsWithoutAction: true,
  asksServices: ({ action }) => action === undefined,
  describe(command) {
    command
      .option('-p, --project <id>', 'run this project now; may be given several times', collected)
      .option('--all', 'run every project now')
      .option(
        '--slot <moment>',
        "run for that moment, an ISO 8601 date and time; without a zone on the config's clock",
        namedSlot,
      )
      .option(
        '--late',
        'with --slot: run it although a later slot has passed; its rankings carry the day they are seen on',
      );
    command
      .command('discard')
      .description('leave a run out of reports, baselines, dueness and alerts')
      .argument('<run>', 'its number, as `status` shows it', wholeNumber(1, 1e15 - 1))
      .option('--reason <text>', 'why, in a few words')
      .option('--undo', 'make a discarded run count again');
  },
  async run(context) {
    if (context.action === 'discard') return await discard(context);
    const flags = context.flags<Flags>();
    if (flags.all === true && flags.project !== undefined) throw usageError('--all and --project exclude each other.');
    if (flags.late === true && flags.slot === undefined)
      throw usageError('--late needs --slot: the slot that is run late.');
    await printWarnings(context);
    const outcome = await context.withApp(async (app) => await startRun(app, flags, context));
    if (context.json) context.out.json(outcome);
    else print(context, outcome, flags.slot !== undefined);
    if (outcome.runs.length === 0 && context.signal.aborted) return exitCodes.interrupted;
    const code = runExitCode(outcome.runs, outcome.unwritten);
    const isPartial = outcome.overdue.length > 0 || outcome.broken.problems.length > 0;
    return code === exitCodes.done && isPartial ? exitCodes.partial : code;
  },
};

async function discard({ host, args, flags, withApp, json, out, shown }: Context): Promise<ExitCode> {
  const { reason, undo = false, project, all, slot, late } = flags<DiscardFlags>();
  if ([project, all, slot, late].some((flag) => flag !== undefined))
    throw usageError('`run discard` takes the number of a run, --reason and --undo.');
  if (undo && reason !== undefined) throw usageError('--undo and --reason exclude each other.');
  const runId = Number(args[0]);
  const discardRun = await host.useCases.discardRun();
  const outcome = await withApp(async (app) =>
    discardRun(app, { runId, undo, ...(reason === undefined ? {} : { reason }) }),
  );
  if (json) {
    out.json(outcome);
    return exitCodes.done;
  }
  out.line(
    undo
      ? `Run ${runId} counts again.`
      : `Run ${runId} is discarded: reports, baselines and alerts leave it out. What it spent stays spent.`,
  );
  for (const { project: id, slot: freed } of undo ? [] : outcome.slots) {
    out.line(printable(`Its slot ${freed} of ${id} is free: where it is due, the next run buys it again.`));
  }
  for (const { directory } of outcome.reports) out.line(printable(`Report written again: ${shown(directory)}`));
  if (!undo) out.line(`To take it back: rankledger run discard ${runId} --undo`);
  return exitCodes.done;
}

/** A run spends money: what the config's reader should know is said here too, not only by `check`. */
async function printWarnings({ config, err, log }: Context): Promise<void> {
  for (const warning of (await config()).warnings) {
    if (err.isTerminal) err.line(`${err.styled('yellow', 'Warning:')} ${warning}`);
    else log.warn({}, warning);
  }
}

async function startRun(app: App, flags: Flags, { host, signal, progress }: Context): Promise<RunOutcome> {
  const options: RunOptions = {
    ...(flags.project === undefined ? {} : { projects: flags.project }),
    ...(flags.all === true ? { all: true } : {}),
    ...(flags.slot === undefined ? {} : { slot: await slotMoment(flags.slot, app.config.timezone) }),
    ...(flags.late === true ? { late: true } : {}),
    signal,
    onProgress: (state) => progress.update(progressState(state)),
  };
  const run = await host.useCases.run();
  const outcome = await run(app, options);
  progress.clear();
  return outcome;
}

function print(
  { out, shown }: Context,
  { runs, notDue, overdue, unwritten, broken }: RunOutcome,
  isNamedSlot: boolean,
): void {
  printBroken(out, broken);
  printOverdue(out, overdue);
  for (const run of runs) {
    printRun(out, run, shown);
    out.line();
  }
  const reports = runs.flatMap((run) => run.reports);
  if (reports.length > 0) printMovers(out, 'Biggest movers since the check before', biggestMovers(reports));
  if (unwritten.length > 0) {
    out.line(out.styled('bold', 'Reports and alerts that could not be written'));
    printUnwritten(out, unwritten);
  }
  if (runs.length > 0) return;
  if (isNamedSlot) {
    out.line('Nothing to do: that slot has run. `rankledger report` writes its reports again.');
    return;
  }
  if (notDue.length === 0) {
    out.line('The config tracks nothing: it has no projects.');
    return;
  }
  out.line('Nothing is due.');
  printDueness(out, notDue);
  out.line('To run now all the same: rankledger run --all');
}
