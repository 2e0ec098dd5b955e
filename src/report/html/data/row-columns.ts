// The rows of the keyword table by column. Above the limit, rows with the most clicks are kept.

import { RowPacker } from '../../../read/packed-rows.ts';
import type { HistoryRow } from '../../../read/row.ts';
import type { DatedRanks, FeatureSteps } from '../../../read/sums/timeline.ts';
import { classifyDestination } from '../../../tracker/targets/target.ts';
import type { PageData } from './page-data.ts';
import { notRecorded, packTrail } from './trail.ts';

/** A row of the page. */
export interface KeptRow {
  readonly row: HistoryRow;
  /** Null: the search was never made. */
  readonly searchId: number | null;
}

/** The history of what the page shows. */
export interface RowHistories {
  /** Of a row, by its index among the kept rows. */
  readonly codes: (index: number) => DatedRanks['codes'];
  readonly urlSteps: (index: number) => DatedRanks['urlSteps'];
  readonly ownedSteps: (index: number) => DatedRanks['ownedSteps'];
  /** The features that a search showed, owned or not. */
  readonly shown: (searchId: number) => FeatureSteps;
}

/** The kept rows, with their history. */
type ColumnsOfRows = Pick<PageData, 'rows' | 'texts' | 'history' | 'targets' | 'places'>;

/** Rows collect up to this multiple of the limit before the least are dropped: few sorts, little memory. */
const pruneAt = 1.25;

/** Collects rows. Keeps at most `max`, by size of traffic change, then traffic, then volume. */
export class KeptRows {
  readonly #max: number;
  #kept: KeptRow[] = [];
  /** The least of the kept rows, once rows were dropped: later rows must exceed it. */
  #least: HistoryRow | null = null;
  #total = 0;

  constructor(max: number) {
    this.#max = max;
  }

  add(row: HistoryRow, searchId: number | null = null): void {
    this.#total += 1;
    if (this.#least !== null && byWorth(row, this.#least) >= 0) return;
    this.#kept.push({ row: row.copy(), searchId });
    if (this.#kept.length < pruneAt * this.#max) return;
    this.#kept = this.#best();
    this.#least = this.#kept.at(-1)?.row ?? null;
  }

  /** Number of added rows, including dropped ones. */
  get total(): number {
    return this.#total;
  }

  /** The rows of the page, in its order. They are no longer kept here. Call once. */
  taken(): readonly KeptRow[] {
    const best = this.#best();
    this.#kept = [];
    return best;
  }

  #best(): KeptRow[] {
    return this.#kept.toSorted((a, b) => byWorth(a.row, b.row)).slice(0, this.#max);
  }
}

/** `urlOf`: returns the URL of an id. */
export function packRows(
  kept: readonly KeptRow[],
  urlOf: (id: number) => string,
  { codes, urlSteps, ownedSteps, shown }: RowHistories,
): ColumnsOfRows {
  const packer = new RowPacker();
  const rows = packer.pack(kept.map(({ row }) => row));
  const targets = new Set(kept.map(({ row }) => row.target));
  const places = new Set(kept.flatMap(({ row }) => (row.isPlace ? row.target : [])));
  const pages = new Map<number, number | null>();
  /** Null where the ranking page is not known. */
  const pageOf = (id: number): number | null => {
    let page = pages.get(id);
    if (page === undefined) {
      const url = urlOf(id);
      page = isPage(url) ? packer.url(url) : null;
      pages.set(id, page);
    }
    return page;
  };
  const features = (names: string): number => packer.features(names === '' ? [] : names.split('|'));
  const history = {
    trail: kept.map((_, index) => packTrail(codes(index))),
    urlSteps: kept.map((_, index) =>
      urlSteps(index).flatMap(([date, id]) => {
        const page = pageOf(id);
        return page === null ? [] : [date, page];
      }),
    ),
    ownedSteps: kept.map((_, index) => ownedSteps(index).flatMap(([date, names]) => [date, features(names)])),
    shownSteps: kept.map(({ searchId }) =>
      (searchId === null ? [] : shown(searchId)).flatMap(([date, names]) => [
        date,
        names === null ? notRecorded : features(names),
      ]),
    ),
  };
  return {
    rows,
    texts: packer.texts(),
    history,
    targets: [...targets],
    ...(places.size > 0 && { places: [...places] }),
  };
}

function byWorth(a: HistoryRow, b: HistoryRow): number {
  return (
    size(b.estimatedClicksChange) - size(a.estimatedClicksChange) ||
    size(b.estimatedClicks) - size(a.estimatedClicks) ||
    size(b.searchVolume) - size(a.searchVolume) ||
    (a.rank ?? Number.MAX_SAFE_INTEGER) - (b.rank ?? Number.MAX_SAFE_INTEGER)
  );
}

function size(value: number | null): number {
  return value === null ? -1 : Math.abs(value);
}

/** Whether the ranking page is known. An empty text stands for a URL that another tool did not record. */
function isPage(url: string): boolean {
  return url === '' || classifyDestination(url) === 'exact';
}
