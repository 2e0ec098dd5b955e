// `backfill bridge`: whether the ranks of a new source compare with those of the old one.
import type { Command } from '@commander-js/extra-typings';
import {
  type BridgeReport,
  bridgeSearches,
  bridgeSources,
  pagesPerSearch,
} from '../../../jobs/query/bridge-sources.ts';
import { serviceNamed } from '../../app/opening/named-projects.ts';
import { type AgreementField, agreementFields } from '../../tracker/trust/looks.ts';
import type { Context } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { wholeNumber } from '../parsed-command.ts';
import type { Printer } from '../terminal/printer.ts';
import { usageError } from '../text/failure.ts';
import { counted, percent } from '../text/numbers.ts';
import { type Column, printable, tableLines } from '../text/table.ts';

const searchesUsual = 20;
/** Fewer prove nothing. */
const searchesMin = 6;
const searchesMax = 1000;

export const describeBridge = (command: Command) =>
  command
    .command('bridge')
    .description('buy page 1 of some searches from two services, and keep whether their ranks compare')
    .requiredOption('--from <service>', 'service whose ranks history has')
    .requiredOption('--to <service>', 'service whose ranks are to compare with them')
    .option(
      '--searches <n>',
      'how many searches, at three pages each',
      wholeNumber(searchesMin, searchesMax),
      searchesUsual,
    )
    .option('--dry-run', 'show what it would cost, and buy nothing');

/** Exit code 3: the ranks do not compare. */
export async function bridge(context: Context): Promise<ExitCode> {
  const { from: old, to: present, searches, dryRun } = context.flags(describeBridge);
  if (old === present) throw usageError('--from and --to name the same service.');
  const report = await context.withApp(async (app) => {
    const [from, to] = [serviceNamed(app.config, old), serviceNamed(app.config, present)];
    const names = new Set([from, to]);
    for (const [name, { of }] of app.config.best) if (of.some((each) => names.has(each))) names.add(name);
    const projects = app.config.projects.filter(({ service }) => names.has(service));
    if (projects.length === 0) throw usageError(`No project uses ${from} or ${to}.`);
    const request = { from, to, projects, searchesMax: searches };
    if (dryRun === true) return { pages: bridgeSearches(app.context, request).length * pagesPerSearch };
    await app.openServicesOf(projects);
    return await bridgeSources(app.context, request, context.signal, (done, total) =>
      context.progress.update({ label: 'compared', done, total, creditsSpent: 0 }),
    );
  });
  context.progress.clear();
  if (context.json) context.out.json(report);
  else if ('pages' in report) context.out.line(`It would buy ${counted(report.pages, 'page')}, at a credit each.`);
  else print(context.out, report);
  return 'pages' in report || report.isComparable ? exitCodes.done : exitCodes.partial;
}

function print(out: Printer, report: BridgeReport): void {
  const { from, to, searches, failed, failure, agreement, usual, isComparable, difference } = report;
  out.line(printable(`${counted(searches, 'search', 'searches')} of ${from} and ${to} compared`));
  if (failure !== null) out.line(printable(`${counted(failed, 'search', 'searches')} failed: ${failure}`));
  const columns: readonly Column<AgreementField>[] = [
    { title: 'agreement in', value: (field) => field },
    { title: 'both sources', align: 'right', value: (field) => percent(agreement?.[field]) },
    { title: 'two looks at the old one', align: 'right', value: (field) => percent(usual?.[field]) },
  ];
  if (agreement !== null) for (const line of tableLines(columns, agreementFields)) out.line(line);
  if (isComparable) out.line(printable(`From the next run on, ranks of ${to} compare with those of ${from}.`));
  else if (difference === null) out.line('Too few searches were answered to say whether their ranks compare.');
  else out.line(printable(`Their ranks do not compare: ${to} differs ${difference}.`));
}
