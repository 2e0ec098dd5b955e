// Tables name a search in the same columns with the same texts: they can be joined, and compared side by side.
import { expect, it } from 'vitest';
import { columnNotes } from '../../../src/report/formats/csv.ts';
import { marketScopeColumns, type SearchNames, searchColumns } from '../../../src/report/rows/search-columns.ts';
import { agencyLongColumnNotes, agencyWideColumnNotes } from '../../../src/report/tables/agency.ts';
import { cannibalizationColumnNotes } from '../../../src/report/tables/cannibalization.ts';
import { competitorColumnNotes } from '../../../src/report/tables/competitors.ts';
import { gridColumnNotes, gridSumColumnNotes } from '../../../src/report/tables/grid.ts';
import { intentColumnNotes } from '../../../src/report/tables/intents.ts';
import { moverColumnNotes } from '../../../src/report/tables/movers.ts';
import { periodColumnNotes } from '../../../src/report/tables/period.ts';
import { problemColumnNotes } from '../../../src/report/tables/problems.ts';
import { rankChangeColumnNotes } from '../../../src/report/tables/rank-changes.ts';
import { featureColumnNotes } from '../../../src/report/tables/serp-features.ts';
import { movementColumnNotes } from '../../../src/report/tables/serp-movement.ts';
import { spendColumnNotes } from '../../../src/report/tables/spend.ts';
import { summaryColumnNotes } from '../../../src/report/tables/summary.ts';

const ofSearch = columnNotes(searchColumns<SearchNames>((row) => row));
const named = new Set(['keyword', 'country', 'language', 'device']);

it.each([
  ['rank-changes', rankChangeColumnNotes],
  ['problems', problemColumnNotes],
  ['intents', intentColumnNotes],
  ['grid', gridColumnNotes],
  ['grid-summary', gridSumColumnNotes],
  ['serp-features', featureColumnNotes],
  ['serp-movement', movementColumnNotes],
  ['cannibalization', cannibalizationColumnNotes],
  ['period', periodColumnNotes],
  ['all-projects-long', agencyLongColumnNotes],
  ['all-projects-wide', agencyWideColumnNotes],
])('%s begins with the search of its line', (_, notes) => {
  expect(notes().slice(0, ofSearch.length)).toEqual(ofSearch);
});

it('movers names the search after its class and rank', () => {
  expect(moverColumnNotes()[0]).toEqual(ofSearch[0]);
  expect(moverColumnNotes().filter(({ name }) => named.has(name))).toEqual(ofSearch.slice(1));
});

it.each([
  ['summary', summaryColumnNotes],
  ['competitors', competitorColumnNotes],
  ['spend', spendColumnNotes],
])('%s names a market only in the lines of one', (_, notes) => {
  const ofMarket = columnNotes(marketScopeColumns<SearchNames>((row) => row));
  expect(notes().filter(({ name }) => named.has(name))).toEqual(ofMarket);
});
