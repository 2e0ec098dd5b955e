// Reads the share of voice over time, within a limit of pages, for the report page.
import type { SeriesDate } from '../../db/reads/reports/report-series.ts';
import type { TargetSeries } from '../../src/report/html/data/page-data.ts';
import { ShareTimeline } from '../../src/report/html/data/share-timeline.ts';
import type { Project } from '../../src/tracker/project.ts';
import type { JobContext } from '../context.ts';
import { ProjectSites } from './rows/serp-sites.ts';

/** Results pages of a search on a date: read by a report in addition to those of its run. */
const serpsMax = 30_000;

interface ShareScope {
  readonly context: Pick<JobContext, 'store'>;
  readonly settings: { readonly ctrCurve: string };
  readonly project: Project;
  /** Fewer dates than this are no history. */
  readonly datesMin: number;
}

/**
 * One line a target and competitor, own ones first, with a value on the dates that were read; empty where too few could
 * be. `volumes`: today's, of the searches of the project.
 */
export function shareHistory(
  { context, settings, project, datesMin }: ShareScope,
  dates: readonly SeriesDate[],
  volumes: ReadonlyMap<number, number | null>,
): TargetSeries[] {
  const read = datesRead(dates.length, volumes.size);
  if (read.length < datesMin) return [];
  const sites = new ProjectSites(context.store.serpContents, project);
  const timeline = new ShareTimeline(sites, settings.ctrCurve, dates.length);
  for (const date of read) {
    const runs = dates[date]?.runs ?? [];
    const done = new Set<number>();
    // of several runs on a date the last one counts, search by search
    const isNew = (searchId: number): boolean => runs.length === 1 || done.size < done.add(searchId).size;
    for (const run of runs.toReversed()) {
      for (const { searchIds, counts, urlIds } of context.store.reportSeries.organic(project.id, run)) {
        sites.prepare(urlIds);
        timeline.add(date, { counts, urlIds }, (check) => {
          const searchId = searchIds[check] ?? 0;
          const volume = volumes.get(searchId);
          return volume !== undefined && isNew(searchId) ? volume : undefined;
        });
      }
    }
  }
  return timeline.lines();
}

/** The last date, and others at even distances before it. */
function datesRead(dateCount: number, searchCount: number): number[] {
  const affordable = Math.floor(serpsMax / Math.max(1, searchCount));
  if (affordable === 0) return [];
  const step = Math.max(1, Math.ceil(dateCount / affordable));
  return Array.from({ length: dateCount }, (_, index) => index).filter((index) => (dateCount - 1 - index) % step === 0);
}
