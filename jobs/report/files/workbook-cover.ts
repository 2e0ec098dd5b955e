// The first sheet of report.xlsx: what the report is, its headline numbers, and a chart of the rank distribution.
import type { SheetTable } from '../../../src/report/formats/workbook/xlsx.ts';
import type { SummaryRow } from '../../../src/report/tables/summary.ts';
import { mean, type Sums } from '../../../src/rows/sums.ts';
import { type Bucket, buckets } from '../../../src/tracker/changes/visibility.ts';

export interface WorkbookFacts {
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
export function coverSheet(
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
    ...targets.flatMap(({ target, sums }) => headlineLines(target, sums)),
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

/** A change is of the comparable rows only. */
function headlineLines(target: string, sums: Sums): Line[] {
  const { visibility, comparableNow: now, comparableBefore: then, comparable } = sums;
  const top = (of: readonly Bucket[], counts: ReadonlyMap<Bucket, number>): number =>
    of.reduce((sum, bucket) => sum + (counts.get(bucket) ?? 0), 0);
  const topLine = (name: string, of: readonly Bucket[]): Line => [
    ...([name, target] as const),
    sums.checked === 0 ? null : top(of, sums.buckets),
    comparable === 0 ? null : top(of, sums.bucketChanges),
  ];
  return [
    ['visibility, %', target, visibility.percent(), difference(now.percent(), then.percent())],
    [
      ...(['estimated clicks a month', target] as const),
      visibility.count() === 0 ? null : visibility.clicks(),
      now.count() === 0 ? null : now.clicks() - then.clicks(),
    ],
    ['average rank of ranked rows', target, mean(sums.ranked), mean(sums.rankedChange)],
    topLine('rows in the top 3', ['1', '2-3']),
    topLine('rows in the top 10', ['1', '2-3', '4-10']),
  ];
}

function difference(now: number | null, before: number | null): number | null {
  return now === null || before === null ? null : now - before;
}

function toBar(bucket: Bucket, { buckets: counts }: Sums): { name: string; value: number } {
  return { name: bucketNames[bucket], value: counts.get(bucket) ?? 0 };
}

/** Two decimals; empty without a number. */
function cell(value: number | null | undefined): string {
  return value === null || value === undefined ? '' : `${Math.round(value * 100) / 100 + 0}`;
}
