// The columns of measured clicks: what a search engine counted. Never ranks.
import type { CsvColumn } from './csv.ts';

/** Null: nothing is reported, or its query is hidden. */
export interface CountedClicks {
  readonly measuredClicks: number | null;
  readonly impressions: number | null;
}

/** `when`: what the numbers are sums of. */
export function clickColumns<Row>(when: string, clicksOf: (row: Row) => CountedClicks | null): CsvColumn<Row>[] {
  return [
    {
      name: 'measured_clicks',
      kind: 'number',
      description: `Clicks that Search Console counted ${when}; empty: nothing is reported`,
      value: (row) => clicksOf(row)?.measuredClicks ?? null,
    },
    {
      name: 'impressions',
      kind: 'number',
      description: `Impressions that it counted ${when}, one for each results page; empty: nothing is reported, or unknown`,
      value: (row) => clicksOf(row)?.impressions ?? null,
    },
  ];
}

export function positionColumn<Row>(positionOf: (row: Row) => number | null): CsvColumn<Row> {
  return {
    name: 'average_position',
    kind: 'number',
    description: 'Average position of these impressions: not a rank',
    value: positionOf,
  };
}

/** The days of the numbers in tables on a run. */
export const newestWeeks = 'in the 28 days up to the newest final day';
