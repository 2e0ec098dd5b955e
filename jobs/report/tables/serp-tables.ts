// The tables made from archived pages: competitors, features, domain movement, cannibalization, discovered ones.
import type { SerpRow } from '../../../src/read/serp.ts';
import { type ReportTable, reportTable, type TableRows } from '../../../src/report/formats/table-writer.ts';
import {
  alternationChecksMax,
  cannibalizationRows,
  cannibalizationTable,
  mayAlternate,
  type UrlHistory,
} from '../../../src/report/tables/cannibalization.ts';
import { competitorColumns, startCompetitors } from '../../../src/report/tables/competitors.ts';
import { destinationColumns, startDestinations } from '../../../src/report/tables/destinations.ts';
import {
  discoveredColumns,
  discoveredMax,
  startDiscoveredCompetitors,
} from '../../../src/report/tables/discovered-competitors.ts';
import { featureRows, featureTable } from '../../../src/report/tables/serp-features.ts';
import { movementTable, startSerpMovement } from '../../../src/report/tables/serp-movement.ts';
import { comparisonName } from '../../../src/tracker/changes/change.ts';
import type { ReportScope } from '../../read/rows/report-scope.ts';
import { type ReadSearch, serpRows } from '../../read/rows/serp-rows.ts';
import { ProjectSites } from '../../read/rows/serp-sites.ts';

/** What the tables of archived pages are made from: every archive is decoded once, for all of them. */
export class SerpPass {
  readonly scope: ReportScope;
  readonly sites: ProjectSites;
  /** In lines of sums. */
  readonly facts: { readonly project: string; readonly runId: number; readonly warning: string | null };

  constructor(scope: ReportScope) {
    const { context, run, project, warning } = scope;
    this.scope = scope;
    this.sites = new ProjectSites(context.store.serpContents, project);
    this.facts = { project: project.id, runId: run.id, warning };
  }

  items(): Iterable<Searches> {
    return serpRows(this.scope, this.sites);
  }
}

/** Searches of one market. */
export type Searches = readonly ReadSearch[];

/** Sums of searches, which are rows after the last one. */
function sumsOf<Row>(sums: { add(row: SerpRow): void }, rest: () => Iterable<Row>): TableRows<Searches, Row> {
  return {
    add(searches) {
      for (const { row } of searches) sums.add(row);
      return [];
    },
    rest,
  };
}

export const serpTables: readonly ReportTable<SerpPass, Searches>[] = [
  reportTable({
    name: 'competitors',
    columns: competitorColumns,
    neededFor: 'page',
    start({ scope: { settings, findings }, sites, facts }: SerpPass) {
      const competitors = startCompetitors(settings.ctrCurve, sites.targets);
      const compare = comparisonName(settings.comparison);
      return sumsOf(competitors, () => {
        findings.competitors = competitors.rows({ ...facts, compare });
        return findings.competitors;
      });
    },
  }),
  reportTable({
    name: 'serp-features',
    ...featureTable,
    start: ({ sites }: SerpPass) => ({
      add: (searches: Searches) => Iterator.from(searches).flatMap(({ row }) => featureRows(row, sites)),
    }),
  }),
  reportTable({
    name: 'serp-movement',
    ...movementTable,
    start({ sites }: SerpPass) {
      const { add, rest } = startSerpMovement(sites);
      return { add: (searches: Searches) => Iterator.from(searches).flatMap(({ row }) => add(row)), rest };
    },
  }),
  reportTable({
    name: 'cannibalization',
    ...cannibalizationTable,
    start: ({ scope, sites }: SerpPass) => ({
      *add(searches: Searches) {
        const histories = urlHistories(scope, sites, searches);
        for (const { row, checkId } of searches)
          yield* cannibalizationRows(row, histories.get(checkId ?? 0) ?? [], sites);
      },
    }),
  }),
  reportTable({
    name: 'discovered-competitors',
    columns: discoveredColumns,
    start({ scope, sites, facts }: SerpPass) {
      const discovered = startDiscoveredCompetitors(scope.settings.ctrCurve, sites, sites.listed);
      return sumsOf(discovered, () => discovered.rows(facts, discoveredMax));
    },
  }),
  reportTable({
    name: 'destinations',
    columns: destinationColumns,
    start({ scope, sites, facts }: SerpPass) {
      const destinations = startDestinations(sites, scope.slot.timezone);
      return sumsOf(destinations, () => destinations.rows(facts));
    },
  }),
];

/** The URLs of own targets that ranked in the newest checks of searches, by check: one history an own target. */
function urlHistories(
  { context, run }: ReportScope,
  sites: ProjectSites,
  searches: readonly ReadSearch[],
): Map<number, UrlHistory[]> {
  const { targets, keys } = sites;
  const found = new Map<number, UrlHistory[]>(
    searches.flatMap(({ checkId }) => (checkId === null ? [] : [[checkId, []]])),
  );
  const checkIds = [...found.keys()];
  const alternating = new Set<number | null>();
  for (const [index, key] of keys.entries()) {
    if (targets[index]?.role !== 'own') continue;
    const histories = context.store.serpContents.urlHistories(checkIds, key, run.moment, alternationChecksMax);
    for (const [at, history] of histories.entries()) {
      found.get(checkIds[at] ?? 0)?.push(history);
      if (mayAlternate(history)) for (const urlId of history) alternating.add(urlId);
    }
  }
  sites.readUrls([...alternating].filter((id) => id !== null));
  return found;
}
