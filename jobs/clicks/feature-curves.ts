// Click-through curves of a site by SERP feature: its clicks joined with what checks near their day showed.

import { createHash } from 'node:crypto';
import { batchesOf } from '../../db/connection/batches.ts';
import type { Store } from '../../db/store.ts';
import { keywordKey } from '../../src/service/terms.ts';
import { measuredCurve } from '../../src/tracker/changes/visibility.ts';
import { groupKey, matchKey } from '../../src/tracker/clicks/clicks.ts';
import { type FeatureCurve, type FeatureReading, fitFeatureCurves } from '../../src/tracker/clicks/curves.ts';
import { faultsIn } from '../../src/tracker/clicks/known-faults.ts';
import { namesBrand } from '../../src/tracker/intent/intent.ts';
import { getOrInsert } from '../../src/tracker/maps.ts';
import { expandSearches, type Project, type Search } from '../../src/tracker/project.ts';
import { addDays, startOfDay } from '../../src/tracker/schedule/local-time.ts';
import { daysBetween } from '../../src/tracker/schedule/time-units.ts';
import { deriveBrandTerms } from '../../src/tracker/targets/brand.ts';
import { ratesOf, type SiteCurve } from './site-curve.ts';

/** A check says what the page shows on days at most so far away. */
const daysNear = 3;
const datesMax = 400;
const queriesPerRead = 500;
const digestCharacters = 6;

export interface SiteFeatureCurve extends FeatureCurve {
  /** `measured-ai_overview-2026-11-19-3fa9c1`; null: too little is counted. */
  readonly name: string | null;
}

/** Without the brand, over the days of the site's curve. Empty: its days are not stored, as after an import. */
export function siteFeatureCurves(store: Store, project: Project, curve: SiteCurve): SiteFeatureCurve[] {
  const { property, from, to } = curve;
  if (property === null || from === null || to === null || property === 'export') return [];
  const readings = [...featureReadings(store, project, { property, from, to })];
  const rates = ratesOf(curve);
  return fitFeatureCurves(readings, (rank) => rates(rank, false)).map((found) => ({
    ...found,
    name: found.ranks.length === 0 ? null : `${measuredCurve}-${found.feature}-${to}-${digestOf(found)}`,
  }));
}

function digestOf({ ranks }: FeatureCurve): string {
  const rates = JSON.stringify(ranks.map(({ rate }) => rate));
  return createHash('sha256').update(rates).digest('hex').slice(0, digestCharacters);
}

interface Days {
  readonly property: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Clicks of tracked searches on final days with a check near. Languages of a country share their clicks: the first
 * counts.
 */
function* featureReadings(store: Store, project: Project, { property, from, to }: Days): Generator<FeatureReading> {
  const brandTerms = deriveBrandTerms(project);
  const searches = new Map<string, Search>();
  for (const tracked of project.keywords) {
    if (namesBrand(tracked.keyword, brandTerms)) continue;
    for (const search of expandSearches(project, tracked)) {
      const key = matchKey(keywordKey(search.keyword), search.market);
      if (!searches.has(key)) searches.set(key, search);
    }
  }
  const ids = store.names.knownSearchIds([...searches.values()]);
  const idOf = new Map([...searches.keys()].map((key, at) => [key, ids[at] ?? null]));
  const shown = shownFeatures(store, project, from, to);
  const queries = [...new Set([...searches.values()].map(({ keyword }) => keywordKey(keyword)))];
  for (const batch of batchesOf(queries, queriesPerRead)) {
    for (const row of store.clicks.queriesByDay(project.id, property, batch, from, to)) {
      const { query, clicks, impressions } = row;
      if (!row.isFinal || impressions === null || impressions === 0 || faultsIn(row.date, row.date).length > 0)
        continue;
      const id = idOf.get(groupKey(keywordKey(query), row) ?? '') ?? null;
      const features = id === null ? null : nearest(shown.get(id) ?? [], row.date);
      if (features === null) continue;
      yield { query, clicks, impressions, position: row.averagePosition ?? 1, features };
    }
  }
}

interface Shown {
  readonly date: string;
  readonly features: ReadonlySet<string>;
}

/** By search: what its complete checks showed, newest first. Imported checks have no features. */
function shownFeatures(
  store: Store,
  project: Project,
  from: string,
  to: string,
): ReadonlyMap<number, readonly Shown[]> {
  const until = startOfDay(addDays(to, daysNear + 1), project.timezone) - 1;
  const sets = new Map<string, ReadonlySet<string>>();
  const found = new Map<number, Shown[]>();
  const dates = store.reportSeries
    .dates(project.id, until, datesMax)
    .filter(({ date }) => date >= addDays(from, -daysNear));
  for (const { date, runs } of dates.toReversed())
    for (const run of runs)
      for (const { searchIds, features: column, names } of store.reportSeries.features(project.id, run))
        for (let at = 0; at < searchIds.length; at += 1) {
          const [searchId, features] = [searchIds[at] ?? 0, names[column[at] ?? 0] ?? null];
          if (features === null) continue;
          const set = getOrInsert(sets, features, () => new Set(features.split('|').filter(Boolean)));
          const known = found.get(searchId);
          if (known === undefined) found.set(searchId, [{ date, features: set }]);
          else known.push({ date, features: set });
        }
  return found;
}

function nearest(shown: readonly Shown[], date: string): ReadonlySet<string> | null {
  let best: { readonly distance: number; readonly features: ReadonlySet<string> } | null = null;
  for (const { date: on, features } of shown) {
    const distance = Math.abs(daysBetween(date, on));
    if (distance <= daysNear && (best === null || distance < best.distance)) best = { distance, features };
  }
  return best?.features ?? null;
}
