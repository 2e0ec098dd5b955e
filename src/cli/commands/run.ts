// `run`: one run of what is due, or of what is named, and its reports.
import type { Command } from '@commander-js/extra-typings';
import type { App } from '../../app/app.ts';
import type { RunOptions, RunOutcome } from '../../app/runs/run.ts';
import type { CommandDefinition, Context, FlagsOf } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { collected, namedSlot, slotMoment, wholeNumber } from '../parsed-command.ts';
import { progressState } from '../terminal/progress.ts';
import { usageError } from '../text/failure.ts';
import { counted } from '../text/numbers.ts';
import {
  biggestMovers,
  printBroken,
  printDueness,
  printMissed,
  printMovers,
  printOverdue,
  printRun,
  printUnfinished,
  printUnwritten,
  runExitCode,
} from '../text/results/run-text.ts';
import { printable } from '../text/table.ts';

const describeRun = (command: Command) =>
  command
    .option('-p, --project <id>', 'run this project now; may be given several times', collected)
    .option('--all', 'run every project now')
    .option(
      '--slot <moment>',
      "run for that moment, an ISO 8601 date and time (default zone: the config's timezone)",
      namedSlot,
    )
    .option(
      '--late',
      'with --slot: run it although a later slot has passed; its rankings get the date on which they are seen',
    );

const describeDiscard = (command: Command) =>
  command
    .command('discard')
    .description('exclude a run from reports, baselines, dueness and alerts')
    .argument('<run>', 'number of the run, from `status`', wholeNumber(1, 1e15 - 1))
    .option('--reason <text>', 'why, in a few words')
    .option('--undo', 'include a discarded run again');

export const command: CommandDefinition = {
  about: `Without options it runs every project whose slot is due; if none is due, it says why. An unfinished run is resumed first: nothing is
bought twice. What failed or was deferred in the slot of today is tried again. \`run discard\` excludes a bad run from reports, baselines and alerts: its rows stay, what it spent stays spent, and its slot is due
again.`,
  examples: [
    { command: 'run', does: 'what is due now; the command for cron' },
    { command: 'run --project acme', does: 'one project now, due or not' },
    { command: 'run --all --json', does: 'every project now, the result as JSON' },
    {
      command: 'run --all --slot 2026-03-01T06:00:00+01:00',
      does: 'resume the run of that moment; nothing to do if it is complete',
    },
    { command: 'run --all --slot 2026-03-01T06:00 --late', does: 'an old slot, with pages and dates of today' },
    { command: 'run discard 12 --reason "wrong country"', does: 'exclude run 12 from all reports' },
    { command: 'run discard 12 --undo', does: 'include run 12 again' },
  ],
  readsConfig: true,
  leavesOutBroken: true,
  runsWithoutAction: true,
  asksServices: ({ action }) => action === undefined,
  describe(command) {
    describeRun(command);
    describeDiscard(command);
  },
  async run(context) {
    if (context.action === 'discard') return await discard(context);
    const flags = context.flags(describeRun);
    if (flags.all === true && flags.project !== undefined) throw usageError('--all and --project exclude each other.');
    if (flags.late === true && flags.slot === undefined) throw usageError('--late needs --slot.');
    await printWarnings(context);
    const outcome = await context.withApp((app) => startRun(app, flags, context));
    if (context.json) context.out.json(outcome);
    else print(context, outcome, flags.slot !== undefined);
    if (outcome.runs.length === 0 && context.signal.aborted) return exitCodes.interrupted;
    const code = runExitCode(outcome.runs, outcome.unwritten);
    const isPartial = outcome.overdue.length > 0 || outcome.broken.problems.length > 0;
    return code === exitCodes.done && isPartial ? exitCodes.partial : code;
  },
};

async function discard({ args, flags, withApp, json, out, shown }: Context): Promise<ExitCode> {
  const { reason, undo = false, project, all, slot, late } = { ...flags(describeRun), ...flags(describeDiscard) };
  if ([project, all, slot, late].some((flag) => flag !== undefined))
    throw usageError('`run discard` takes the number of a run, --reason and --undo.');
  if (undo && reason !== undefined) throw usageError('--undo and --reason exclude each other.');
  const runId = Number(args[0]);
  const { discardRun } = await import('../../app/runs/discard-run.ts');
  const outcome = await withApp((app) => discardRun(app, { runId, undo, reason }));
  if (json) {
    out.json(outcome);
    return exitCodes.done;
  }
  out.line(
    undo
      ? `Run ${runId} is included again.`
      : `Run ${runId} is discarded: reports, baselines and alerts exclude it. What it spent stays spent.`,
  );
  for (const { project: id, slot: freed } of undo ? [] : outcome.slots) {
    out.line(printable(`Its slot ${freed} of ${id} is free: if it is still due, the next run buys it again.`));
  }
  for (const { directory } of outcome.reports) out.line(printable(`Report written again: ${shown(directory)}`));
  if (!undo) out.line(`To undo: rankledger run discard ${runId} --undo`);
  return exitCodes.done;
}

/** `run` spends money, so it prints the warnings of the config too, not only `check`. */
async function printWarnings({ config, err }: Context): Promise<void> {
  const loaded = await config();
  const { olderCopyWarnings } = await import('../../app/opening/loss.ts');
  for (const warning of [...loaded.warnings, ...olderCopyWarnings(loaded)]) {
    err.line(`${err.styled('yellow', 'Warning:')} ${warning}`);
  }
}

async function startRun(
  app: App,
  flags: FlagsOf<typeof describeRun>,
  { signal, progress }: Context,
): Promise<RunOutcome> {
  const options: RunOptions = {
    projects: flags.project,
    all: flags.all,
    slot: flags.slot === undefined ? undefined : await slotMoment(flags.slot, app.config.timezone),
    late: flags.late,
    signal,
    onProgress: (state) => progress.update(progressState(state)),
    onNotice: (sentence) => progress.note(sentence),
  };
  const { run } = await import('../../app/runs/run.ts');
  const outcome = await run(app, options);
  progress.clear();
  return outcome;
}

function print(
  { out, shown }: Context,
  { runs, notDue, overdue, unfinished, missed, unwritten, clicks = [], broken }: RunOutcome,
  isNamedSlot: boolean,
): void {
  printBroken(out, broken);
  printOverdue(out, overdue);
  printMissed(out, missed);
  for (const run of runs) {
    printRun(out, run, shown);
    out.line();
  }
  printUnfinished(out, unfinished);
  const reports = runs.flatMap((run) => run.reports);
  if (reports.length > 0) printMovers(out, 'Biggest movers since the previous check', biggestMovers(reports), reports);
  printUnwritten(out, unwritten);
  for (const { project, days, fresh, error } of clicks) {
    const fetched = error === null || days > 0 ? [`${counted(days, 'day')} fetched, ${fresh} not final`] : [];
    const states = [...fetched, ...(error === null ? [] : [`not fetched: ${error}`])];
    out.line(`Clicks of ${printable(project)}: ${printable(states.join('; '))}`);
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
  // a project has one run at a time
  const isFree = notDue.some(({ runUnderWay }) => runUnderWay === null);
  if (isFree) out.line('To run now anyway: rankledger run --all');
}
