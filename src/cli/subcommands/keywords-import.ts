// `keywords import`: options that describe keyword lists, and the report of imported and rejected rows.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import type { ResolvedConfig } from '../../../config/resolve.ts';
import { openKeywordDataset } from '../../../db/dataset/keyword-dataset.ts';
import { type AddedAs, KeywordDatasetWriter } from '../../../db/dataset/keyword-dataset-import.ts';
import {
  FileBytes,
  openingFile,
  openTable,
  type PartialMarket,
  parseMarket,
  RowMarkets,
  readingFile,
  type TableBytes,
} from '../../app/import/files.ts';
import {
  type KeywordFormat,
  type KeywordReading,
  type KeywordRejectReason,
  type KeywordRole,
  keywordFormats,
  keywordRejectReasons,
  keywordRoles,
} from '../../import/keywords/keyword-tables.ts';
import { type KeywordFile, readKeywords } from '../../import/keywords/read-keywords.ts';
import { type Clock, keywordKey, systemClock } from '../../service/terms.ts';
import { byText, sumOf } from '../../tracker/figures.ts';
import { getOrInsert } from '../../tracker/maps.ts';
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

/** Adds the subcommand. */
export const describeKeywordImport = (command: Command) =>
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

const rolesBeside = keywordRoles.filter((role) => role !== 'keyword' && role !== 'volume').join(', ');

function rate(written: string): number {
  const number = /^\d{1,6}(\.\d{1,9})?$/.test(written) ? Number(written) : 0;
  if (number > 0) return number;
  throw new InvalidArgumentError('Write the value of one unit in US dollars, such as 1.08.');
}

/** Runs the subcommand: 0 if everything was imported, 3 if something was not, 2 if a file cannot be read. */
export async function runKeywordImport(context: Context): Promise<ExitCode> {
  const { into, map, dryRun, format, ...flags } = context.flags(describeKeywordImport);
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
    throw asUsage(error, context.shown);
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
  const { new: fresh = 0, replaced = 0, repeated = 0 } = added ?? {};
  const file = printable(shown(report.file));
  if (rows === 0) out.line(`Nothing to import from ${file} (${report.format}).`);
  else if (added === null)
    out.line(`Would import ${counted(rows, 'keyword')} into ${into}: ${file} (${report.format})`);
  else out.line(`Imported ${counted(rows - repeated, 'keyword')} into ${into}: ${file} (${report.format})`);
  const blank = rows - volumes - ranges;
  const notes: readonly (readonly [number, string])[] = [
    [fresh, 'new'],
    [replaced, 'known already, and replaced'],
    [repeated, 'repeated in the same file; the first with a volume counts'],
    [ranges, 'with a range instead of a number: their volume is unknown'],
    [blank, 'without a volume'],
  ];
  for (const [count, what] of notes) if (count > 0) out.line(`  ${amount(count)} ${what}`);
  printRefused(out, `Not imported, or not completely: ${counted(report.notTaken, 'row')}`, report.refused);
}

interface KeywordImportOptions {
  /** Absolute. */
  readonly files: readonly string[];
  /** The dataset, absolute; made where there is none. */
  readonly into: string;
  /** Default: recognised. */
  readonly format?: KeywordFormat;
  readonly map?: ReadonlyMap<KeywordRole, string>;
  /** For rows that do not say it themselves. */
  readonly country?: string;
  readonly language?: string;
  /** US dollars for a unit of the currency of files that are in another one. */
  readonly usdPerUnit?: number;
  /** Nothing is written, and no dataset made. */
  readonly isDryRun?: boolean;
  readonly signal?: AbortSignal;
  /** Bytes of all files. */
  readonly onProgress?: (done: number, total: number) => void;
  readonly clock?: Pick<Clock, 'now'>;
}

type KeywordFileReport = ReturnType<Tally['report']>;
export type KeywordImportReport = Awaited<ReturnType<typeof importKeywords>>;

/** The files that a config names as datasets, each once. */
function datasetFiles(config: ResolvedConfig): string[] {
  const files = [...config.services.values()].flatMap((service) => {
    const metrics = service.mode === 'embedded' ? service.metrics : undefined;
    const file = metrics?.source === 'dataset' ? metrics.options['file'] : undefined;
    return typeof file === 'string' ? [file] : [];
  });
  return [...new Set(files)];
}

/**
 * Imports the files one after the other, after recognising all of them. Throws UnreadableInput, usage errors,
 * StoreError; files before the failed one stay imported.
 */
export async function importKeywords(options: KeywordImportOptions) {
  const { files: names, into, isDryRun = false, signal, onProgress, clock = systemClock } = options;
  const market = parseMarket(options);
  const { usdPerUnit = 1 } = options;
  if (!(usdPerUnit > 0 && usdPerUnit <= usdPerUnitMax))
    throw usageError('the value of a currency unit must be more than 0', 'Such as --usd-per-unit 1.08.');
  const files: SourceFile[] = [];
  try {
    for (const name of names) files.push(await openSource(name, options));
    const total = sumOf(files, ({ bytes }) => bytes.total);
    const reportProgress = (): void =>
      onProgress?.(
        sumOf(files, ({ done }) => done),
        total,
      );
    if (isDryRun && existsSync(into)) openKeywordDataset(into).close();
    const writer = isDryRun ? null : new KeywordDatasetWriter(into);
    const reports: KeywordFileReport[] = [];
    try {
      for (const file of files) {
        const taken = await take(file, writer, { ...market, signal, reportProgress, now: () => clock.now() });
        if (taken === null) break;
        reports.push(taken);
      }
    } finally {
      writer?.close();
    }
    const notTaken = sumOf(reports, (report) => report.notTaken);
    return {
      into,
      isDryRun,
      /** In the order of the files; each imported file is complete. */
      files: reports,
      notTaken,
      /** Stopped by the signal: the current file and those after it are not imported. */
      isInterrupted: reports.length < files.length,
    };
  } finally {
    for (const file of files) file.bytes.close();
  }
}

