// Imports exports of Search Console: zip archives, workbooks, or CSV files, as sums of a period.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { unzipSync } from 'fflate';
import type { EngineExportRow, EngineReport } from '../../../db/history/clicks.ts';
import type { Store } from '../../../db/store.ts';
import { projectsNamed } from '../../app/opening/named-projects.ts';
import { readCitationTable } from '../../import/history/citation-report.ts';
import {
  type ComparedPeriod,
  type PerformanceTable,
  type ReportFilter,
  readFilters,
  readPerformanceTable,
} from '../../import/history/performance-report.ts';
import { textOf, UnreadableFile } from '../../import/text/text-file.ts';
import { isArchive, readWorkbook } from '../../import/text/workbook.ts';
import { sumOf } from '../../tracker/figures.ts';
import { isDate, localDate } from '../../tracker/schedule/local-time.ts';
import type { Context } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import type { Printer } from '../terminal/printer.ts';
import { usageError } from '../text/failure.ts';
import { amount, counted } from '../text/numbers.ts';
import { printable } from '../text/table.ts';

interface Period {
  /** Inclusive; default: as a table by date has it. */
  readonly from?: string;
  readonly to?: string;
}

const bytesMax = 256 * 1024 * 1024;
const linesShown = 20;

/** Throws usage errors where project, queries or period are not known, and for a file that cannot be read. */
export async function importClicks(
  { host, json, out, withApp }: Context,
  written: readonly string[],
  { projects = [], ...asked }: Period & { readonly projects?: readonly string[] },
): Promise<ExitCode> {
  if (projects.length > 1) throw usageError('An export belongs to one project.');
  const imported = await withApp(async ({ config, context }) => {
    const [project, ...others] = projectsNamed(config, projects);
    if (project === undefined || others.length > 0)
      throw usageError('the config has several projects', 'name the one that the export belongs to: --project ID');
    const texts: string[] = [];
    for (const name of written) texts.push(...(await textsOf(resolve(host.cwd, name))));
    const read = texts.map((text) => ({ text, table: readPerformanceTable(text) }));
    const tables = read.flatMap(({ table }) => table ?? []);
    const foreign = otherReports(tables, texts);
    const now = context.clock.now();
    const today = localDate(now, project.timezone);
    if (foreign !== null) return storeOthers(context.store, project.id, foreign, asked, { now, today });
    const queries = queriesOf(tables, texts);
    for (const { text, table } of read) if (table === null) rejectFilters(readFilters(text) ?? []);
    const put = ({ from, to, lines, rejected }: PeriodSums) => {
      const rows = unique(lines.map(({ name, ...line }) => ({ query: name, ...line })));
      context.store.clickExports.put(project.id, { from, to }, rows, now);
      return {
        from,
        to,
        queries: rows.length,
        clicks: sumOf(rows, (row) => row.clicks),
        impressions: sumOf(rows, (row) => row.impressions),
        /** Lines of queries that cannot be read. */
        rejected,
      };
    };
    const [sums, compared] = queries.isComparison
      ? comparedSums(queries.compared, asked, today)
      : [{ ...periodOf(tables, asked, today), ...queries }];
    return { project: project.id, ...put(sums), compared: compared && put(compared) };
  });
  if ('report' in imported) return printOther(imported, json, out);
  const { project, compared, ...sums } = imported;
  const periods = compared === undefined ? [sums] : [sums, compared];
  if (json) out.json(imported);
  else
    for (const { from, to, queries, clicks, impressions, rejected } of periods) {
      out.line(`Imported ${counted(queries, 'query', 'queries')} of ${from} to ${to} into ${printable(project)}`);
      out.line(`  ${counted(clicks, 'click')}, ${counted(impressions, 'impression')}`);
      if (rejected.length > 0) out.line(`  Lines that cannot be read: ${rejected.slice(0, linesShown).join(', ')}`);
    }
  return periods.some(({ rejected }) => rejected.length > 0) ? exitCodes.partial : exitCodes.done;
}

type PeriodSums = Pick<ComparedPeriod, 'lines' | 'rejected'> & Required<Period>;

