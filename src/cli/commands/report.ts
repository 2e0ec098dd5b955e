// `report`: writes reports again from history, of today or an earlier day, compared with any earlier date.

import { resolve } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { writePdf } from '../../../jobs/report/html/pdf-report.ts';
import type { App } from '../../app/app.ts';
import { openPdfBrowser, type ReportOptions, type WrittenReport, writtenReports } from '../../app/reports/report.ts';
import { comparisonName } from '../../tracker/changes/change.ts';
import { plainTemplate } from '../../tracker/changes/client-reports.ts';
import type { CommandDefinition, Context, FlagsOf } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { calendarDate, collected, rejectEmptyRange } from '../parsed-command.ts';
import { usageError } from '../text/failure.ts';
import { amount, counted } from '../text/numbers.ts';
import { biggestMovers, printMovers } from '../text/results/run-text.ts';
import { printable } from '../text/table.ts';

/** Of the files of all projects. */
const agencyName = 'agency';

const describe = (command: Command) =>
  command
    .option('-p, --project <id>', 'report on this project; may be given several times', collected)
    .option(
      '--compare <baseline>',
      'previous, 1d, 7d, 30d, last-month or a date such as 2026-03-01 (default: reports.compare)',
    )
    .option('--as-of <date>', 'the state at the end of this local date instead of today', calendarDate)
    .option('--from <date>', 'a period from this local date on; needs --to', calendarDate)
    .option('--to <date>', 'last local date of the period', calendarDate)
    .option('--out <folder>', 'write below this folder instead of reports.dir')
    .option('--agency', 'also write the files of all projects together')
    .option('--xlsx', 'also write report.xlsx: a sheet for each table, for Excel and Sheets')
    .option('--deliver', 'send the scheduled reports that are due, and those that could not be sent')
    .option('--pdf', 'also print report.html as report.pdf; needs Chrome, or `reports.browser` in the config');

type Flags = FlagsOf<typeof describe>;

export const command: CommandDefinition = {
  about: `Buys nothing: it reads the database. Without options it writes the newest report again, in its place. With options such as --compare or --from it
writes to a separate folder, so that it replaces no report that you have already delivered.`,
  examples: [
    { command: 'report', does: "each project's last run, compared with the previous check" },
    { command: 'report --compare 30d', does: 'compared with the checks of 30 days earlier' },
    { command: 'report --project acme --compare 2026-03-01', does: 'one project, compared with a date' },
    { command: 'report --as-of 2026-03-31', does: 'the state at the end of that day' },
    {
      command: 'report --from 2026-03-01 --to 2026-03-31',
      does: 'a period: start, end, best, worst, average, days in the top 10',
    },
    { command: 'report --out delivery', does: 'into another folder' },
    { command: 'report --pdf', does: 'also report.pdf: the page as A4, printed by the Chrome of this machine' },
    { command: 'report --deliver', does: 'send what `reports.deliver` has due now; runs do so when they end' },
    { command: 'report --xlsx', does: 'also the tables as an Excel workbook' },
    {
      command: 'report --agency',
      does: 'also files of all projects together, with a column for each of the last days',
    },
  ],
  readsConfig: true,
  asksServices: ({ flags }) => 'deliver' in flags,
  describe,
  async run(context) {
    const flags = context.flags(describe);
    if (flags.deliver === true) return await deliver(context, flags);
    const { project, compare, agency, xlsx, pdf, asOf, out } = flags;
    const period = readPeriod(flags);
    const options: ReportOptions = {
      compare,
      agency,
      xlsx,
      pdf,
      asOf,
      period,
      ...(out === undefined ? {} : { out: resolve(context.host.cwd, out) }),
      projects: project,
    };
    const reports = await context.withApp((app) => reportWithPdf(app, options, context.signal), { isReading: true });
    if (context.json) {
      context.out.json({ reports });
      return exitCodes.done;
    }
    const isOfProjects = reports.some((report) => report.project !== agencyName);
    if (!isOfProjects) context.out.line(nothingText(flags));
    for (const report of reports) {
      context.out.line(`${report.project}: ${context.shown(report.directory)} (${counted(report.rows, 'row')})`);
      for (const file of report.files) context.out.line(`  ${file}`);
    }
    if (isOfProjects) {
      context.out.line();
      printMovers(
        context.out,
        `Biggest movers against ${await baselineText(context, flags)}`,
        biggestMovers(reports),
        reports,
      );
    }
    return exitCodes.done;
  },
};

