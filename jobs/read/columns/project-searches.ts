// The searches of a project by number, so that columns of ranks can be read by it.

import { SearchPositions } from '../../../db/reads/rank-columns.ts';
import { textPlaces } from '../../../src/read/keyword-filter.ts';
import { rowId } from '../../../src/read/row.ts';
import { getOrInsert } from '../../../src/tracker/maps.ts';
import {
  type Market,
  marketName,
  type NamedMarket,
  type Project,
  type TrackedKeyword,
} from '../../../src/tracker/project.ts';
import type { JobContext } from '../../context.ts';
import { inBatches } from '../rows/search-batches.ts';

export function trailKey(keyword: string, market: NamedMarket): string {
  return `${keyword}\n${marketName(market)}`;
}

export interface ProjectSearch {
  readonly tracked: TrackedKeyword;
  readonly market: Market;
}

/** Searches in the order of the keyword table: a search is its index there. */
export class ProjectSearches {
  readonly all: readonly ProjectSearch[];
  /** 0: the search was never made. */
  readonly ids: Int32Array;
  /** How many searches each batch has, in their order. */
  readonly batches: readonly number[];
  readonly indices: readonly number[];
  #indices: ReadonlyMap<string, number> | undefined;
  #places: ReadonlyMap<string, number> | undefined;
  readonly #store: JobContext['store'];
  readonly #newest: number;
  #byId: ReadonlyMap<number, number> | undefined;
  /** By target and search. */
  readonly #rowIds = new Map<string, string[]>();
  readonly #positions: SearchPositions;

  constructor({ store }: Pick<JobContext, 'store'>, project: Project) {
    this.#store = store;
    this.#newest = store.rankColumns.newestSearchId();
    const batches = [...inBatches(project)];
    this.batches = batches.map(({ keywords }) => keywords.length);
    const markets = new Map(batches.map(({ market }) => [trailKey('', market), market]));
    this.all = batches.flatMap(({ market, keywords }) => {
      const one = markets.get(trailKey('', market)) ?? market;
      return keywords.map((tracked) => ({ tracked, market: one }));
    });
    this.indices = this.all.map((_, index) => index);
    this.ids = Int32Array.from(
      batches.flatMap(({ market, keywords }) =>
        store.rankColumns.searchIds(
          market,
          keywords.map(({ keyword }) => keyword),
        ),
      ),
    );
    this.#positions = new SearchPositions(this.ids);
  }

  /** Whether searches were made since: some of the project may have an id now. */
  isBehind(): boolean {
    return this.#store.rankColumns.newestSearchId() !== this.#newest;
  }

  /** Equal markets are one object. Throws RangeError for an index that no search has. */
  search(index: number): ProjectSearch {
    const found = this.all[index];
    if (found === undefined) throw new RangeError(`the project has no search ${index}`);
    return found;
  }

  /** The id of a row of the keyword table. */
  rowId(index: number, target: string): string {
    const ids = getOrInsert(this.#rowIds, target, () => []);
    const known = ids[index];
    if (known !== undefined) return known;
    const { tracked, market } = this.search(index);
    const id = rowId({ ...market, keyword: tracked.keyword, target });
    ids[index] = id;
    return id;
  }

  /** Undefined: the project does not track it. */
  indexOf(key: string): number | undefined {
    this.#indices ??= new Map(this.all.map(({ tracked, market }, index) => [trailKey(tracked.keyword, market), index]));
    return this.#indices.get(key);
  }

  /** The place of a keyword among the sorted keywords of the project. */
  keywordPlace(keyword: string): number {
    this.#places ??= textPlaces([...new Set(this.all.map(({ tracked }) => tracked.keyword))]);
    return this.#places.get(keyword) ?? Number.NaN;
  }

  /** Undefined: the project does not track it. */
  indexOfId(searchId: number): number | undefined {
    this.#byId ??= new Map([...this.ids].map((id, index) => [id, index]));
    return this.#byId.get(searchId);
  }

  /** Where each search is in an ascending list of ids; -1: it is not. */
  positionsIn(searchIds: Int32Array): Int32Array {
    return this.#positions.in(searchIds);
  }
}