/** The periods of a comparison, the later one first, with the dates of its header; else the last one alone. */
function comparedSums(compared: readonly ComparedPeriod[], { from, to }: Period, today: string) {
  const [first, ...others] = compared.map((each) => {
    if (each.dates !== 'last') return { ...each, ...checkedPeriod(each.dates, today) };
    if (from === undefined || to === undefined)
      throw usageError(
        'the export compares two periods without their dates',
        'name those of the last one with --from and --to: the previous one is not imported. With custom dates, both are',
      );
    return { ...each, ...checkedPeriod({ from, to }, today) };
  });
  if (first === undefined)
    throw usageError(
      'the export compares two periods, and its header does not say for certain which column is of which dates',
      'export again without a comparison, one period at a time: each is imported with its own dates',
    );
  return [first, ...others] as const;
}

/** What exports of another search engine's webmaster tools hold. */
interface OtherReports {
  readonly report: EngineReport;
  readonly rows: readonly EngineExportRow[];
  readonly rejected: readonly number[];
  /** Of a table by date. */
  readonly dates: readonly string[];
}

/** Null: the files are not of another search engine. */
function otherReports(tables: readonly PerformanceTable[], texts: readonly string[]): OtherReports | null {
  const clicks = tables.filter(({ isOtherEngine, kind }) => isOtherEngine && kind === 'queries');
  const citations = texts.flatMap((text) => readCitationTable(text) ?? []);
  const ofCitations = citations.filter(({ kind }) => kind !== 'date');
  if (clicks.length === 0 && ofCitations.length === 0) return null;
  const kinds = ofCitations.map(({ kind }) => kind);
  if (clicks.length + Math.min(1, kinds.length) > 1 || new Set(kinds).size < kinds.length || hasOwn(tables))
    throw usageError('the files are of several exports', 'import one export at a time, each with its period');
  const [counted] = clicks;
  if (counted !== undefined) {
    const rows = counted.lines.map(({ name, clicks: count, impressions, position: averagePosition }) => ({
      kind: 'query' as const,
      name,
      count,
      impressions,
      averagePosition,
    }));
    return { report: 'clicks', rows, rejected: counted.rejected, dates: [] };
  }
  const rows = ofCitations.flatMap(({ kind, lines }) =>
    kind === 'date' ? [] : lines.map((line) => ({ kind, ...line, impressions: null, averagePosition: null })),
  );
  const dates = citations.filter(({ kind }) => kind === 'date').flatMap(({ lines }) => lines.map(({ name }) => name));
  return { report: 'citations', rows, rejected: ofCitations.flatMap(({ rejected }) => rejected), dates: dates.sort() };
}

function hasOwn(tables: readonly PerformanceTable[]): boolean {
  return tables.some(({ isOtherEngine, kind }) => !isOtherEngine && kind === 'queries');
}

function storeOthers(
  store: Store,
  project: string,
  { report, rows, rejected, dates }: OtherReports,
  asked: Period,
  { now, today }: { readonly now: number; readonly today: string },
) {
  if (rows.length === 0)
    throw usageError(
      `no line can be read, of ${rejected.length}`,
      'clicks, impressions and citations are whole numbers',
    );
  const [from, to] = [asked.from ?? dates[0], asked.to ?? dates.at(-1)];
  if (from === undefined || to === undefined)
    throw usageError('the period of the export is not known', 'name it with --from and --to');
  const period = checkedPeriod({ from, to }, today);
  const unique = [...new Map(rows.map((row) => [`${row.kind} ${row.name}`, row])).values()];
  store.engineExports.put(project, report, period, unique, now);
  const count = sumOf(unique, (row) => row.count);
  return { project, report, ...period, rows: unique.length, count, rejected };
}

function printOther(imported: ReturnType<typeof storeOthers>, json: boolean, out: Printer): ExitCode {
  const { project, report, from, to, rows, count, rejected } = imported;
  if (json) out.json(imported);
  else {
    out.line(`Imported ${counted(rows, 'row')} of ${from} to ${to} into ${printable(project)}`);
    out.line(
      `  ${amount(count)} ${report} of another search engine, apart from those of Search Console: clicks engines`,
    );
    if (rejected.length > 0) out.line(`  Lines that cannot be read: ${rejected.slice(0, linesShown).join(', ')}`);
  }
  return rejected.length > 0 ? exitCodes.partial : exitCodes.done;
}

