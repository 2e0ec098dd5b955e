// The ranks of all rows of a project on all its dates.

import type { SeriesDate } from '../../../db/reads/reports/report-series.ts';
import type { Store } from '../../../db/store.ts';
import type { RecentRanks } from '../../../src/read/row.ts';
import { getOrInsert } from '../../../src/tracker/maps.ts';
import type { Project, Target } from '../../../src/tracker/project.ts';
import { rankCodes } from '../../../src/tracker/rank-codes.ts';
import { targetKey } from '../../../src/tracker/targets/target.ts';
import { RankDates } from '../rows/rank-dates.ts';
import { SeriesAxis } from '../rows/series-axis.ts';
import type { RunRanks } from './run-ranks.ts';

/** Ten years of daily runs. */
const datesMax = 3_660;

/** The ranks of one target. */
export interface TargetRanks {
  /** A rank code per search of the project, on a date. */
  column(date: number): Uint16Array;
}

export class RankTrails implements RecentRanks {
  readonly dates: readonly string[];
  readonly ranks: RunRanks;
  readonly #axis: SeriesAxis;
  readonly #store: Store;
  readonly #byTarget = new Map<string, TargetRanks>();
  #rankDates: RankDates | undefined;

  /** `until`: the newest moment of a run. `dates`: so many of the newest are read. */
  constructor(store: Store, project: Project, ranks: RunRanks, until: number, dates: number = datesMax) {
    this.#store = store;
    this.ranks = ranks;
    this.#axis = new SeriesAxis(store.reportSeries.dates(project.id, until, dates, ranks.columns.pages));
    this.dates = this.#axis.dates.map(({ date }) => date);
  }

  of(target: Target): TargetRanks {
    const key = targetKey(target);
    return getOrInsert(this.#byTarget, key, () => this.#read(key));
  }

  codesOf(target: Target, searchId: number): (date: number) => number {
    const [ranks, index] = [this.of(target), this.ranks.searches.indexOfId(searchId) ?? -1];
    return (date) => ranks.column(date)[index] ?? rankCodes.none;
  }

  /** The runs of some dates. */
  seriesDates(indices: readonly number[]): SeriesDate[] {
    return indices.flatMap((index) => this.#axis.dates[index] ?? []);
  }

  #read(target: string): TargetRanks {
    const targetId = this.#store.names.knownTargetId(target);
    const columns: (Uint16Array | undefined)[] = new Array(this.dates.length);
    const read = (date: number): Uint16Array => {
      const run = onlyRun(this.#axis.dates[date]);
      if (run !== null && targetId !== null) return this.ranks.codes(run, targetId);
      this.#rankDates ??= new RankDates(this.#store, this.#axis, this.ranks.searches.ids);
      const [found] = this.#rankDates.of({ target, what: 'codes', dates: [date] });
      return found?.codes ?? new Uint16Array(this.ranks.searches.ids.length);
    };
    const column = (date: number): Uint16Array => {
      const codes = columns[date] ?? read(date);
      columns[date] = codes;
      return codes;
    };
    return { column };
  }
}

/** The run of a date, if it is the only one and all of it was seen then. */
function onlyRun(date: SeriesDate | undefined): number | null {
  const [run, ...others] = date?.runs ?? [];
  if (run === undefined || others.length > 0 || run.from > 0 || run.until < Number.MAX_SAFE_INTEGER) return null;
  return run.id;
}
