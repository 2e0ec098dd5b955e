// Writes report.xlsx: a summary sheet and a sheet for each table. The workbook format is in src/report/formats.

import { numbers, type Sums } from '../../../src/read/row-sums.ts';
import type { ColumnNote, CsvOptions } from '../../../src/report/formats/csv.ts';
import { csvRows } from '../../../src/report/formats/csv-rows.ts';
import { type SheetTable, xlsxChunks } from '../../../src/report/formats/workbook/xlsx.ts';
import type { SummaryRow } from '../../../src/report/tables/summary.ts';
import { type Bucket, buckets } from '../../../src/tracker/changes/visibility.ts';

/** A table as it was written. */
interface WrittenTable {
  /** Of its file. */
  readonly name: string;
  readonly rows: number | null;
  readonly columns: readonly ColumnNote[];
  /** Its bytes again, in pieces. */
  readonly read: () => Iterable<Buffer>;
}

/**
 * Pieces of the workbook. Tables are read again one after the other, so that memory holds some hundred rows, however
 * many there are.
 */
export function workbookChunks(
  facts: WorkbookFacts,
  tables: readonly WrittenTable[],
  csv: CsvOptions,
): Generator<Uint8Array> {
  const ofRows = tables.filter(({ name }) => name.endsWith('.csv'));
  return xlsxChunks([coverSheet(facts, ofRows), ...ofRows.map((table) => toSheet(table, csv))]);
}

function toSheet({ name, columns, read }: WrittenTable, csv: CsvOptions): SheetTable {
  const rows = csvRows(decodeText(read()), csv);
  const header: readonly string[] = rows.next().value ?? [];
  const kinds = new Map(columns.map((column) => [column.name, column.kind]));
  return {
    name: name.replace(/\.csv$/, ''),
    columns: header.map((column) => ({ name: column, kind: kinds.get(column) ?? 'text' })),
    rows,
  };
}

function* decodeText(pieces: Iterable<Buffer>): Generator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for (const piece of pieces) yield decoder.decode(piece, { stream: true });
  yield decoder.decode();
}

// The first sheet of report.xlsx: what the report is, its headline numbers, and a chart of the rank distribution.

interface WorkbookFacts {
  readonly project: string;
  readonly slot: string;
  readonly timezone: string;
  readonly warning: string | null;
  readonly coverage: { readonly checked: number; readonly total: number };
  readonly compare: string;
  readonly ctrCurve: string;
  /** Of the summary. */
  readonly summary?: readonly SummaryRow[];
}

type Line = readonly [what: string, value: string, number?: number | null, change?: number | null];

const bucketNames: Readonly<Record<Bucket, string>> = {
  '1': 'rank 1',
  '2-3': 'rank 2 to 3',
  '4-10': 'rank 4 to 10',
  '11-20': 'rank 11 to 20',
  '21-50': 'rank 21 to 50',
  '51-100': 'rank 51 and lower',
  not_found: 'not found',
  unknown: 'unknown',
};

/** `tables`: the rows of each file. */
function coverSheet(
  facts: WorkbookFacts,
  tables: readonly { readonly name: string; readonly rows: number | null }[],
): SheetTable {
  const { project, slot, timezone, warning, coverage, compare, ctrCurve, summary = [] } = facts;
  const targets = summary.filter(({ scope }) => scope === 'project');
  const [first] = targets;
  const about: Line[] = [
    ['warning', warning ?? ''],
    ['project', project],
    ['slot', `${slot} ${timezone}`],
    ['coverage', `${coverage.checked} of ${coverage.total} rows have complete checks`],
    ['compared with', compare],
    ['click-through rates', ctrCurve],
    ['times', 'UTC'],
  ];
  const before = [
    ...about.filter(([, value]) => value !== ''),
    ...targets.flatMap(({ target, sums }) =>
      headlineNumbers.map(([what, now, change]): Line => [what, target, now(sums), change(sums)]),
    ),
  ];
  const bars = first === undefined ? [] : buckets.map((bucket) => toBar(bucket, first.sums));
  const distribution = bars.map(({ name, value }): Line => [name, first?.target ?? '', value]);
  const files = tables.flatMap(({ name, rows }): Line[] => (rows === null ? [] : [[name, `${rows} rows`]]));
  const firstRow = before.length + 2;
  return {
    name: 'report',
    columns: [
      { name: 'what', kind: 'text' },
      { name: 'value', kind: 'text' },
      { name: 'number', kind: 'number' },
      { name: 'change', kind: 'number' },
    ],
    rows: [...before, ...distribution, ...files].map(([what, value, number, change]) => [
      what,
      value,
      cell(number),
      cell(change),
    ]),
    ...(first === undefined
      ? {}
      : {
          chart: {
            ...{ title: `Rows of ${first.target} by rank`, bars, names: 'A', values: 'C' },
            ...{ firstRow, lastRow: firstRow + bars.length - 1 },
          },
        }),
  };
}

const headlineNumbers = [
  ['visibility, %', numbers.visibility, numbers.visibilityChange],
  ['estimated clicks a month', numbers.estimatedClicks, numbers.estimatedClicksChange],
  ['average rank of ranked rows', numbers.averageRank, numbers.averageRankChange],
  ['rows in the top 3', numbers.top3, numbers.top3Change],
  ['rows in the top 10', numbers.top10, numbers.top10Change],
] as const;

function toBar(bucket: Bucket, { buckets: counts }: Sums): { name: string; value: number } {
  return { name: bucketNames[bucket], value: counts.get(bucket) ?? 0 };
}

/** Two decimals; empty without a number. */
function cell(value: number | null | undefined): string {
  return value === null || value === undefined ? '' : `${Math.round(value * 100) / 100 + 0}`;
}