/** Throws UnreadableInput, and a usage error for a file without a market. */
async function openSource(name: string, options: KeywordImportOptions): Promise<SourceFile> {
  const { format = null, map = new Map(), usdPerUnit = null } = options;
  const { bytes, found } = await openingFile(name, () =>
    openTable(new FileBytes(name), (pieces) => readKeywords(pieces, format, { map, usdPerUnit })),
  );
  for (const part of ['country', 'language'] as const) {
    const isNamed = part === 'country' ? found.namesCountries : found.namesLanguages;
    if (isNamed || options[part] !== undefined) continue;
    bytes.close();
    throw usageError(`${name} does not name the ${part} of its keywords`, `Name it with --${part}.`);
  }
  return new SourceFile(name, bytes, found);
}

/** One of the files, recognised. */
class SourceFile {
  readonly name: string;
  readonly bytes: TableBytes;
  readonly found: KeywordFile;
  isOver = false;
  hasBegun = false;

  constructor(name: string, bytes: TableBytes, found: KeywordFile) {
    this.name = name;
    this.bytes = bytes;
    this.found = found;
  }

  get done(): number {
    if (this.isOver) return this.bytes.total;
    return this.hasBegun ? this.bytes.read : 0;
  }
}

interface Taking extends PartialMarket {
  readonly signal: AbortSignal | undefined;
  reportProgress(): void;
  now(): number;
}

const rowsPerTurn = 2_000;
const usdPerUnitMax = 1_000_000;
const firstShown = 5;

/** Imports one file in one transaction; null if the signal ended it, and nothing of it is kept. */
async function take(
  file: SourceFile,
  writer: KeywordDatasetWriter | null,
  taking: Taking,
): Promise<KeywordFileReport | null> {
  const { found, name } = file;
  const tally = new Tally();
  const markets = new RowMarkets(taking);
  writer?.begin(name, found.format, taking.now());
  file.hasBegun = true;
  let turn = 0;
  const readings = found.readings[Symbol.iterator]();
  for (;;) {
    const next = readingFile(name, () => readings.next());
    if (next.done === true) break;
    const reading = next.value;
    if ('refused' in reading) tally.refuse(reading.refused, reading.line, reading.said);
    else {
      const market = markets.of(reading);
      if (typeof market === 'string') tally.refuse(market, reading.line, reading.keyword);
      else tally.take(reading, writer?.add({ ...reading, ...market, key: keywordKey(reading.keyword) }) ?? null);
    }
    turn += 1;
    if (turn % rowsPerTurn !== 0) continue;
    taking.reportProgress();
    await setImmediate();
    if (taking.signal?.aborted !== true) continue;
    writer?.rollback();
    return null;
  }
  writer?.commit();
  file.isOver = true;
  taking.reportProgress();
  return tally.report(file, writer === null);
}

class Tally {
  #rows = 0;
  #volumes = 0;
  #ranges = 0;
  readonly #added = { new: 0, replaced: 0, repeated: 0 };
  #rowsRefused = 0;
  #lastRefused = 0;
  readonly #refused = new Map<
    KeywordRejectReason,
    { count: number; last: number; first: { line: number; said: string }[] }
  >();

  take({ searchVolume, volumeRange }: KeywordReading, added: AddedAs | null): void {
    this.#rows += 1;
    if (searchVolume !== null) this.#volumes += 1;
    if (volumeRange !== null) this.#ranges += 1;
    if (added !== null) this.#added[added] += 1;
  }

  /** What is refused of one row comes without another row in between. */
  refuse(reason: KeywordRejectReason, line: number, said: string): void {
    if (line !== this.#lastRefused) this.#rowsRefused += 1;
    this.#lastRefused = line;
    const group = getOrInsert(this.#refused, reason, () => ({ count: 0, last: 0, first: [] }));
    if (line === group.last) return;
    group.last = line;
    group.count += 1;
    if (group.first.length < firstShown) group.first.push({ line, said });
  }

  report({ name, found }: SourceFile, isDryRun: boolean) {
    const refused = [...this.#refused]
      .map(([reason, { count, first }]) => ({ reason, count, first, ...keywordRejectReasons[reason] }))
      .sort((a, b) => b.count - a.count || byText(a.reason, b.reason));
    return {
      file: name,
      format: found.format,
      encoding: found.encoding,
      delimiter: found.delimiter,
      /** Rows that were imported; with a number of searches, and with a range instead. */
      rows: this.#rows,
      volumes: this.#volumes,
      ranges: this.#ranges,
      /** What became of keywords of the dataset; null in a dry run. `repeated`: the file already had the keyword. */
      added: isDryRun ? null : this.#added,
      /** Rows that were not imported, or only in part: each counted once, however many of its cells are rejected. */
      notTaken: this.#rowsRefused,
      refused,
    };
  }
}
