// Shared columns and descriptions of URLs and places: one wording for every table.
import type { CsvColumn } from './csv.ts';

export const urlDescription = 'Ranking URL of the target; only its site, without a scheme, if the engine hid the page';

export const destinationDescription =
  'Precision of the URL: exact, host_only (the engine hid the page: only the site is known) or hidden (a redirect of the engine); empty without a URL';

export const localRankDescription =
  'Of a target that is a place: its position in the local results, which is also its rank; empty if it is not in them';

export function localRankColumn<Row>(value: (row: Row) => number | null): CsvColumn<Row> {
  return { name: 'local_rank', kind: 'number', description: localRankDescription, value };
}
