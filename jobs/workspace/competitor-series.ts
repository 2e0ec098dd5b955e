// Own targets and competitors over the same searches and dates.

import { TargetTimeline } from '../../src/report/html/data/timeline.ts';
import { decodeRank, rankCodes } from '../../src/report/html/data/trail.ts';
import type { Project } from '../../src/tracker/project.ts';
import type { CompetitorSeries } from '../../src/workspace/competitor-records.ts';
import type { JobContext } from '../context.ts';
import { shareHistory } from '../report/html/share-history.ts';
import { trailKey } from './columns/project-searches.ts';
import type { RankTrail, RankTrails } from './columns/rank-trails.ts';
import type { TableRow } from './table-row.ts';
import { countPasses, type Standing, type TargetTrails } from './target-passes.ts';

export interface CompetitorQuestion {
  readonly context: Pick<JobContext, 'store'>;
  readonly project: Project;
  readonly rows: readonly TableRow[];
  readonly trails: RankTrails;
  /** Of the dates of `trails`. */
  readonly indices: readonly number[];
  readonly ctrCurve: string;
  readonly hasShare: boolean;
}

export function competitorSeries(question: CompetitorQuestion): CompetitorSeries {
  const { project, rows, trails, indices } = question;
  // a search once for all own targets
  const volumes = new Map(rows.map(({ row }) => [trailKey(row.keyword, row), row.searchVolume]));
  const all: readonly TargetTrails[] = [...project.targets, ...project.competitors].map((target, index) => ({
    target,
    isOwn: index < project.targets.length,
    trails: trails.of(target),
  }));
  const last = indices.at(-1);
  const best = bestOwnStandings(all, volumes.keys(), last);
  const shares = question.hasShare ? shareLines(question, volumes) : null;
  return {
    dates: indices.map((index) => trails.dates[index] ?? ''),
    targets: all.map((of) => {
      const sums = sumTarget(of, volumes, question, best);
      const share = shares?.get(of.target.value) ?? indices.map(() => null);
      return { target: of.target.value, isOwn: of.isOwn, ...sums, shareOfVoice: shares === null ? null : share };
    }),
    passes: countPasses(all, volumes.keys(), indices, standing),
  };
}

type Sums = Omit<CompetitorSeries['targets'][number], 'target' | 'isOwn' | 'shareOfVoice'>;

function sumTarget(
  { isOwn, trails }: TargetTrails,
  volumes: ReadonlyMap<string, number | null>,
  { indices, ctrCurve }: Pick<CompetitorQuestion, 'indices' | 'ctrCurve'>,
  best: ReadonlyMap<string, Standing>,
): Sums {
  const last = indices.at(-1);
  const timeline = new TargetTimeline(indices.length, ctrCurve);
  const ranks: number[] = [];
  let [wins, losses] = [0, 0];
  for (const [key, volume] of volumes) {
    const trail = trails.get(key);
    if (trail === undefined) continue;
    timeline.add(
      Uint16Array.from(indices, (index) => trail[index] ?? 0),
      volume,
    );
    const here = standing(trail, last);
    if (here !== null && Number.isFinite(here)) ranks.push(here);
    const own = best.get(key) ?? null;
    if (own === null || here === null) continue;
    if (own < here) wins += 1;
    if (here < own) losses += 1;
  }
  return {
    visibility: [...timeline.visibility()],
    visibilityOver: [...timeline.weighed()],
    averageRank: ranks.length === 0 ? null : Math.round((100 * sum(ranks)) / ranks.length) / 100,
    top10: (timeline.checked().at(-1) ?? null) === null ? null : ranks.filter((rank) => rank <= 10).length,
    wins: isOwn ? null : wins,
    losses: isOwn ? null : losses,
  };
}

/** By target. Dates that are not read have null. */
function shareLines(
  { context, project, trails, indices, ctrCurve }: CompetitorQuestion,
  volumes: ReadonlyMap<string, number | null>,
): ReadonlyMap<string, readonly (number | null)[]> {
  const bySearch = new Map<number, number | null>();
  for (const [key, volume] of volumes) {
    const searchId = trails.searchId(key);
    if (searchId !== null) bySearch.set(searchId, volume);
  }
  const lines = shareHistory({ context, settings: { ctrCurve }, project }, trails.seriesDates(indices), bySearch);
  return new Map(lines.map(({ target, values }) => [target, Array.from(indices, (_, at) => values[at] ?? null)]));
}

/** The best of all own targets, by search. Unknown if that of one own target is. */
function bestOwnStandings(
  all: readonly TargetTrails[],
  keys: Iterable<string>,
  index: number | undefined,
): ReadonlyMap<string, Standing> {
  const own = all.filter(({ isOwn }) => isOwn);
  return new Map(
    [...keys].map((key) => {
      const standings = own.map(({ trails }) => standing(trails.get(key), index));
      const known = standings.filter((value) => value !== null);
      return [key, known.length < standings.length ? null : Math.min(...known)];
    }),
  );
}

/** Below all ranks where the target is on none of the pages; null where they do not prove it. */
function standing(trail: RankTrail | undefined, index: number | undefined): Standing {
  const code = index === undefined ? rankCodes.none : (trail?.[index] ?? rankCodes.none);
  if (code === rankCodes.notFound || code === rankCodes.notFollowed) return Number.POSITIVE_INFINITY;
  return decodeRank(code);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
