// Rows of the keyword table by how competitors rank against our best target in their searches.

import type { KeywordFilter } from '../../src/read/contract.ts';
import { isChosen } from '../../src/read/keyword-filter.ts';
import type { Project, Target } from '../../src/tracker/project.ts';
import { rankCodes, rankOfCode } from '../../src/tracker/rank-codes.ts';
import { isPlace } from '../../src/tracker/targets/target.ts';
import type { TableRow } from './columns/column-rows.ts';
import type { RankTrails } from './columns/rank-trails.ts';

/** Ranks of places do not compare with organic ones. */
export function ranksByUrl(target: Target): boolean {
  return !isPlace(target);
}

/** The rank of a code; infinity: on none of the pages; not a number: not proven. */
export function standingOf(code: number): number {
  if (code === rankCodes.not_found || code === rankCodes.not_followed) return Number.POSITIVE_INFINITY;
  return rankOfCode(code) ?? Number.NaN;
}

interface Ranked {
  readonly project: Project;
  readonly trails: RankTrails;
}

/** Those rows that the conditions on competitors keep. */
export function againstCompetitors(
  rows: readonly TableRow[],
  { above, below, passedBy, passed }: KeywordFilter,
  { project, trails }: Ranked,
): readonly TableRow[] {
  if ((above ?? below ?? passedBy ?? passed) === undefined) return rows;
  const dateAt = new Map(trails.dates.map((date, at) => [date, at]));
  const own = project.targets.filter(ranksByUrl).map((target) => trails.of(target));
  const rivals = project.competitors.filter(ranksByUrl).map(({ value }, at) => ({ value, at }));
  const ranks = project.competitors.filter(ranksByUrl).map((target) => trails.of(target));
  const standing = (of: ReturnType<RankTrails['of']> | undefined, row: TableRow, date: string | null): number => {
    const at = dateAt.get(date ?? '');
    return at === undefined ? Number.NaN : standingOf(of?.column(at)[row.searchIndex] ?? rankCodes.none);
  };
  /** Below 0: it ranks above our best target. Not a number: one of them is not proven, or both are absent. */
  const against = (row: TableRow, rival: number, date: string | null): number =>
    standing(ranks[rival], row, date) - Math.min(...own.map((of) => standing(of, row, date)));
  return rows.filter((row) => {
    const named = (holds: (now: number, before: number) => boolean): string[] =>
      rivals.flatMap(({ value, at }) =>
        holds(against(row, at, row.date), against(row, at, row.previousDate)) ? [value] : [],
      );
    return (
      (above === undefined ||
        isChosen(
          above,
          named((now) => now < 0),
        )) &&
      (below === undefined ||
        isChosen(
          below,
          named((now) => now > 0),
        )) &&
      (passedBy === undefined ||
        isChosen(
          passedBy,
          named((now, before) => now < 0 && before > 0),
        )) &&
      (passed === undefined ||
        isChosen(
          passed,
          named((now, before) => now > 0 && before < 0),
        ))
    );
  });
}
