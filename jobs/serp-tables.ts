// The tables out of archived pages, all of one reading: competitors, features, movement of all domains, cannibalization, discovered competitors.
import { startCannibalization, turnChecksMax, type UrlHistory } from '../src/report/cannibalization.ts';
import { competitorsCsv, startCompetitors } from '../src/report/competitors.ts';
import { discoveredCsv, startDiscoveredCompetitors } from '../src/report/discovered-competitors.ts';
import { startSerpFeatures } from '../src/report/serp-features.ts';
import { startSerpMovement } from '../src/report/serp-movement.ts';
import { comparisonName } from '../src/tracker/baseline.ts';
import type { ReportScope, ReportTable } from './report-scope.ts';
import { type ReadSearch, serpRows } from './serp-rows.ts';
import { ProjectSites } from './serp-sites.ts';

/** Every archive is decoded once; the long tables wait packed until they are written. */
export function* serpTables(scope: ReportScope): Generator<ReportTable> {
  const { context, settings, run, project, warning, findings } = scope;
  const { csv, ctrCurve, comparison } = settings;
  const sites = new ProjectSites(context.store.serpContents, project);
  const competitors = startCompetitors(ctrCurve, sites.targets);
  const features = startSerpFeatures(sites, csv);
  const movement = startSerpMovement(sites, csv);
  const cannibalization = startCannibalization(sites, csv);
  const discovered = startDiscoveredCompetitors(ctrCurve, sites, sites.listed);
  for (const searches of serpRows(scope, sites)) {
    const histories = urlHistories(scope, sites, searches);
    for (const { row, checkId } of searches) {
      competitors.add(row);
      features.add(row);
      movement.add(row);
      cannibalization.add(row, histories.get(checkId) ?? []);
      discovered.add(row);
    }
  }
  const facts = { project: project.id, runId: run.id, warning };
  const sums = competitors.rows({ ...facts, compare: comparisonName(comparison) });
  findings.competitors = sums;
  yield { name: 'competitors.csv', rows: sums.length, chunks: competitorsCsv(sums, csv) };
  for (const [name, collected] of [
    ['serp-features.csv', features],
    ['serp-movement.csv', movement],
    ['cannibalization.csv', cannibalization],
  ] as const) {
    const lines = collected.lines();
    yield { name, rows: lines.count(), chunks: lines.chunks() };
  }
  const found = discovered.rows(facts);
  yield { name: 'discovered-competitors.csv', rows: found.length, chunks: discoveredCsv(found, csv) };
}

/** By check: one history an own target, in their order. */
function urlHistories(
  { context, run }: ReportScope,
  { targets, keys }: ProjectSites,
  searches: readonly ReadSearch[],
): Map<number | null, UrlHistory[]> {
  const checkIds = searches.flatMap(({ checkId }) => (checkId === null ? [] : [checkId]));
  const found = new Map<number | null, UrlHistory[]>(checkIds.map((id) => [id, []]));
  keys.forEach((key, index) => {
    if (targets[index]?.role !== 'own') return;
    const histories = context.store.serpContents.urlHistories(checkIds, key, run.moment, turnChecksMax);
    histories.forEach((history, place) => {
      found.get(checkIds[place] ?? null)?.push(history);
    });
  });
  return found;
}
