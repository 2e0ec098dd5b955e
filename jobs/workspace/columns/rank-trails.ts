// The ranks of all rows of a project on all its dates: from the columns of runs, otherwise from each ranking.

import type { SeriesDate } from '../../../db/reads/reports/report-series.ts';
import { buildTrail } from '../../../src/report/html/data/timeline.ts';
import type { Project, Target } from '../../../src/tracker/project.ts';
import { targetKey } from '../../../src/tracker/targets/target.ts';
import type { JobContext } from '../../context.ts';
import { inBatches } from '../../report/rows/search-batches.ts';
import { SeriesAxis } from '../../report/rows/series-axis.ts';
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
    this.#axis = new SeriesAxis(context.store.reportSeries.dates(project.id, until, datesMax));
    this.dates = this.#axis.dates.map(({ date }) => date);
  }

  of(target: Target): TargetRanks {
    const key = targetKey(target);
    const known = this.#byTarget.get(key);
    if (known !== undefined) return known;
    const ranks = this.#read(key);
    this.#byTarget.set(key, ranks);
    return ranks;
  }

  /** The runs of some dates. */
  seriesDates(indices: readonly number[]): SeriesDate[] {
    return indices.flatMap((index) => this.#axis.dates[index] ?? []);
  }

  #read(target: string): TargetRanks {
    const { ranks } = this;
    const { searches } = ranks;
    const targetId = this.#context.store.names.knownTargetId(target);
    const columns: (Uint16Array | undefined)[] = new Array(this.dates.length);
    const runOf = this.#axis.dates.map((date) => onlyRun(date, ranks));
    const others = runOf.flatMap((run, date) => (run === null ? [date] : []));
    let hasOthers = others.length === 0;
    const column = (date: number): Uint16Array => {
      const known = columns[date];
      if (known !== undefined) return known;
      const run = runOf[date] ?? null;
      if (run === null && !hasOthers) {
        hasOthers = true;
        for (const [other, codes] of this.#readRankings(target, others)) columns[other] = codes;
        return column(date);
      }
      const codes =
        run === null || targetId === null ? new Uint16Array(searches.all.length) : ranks.codes(run, targetId);
      columns[date] = codes;
      return codes;
    };
    return { column };
  }

  /** The codes of dates with several runs, or with a run without columns. 100,000 searches take seconds. */
  #readRankings(target: string, dates: readonly number[]): Map<number, Uint16Array> {
    const { reportSeries } = this.#context.store;
    const axis = this.#axis;
    const columns = new Map(dates.map((date) => [date, new Uint16Array(this.ranks.searches.all.length)]));
    const runs = this.seriesDates(dates).flatMap((date) => date.runs);
    const incomplete = new Set(runs.flatMap(({ id }) => reportSeries.incomplete(id)));
    const moments = runs.map(({ moment }) => moment);
    let index = 0;
    for (const { market, keywords } of inBatches(this.#project)) {
      const found = reportSeries.of({
        target,
        market,
        keywords: keywords.map(({ keyword }) => keyword),
        from: moments.reduce((least, moment) => Math.min(least, moment)),
        until: moments.reduce((most, moment) => Math.max(most, moment)),
        spanning: axis.spanning,
      });
      for (const { rankings } of found) {
        const dateOf = (ranking: (typeof rankings)[number]) => axis.indexOf(ranking);
        const { codes } = buildTrail(rankings, dateOf, this.dates.length, (checkId) => !incomplete.has(checkId));
        for (const [date, column] of columns) column[index] = codes[date] ?? 0;
        index += 1;
      }
    }
    return columns;
  }
}

/** The run of a date, if it is the only one and columns hold all of it. */
function onlyRun({ runs }: SeriesDate, ranks: RunRanks): number | null {
  const [run, ...others] = runs;
  if (run === undefined || others.length > 0 || run.from > 0 || run.until < Number.MAX_SAFE_INTEGER) return null;
  return ranks.isWhole(run.id) ? run.id : null;
}
