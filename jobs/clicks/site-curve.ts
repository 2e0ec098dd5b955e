// The measured click-through curve of a project: fitted to its queries without the brand.

import { createHash } from 'node:crypto';
import type { Store } from '../../db/store.ts';
import { exportedEngine } from '../../src/service/terms.ts';
import { addCurve, ctr, ctrCurveNames, measuredCurve } from '../../src/tracker/changes/visibility.ts';
import { type FittedRank, fitCurve, impressionsMin } from '../../src/tracker/clicks/curves.ts';
import { faultsIn, type KnownFault, soundPeriods } from '../../src/tracker/clicks/known-faults.ts';
import { sumOf } from '../../src/tracker/figures.ts';
import { namesBrand } from '../../src/tracker/intent/intent.ts';
import type { Project } from '../../src/tracker/project.ts';
import { addDays } from '../../src/tracker/schedule/local-time.ts';
import { deriveBrandTerms } from '../../src/tracker/targets/brand.ts';

/** Final days that a curve is fitted to. */
const curveDays = 90;
const digestCharacters = 6;

type ClickStore = Pick<Store, 'clicks' | 'clickExports' | 'engineExports'>;

export interface SiteCurve {
  /** `measured-2026-11-19-3fa9c1`, or the built-in curve where too little is counted. */
  readonly name: string;
  readonly prior: string;
  /** `export`: an imported export. */
  readonly property: string | null;
  readonly from: string | null;
  readonly to: string | null;
  /** Of these dates: their days are left out, and an export with one of them altogether. */
  readonly faults: readonly KnownFault[];
  /** Queries with the brand have a curve apart: people look for the site, wherever it ranks. */
  readonly parts: readonly CurvePart[];
}

interface CurvePart {
  readonly brand: boolean;
  /** Null: all devices, tablets included. */
  readonly device: 'desktop' | 'mobile' | null;
  readonly impressions: number;
  /** Empty: too few impressions for a curve. */
  readonly ranks: readonly FittedRank[];
}

/**
 * The curve up to a date. Its estimates use the part without the brand, on all devices: tracked keywords are mostly
 * such, and one curve makes ranks of devices comparable.
 */
export function fitSiteCurve(store: ClickStore, project: Project, date: string): SiteCurve {
  const [prior = ''] = ctrCurveNames;
  const none = { name: prior, prior, property: null, from: null, to: null, faults: [], parts: [] };
  const source = readingsOf(store, project, date);
  if (source === null) return none;
  const { property, from, to, faults } = source;
  const brandTerms = deriveBrandTerms(project);
  const readings = Map.groupBy(source.readings, ({ query }) => namesBrand(query, brandTerms));
  const priorRate = (rank: number): number => ctr(prior, rank);
  const parts = [false, true].flatMap((brand) =>
    ([null, 'desktop', 'mobile'] as const).map((device): CurvePart => {
      const own = (readings.get(brand) ?? []).filter((reading) => device === null || reading.device === device);
      const impressions = sumOf(own, (reading) => reading.impressions);
      return { brand, device, impressions, ranks: impressions < impressionsMin ? [] : fitCurve(own, priorRate) };
    }),
  );
  const rates = parts[0]?.ranks.map(({ rate }) => rate) ?? [];
  if (rates.length === 0) return { ...none, property, from, to, faults, parts };
  const digest = createHash('sha256').update(JSON.stringify(rates)).digest('hex').slice(0, digestCharacters);
  const name = `${measuredCurve}-${to}-${digest}`;
  addCurve(name, rates);
  return { name, prior, property, from, to, faults, parts };
}

/**
 * Days of the API without a known fault, else the newest export, which does not tell devices apart. Null: neither is
 * stored. Of another engine than Google: the newest export of its webmaster tools, if they write one.
 */
function readingsOf({ clicks, clickExports, engineExports }: ClickStore, project: Project, date: string) {
  const { id, engine } = project;
  if (engine !== undefined) return engine === exportedEngine ? otherReadings(engineExports, id, date) : null;
  const property = clicks.property(project);
  const to = property === null ? null : clicks.newestFinal(id, property, date);
  if (property !== null && to !== null) {
    const from = addDays(to, 1 - curveDays);
    const readings = soundPeriods(from, to).flatMap((period) => clicks.readings(id, property, period.from, period.to));
    return { property, from, to, faults: faultsIn(from, to), readings };
  }
  const period = clickExports.newest(project, date);
  if (period === null) return null;
  const faults = faultsIn(period.from, period.to);
  // an export has no days that could be left out
  const readings = faults.length > 0 ? [] : clickExports.queries(id, period).map((row) => ({ ...row, device: '' }));
  return { property: 'export', ...period, faults, readings };
}

function otherReadings(exports: Store['engineExports'], project: string, date: string) {
  const newest = exports.list(project).find(({ report, to }) => report === 'clicks' && to <= date);
  if (newest === undefined) return null;
  const { from, to, rows } = newest;
  const readings = rows.flatMap(({ name: query, count: clicks, impressions, averagePosition: position }) =>
    impressions === null || position === null ? [] : [{ query, device: '', clicks, impressions, position }],
  );
  return { property: 'export', from, to, faults: [], readings };
}

/** The name of the curve that the config asks for, ready to be used for this project. */
export function curveOf(store: ClickStore, project: Project, configured: string, date: string): string {
  return configured === measuredCurve ? fitSiteCurve(store, project, date).name : configured;
}

/** The rate of a rank, by whether its query has the brand; of the built-in curve where there is no fitted one. */
export function ratesOf({ parts, prior }: SiteCurve): (rank: number, hasBrand: boolean) => number {
  const fitted = (brand: boolean) => parts.find((part) => part.brand === brand && part.device === null)?.ranks ?? [];
  const [without, withBrand] = [fitted(false), fitted(true)];
  return (rank, hasBrand) => {
    const ranks = hasBrand ? withBrand : without;
    return ranks.length === 0 ? ctr(prior, rank) : (ranks[rank - 1]?.rate ?? 0);
  };
}
