// The ranks of all rows of a project on all its dates: from the columns of runs, otherwise from each ranking.

import type { SeriesDate } from '../../../db/reads/reports/report-series.ts';
import { getOrInsert } from '../../../src/tracker/maps.ts';
import type { Project, Target } from '../../../src/tracker/project.ts';
import { rankCodes } from '../../../src/tracker/rank-codes.ts';
import { targetKey } from '../../../src/tracker/targets/target.ts';
import type { JobContext } from '../../context.ts';
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

export class RankTrails {
  readonly dates: readonly string[];
  readonly ranks: RunRanks;
  readonly #axis: SeriesAxis;
  readonly #context: Pick<JobContext, 'store'>;
  readonly #project: Project;
  readonly #byTarget = new Map<string, TargetRanks>();

  /** `until`: the newest moment of a run. */
  constructor(context: Pick<JobContext, 'store'>, project: Project, until: number, ranks: RunRanks) {
    this.#context = context;
    this.#project = project;
    this.ranks = ranks;
    this.#axis = new SeriesAxis(context.store.reportSeries.dates(project.id, until, datesMax, ranks.columns.pages));
    this.dates = this.#axis.dates.map(({ date }) => date);
  }

  of(target: Target): TargetRanks {
    const key = targetKey(target);
    return getOrInsert(this.#byTarget, key, () => this.#read(key));
  }

  /** The runs of some dates. */
  seriesDates(indices: readonly number[]): SeriesDate[] {
    return indices.flatMap((index) => this.#axis.dates[index] ?? []);
  }

  #read(target: string): TargetRanks {
    const { ranks } = this;
    const targetId = this.#context.store.names.knownTargetId(target);
    const columns: (Uint16Array | undefined)[] = new Array(this.dates.length);
    const runOf = this.#axis.dates.map((date) => onlyRun(date, ranks));
    const readOthers = (): void => {
      const dates = runOf.flatMap((run, date) => (run === null ? [date] : []));
      const read = this.#otherDates;
      const places = ranks.searches.ids.map((id) => read.placeOf(id));
      for (const { date, codes } of read.of({ target, from: 0, what: 'codes', dates }))
        columns[date] = Uint16Array.from(places, (place) => codes[place] ?? rankCodes.none);
    };
    const column = (date: number): Uint16Array => {
      const run = runOf[date] ?? null;
      if (columns[date] === undefined && run === null) readOthers();
      const codes =
        columns[date] ??
        (run === null || targetId === null ? new Uint16Array(ranks.searches.all.length) : ranks.codes(run, targetId));
      columns[date] = codes;
      return codes;
    };
    return { column };
  }

  /** Dates with several runs, or with a run without columns. 100,000 searches take seconds. */
  get #otherDates(): RankDates {
    const scope = { context: this.#context, project: this.#project };
    const searchIds = this.ranks.searches.ids.filter((id) => id > 0).sort();
    return new RankDates(scope, this.#axis, new Map(), searchIds);
  }
}

/** The run of a date, if it is the only one and columns hold all of it. */
function onlyRun({ runs }: SeriesDate, ranks: RunRanks): number | null {
  const [run, ...others] = runs;
  if (run === undefined || others.length > 0 || run.from > 0 || run.until < Number.MAX_SAFE_INTEGER) return null;
  return ranks.isWhole(run.id) ? run.id : null;
}
