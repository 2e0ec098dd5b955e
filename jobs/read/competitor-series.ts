// Own targets and competitors over the same searches and dates.

import type { CompetitorSeries } from '../../src/read/records.ts';
import type { DatedSums } from '../../src/read/sums/code-sums.ts';
import { TargetTimeline } from '../../src/read/sums/timeline.ts';
import { Visibility } from '../../src/tracker/changes/visibility.ts';
import { figureDecimals, rounded } from '../../src/tracker/figures.ts';
import type { Project, Target } from '../../src/tracker/project.ts';
import { rankCodes, rankOfCode } from '../../src/tracker/rank-codes.ts';
import type { JobContext } from '../context.ts';
import { ranksByUrl, standingOf } from './against-competitors.ts';
import type { TableRow } from './columns/column-rows.ts';
import type { RankSums } from './columns/rank-sums.ts';
import type { RankTrails, TargetRanks } from './columns/rank-trails.ts';
import { shareHistory } from './share-history.ts';

export interface CompetitorQuestion {
  readonly context: Pick<JobContext, 'store'>;
  readonly project: Project;
  readonly rows: readonly TableRow[];
  readonly trails: RankTrails;
  readonly rankSums: RankSums;
  /** Of the dates of `trails`. */
  readonly indices: readonly number[];
  readonly ctrCurve: string;
  readonly hasShare: boolean;
}

export function competitorSeries(question: CompetitorQuestion): CompetitorSeries {
  const { project, trails, indices } = question;
  const searches = searchesOf(question.rows);
  const of = (isOwn: boolean) => (target: Target) => {
    const ranks = trails.of(target);
    return { target, isOwn, column: (date: number) => ranks.column(date) };
  };
  const all: readonly TargetColumns[] = [
    ...project.targets.filter(ranksByUrl).map(of(true)),
    ...project.competitors.filter(ranksByUrl).map(of(false)),
  ];
  const last = indices.at(-1);
  const best =
    last === undefined ? new Float64Array(searches.searchIndices.length) : bestOwnStandings(all, searches, last);
  const sumsOf = question.rankSums.of(searches.searchIndices, searches.volumes);
  const shares = question.hasShare ? shareLines(question, searches) : null;
  return {
    dates: indices.map((index) => trails.dates[index] ?? ''),
    targets: all.map((of) => {
      const sums = sumTarget(of, sumsOf(of.target), searches, question, best);
      const share = shares?.get(of.target.value) ?? indices.map(() => null);
      return { target: of.target.value, isOwn: of.isOwn, ...sums, shareOfVoice: shares === null ? null : share };
    }),
    passes: countPasses(all, searches.searchIndices, indices),
  };
}

/** Searches of a project by their index in its columns, each with its volume. */
interface IndexedSearches {
  readonly searchIndices: Int32Array;
  readonly volumes: readonly (number | null)[];
}

/** A search once for all own targets. */
function searchesOf(rows: readonly TableRow[]): IndexedSearches {
  const isKnown: boolean[] = [];
  const once = rows.filter(({ searchIndex }) => {
    if (searchIndex < 0 || isKnown[searchIndex] === true) return false;
    isKnown[searchIndex] = true;
    return true;
  });
  return {
    searchIndices: Int32Array.from(once, ({ searchIndex }) => searchIndex),
    volumes: once.map(({ searchVolume }) => searchVolume),
  };
}

type Sums = Omit<CompetitorSeries['targets'][number], 'target' | 'isOwn' | 'shareOfVoice'>;

function sumTarget(
  { isOwn, column }: TargetColumns,
  datedSums: readonly DatedSums[],
  searches: IndexedSearches,
  { indices, ctrCurve }: Pick<CompetitorQuestion, 'indices' | 'ctrCurve'>,
  best: Float64Array,
): Sums {
  const { searchIndices } = searches;
  const timeline = new TargetTimeline(indices.length, ctrCurve);
  for (const sums of datedSums) timeline.addSums(sums, indices);
  const last = indices.at(-1);
  const newest = last === undefined ? [] : column(last);
  let [wins, losses, ranked, rankSum, top10] = [0, 0, 0, 0, 0];
  for (const [at, searchIndex] of searchIndices.entries()) {
    const here = standingOf(newest[searchIndex] ?? 0);
    if (Number.isFinite(here)) {
      ranked += 1;
      rankSum += here;
      if (here <= 10) top10 += 1;
    }
    // an unproven standing is not a number: neither above nor below
    const own = best[at] ?? Number.NaN;
    if (own < here) wins += 1;
    if (here < own) losses += 1;
  }
  const visibility = [...timeline.visibility()];
  const known = indices.filter((_, at) => visibility[at] !== null);
  return {
    visibility,
    ...changeBetween(column, searches, [known[0], known.at(-1)], ctrCurve),
    visibilityOver: [...timeline.weighed()],
    averageRank: ranked === 0 ? null : rounded(rankSum / ranked, figureDecimals),
    top10: (timeline.checked().at(-1) ?? null) === null ? null : top10,
    wins: isOwn ? null : wins,
    losses: isOwn ? null : losses,
  };
}

