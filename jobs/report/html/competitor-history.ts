// Reads the visibility of competitors over time, within a limit of rows, for the report page.
import type { SearchSeries } from '../../../db/reads/reports/report-series.ts';
import type { TargetSeries } from '../../../src/report/html/data/page-data.ts';
import { type DatedRanks, TargetTimeline } from '../../../src/report/html/data/timeline.ts';
import type { Project, Target } from '../../../src/tracker/project.ts';
import { isPlace } from '../../../src/tracker/targets/place.ts';
import { targetKey } from '../../../src/tracker/targets/target.ts';
import { inBatches } from '../rows/report-rows.ts';
import type { ReportScope } from '../rows/report-scope.ts';
import type { RivalTrails } from './row-details.ts';
import type { SeriesAxis } from './series-axis.ts';

/** Most rankings of competitors, over all dates, that one report reads. */
const rankingsMax = 3_000_000;
/** Number of searches whose rankings are read together. */
const searchesPerRead = 500;

/**
 * One line a competitor, as configured; empty where not even one date can be read. Of more history than can be read the
 * newest dates have values. `volumes`: today's, of the searches of the project. `trails` keeps those of shown rows.
 */
export function competitorHistory(
  { context, settings, project, run }: ReportScope,
  axis: SeriesAxis,
  volumes: ReadonlyMap<number, number | null>,
  trailOf: (search: SearchSeries) => DatedRanks,
  trails: RivalTrails,
): TargetSeries[] {
  const competitors = listCompetitors(project);
  const affordable = Math.floor(rankingsMax / Math.max(1, volumes.size * competitors.length));
  const { dates, spanning } = axis;
  const from = affordable === 0 ? undefined : axis.firstMoment(Math.max(0, dates.length - affordable));
  if (from === undefined) return [];
  return competitors.map((target, rival) => {
    const timeline = new TargetTimeline(dates.length, settings.ctrCurve);
    for (const { market, keywords } of inBatches(project, searchesPerRead)) {
      const query = { target: targetKey(target), market, from, until: run.moment, spanning };
      const words = keywords.map(({ keyword }) => keyword);
      for (const search of context.store.reportSeries.of({ ...query, keywords: words })) {
        const volume = search.searchId === null ? undefined : volumes.get(search.searchId);
        if (search.searchId === null || volume === undefined) continue;
        const { codes } = trailOf(search);
        timeline.add(codes, volume);
        trails.add(rival, search.searchId, codes);
      }
    }
    return { target: target.value, isOwn: false, values: timeline.visibility(), of: timeline.weighed() };
  });
}

/** A target of both kinds is own. */
export function listCompetitors({ targets, competitors }: Project): Target[] {
  const known = new Set(targets.map(targetKey));
  return competitors.filter((target) => {
    if (isPlace(target)) return false; // its ranks do not compare with organic ones
    const key = targetKey(target);
    if (known.has(key)) return false;
    known.add(key);
    return true;
  });
}
