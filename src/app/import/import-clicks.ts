// Imports exports of Search Console: zip archives, or CSV files, as sums of a period.
import { readFileSync } from 'node:fs';
import { unzipSync } from 'fflate';
import { type PerformanceTable, readPerformanceTable } from '../../import/history/performance-report.ts';
import { UnreadableFile } from '../../import/text/unreadable-file.ts';
import { isDate } from '../../tracker/changes/baseline.ts';
import { localDate } from '../../tracker/schedule/local-time.ts';
import type { App } from '../app.ts';
import { projectsNamed } from '../opening/named-projects.ts';
import { UsageError } from '../opening/usage-error.ts';

export interface ImportClicksOptions {
  /** Absolute. */
  readonly files: readonly string[];
  /** Default: the config's only one. */
  readonly project?: string;
  /** Of the period, inclusive; default: as a table by date has it. */
  readonly from?: string;
  readonly to?: string;
}

export interface ImportedClicks {
  readonly project: string;
  readonly from: string;
  readonly to: string;
  readonly queries: number;
  readonly clicks: number;
  readonly impressions: number;
  /** Lines of queries that cannot be read. */
  readonly rejected: readonly number[];
}

const bytesMax = 256 * 1024 * 1024;

/** Throws UsageError where project, queries or period are not known, and UnreadableFile. */
export function importClicks({ config, context }: App, options: ImportClicksOptions): ImportedClicks {
  const [project, ...others] = projectsNamed(config, options.project === undefined ? [] : [options.project]);
  if (project === undefined || others.length > 0)
    throw new UsageError('the config has several projects', 'name the one that the export belongs to: --project ID');
  const tables = options.files.flatMap(textsOf).flatMap((text) => readPerformanceTable(text) ?? []);
  const queries = queriesOf(tables);
  const period = periodOf(tables, options, localDate(context.clock.now(), project.timezone));
  const rows = unique(queries.lines.map(({ name, ...line }) => ({ query: name, ...line })));
  context.store.clickExports.put(project.id, period, rows, context.clock.now());
  return {
    project: project.id,
    ...period,
    queries: rows.length,
    clicks: rows.reduce((sum, row) => sum + row.clicks, 0),
    impressions: rows.reduce((sum, row) => sum + row.impressions, 0),
    rejected: queries.rejected,
  };
}

function queriesOf(tables: readonly PerformanceTable[]): PerformanceTable {
  const [queries, ...others] = tables.filter(({ kind }) => kind === 'queries');
  if (queries === undefined)
    throw new UsageError(
      'no file has clicks by query',
      'name the zip archive of a performance report, or its Queries.csv',
    );
  if (others.some(({ column }) => column === queries.column))
    throw new UsageError('several files have clicks by query', 'import one export at a time, each with its period');
  if (queries.lines.length === 0)
    throw new UsageError(
      `no line of clicks by query can be read, of ${queries.rejected.length}`,
      'clicks and impressions are whole numbers without separators, such as 1234',
    );
  return queries;
}

/** Different spellings of a query may be one keyword text: the first stands. */
function unique<Row extends { readonly query: string }>(rows: readonly Row[]): Row[] {
  return [...new Map(rows.toReversed().map((row) => [row.query, row])).values()].reverse();
}

function periodOf(
  tables: readonly PerformanceTable[],
  { from, to }: ImportClicksOptions,
  today: string,
): { readonly from: string; readonly to: string } {
  const dates = (tables.find(({ kind }) => kind === 'dates')?.lines ?? []).map(({ name }) => name).sort();
  const period = { from: from ?? dates[0], to: to ?? dates.at(-1) };
  if (period.from === undefined || period.to === undefined)
    throw new UsageError('the period of the export is not known', 'add its table of dates, or --from and --to');
  for (const date of [period.from, period.to])
    if (!isDate(date)) throw new UsageError(`"${date}" is not a date such as 2026-11-20`);
  if (period.from > period.to) throw new UsageError(`the period ends before it begins: ${period.from}, ${period.to}`);
  if (period.to > today) throw new UsageError(`the period ends in the future: ${period.from}, ${period.to}`);
  return { from: period.from, to: period.to };
}

/** The CSV texts of a file: those in an archive, or itself. */
function textsOf(file: string): string[] {
  const bytes = read(file);
  const isArchive = bytes[0] === 0x50 && bytes[1] === 0x4b;
  if (!isArchive) return [new TextDecoder().decode(bytes)];
  let left = bytesMax;
  try {
    const filter = ({ name, originalSize }: { name: string; originalSize: number }): boolean => {
      left -= name.endsWith('.csv') ? originalSize : 0;
      return name.endsWith('.csv') && left >= 0;
    };
    return Object.values(unzipSync(bytes, { filter })).map((part) => new TextDecoder().decode(part));
  } catch {
    throw new UnreadableFile(`${file} is a damaged archive`, 'Export it again.');
  }
}

function read(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`${file} cannot be read${code === undefined ? '' : ` (${code})`}`);
  }
}