/** Of the same searches on both dates: failures of one of them are neither lost nor gained. */
function changeBetween(
  column: TargetColumns['column'],
  { searchIndices, volumes }: IndexedSearches,
  [first, last]: readonly [number | undefined, number | undefined],
  ctrCurve: string,
): Required<Pick<Sums, 'visibilityChange' | 'visibilityChangeOver'>> {
  const [before, now] = [new Visibility(ctrCurve), new Visibility(ctrCurve)];
  if (first === undefined || last === undefined || first === last)
    return { visibilityChange: null, visibilityChangeOver: 0 };
  const [codesBefore, codesNow] = [column(first), column(last)];
  for (const [at, searchIndex] of searchIndices.entries()) {
    const [rankBefore, rankNow] = [provenRank(codesBefore[searchIndex]), provenRank(codesNow[searchIndex])];
    if (rankBefore === undefined || rankNow === undefined) continue;
    before.add(volumes[at] ?? null, rankBefore);
    now.add(volumes[at] ?? null, rankNow);
  }
  const [from, to] = [before.percent(), now.percent()];
  const change = from === null || to === null ? null : rounded(to - from, figureDecimals);
  return { visibilityChange: change, visibilityChangeOver: now.count() };
}

/** Null: not found down to the depth; undefined: not proven. */
function provenRank(code: number | undefined): number | null | undefined {
  return code === rankCodes.not_found ? null : (rankOfCode(code ?? rankCodes.none) ?? undefined);
}

/** By target. Dates that are not read have null. */
function shareLines(
  { context, project, trails, indices, ctrCurve }: CompetitorQuestion,
  { searchIndices, volumes }: IndexedSearches,
): ReadonlyMap<string, readonly (number | null)[]> {
  const { ids } = trails.ranks.searches;
  const bySearch = new Map<number, number | null>();
  for (const [at, searchIndex] of searchIndices.entries()) {
    const searchId = ids[searchIndex] ?? 0;
    if (searchId > 0) bySearch.set(searchId, volumes[at] ?? null); // 0: never made
  }
  const scope = { context, settings: { ctrCurve }, project, datesMin: 1 };
  const lines = shareHistory(scope, trails.seriesDates(indices), bySearch);
  return new Map(lines.map(({ target, values }) => [target, Array.from(indices, (_, at) => values[at] ?? null)]));
}

/** The best of all own targets, by search. Not a number where that of one own target is unproven. */
function bestOwnStandings(
  all: readonly TargetColumns[],
  { searchIndices }: IndexedSearches,
  date: number,
): Float64Array {
  const best = new Float64Array(searchIndices.length).fill(Number.POSITIVE_INFINITY);
  for (const { isOwn, column } of all) {
    if (!isOwn) continue;
    const codes = column(date);
    for (let at = 0; at < searchIndices.length; at += 1)
      best[at] = Math.min(best[at] ?? 0, standingOf(codes[searchIndices[at] ?? 0] ?? 0)); // not a number, if either is none
  }
  return best;
}

// Counts which target passed which over some dates.

/** A target with its ranks by date. */
export interface TargetColumns extends Pick<TargetRanks, 'column'> {
  readonly target: Target;
  readonly isOwn: boolean;
}

/**
 * The order of two targets in the first and the last check of a search that prove any. `searchIndices`: in the
 * columns; `indices`: of the dates.
 */
export function countPasses(
  all: readonly TargetColumns[],
  searchIndices: Int32Array,
  indices: readonly number[],
): CompetitorSeries['passes'] {
  const first = provenDates(all, searchIndices, indices);
  const last = provenDates(all, searchIndices, indices.toReversed());
  const standings = all.map(({ target, column }) => ({
    name: target.value,
    before: standingsOn(column, searchIndices, first),
    after: standingsOn(column, searchIndices, last),
  }));
  return standings
    .flatMap((winner) =>
      standings.map((loser) => ({ target: winner.name, passed: loser.name, searches: countPassed(winner, loser) })),
    )
    .filter(({ searches }) => searches > 0)
    .sort((a, b) => b.searches - a.searches);
}

/** By search, on its date. Not a number: not proven. */
function standingsOn(column: TargetColumns['column'], searchIndices: Int32Array, dates: Int32Array): Float64Array {
  const found = new Float64Array(searchIndices.length).fill(Number.NaN);
  for (let at = 0; at < searchIndices.length; at += 1) {
    const date = dates[at] ?? -1;
    if (date >= 0) found[at] = standingOf(column(date)[searchIndices[at] ?? 0] ?? 0);
  }
  return found;
}

interface Standings {
  readonly before: Float64Array;
  readonly after: Float64Array;
}

/** Searches. Two that are both absent, or of which one is unproven, have no order. */
function countPassed(winner: Standings, loser: Standings): number {
  let searches = 0;
  for (let at = 0; at < winner.before.length; at += 1) {
    const wasBehind = (loser.before[at] ?? Number.NaN) < (winner.before[at] ?? Number.NaN);
    if (wasBehind && (winner.after[at] ?? Number.NaN) < (loser.after[at] ?? Number.NaN)) searches += 1;
  }
  return searches;
}

/** By search: the first of these dates on which the standing of any target is proven; -1: none. */
function provenDates(all: readonly TargetColumns[], searchIndices: Int32Array, dates: readonly number[]): Int32Array {
  const found = new Int32Array(searchIndices.length).fill(-1);
  let missing = searchIndices.length;
  for (const date of dates) {
    if (missing === 0) break;
    const columns = all.map(({ column }) => column(date));
    for (let at = 0; at < searchIndices.length; at += 1) {
      if (found[at] !== -1) continue;
      const searchIndex = searchIndices[at] ?? 0;
      if (columns.every((codes) => Number.isNaN(standingOf(codes[searchIndex] ?? 0)))) continue;
      found[at] = date;
      missing -= 1;
    }
  }
  return found;
}
