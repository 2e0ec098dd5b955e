// The ranks of all rows of a project on all its dates, kept in memory for charts of any filter.
import type { SearchSeries, SeriesDate } from '../../db/reads/report-series.ts';
import { rankCodes } from '../../src/report/html/client/trail.js';
import { buildTrail } from '../../src/report/html/timeline.ts';
import type { Project, Target } from '../../src/tracker/project.ts';
import { targetKey } from '../../src/tracker/target.ts';
import type { JobContext } from '../context.ts';
import { inBatches } from '../report/report-rows.ts';
import { SeriesAxis } from '../report/series-axis.ts';

/** Ten years of daily runs. */
const datesMax = 3_660;
const gapsMax = 1_000_000;
const gapPlaces = {
  incomplete: rankCodes.incomplete,
  failed: rankCodes.failed,
  deferred: rankCodes.deferred,
  unknown_paid: rankCodes.unknownPaid,
} as const;

/** A code of trail.js per date. */
export type RankTrail = Uint16Array;

/** The trails of one target, by keyword and market. */
export class RankTrails {
  readonly dates: readonly string[];
  readonly #axis: SeriesAxis;
  readonly #context: Pick<JobContext, 'store'>;
  readonly #project: Project;
  readonly #until: number;
  readonly #byTarget = new Map<string, ReadonlyMap<string, RankTrail>>();
  readonly #searchIds = new Map<string, number>();
  #unread: Unread | undefined;

  /** `until`: the newest moment of a run. */
  constructor(context: Pick<JobContext, 'store'>, project: Project, until: number) {
    this.#context = context;
    this.#project = project;
    this.#until = until;
    this.#axis = new SeriesAxis(context.store.reportSeries.dates(project.id, until, datesMax));
    this.dates = this.#axis.dates.map(({ date }) => date);
  }

  /** One trail per search, by `trailKey`. Read once: a hundred thousand searches of a year take a minute. */
  of(target: Target): ReadonlyMap<string, RankTrail> {
    const key = targetKey(target);
    const known = this.#byTarget.get(key);
    if (known !== undefined) return known;
    const trails = new Map(this.#read(key));
    this.#byTarget.set(key, trails);
    return trails;
  }

  /** Null: the search was never checked. Known once the trails of a target were read. */
  searchId(key: string): number | null {
    return this.#searchIds.get(key) ?? null;
  }

  /** The runs of some dates. */
  seriesDates(indices: readonly number[]): SeriesDate[] {
    return indices.flatMap((index) => this.#axis.dates[index] ?? []);
  }

  *#read(target: string): Generator<[string, RankTrail]> {
    this.#unread ??= readUnread(this.#context, this.#axis.dates);
    const { incomplete, gaps } = this.#unread;
    const axis = this.#axis;
    for (const { market, keywords } of inBatches(this.#project)) {
      const series = this.#context.store.reportSeries.of({
        target,
        market,
        keywords: keywords.map(({ keyword }) => keyword),
        from: axis.firstMoment(0) ?? 0,
        until: this.#until,
        spanning: axis.spanning,
      });
      let index = 0;
      for (const search of series) {
        const tracked = keywords[index];
        index += 1;
        if (tracked === undefined) continue;
        const name = trailKey(tracked.keyword, market);
        if (search.searchId !== null) this.#searchIds.set(name, search.searchId);
        yield [name, trailOf(search, axis, incomplete, gaps)];
      }
    }
  }
}

export function trailKey(
  keyword: string,
  { country, language, device }: { readonly country: string; readonly language: string; readonly device: string },
): string {
  return `${keyword}\n${country}\n${language}\n${device}`;
}

/** Failed and incomplete checks. */
interface Unread {
  readonly incomplete: ReadonlySet<number>;
  /** By search: date and code. */
  readonly gaps: ReadonlyMap<number, readonly (readonly [number, number])[]>;
}

function readUnread({ store }: Pick<JobContext, 'store'>, dates: readonly SeriesDate[]): Unread {
  const incomplete = new Set(dates.flatMap(({ runs }) => runs.flatMap(({ id }) => store.reportSeries.incomplete(id))));
  const gaps = new Map<number, [number, number][]>();
  let left = gapsMax;
  for (const [date, { runs }] of [...dates.entries()].reverse()) {
    for (const run of runs) {
      const unread = store.reportSeries.unread(run, left);
      left -= unread.length;
      for (const { searchId, state } of unread) {
        const known = gaps.get(searchId) ?? [];
        gaps.set(searchId, known);
        known.push([date, gapPlaces[state]]);
      }
    }
  }
  return { incomplete, gaps };
}

function trailOf(
  { searchId, rankings: found }: SearchSeries,
  axis: SeriesAxis,
  incomplete: Unread['incomplete'],
  gaps: Unread['gaps'],
): RankTrail {
  const ofSearch = searchId === null ? undefined : gaps.get(searchId);
  const isComplete = (checkId: number): boolean => !incomplete.has(checkId);
  return buildTrail(found, (ranking) => axis.indexOf(ranking), axis.dates.length, isComplete, ofSearch).codes;
}
