// The error of estimated grid points: the points that an adaptive plan buys first, against random points.
import { areaOf } from '../../src/service/sources/sandbox/places.ts';
import { createWorld } from '../../src/service/sources/sandbox/world.ts';
import { fitGridField } from '../../src/tracker/grid.ts';
import { spreadShares } from '../../src/tracker/signal/adaptive-plan.ts';
import { seeded } from '../helpers/seeded.ts';
import type { BenchRow } from './row.ts';

const size = 7;
const pages = 10;
const capped = pages * 10 + 1;
const shares = [0.25, 0.5];
const spots = Array.from({ length: size ** 2 }, (_, at) => ({ row: Math.floor(at / size), column: at % size }));

/** The true rank at each point. */
type Field = readonly number[];

interface Measured {
  /** Mean absolute errors in ranks, over the points that were not bought. */
  readonly estimate: number;
  readonly nearest: number;
  /** What the map says its error is. */
  readonly stated: number;
}

/** Ranks that grow with the distance from a home, with a smooth disturbance and jitter of half a rank. */
function syntheticField(next: () => number): Field {
  const home = { row: size * next(), column: size * next() };
  const [best, slope] = [1 + 5 * next(), 0.1 + 0.3 * next()];
  const waves = Array.from({ length: 4 }, () => ({ x: next() - 0.5, y: next() - 0.5, phase: 6.28 * next() }));
  return spots.map(({ row, column }) => {
    const wave = waves.reduce((sum, { x, y, phase }) => sum + 0.15 * Math.sin(2 * (x * row + y * column) + phase), 0);
    const distance = Math.hypot(row - home.row, column - home.column);
    return Math.min(capped, Math.max(1, Math.round(best * Math.exp(slope * distance + wave) + next() - 0.5)));
  });
}

const words = ['dentist', 'plumber', 'pizza', 'hotel', 'florist', 'gym', 'lawyer', 'car repair', 'bakery', 'yoga'];
const middle = { latitude: 30.2672, longitude: -97.7431 };
const kilometre = 1 / 111.32;

/** Ranks of a site in the sandbox on some day. */
function sandboxField(next: () => number): Field {
  const world = createWorld(Math.floor(1e6 * next()), ['acme.com']);
  const keyword = words[Math.floor(next() * words.length)] ?? '';
  const day = 20_000 + Math.floor(1_000 * next());
  return spots.map(({ row, column }) => {
    const where = {
      kind: 'coordinate' as const,
      zoom: 14,
      latitude: middle.latitude - (row - 3) * kilometre,
      longitude: middle.longitude + ((column - 3) * kilometre) / Math.cos((middle.latitude * Math.PI) / 180),
    };
    const search = { keyword, country: 'US', language: 'en', mobile: false, ...areaOf(where) };
    const ranking = world.rank(search, day);
    for (let at = 0; at < Math.min(ranking.length, capped - 1); at += 1)
      if (ranking.at(at)?.site.host.endsWith('acme.com') === true) return at + 1;
    return capped;
  });
}

/** The points that a plan buys first where nothing is known of any. */
function spreadOrder(): number[] {
  const values = spreadShares(spots.map((spot) => ({ ...spot, value: 1 })));
  return [...spots.keys()].sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0));
}

function randomOrder(next: () => number): number[] {
  const keys = spots.map(() => next());
  return [...spots.keys()].sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0));
}

function measure(field: Field, bought: readonly number[]): Measured | null {
  const seen = bought.map((at) => ({ row: 0, column: 0, ...spots[at], rank: field[at] ?? 1, ageDays: 0 }));
  const fitted = fitGridField(seen);
  if (fitted === null) return null;
  let [estimate, nearest, count] = [0, 0, 0];
  for (const [at, { row, column }] of spots.entries()) {
    if (bought.includes(at)) continue;
    const truth = field[at] ?? 1;
    const distance = (other: { row: number; column: number }) => Math.hypot(other.row - row, other.column - column);
    const closest = seen.reduce((a, b) => (distance(b) < distance(a) ? b : a));
    estimate += Math.abs(fitted.estimate(row, column) - truth);
    nearest += Math.abs(closest.rank - truth);
    count += 1;
  }
  return { estimate: estimate / count, nearest: nearest / count, stated: fitted.error };
}

/** Lines for each kind of field and share of points: on standard error all figures, as rows the bars. */
export async function benchGrid(quick: boolean): Promise<BenchRow[]> {
  const count = quick ? 40 : 400;
  const worlds = { synthetic: syntheticField, sandbox: sandboxField };
  const rows: BenchRow[] = [];
  const table: object[] = [];
  for (const [name, make] of Object.entries(worlds)) {
    const next = seeded(2026);
    const fields = Array.from({ length: count }, () => make(next)).filter((field) => new Set(field).size > 1);
    for (const share of shares) {
      const most = Math.round(share * spots.length);
      const spread = spreadOrder().slice(0, most);
      const ofSpread = meanOf(fields.flatMap((field) => measure(field, spread) ?? []));
      const ofRandom = meanOf(fields.flatMap((field) => measure(field, randomOrder(next).slice(0, most)) ?? []));
      const figures = { spread: ofSpread.estimate, stated: ofSpread.stated, nearest: ofSpread.nearest };
      table.push({
        field: name,
        fields: fields.length,
        bought: most,
        ...rounded({ ...figures, random: ofRandom.estimate }),
      });
      rows.push({
        name: `grid, ${name}, ${most} of ${spots.length} points`,
        target: 'better than random points and than the nearest point; states at least 0.8 of its error',
        ratio: ofSpread.estimate / ofRandom.estimate,
        detail: `off by ${ofSpread.estimate.toFixed(2)} ranks, says ${ofSpread.stated.toFixed(2)}`,
        ok:
          ofSpread.estimate <= ofRandom.estimate &&
          ofSpread.estimate <= ofSpread.nearest &&
          ofSpread.stated >= 0.8 * ofSpread.estimate,
      });
    }
  }
  console.error('Mean absolute errors of estimated points, in ranks');
  console.error(table);
  return rows;
}

function meanOf(all: readonly Measured[]): Measured {
  const mean = (of: (each: Measured) => number): number => all.reduce((sum, each) => sum + of(each), 0) / all.length;
  return {
    estimate: mean((each) => each.estimate),
    nearest: mean((each) => each.nearest),
    stated: mean((each) => each.stated),
  };
}

function rounded(figures: Readonly<Record<string, number>>): Record<string, string> {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, value.toFixed(2)]));
}