async function deliver(context: Context, { deliver: _, ...others }: Flags): Promise<ExitCode> {
  if (Object.keys(others).length > 0) throw usageError('--deliver goes with no other option.');
  const { out, signal, json } = context;
  if ((await context.config()).reports.deliveries.length === 0)
    throw usageError('The config delivers nothing.', 'Write `deliver: weekly` below reports:, and an email channel.');
  const { deliver: deliverDue } = await import('../../app/runs/deliveries.ts');
  const outcome = await context.withApp((app) => deliverDue(app, signal));
  const code = outcome.failed > 0 ? exitCodes.partial : exitCodes.done;
  if (json) {
    out.json(outcome);
    return code;
  }
  out.line(`${counted(outcome.sent, 'delivery', 'deliveries')} sent, ${amount(outcome.failed)} failed.`);
  for (const { project, schedule, from, to, channel, recipient, state, error } of outcome.deliveries) {
    const receiver = recipient === '' ? channel : `${channel} ${recipient}`;
    const days = from === to ? from : `${from} to ${to}`;
    out.line(
      printable(`  ${state}: ${project}, ${schedule}, ${days}, ${receiver}${error === null ? '' : ` (${error})`}`),
    );
  }
  return code;
}

async function baselineText(context: Context, { from, compare }: Flags): Promise<string> {
  if (from !== undefined) return `the first checks from ${from} on`;
  return compare ?? comparisonName((await context.config()).reports.compare);
}

/** Throws a usage error for flags that exclude each other. */
function readPeriod({ from, to, asOf, compare }: Flags): ReportOptions['period'] {
  if (from === undefined && to === undefined) return undefined;
  if (from === undefined || to === undefined) throw usageError('--from and --to name a period together.', 'Give both.');
  rejectEmptyRange({ from, to });
  if (asOf !== undefined) throw usageError('--as-of names a day, --from and --to a period.', 'Leave one of them out.');
  if (compare !== undefined)
    throw usageError(
      '--compare does not go with --from and --to: a period is compared with its beginning.',
      'Leave one of them out.',
    );
  return { from, to };
}

function nothingText({ from, to, asOf }: Flags): string {
  const imported = 'A report is of a run: imported ranks are in `history` and `export`.';
  if (from !== undefined) return `No reports: no run from ${from} to ${to}. ${imported}`;
  if (asOf !== undefined) return `No reports: no run by ${asOf}. ${imported}`;
  return `No reports: no run yet. Start with \`rankledger run\`. ${imported}`;
}

/**
 * Writes reports. Prints those that are asked for as a PDF, or that replace one with a PDF. `signal` ends it between
 * two reports.
 */
export async function reportWithPdf(app: App, options: ReportOptions, signal?: AbortSignal): Promise<WrittenReport[]> {
  // without a browser nothing is written
  let browser = options.pdf === true ? await openPdfBrowser(app.config) : null;
  try {
    const reports: WrittenReport[] = [];
    for (const { wantsPdf = false, ...written } of writtenReports(app, options)) {
      await new Promise((next) => setImmediate(next)); // lets a signal in
      signal?.throwIfAborted();
      if (!wantsPdf) {
        reports.push(written);
        continue;
      }
      browser ??= await openPdfBrowser(app.config);
      const template = app.config.reports.templates.get(written.project) ?? plainTemplate;
      const { name } = await writePdf(browser, written.directory, template);
      reports.push({ ...written, files: [...written.files.slice(0, -1), name, ...written.files.slice(-1)] });
    }
    return reports;
  } finally {
    await browser?.close();
  }
}
