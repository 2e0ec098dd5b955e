// The ranks of the searches of a project on its newest dates, from columns where these hold them.
import type { Store } from '../../../db/store.ts';
import type { RecentRanks } from '../../../src/rows/row.ts';
import type { Project, Target } from '../../../src/tracker/project.ts';
import { rankCodes } from '../../../src/tracker/rank-codes.ts';
import { targetKey } from '../../../src/tracker/targets/target.ts';
import { RankDates } from './rank-dates.ts';
import { inBatches } from './search-batches.ts';
import { SeriesAxis } from './series-axis.ts';

/** A month, and the days by which rows of one report may lie apart. */
const datesMax = 35;

export class RecentDates implements RecentRanks {
  readonly dates: readonly string[];
  readonly #store: Store;
  readonly #project: Project;
  readonly #axis: SeriesAxis;
  #ranks: RankDates | undefined;
  /** By target and date. */
  readonly #columns = new Map<string, readonly Uint16Array[]>();

  /** `until`: the newest moment of a run. */
  constructor(store: Store, project: Project, until: number) {
    this.#store = store;
    this.#project = project;
    this.#axis = new SeriesAxis(store.reportSeries.dates(project.id, until, datesMax));
    this.dates = this.#axis.dates.map(({ date }) => date);
  }

  of(target: Target, searchId: number): (date: number) => number {
    this.#ranks ??= this.#readSearches();
    const key = targetKey(target);
    const columns = this.#columns.get(key) ?? this.#readColumns(key, this.#ranks);
    this.#columns.set(key, columns);
    const place = this.#ranks.placeOf(searchId);
    return (date) => columns[date]?.[place] ?? rankCodes.none;
  }

  #readSearches(): RankDates {
    const ids = new Set<number>();
    for (const { market, keywords } of inBatches(this.#project)) {
      const words = keywords.map(({ keyword }) => keyword);
      for (const id of this.#store.runColumns.searchIds(market, words)) if (id > 0) ids.add(id);
    }
    const scope = { context: { store: this.#store }, project: this.#project };
    return new RankDates(scope, this.#axis, new Map(), Int32Array.from(ids).sort());
  }

  #readColumns(target: string, ranks: RankDates): Uint16Array[] {
    const columns: Uint16Array[] = [];
    const from = this.#axis.firstMoment(0) ?? 0;
    for (const { date, codes } of ranks.of({ target, from, what: 'codes' })) columns[date] = codes.slice();
    return columns;
  }
}
