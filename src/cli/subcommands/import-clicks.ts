// Imports exports of Search Console: zip archives, or CSV files, as sums of a period.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { unzipSync } from 'fflate';
import { projectsNamed } from '../../app/opening/named-projects.ts';
import {
  type PerformanceTable,
  type ReportFilter,
  readFilters,
  readPerformanceTable,
} from '../../import/history/performance-report.ts';
import { decodeText, detectEncoding, UnreadableFile } from '../../import/text/text-file.ts';
import { isDate, localDate } from '../../tracker/schedule/local-time.ts';
import type { Context } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { usageError } from '../text/failure.ts';
import { counted } from '../text/numbers.ts';
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
  const imported = await withApp(({ config, context }) => {
    const [project, ...others] = projectsNamed(config, projects);
    if (project === undefined || others.length > 0)
      throw usageError('the config has several projects', 'name the one that the export belongs to: --project ID');
    const texts = written.flatMap((name) => {
      const file = resolve(host.cwd, name);
      return readable(file, () => textsOf(file));
    });
    const tables = texts.flatMap((text) => readPerformanceTable(text) ?? []);
    const queries = queriesOf(tables, texts);
    for (const text of texts) rejectFilters(readFilters(text) ?? []);
    const period = periodOf(tables, asked, localDate(context.clock.now(), project.timezone));
    const rows = unique(queries.lines.map(({ name, ...line }) => ({ query: name, ...line })));
    context.store.clickExports.put(project.id, period, rows, context.clock.now());
    return {
      project: project.id,
      ...period,
      queries: rows.length,
      clicks: rows.reduce((sum, row) => sum + row.clicks, 0),
      impressions: rows.reduce((sum, row) => sum + row.impressions, 0),
      /** Lines of queries that cannot be read. */
      rejected: queries.rejected,
    };
  });
  const { project, from, to, queries, clicks, impressions, rejected } = imported;
  if (json) out.json(imported);
  else {
    out.line(`Imported ${counted(queries, 'query', 'queries')} of ${from} to ${to} into ${printable(project)}`);
    out.line(`  ${counted(clicks, 'click')}, ${counted(impressions, 'impression')}`);
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
  if (queries.isComparison)
    throw usageError(
      'the export compares two periods',
      'export again without a comparison, one period at a time: each is imported with its own dates',
    );
  if (queries.isOtherEngine)
    throw usageError(
      'the export is of the webmaster tools of another search engine: its clicks are not those that Search Console counts',
      'name an export of Search Console; `keywords add` tracks the keywords of this one',
    );
  if (queries.others > 0)
    throw usageError(
      'the table of clicks by query has further columns, so that a query may be in several rows',
      'name a table of queries, clicks, impressions, CTR and position only',
    );
  if (others.length > 0)
    throw usageError('several files have clicks by query', 'import one export at a time, each with its period');
  if (queries.lines.length === 0)
    throw usageError(
      `no line of clicks by query can be read, of ${queries.rejected.length}`,
      'clicks and impressions are whole numbers without separators, such as 1234, and no query has more clicks than impressions',
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

function periodOf(
  tables: readonly PerformanceTable[],
  { from, to }: Period,
  today: string,
): { readonly from: string; readonly to: string } {
  const dates = (tables.find(({ kind }) => kind === 'dates')?.lines ?? []).map(({ name }) => name).sort();
  const period = { from: from ?? dates[0], to: to ?? dates.at(-1) };
  if (period.from === undefined || period.to === undefined)
    throw usageError('the period of the export is not known', 'add its table of dates, or --from and --to');
  for (const date of [period.from, period.to])
    if (!isDate(date)) throw usageError(`"${date}" is not a date such as 2026-11-20`);
  if (period.from > period.to) throw usageError(`the period ends before it begins: ${period.from}, ${period.to}`);
  if (period.to > today) throw usageError(`the period ends in the future: ${period.from}, ${period.to}`);
  return { from: period.from, to: period.to };
}

/** The CSV texts of a file: those in an archive, or itself. */
function textsOf(file: string): string[] {
  const bytes = read(file);
  const isArchive = bytes[0] === 0x50 && bytes[1] === 0x4b;
  if (!isArchive) return [decoded(bytes)];
  let left = bytesMax;
  let parts: Uint8Array[];
  try {
    const filter = ({ name, originalSize }: { name: string; originalSize: number }): boolean => {
      // archives made on a Mac have a second, binary entry for each file
      const isTable = /\.csv$/i.test(name) && !name.startsWith('__MACOSX/');
      left -= isTable ? originalSize : 0;
      return isTable && left >= 0;
    };
    parts = Object.values(unzipSync(bytes, { filter }));
  } catch {
    throw new UnreadableFile('it is a damaged archive', 'export it again');
  }
  if (parts.length === 0)
    throw new UnreadableFile('it is an archive without CSV files, such as an Excel workbook', 'export it as CSV');
  return parts.map(decoded);
}

function readable<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw error instanceof UnreadableFile ? usageError(`${file}: ${error.message}`, error.hint) : error;
  }
}

function decoded(bytes: Uint8Array): string {
  return [...decodeText([bytes], detectEncoding([bytes]))].join('');
}

function read(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw usageError(`${file} cannot be read${code === undefined ? '' : ` (${code})`}`);
  }
}
