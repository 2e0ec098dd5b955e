// The dates of the charts of a report. A check stands on the day on which its pages were seen.

import type { DatedRun, SeriesDate } from '../../../db/reads/reports/report-series.ts';
import { getOrInsert } from '../../../src/tracker/maps.ts';
import type { DatedRanking } from '../../../src/tracker/observation.ts';

interface AxisEntry extends Pick<DatedRun, 'from' | 'until'> {
  readonly index: number;
}

export class SeriesAxis {
  readonly dates: readonly SeriesDate[];
  /** Moments of runs whose checks stand on several dates. */
  readonly spanning: readonly number[];
  readonly #entries: ReadonlyMap<number, readonly AxisEntry[]>;

  constructor(dates: readonly SeriesDate[]) {
    const entries = new Map<number, AxisEntry[]>();
    for (const [index, { runs }] of dates.entries()) {
      for (const { moment, from, until } of runs) {
        const known = getOrInsert(entries, moment, () => []);
        known.push({ index, from, until });
      }
    }
    this.dates = dates;
    this.#entries = entries;
    this.spanning = [...entries]
      .filter(([, found]) => found.length > 1 || found.some(({ until }) => until < Number.MAX_SAFE_INTEGER))
      .map(([moment]) => moment);
  }

  /** Undefined where the check stands on none of the dates. */
  indexOf({ moment, checkedAt }: Pick<DatedRanking, 'moment' | 'checkedAt'>): number | undefined {
    const entries = this.#entries.get(moment) ?? [];
    if (checkedAt === null) return entries[0]?.index;
    return entries.find(({ from, until }) => from <= checkedAt && checkedAt <= until)?.index;
  }

  /** The oldest moment of a run on the dates from `index` on; undefined where there are none. */
  firstMoment(index: number): number | undefined {
    const moments = this.dates.slice(index).flatMap(({ runs }) => runs.map(({ moment }) => moment));
    return moments.length === 0 ? undefined : moments.reduce((least, moment) => Math.min(least, moment));
  }
}
