// Reads the visibility of competitors over time, within a limit of rows, for the report page.

import { type CodeSums, datedSums, SummedSearches } from '../../../src/report/html/data/code-sums.ts';
import type { TargetSeries } from '../../../src/report/html/data/page-data.ts';
import { TargetTimeline } from '../../../src/report/html/data/timeline.ts';
import type { Project, Target } from '../../../src/tracker/project.ts';
import { isPlace, targetKey, trackedTargets } from '../../../src/tracker/targets/target.ts';
import type { RankDates } from '../rows/rank-dates.ts';
import type { ReportScope } from '../rows/report-scope.ts';
import type { SeriesAxis } from '../rows/series-axis.ts';
import type { RivalTrails } from './row-details.ts';

/** Most rankings of competitors, over all dates, that one report reads. */
const rankingsMax = 3_000_000;

/**
 * One line a competitor, as configured; empty where not even one date can be read. Of more history than can be read the
 * newest dates have values. `volumes`: today's, in the order of the searches. `trails` keeps those of shown rows.
 */
export function competitorHistory(
  { settings, project }: ReportScope,
  axis: SeriesAxis,
  { ranks, volumes }: { readonly ranks: RankDates; readonly volumes: readonly (number | null)[] },
  trails: RivalTrails,
): TargetSeries[] {
  const competitors = listCompetitors(project);
  const affordable = Math.floor(rankingsMax / Math.max(1, volumes.length * competitors.length));
  const { dates } = axis;
  const from = affordable === 0 ? undefined : axis.firstMoment(Math.max(0, dates.length - affordable));
  if (from === undefined) return [];
  const summed = new SummedSearches(Int32Array.from(volumes.keys()), volumes);
  return competitors.map((target) => {
    const timeline = new TargetTimeline(dates.length, settings.ctrCurve);
    const shown = trails.start();
    const sums: CodeSums[] = new Array(dates.length);
    for (const column of ranks.of({ target: targetKey(target), from, what: 'codes' })) {
      sums[column.date] = summed.of(column.codes);
      shown.add(column);
    }
    timeline.addSums(datedSums(volumes.length, sums), [...sums.keys()]);
    return { target: target.value, isOwn: false, values: timeline.visibility(), of: timeline.weighed() };
  });
}

/** Without places, whose ranks do not compare with organic ones. */
export function listCompetitors(project: Project): Target[] {
  return trackedTargets(project).flatMap(({ target, role }) =>
    role === 'competitor' && !isPlace(target) ? [target] : [],
  );
}
