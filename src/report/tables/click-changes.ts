// click-changes.csv: clicks gained or lost between two periods, split into demand, rank and rate.

import type { ClickChange, ClickChanges, ClickEffects } from '../../tracker/clicks/clicks.ts';
import { rounded } from '../../tracker/figures.ts';
import { columnsOf, fieldColumns } from '../formats/columns.ts';
import type { CsvColumn } from '../formats/csv.ts';

export interface ClickChangeRow {
  /** What all lines of a project share. */
  readonly of: Pick<ClickChanges, 'property' | 'curve' | 'period' | 'previous' | 'faults'> & {
    readonly project: string;
  };
  readonly by: 'total' | 'hidden' | 'query' | 'page';
  /** Null: of a sum. */
  readonly name: string | null;
  /** Of hidden queries only the change is known. */
  readonly change: Pick<ClickEffects, 'change'> & Partial<ClickChange>;
}

const { text, number, day } = columnsOf<ClickChangeRow>();

function effect(
  name: keyof Omit<ClickChange, 'name'>,
  column: string,
  description: string,
  round: (value: number | null) => number | null = (value) => value,
): CsvColumn<ClickChangeRow> {
  return number(column, description, ({ change }) => round(change[name] ?? null));
}

export const clickChangeColumns: readonly CsvColumn<ClickChangeRow>[] = [
  ...fieldColumns(({ of }: ClickChangeRow) => of, 'project'),
  text(
    'by',
    'query or page; total: all shown queries; hidden: queries that Search Console hides, or with unknown impressions. total + hidden is the property',
    ({ by }) => by,
  ),
  text('name', 'The query, or the URL of the page', ({ name }) => name),
  effect('clicks', 'measured_clicks', 'Clicks that Search Console counted in the period'),
  effect('previousClicks', 'previous_measured_clicks', 'The same in the period before'),
  effect('change', 'change', 'measured_clicks - previous_measured_clicks = demand_effect + rank_effect + rate_effect'),
  effect('demand', 'demand_effect', 'Clicks gained or lost through more or fewer impressions'),
  effect('newOrLost', 'new_or_lost', 'Of demand_effect: queries with impressions in one of the periods only'),
  effect('rank', 'rank_effect', 'Through better or worse positions, along the curve'),
  effect('rate', 'rate_effect', 'Through what positions do not explain, such as SERP features'),
  effect('impressions', 'impressions', 'Impressions in the period'),
  effect('previousImpressions', 'previous_impressions', 'The same in the period before'),
  effect('averagePosition', 'average_position', 'Average position in the period: not a rank', (value) =>
    rounded(value, 2),
  ),
  effect('previousPosition', 'previous_average_position', 'The same in the period before', (value) =>
    rounded(value, 2),
  ),
  ...(['period', 'previous'] as const).flatMap((when): CsvColumn<ClickChangeRow>[] => {
    const [prefix, which] = when === 'period' ? ['', 'period'] : ['previous_', 'period before'];
    return [
      day(`${prefix}from`, `First day of the ${which}`, ({ of }) => of[when].from),
      day(`${prefix}to`, `Its last day`, ({ of }) => of[when].to),
      number(
        `${prefix}days`,
        'Final days of it that are stored: others are missing in the sums',
        ({ of }) => of[when].stored,
      ),
    ];
  }),
  text('property', 'Property of Search Console', ({ of }) => of.property),
  text('ctr_curve', 'Click-through curve of the effects', ({ of }) => of.curve),
  text(
    'impressions_fault',
    'What is wrong with impressions of both periods, as the search engine has confirmed: effects are then not comparable; empty: nothing is known',
    ({ of }) => of.faults?.map(({ from, to, text: what }) => `${what}, ${from} to ${to}`).join('; ') ?? null,
  ),
];
