// The columns that identify a search, equal in all tables: project, keyword and market.
import type { CsvColumn } from '../formats/csv.ts';

/** A tracked keyword in a market. */
export interface SearchNames extends MarketNames {
  readonly project: string;
  readonly keyword: string;
}

/** A market; null in lines without one, or with several. */
export interface MarketNames {
  readonly country: string | null;
  readonly language: string | null;
  readonly device: string | null;
  readonly location?: string | undefined;
}

export function projectColumn<Row>(projectOf: (row: Row) => string): CsvColumn<Row> {
  return { name: 'project', kind: 'text', description: 'Project id', value: projectOf };
}

/** Keyword, country, language, device. */
export function keywordColumns<Row>(searchOf: (row: Row) => Omit<SearchNames, 'project'>): readonly CsvColumn<Row>[] {
  return [
    { name: 'keyword', kind: 'text', description: 'Tracked keyword', value: (row) => searchOf(row).keyword },
    {
      name: 'country',
      kind: 'text',
      description: 'Country of the market, ISO 3166-1',
      value: (row) => searchOf(row).country,
    },
    {
      name: 'language',
      kind: 'text',
      description: 'Language of the market, BCP 47',
      value: (row) => searchOf(row).language,
    },
    { name: 'device', kind: 'text', description: 'desktop or mobile', value: (row) => searchOf(row).device },
  ];
}

/** Project, keyword, country, language, device: the first columns of tables with one line per search. */
export function searchColumns<Row>(searchOf: (row: Row) => SearchNames): readonly CsvColumn<Row>[] {
  return [projectColumn((row) => searchOf(row).project), ...keywordColumns(searchOf)];
}

/** The last column of every table with a market. */
export function locationColumn<Row>(marketOf: (row: Row) => Pick<MarketNames, 'location'>): CsvColumn<Row> {
  return {
    name: 'location',
    kind: 'text',
    description: 'Place or coordinate inside the country; empty for the country as a whole',
    value: (row) => marketOf(row).location ?? null,
  };
}

/** Country, language, device of summary tables: empty except in the lines of one market. */
export function marketScopeColumns<Row>(marketOf: (row: Row) => MarketNames): readonly CsvColumn<Row>[] {
  return [
    {
      name: 'country',
      kind: 'text',
      description: 'Country, in lines with scope market',
      value: (row) => marketOf(row).country,
    },
    {
      name: 'language',
      kind: 'text',
      description: 'Language, in lines with scope market',
      value: (row) => marketOf(row).language,
    },
    {
      name: 'device',
      kind: 'text',
      description: 'Device, in lines with scope market',
      value: (row) => marketOf(row).device,
    },
  ];
}
