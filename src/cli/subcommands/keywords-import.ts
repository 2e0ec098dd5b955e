// `keywords import`: options that describe keyword lists, and the report of imported and rejected rows.
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { KeywordFileReport, KeywordImportOptions, KeywordImportReport } from '../../app/import/import-keywords.ts';
import { keywordFormats, keywordRoles } from '../../import/keywords/keyword-tables.ts';
import type { Context, Example } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { collected } from '../parsed-command.ts';
import { CommandError, usageError } from '../text/failure.ts';
import { amount, counted } from '../text/numbers.ts';
import { asUsage, columnsByRole, importProgress, printRefused } from '../text/results/import-text.ts';
import { printable } from '../text/table.ts';

export const keywordImportExamples: readonly Example[] = [
  {
    command: 'keywords import planner.csv --country US --language en --dry-run',
    does: 'show what a file of Keyword Planner would add, and import nothing',
  },
  {
    command: 'keywords import semrush.csv ahrefs.csv --language en --into data/keywords.dataset',
    does: 'two files into one dataset; both name their country',
  },
  {
    command: 'keywords import list.csv --map keyword=Term,volume=Searches --country DE --language de',
    does: 'any table: --map names its columns',
  },
];

type Flags = Pick<KeywordImportOptions, 'country' | 'language' | 'usdPerUnit'> & {
  readonly into?: string;
  readonly format: NonNullable<KeywordImportOptions['format']> | 'auto';
  readonly map?: readonly string[];
  readonly dryRun?: boolean;
  /** Options of the look-up, refused here. */
  readonly limit?: number;
  readonly service?: string;
};

/** Adds the subcommand. */
export function describeKeywordImport(command: Command): void {
  command
    .command('import')
    .description(
      'Import keyword lists with metrics into a dataset, a file that answers for free: Keyword Planner, Semrush, Ahrefs, or any CSV. A file is imported completely or not at all. Known keywords are replaced; monthly volumes that the file lacks are kept.',
    )
    .argument('<files...>', 'the exports of the other tool')
    .option('--into <dataset>', 'the dataset; created if missing (default: the only one of the config)')
    .option('--country <code>', 'country of rows without one')
    .option('--language <code>', 'language of rows without one')
    .addOption(
      new Option('--format <format>', 'format of the files').choices(['auto', ...keywordFormats]).default('auto'),
    )
    .option('--map <columns>', `columns by name: keyword=Query,volume=Searches; also ${rolesBeside}`, collected)
    .option('--usd-per-unit <rate>', "US dollars for a unit of the files' currency, such as 1.08", rate)
    .option('--dry-run', 'show what would be imported, and import nothing');
}

const rolesBeside = keywordRoles.filter((role) => role !== 'keyword' && role !== 'volume').join(', ');

function rate(written: string): number {
  const number = /^\d{1,6}(\.\d{1,9})?$/.test(written) ? Number(written) : 0;
  if (number > 0) return number;
  throw new InvalidArgumentError('Write the value of one unit in US dollars, such as 1.08.');
}

/** Runs the subcommand: 0 if everything was imported, 3 if something was not, 2 if a file cannot be read. */
export async function runKeywordImport(context: Context): Promise<ExitCode> {
  const { into, map, dryRun, format, limit, service, ...flags } = context.flags<Flags>();
  if (limit !== undefined || service !== undefined)
    throw usageError('--limit and --service are for look-ups, not for imports.');
  const { importKeywords } = await import('../../app/import/import-keywords.ts');
  const options: KeywordImportOptions = {
    ...flags,
    files: context.args.map((file) => resolve(context.host.cwd, file)),
    into: into === undefined ? await onlyDataset(context) : resolve(context.host.cwd, into),
    map: columnsByRole(map ?? [], keywordRoles, 'keyword=COLUMN,volume=COLUMN,cpc=COLUMN'),
    isDryRun: dryRun === true,
    signal: context.signal,
    clock: { now: context.host.now },
    onProgress: importProgress(context.progress),
    ...(format === 'auto' ? {} : { format }),
  };
  let report: KeywordImportReport;
  try {
    report = await importKeywords(options);
  } catch (error) {
    const file = error instanceof Error && 'file' in error ? context.shown(String(error.file)) : '';
    throw asUsage(error, file);
  } finally {
    context.progress.clear();
  }
  if (context.json) context.out.json(report);
  else print(context, report);
  if (report.isInterrupted) return exitCodes.interrupted;
  return report.notTaken > 0 ? exitCodes.partial : exitCodes.done;
}

/** The dataset of the config. Without a config, or with several datasets, the user must name it. */
async function onlyDataset(context: Context): Promise<string> {
  const { datasetFiles } = await import('../../app/import/import-keywords.ts');
  const hint = 'Name the dataset: --into data/keywords.dataset';
  const files = datasetFiles(
    await context.config().catch((error: unknown) => {
      if (!(error instanceof Error) || error.name !== 'ConfigError') throw error;
      throw new CommandError('CONFIG_INVALID', error.message, hint, exitCodes.usage);
    }),
  );
  const [only] = files;
  if (only !== undefined && files.length === 1) return only;
  const has = files.length === 0 ? 'no dataset' : `${files.length} datasets`;
  throw usageError(`The config names ${has} under metrics, so the dataset to import into is not clear.`, hint);
}

function print(context: Context, report: KeywordImportReport): void {
  const { out, shown } = context;
  for (const file of report.files) printFile(context, file, printable(shown(report.into)));
  if (!report.isInterrupted) return;
  out.line(
    report.files.length === 0
      ? 'Stopped: nothing was imported.'
      : `Stopped after ${counted(report.files.length, 'file')}; the others were not imported.`,
  );
}

function printFile({ out, shown }: Context, report: KeywordFileReport, into: string): void {
  const { rows, volumes, ranges, added } = report;
  const file = printable(shown(report.file));
  if (rows === 0) out.line(`Nothing to import from ${file} (${report.format}).`);
  else if (added === null)
    out.line(`Would import ${counted(rows, 'keyword')} into ${into}: ${file} (${report.format})`);
  else out.line(`Imported ${counted(rows - added.repeated, 'keyword')} into ${into}: ${file} (${report.format})`);
  const blank = rows - volumes - ranges;
  const notes: readonly (readonly [number, string])[] = [
    [added?.new ?? 0, 'new'],
    [added?.replaced ?? 0, 'known already, and replaced'],
    [added?.repeated ?? 0, 'repeated in the same file; the first with a volume counts'],
    [ranges, 'with a range instead of a number: their volume is unknown'],
    [blank, 'without a volume'],
  ];
  for (const [count, what] of notes) if (count > 0) out.line(`  ${amount(count)} ${what}`);
  printRefused(out, `Not imported, or not completely: ${counted(report.notTaken, 'row')}`, report.refused);
}
