// `backfill import`: options that describe another tool's file, and the report of imported and rejected rows.
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { App } from '../../app/app.ts';
import type { ImportOptions, ImportReport } from '../../app/import/import-history.ts';
import { columnRoles, importFormats } from '../../import/history/table.ts';
import type { Context, Example } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { calendarDate, collected, wholeNumber } from '../parsed-command.ts';
import { amount } from '../text/numbers.ts';
import { asUsage, columnsByRole, importProgress, printRefused } from '../text/results/import-text.ts';
import { printable } from '../text/table.ts';

export const importExamples: readonly Example[] = [
  { command: 'backfill import semrush.csv --dry-run', does: 'show what would be imported, and import nothing' },
  { command: 'backfill import serpbear.json --project acme', does: 'the ranks that SerpBear recorded' },
  {
    command: 'backfill import ranks.csv --map keyword=Query,date=Day,rank=Pos --device mobile',
    does: 'any table: --map names its columns',
  },
];

type Flags = Omit<ImportOptions, 'file' | 'format' | 'map' | 'targets' | 'isDryRun' | 'signal' | 'onProgress'> & {
  readonly format: NonNullable<ImportOptions['format']> | 'auto';
  readonly map?: readonly string[];
  readonly target?: readonly string[];
  readonly dryRun?: boolean;
};

const resultsPerPage = 10;

/** Adds the subcommand. */
export function describeImport(command: Command): void {
  command
    .command('import')
    .description(
      'Import ranks that another tool recorded: Semrush, SerpBear, serposcope, `rankledger export`, or any CSV. They keep their source, are never compared with ranks of another source, and overwrite nothing.',
    )
    .argument('<file>', 'the export of the other tool')
    .option('-p, --project <id>', 'the project it belongs to (default: the only one)')
    .addOption(
      new Option('--format <format>', 'format of the file').choices(['auto', ...importFormats]).default('auto'),
    )
    .option('--map <columns>', `columns by name: keyword=Query,date=Day,rank=Pos; also ${rolesBeside}`, collected)
    .option('--target <target>', 'only this target; "NAME=TARGET" if the file uses another name for it', collected)
    .option('--country <code>', 'country of rows without one')
    .option('--language <code>', 'language of rows without one')
    .addOption(new Option('--device <device>', 'device of rows without one').choices(['desktop', 'mobile']))
    .option('--location <place>', 'place inside the country of rows without one, such as "Austin, Texas"')
    .option('--top <n>', 'how many results the tool checked: 100 means ten pages', topResults, 100)
    .option('--not-found <text>', 'a cell that means "not found", such as 0 or 101', collected)
    .addOption(
      new Option('--date-format <order>', 'how to read dates such as 03/04/2026').choices(['ymd', 'dmy', 'mdy']),
    )
    .option('--date <date>', 'date of a file without dates', calendarDate)
    .option('--dry-run', 'show what would be imported, and import nothing');
}

const rolesBeside = columnRoles.filter((role) => !['keyword', 'date', 'rank'].includes(role)).join(', ');

/** Runs the subcommand: 0 if every row was imported or known, 3 if some were not, 2 if the file cannot be read. */
export async function runImport(context: Context): Promise<ExitCode> {
  const { map, target, dryRun, format, ...flags } = context.flags<Flags>();
  const file = resolve(context.host.cwd, context.args[0] ?? '');
  const options: ImportOptions = {
    ...flags,
    file,
    map: columnsByRole(map ?? [], columnRoles, 'keyword=COLUMN,date=COLUMN,rank=COLUMN'),
    targets: target ?? [],
    isDryRun: dryRun === true,
    signal: context.signal,
    onProgress: importProgress(context.progress),
    ...(format === 'auto' ? {} : { format }),
  };
  const importHistory = await context.host.useCases.importHistory();
  const take = async (app: App): Promise<ImportReport> => {
    try {
      return await importHistory(app, options);
    } catch (error) {
      throw asUsage(error, context.shown(file));
    } finally {
      context.progress.clear();
    }
  };
  const report = await context.withApp(take, { keepsSchema: dryRun === true });
  if (context.json) context.out.json(report);
  else print(context, report);
  if (report.isInterrupted) return exitCodes.interrupted;
  return report.notTaken > 0 ? exitCodes.partial : exitCodes.done;
}

function topResults(written: string): number {
  const top = wholeNumber(resultsPerPage, 1000)(written);
  if (top % resultsPerPage === 0) return top;
  throw new InvalidArgumentError('Write a multiple of 10: pages are counted as ten results each.');
}

function print({ out, shown }: Context, report: ImportReport): void {
  const taken = report.ranked + report.notFound;
  const file = printable(shown(report.file));
  const did = report.isDryRun ? 'Would import' : 'Imported';
  const days = report.from === report.to ? `of ${report.from}` : `from ${report.from} to ${report.to}`;
  if (taken === 0) out.line(`Nothing to import from ${file} (${report.format}).`);
  else out.line(`${did} ${countRankings(taken)} ${days} into ${report.project}, as ${report.source}: ${file}`);
  if (taken > 0) out.line(`  ${amount(report.ranked)} ranked, ${amount(report.notFound)} not found`);
  if (report.notFound > 0 && report.format !== 'rankledger')
    out.line(`  "not found" means: not among the first ${amount(report.top)} results (--top)`);
  const notes: readonly (readonly [number, string])[] = [
    [report.untracked, 'of keywords that the project does not track'],
    [report.volumes, 'search volumes of months that are over'],
    [report.known, 'known already, left unchanged'],
    [report.empty, 'blank: not checked, or unknown'],
    [report.otherPages, 'of other pages of a keyword: its best rank counts'],
    [report.passedOver, 'of targets not named by --target, or of other projects'],
  ];
  for (const [count, what] of notes) if (count > 0) out.line(`  ${amount(count)} ${what}`);
  if (report.place !== null && taken > 0) {
    const where = report.location ?? 'the country';
    const note = `searched from ${report.place}: counted as ranks of ${where}`;
    out.line(`  ${out.styled('yellow', 'note')}  ${printable(note)}`);
  }
  printRefused(out, `Not imported: ${amount(report.notTaken)}`, report.refused);
  if (report.isInterrupted) out.line('Stopped before the end of the file. Run the same command again to continue.');
}

function countRankings(count: number): string {
  return count === 1 ? '1 ranking' : `${amount(count)} rankings`;
}
