// click-changes.csv: clicks gained or lost between two periods, split into demand, rank and rate.

import { roundCents } from '../../rows/row.ts';
import type { ClickChange, ClickChanges, ClickEffects } from '../../tracker/clicks/clicks.ts';
import { type CsvColumn, type CsvOptions, columnNotes, csvChunks } from '../formats/csv.ts';
import { projectColumn } from '../rows/search-columns.ts';

export interface ClickChangeRow {
  /** What all lines of a project share. */
  readonly of: Pick<ClickChanges, 'property' | 'curve' | 'period' | 'previous'> & { readonly project: string };
  readonly by: 'total' | 'hidden' | 'query' | 'page';
  /** Null: of a sum. */
  readonly name: string | null;
  /** Of hidden queries only the change is known. */
  readonly change: Pick<ClickEffects, 'change'> & Partial<ClickChange>;
}

function number(
  name: keyof Omit<ClickChange, 'name'>,
  column: string,
  description: string,
  round: (value: number | null) => number | null = (value) => value,
): CsvColumn<ClickChangeRow> {
  return { name: column, kind: 'number', description, value: ({ change }) => round(change[name] ?? null) };
}

const clickChangeColumns: readonly CsvColumn<ClickChangeRow>[] = [
  projectColumn(({ of }) => of.project),
  {
    name: 'by',
    kind: 'text',
    description:
      'query or page; total: all shown queries; hidden: queries that Search Console hides, or with unknown impressions. total + hidden is the property',
    value: ({ by }) => by,
  },
  { name: 'name', kind: 'text', description: 'The query, or the URL of the page', value: ({ name }) => name },
  number('clicks', 'measured_clicks', 'Clicks that Search Console counted in the period'),
  number('previousClicks', 'previous_measured_clicks', 'The same in the period before'),
  number('change', 'change', 'measured_clicks - previous_measured_clicks = demand_effect + rank_effect + rate_effect'),
  number('demand', 'demand_effect', 'Clicks gained or lost through more or fewer impressions'),
  number('newOrLost', 'new_or_lost', 'Of demand_effect: queries with impressions in one of the periods only'),
  number('rank', 'rank_effect', 'Through better or worse positions, along the curve'),
  number('rate', 'rate_effect', 'Through what positions do not explain, such as SERP features'),
  number('impressions', 'impressions', 'Impressions in the period'),
  number('previousImpressions', 'previous_impressions', 'The same in the period before'),
  number('averagePosition', 'average_position', 'Average position in the period: not a rank', roundCents),
  number('previousPosition', 'previous_average_position', 'The same in the period before', roundCents),
  ...(['period', 'previous'] as const).flatMap((when): CsvColumn<ClickChangeRow>[] => {
    const [prefix, which] = when === 'period' ? ['', 'period'] : ['previous_', 'period before'];
    return [
      {
        name: `${prefix}from`,
        kind: 'day',
        description: `First day of the ${which}`,
        value: ({ of }) => of[when].from,
      },
      { name: `${prefix}to`, kind: 'day', description: `Its last day`, value: ({ of }) => of[when].to },
      {
        name: `${prefix}days`,
        kind: 'number',
        description: 'Final days of it that are stored: others are missing in the sums',
        value: ({ of }) => of[when].stored,
      },
    ];
  }),
  { name: 'property', kind: 'text', description: 'Property of Search Console', value: ({ of }) => of.property },
  { name: 'ctr_curve', kind: 'text', description: 'Click-through curve of the effects', value: ({ of }) => of.curve },
];

/** Name, kind and meaning of each column, for the documentation. */
export const clickChangeColumnNotes = () => columnNotes(clickChangeColumns);

export function clickChangesCsv(rows: Iterable<ClickChangeRow>, options?: CsvOptions): Generator<string> {
  return csvChunks(clickChangeColumns, rows, options);
}
