// local-pack.csv: the places in local results, tracked or not, by their share of the searches.
import { rounded } from '../../tracker/figures.ts';
import type { ListedPlace } from '../../tracker/targets/target.ts';

import { columnsOf, fieldColumns } from '../formats/columns.ts';
import type { CsvColumn } from '../formats/csv.ts';

/** Most lines of the table; tracked places are always in it. */
const linesMax = 100;
/** Ranks of a list as most pages show it: the share of local voice counts these. */
const shownRanks = 3;

/** A target that a place is. */
export interface TrackedPlace {
  readonly target: string;
  readonly role: 'own' | 'competitor';
}

interface PlaceSums {
  readonly place: ListedPlace & { readonly rating?: number; readonly reviews?: number };
  readonly tracked: TrackedPlace | null;
  searches: number;
  top3: number;
  ranks: number;
}

interface LocalPackRow extends PlaceSums {
  readonly project: string;
  /** Complete checks, and those whose page 1 lists places. */
  readonly checked: number;
  readonly withList: number;
  readonly date: string;
  readonly runId: number;
  readonly warning: string | null;
}

const { text, number, day } = columnsOf<LocalPackRow>();

export const localPackColumns: readonly CsvColumn<LocalPackRow>[] = [
  ...fieldColumns((row: LocalPackRow) => row, 'project'),
  text('name', 'Name of the place', ({ place }) => place.name),
  text('target', 'The target that it is; empty: not tracked', ({ tracked }) => tracked?.target ?? null),
  text('role', 'own or competitor; empty: not tracked', ({ tracked }) => tracked?.role ?? null),
  number(
    'share_of_local_voice',
    `Searches in which it is among the first ${shownRanks}, of the searches with local results, percent`,
    ({ top3, withList }) => rounded((100 * top3) / withList, 2),
  ),
  number('average_local_rank', 'Average of its positions, over the searches that list it', ({ ranks, searches }) =>
    rounded(ranks / searches, 2),
  ),
  number('searches', 'Searches that list it', (row) => row.searches),
  number('searches_with_list', 'Searches whose page 1 lists places', (row) => row.withList),
  number('coverage_checked', 'Searches with a complete check; the table counts only these', (row) => row.checked),
  number('rating', 'Stars, 0 to 5, as last listed', ({ place }) => place.rating ?? null),
  number('reviews', 'Reviews, as last listed', ({ place }) => place.reviews ?? null),
  text('address', 'Address, as last listed', ({ place }) => place.address ?? null),
  text('website', 'Website', ({ place }) => place.website ?? null),
  text('cid', 'Number of the place', ({ place }) => place.cid ?? null),
  text('place_id', 'Place id', ({ place }) => place.placeId ?? null),
  number('run_id', 'Run of the report', (row) => row.runId),
  text('warning', 'Warnings about the whole run: it is suspect, the data is simulated', (row) => row.warning),
  day('date', 'Local date of the slot', (row) => row.date),
];

/** The rows by share, then by average rank. `lists`: the local results of each complete check. */
export function localPackRows(
  lists: Iterable<readonly PlaceSums['place'][]>,
  trackedOf: (place: ListedPlace) => TrackedPlace | null,
  facts: Pick<LocalPackRow, 'project' | 'runId' | 'warning' | 'date'>,
): LocalPackRow[] {
  const sums = new Map<string, PlaceSums>();
  let [checked, withList] = [0, 0];
  for (const list of lists) {
    checked += 1;
    if (list.length > 0) withList += 1;
    for (const [index, place] of list.entries()) {
      const key = place.cid ?? place.placeId ?? `${place.name}\n${place.address ?? ''}`;
      const known = sums.get(key) ?? { tracked: trackedOf(place), searches: 0, top3: 0, ranks: 0 };
      const { tracked, searches, top3, ranks } = known;
      const counted = { searches: searches + 1, top3: top3 + (index < shownRanks ? 1 : 0), ranks: ranks + index + 1 };
      sums.set(key, { place, tracked, ...counted });
    }
  }
  const isAbove = (a: PlaceSums, b: PlaceSums): number =>
    b.top3 - a.top3 || a.ranks / a.searches - b.ranks / b.searches;
  const ordered = [...sums.values()].sort(isAbove);
  return ordered
    .filter(({ tracked }, index) => index < linesMax || tracked !== null)
    .map((line) => ({ ...facts, ...line, checked, withList }));
}
