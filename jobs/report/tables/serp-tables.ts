// The tables made from archived pages: competitors, features, domain movement, cannibalization, discovered ones.
import { EarlierUrls } from '../../../db/history/columns/past-runs.ts';

import { csvChunks } from '../../../src/report/formats/csv.ts';
import {
  alternationChecksMax,
  mayAlternate,
  startCannibalization,
  type UrlHistory,
} from '../../../src/report/tables/cannibalization.ts';
import { competitorColumns, startCompetitors } from '../../../src/report/tables/competitors.ts';
import { destinationColumns, startDestinations } from '../../../src/report/tables/destinations.ts';
import { discoveredColumns, startDiscoveredCompetitors } from '../../../src/report/tables/discovered-competitors.ts';
import { startSerpFeatures } from '../../../src/report/tables/serp-features.ts';
import { startSerpMovement } from '../../../src/report/tables/serp-movement.ts';
import { comparisonName } from '../../../src/tracker/changes/change.ts';
import type { JoinedTables, ReportScope } from '../rows/report-scope.ts';
import { type ReadSearch, serpRows } from '../rows/serp-rows.ts';
import { ProjectSites } from '../rows/serp-sites.ts';
import { TargetPasts } from '../rows/target-pasts.ts';

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
  const urlHistories = new UrlHistories(scope, sites);
  const long = [features.lines, movement.lines, cannibalization.lines];
  for (const searches of serpRows(scope, sites)) {
    const histories = urlHistories.of(searches);
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
  for (const chunk of csvChunks(competitorColumns, sums, csv)) yield [0, chunk];
  for (const [at, lines] of long.entries()) yield [at + 1, lines.rest()];
  for (const chunk of csvChunks(discoveredColumns, found, csv)) yield [names.length - 2, chunk];
  const known = destinations.rows(facts);
  for (const chunk of csvChunks(destinationColumns, known, csv)) yield [names.length - 1, chunk];
  counts.splice(0, names.length, sums.length, ...long.map((lines) => lines.count()), found.length, known.length);
}

/** The URLs of own targets that ranked in the newest checks of searches: out of columns, as far as these hold them. */
class UrlHistories {
  readonly #scope: ReportScope;
  readonly #sites: ProjectSites;
  readonly #pasts: TargetPasts<EarlierUrls>;

  constructor(scope: ReportScope, sites: ProjectSites) {
    const { context, project, run } = scope;
    this.#scope = scope;
    this.#sites = sites;
    const until = { store: context.store, project, before: run.moment + 1 };
    this.#pasts = new TargetPasts(until, (columns, past) => new EarlierUrls(columns, past));
  }

  /** By check: one history an own target, in their order. */
  of(searches: readonly ReadSearch[]): Map<number | null, UrlHistory[]> {
    const { targets, keys } = this.#sites;
    const found = new Map<number | null, UrlHistory[]>();
    for (const { checkId } of searches) if (checkId !== null) found.set(checkId, []);
    const alternating = new Set<number | null>();
    for (const [index, key] of keys.entries()) {
      if (targets[index]?.role !== 'own') continue;
      for (const [checkId, history] of this.#ofTarget(key, searches)) {
        found.get(checkId)?.push(history);
        if (mayAlternate(history)) for (const urlId of history) alternating.add(urlId);
      }
    }
    this.#sites.readUrls([...alternating].filter((id) => id !== null));
    return found;
  }

  #ofTarget(key: string, searches: readonly ReadSearch[]): Map<number, UrlHistory> {
    const { context, run } = this.#scope;
    const targetId = context.store.names.knownTargetId(key);
    const past = targetId === null ? null : this.#pasts.of(targetId);
    const found = new Map<number, UrlHistory>();
    const unknown: number[] = [];
    for (const { row, checkId, searchId } of searches) {
      if (checkId === null) continue;
      const history =
        searchId === null || row.now === null ? null : past?.find(searchId, row.now.source, alternationChecksMax);
      if (history == null) unknown.push(checkId);
      else found.set(checkId, history);
    }
    if (unknown.length === 0) return found;
    const histories = context.store.serpContents.urlHistories(unknown, key, run.moment, alternationChecksMax);
    for (const [index, checkId] of unknown.entries()) found.set(checkId, histories[index] ?? []);
    return found;
  }
}
