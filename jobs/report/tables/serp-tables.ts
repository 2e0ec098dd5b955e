// The tables made from archived pages: competitors, features, domain movement, cannibalization, discovered ones.
import {
  alternationChecksMax,
  mayAlternate,
  startCannibalization,
  type UrlHistory,
} from '../../../src/report/tables/cannibalization.ts';
import { competitorsCsv, startCompetitors } from '../../../src/report/tables/competitors.ts';
import { destinationsCsv, startDestinations } from '../../../src/report/tables/destinations.ts';
import { discoveredCsv, startDiscoveredCompetitors } from '../../../src/report/tables/discovered-competitors.ts';
import { startSerpFeatures } from '../../../src/report/tables/serp-features.ts';
import { startSerpMovement } from '../../../src/report/tables/serp-movement.ts';
import { comparisonName } from '../../../src/tracker/changes/baseline.ts';
import type { JoinedTables, ReportScope } from '../rows/report-scope.ts';
import { type ReadSearch, serpRows } from '../rows/serp-rows.ts';
import { ProjectSites } from '../rows/serp-sites.ts';

const names = [
  'competitors.csv',
  'serp-features.csv',
  'serp-movement.csv',
  'cannibalization.csv',
  'discovered-competitors.csv',
  'destinations.csv',
] as const;

/** Every archive is decoded once, for all tables. */
export function* serpTables(scope: ReportScope): Generator<JoinedTables> {
  const counts = names.map(() => 0);
  const tables = names.map((name, at) => ({
    name,
    get rows() {
      return counts[at] ?? 0;
    },
  }));
  yield { tables, pieces: renderChunks(scope, counts) };
}

/** Pieces of all tables; `counts`: lines of each, as soon as they are known. */
function* renderChunks(scope: ReportScope, counts: number[]): Generator<readonly [table: number, chunk: string]> {
  const { context, settings, run, project, warning, findings } = scope;
  const { csv, ctrCurve, comparison } = settings;
  const sites = new ProjectSites(context.store.serpContents, project);
  const competitors = startCompetitors(ctrCurve, sites.targets);
  const features = startSerpFeatures(sites, csv);
  const movement = startSerpMovement(sites, csv);
  const cannibalization = startCannibalization(sites, csv);
  const discovered = startDiscoveredCompetitors(ctrCurve, sites, sites.listed);
  const destinations = startDestinations(sites, scope.slot.timezone);
  const long = [features.lines, movement.lines, cannibalization.lines];
  for (const searches of serpRows(scope, sites)) {
    const histories = urlHistories(scope, sites, searches);
    for (const { row, checkId } of searches) {
      competitors.add(row);
      features.add(row);
      movement.add(row);
      cannibalization.add(row, histories.get(checkId) ?? []);
      discovered.add(row);
      destinations.add(row);
    }
    for (const [at, lines] of long.entries()) yield [at + 1, lines.taken()];
  }
  const facts = { project: project.id, runId: run.id, warning };
  const sums = competitors.rows({ ...facts, compare: comparisonName(comparison) });
  const found = discovered.rows(facts);
  findings.competitors = sums;
  for (const chunk of competitorsCsv(sums, csv)) yield [0, chunk];
  for (const [at, lines] of long.entries()) yield [at + 1, lines.rest()];
  for (const chunk of discoveredCsv(found, csv)) yield [names.length - 2, chunk];
  const known = destinations.rows(facts);
  for (const chunk of destinationsCsv(known, csv)) yield [names.length - 1, chunk];
  counts.splice(0, names.length, sums.length, ...long.map((lines) => lines.count()), found.length, known.length);
}

/** By check: one history an own target, in their order. */
function urlHistories(
  { context, run }: ReportScope,
  sites: ProjectSites,
  searches: readonly ReadSearch[],
): Map<number | null, UrlHistory[]> {
  const { targets, keys } = sites;
  const checkIds = searches.flatMap(({ checkId }) => (checkId === null ? [] : [checkId]));
  const found = new Map<number | null, UrlHistory[]>(checkIds.map((id) => [id, []]));
  keys.forEach((key, index) => {
    if (targets[index]?.role !== 'own') return;
    const histories = context.store.serpContents.urlHistories(checkIds, key, run.moment, alternationChecksMax);
    const alternating = new Set(histories.filter(mayAlternate).flat());
    sites.readUrls([...alternating].filter((id) => id !== null));
    histories.forEach((history, index) => {
      found.get(checkIds[index] ?? null)?.push(history);
    });
  });
  return found;
}