function queriesOf(tables: readonly PerformanceTable[], texts: readonly string[]): PerformanceTable {
  const [queries, ...others] = tables.filter(({ kind }) => kind === 'queries');
  if (queries === undefined)
    throw usageError(
      'no file has clicks by query',
      `name the zip archive of a performance report of Search Console, or its Queries.csv: a column of queries, clicks, impressions, CTR and position, in any order and language; found: ${describe(tables, texts)}`,
    );
  if (queries.others > 0)
    throw usageError(
      'the table of clicks by query has further columns, so that a query may be in several rows',
      'name a table of queries, clicks, impressions, CTR and position only',
    );
  if (others.length > 0)
    throw usageError('several files have clicks by query', 'import one export at a time, each with its period');
  for (const { lines, rejected } of queries.isComparison ? queries.compared : [queries])
    if (lines.length === 0)
      throw usageError(
        `no line of clicks by query can be read, of ${rejected.length}`,
        'clicks and impressions are whole numbers, with the same separator between thousands in a whole column and another one than that of decimals; no query has more clicks than impressions',
      );
  return queries;
}

/** The tables by what they are of, else the first lines. */
function describe(tables: readonly PerformanceTable[], texts: readonly string[]): string {
  if (tables.length > 0) return tables.map(({ kind }) => `clicks by ${kind}`).join(', ');
  return texts.map((text) => JSON.stringify(text.trim().split(/\r?\n/, 1)[0]?.slice(0, 80) ?? '')).join(', ');
}

/** Clicks of a part of the searches are not those of the property. */
function rejectFilters(filters: readonly ReportFilter[]): void {
  const shown = filters.filter(({ kind }) => kind === 'type' || kind === 'part');
  if (shown.length === 0) return;
  const names = shown.map(({ name, value }) => `${name}: ${value}`).join('; ');
  throw usageError(
    shown.some(({ kind }) => kind === 'type')
      ? `the export is of another search type than web (${names})`
      : `the export is filtered, so that it is not of the whole property (${names})`,
    'export again with the search type Web and no filter but the dates',
  );
}

/** Different spellings of a query may be one keyword text: the first stands. */
function unique<Row extends { readonly query: string }>(rows: readonly Row[]): Row[] {
  return [...new Map(rows.toReversed().map((row) => [row.query, row])).values()].reverse();
}

function periodOf(tables: readonly PerformanceTable[], { from, to }: Period, today: string): Required<Period> {
  const dates = (tables.find(({ kind }) => kind === 'dates')?.lines ?? []).map(({ name }) => name).sort();
  const [first, last] = [from ?? dates[0], to ?? dates.at(-1)];
  if (first === undefined || last === undefined)
    throw usageError('the period of the export is not known', 'add its table of dates, or --from and --to');
  return checkedPeriod({ from: first, to: last }, today);
}

function checkedPeriod({ from, to }: Required<Period>, today: string): Required<Period> {
  for (const date of [from, to]) if (!isDate(date)) throw usageError(`"${date}" is not a date such as 2026-11-20`);
  if (from > to) throw usageError(`the period ends before it begins: ${from}, ${to}`);
  if (to > today) throw usageError(`the period ends in the future: ${from}, ${to}`);
  return { from, to };
}

/** The CSV texts of a file: the sheets of a workbook, those in an archive, or itself. */
async function textsOf(file: string): Promise<string[]> {
  const bytes = read(file);
  try {
    if (!isArchive(bytes)) return [textOf(bytes)];
    const sheets = await readWorkbook(bytes);
    return sheets === null ? textsIn(bytes) : sheets.map(({ text }) => text);
  } catch (error) {
    throw error instanceof UnreadableFile ? usageError(`${file}: ${error.message}`, error.hint) : error;
  }
}

function textsIn(archive: Uint8Array): string[] {
  let left = bytesMax;
  let parts: Uint8Array[];
  try {
    const filter = ({ name, originalSize }: { name: string; originalSize: number }): boolean => {
      // archives made on a Mac have a second, binary entry for each file
      const isTable = /\.csv$/i.test(name) && !name.startsWith('__MACOSX/');
      left -= isTable ? originalSize : 0;
      return isTable && left >= 0;
    };
    parts = Object.values(unzipSync(archive, { filter }));
  } catch {
    throw new UnreadableFile('it is a damaged archive', 'export it again');
  }
  if (parts.length === 0) throw new UnreadableFile('it is an archive without CSV files', 'export it as CSV');
  return parts.map(textOf);
}

function read(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw usageError(`${file} cannot be read${code === undefined ? '' : ` (${code})`}`);
  }
}
