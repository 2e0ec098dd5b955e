// True ranks of searches day by day: a fitted, seeded process, and real histories with imputed days of moves.
import { existsSync, readFileSync } from 'node:fs';
import { type RankBand, rankBandOf } from '../../../src/tracker/signal/rates.ts';
import { seeded } from '../../helpers/seeded.ts';

/** One search: its volume, and its true rank on each day (null: not in the first 100). */
export interface TrueSearch {
  readonly volume: number;
  readonly ranks: readonly (number | null)[];
}

type Random = () => number;

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** A gamma number of mean 1 (Marsaglia and Tsang 2000, for shapes from 1). */
function gamma(shape: number, random: Random): number {
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = normal(random);
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(1 - random()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return (d * v) / shape;
  }
}

interface ProcessOptions {
  readonly searches: number;
  readonly days: number;
  /** Days on which rates are five times as high. */
  readonly updates?: readonly [from: number, until: number][];
  readonly sameVolume?: boolean;
}

/**
 * How the process was fitted: 692 real series have ranks on three dates, 6 and 14 days apart (Semrush export in
 * ../shared/corpus/history). Rates (changes a day) and their spread (gamma, shape 1.1) follow the shares of unchanged
 * ranks of each band after 6 and 14 days; log-Laplace moves follow their mean |ln(new / old)|; a share of moves
 * returns to the previous rank, so that 30 to 33 % are unchanged after 14 days and not 20 %. Start ranks and volumes
 * follow its tables: two of three searches print a volume of 0, the others are log-normal.
 */
const fitted = {
  shape: 1.1,
  rates: { '1': 0.022, '2-3': 0.075, '4-10': 0.24, '11-20': 0.34, '21+': 0.35, not_found: 0.02 } as Record<
    RankBand,
    number
  >,
  moves: { '1': 0.9, '2-3': 0.45, '4-10': 0.34, '11-20': 0.2, '21+': 0.2, not_found: 0.6 } as Record<RankBand, number>,
  returns: 0.25,
  starts: [
    [0.09, 1, 1],
    [0.11, 2, 3],
    [0.26, 4, 10],
    [0.32, 11, 20],
    [0.09, 21, 60],
    [0.13, 0, 0],
  ] as const,
  noVolume: 0.66,
};

/** Searches with ranks that move as the fitted process does. */
export function processSearches(seed: number, options: ProcessOptions): TrueSearch[] {
  const random = seeded(seed);
  return Array.from({ length: options.searches }, () => {
    const own = gamma(fitted.shape, random);
    const volume = options.sameVolume
      ? 100
      : random() < fitted.noVolume
        ? 0
        : Math.ceil(Math.exp(Math.log(70) + 1.6 * normal(random)) / 10) * 10;
    let rank = startRank(random);
    let before = rank;
    const ranks: (number | null)[] = [rank];
    for (let day = 1; day < options.days; day += 1) {
      const factor = options.updates?.some(([from, until]) => day >= from && day < until) ? 5 : 1;
      if (random() < -Math.expm1(-own * factor * fitted.rates[rankBandOf(rank)])) {
        const next = random() < fitted.returns && before !== rank ? before : moved(rank, random);
        before = rank;
        rank = next;
      }
      ranks.push(rank);
    }
    return { volume, ranks };
  });
}

function startRank(random: Random): number | null {
  let chance = random();
  for (const [share, from, until] of fitted.starts) {
    chance -= share;
    if (chance < 0) return from === 0 ? null : from + Math.floor(random() * (until - from + 1));
  }
  return null;
}

function moved(rank: number | null, random: Random): number | null {
  const from = rank ?? 130;
  const size = -Math.log(1 - random()) * fitted.moves[rankBandOf(rank)];
  const to = Math.round(from * Math.exp(random() < 0.5 ? -size : size));
  if (to !== from) return to > 100 ? null : Math.max(1, to);
  return from === 1 || random() < 0.5 ? from + 1 : from - 1;
}

const exported = '../shared/corpus/history/semrush_postracking_uk_2026-01_04_JamesLukeD.csv';

/**
 * The real series, from 2026-01-27 to 2026-02-16; the fourth date is not comparable. Between two
 * dates each rank moves in one to three steps on random days. Null if the export is absent.
 */
export function realSearches(seed: number, sameVolume = false): TrueSearch[] | null {
  if (!existsSync(exported)) return null;
  const random = seeded(seed);
  const rows = readFileSync(exported, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',').slice(-9));
  return rows.flatMap((cells) =>
    [1, 2].flatMap((device) => {
      const seen = [cells[device], cells[device + 2], cells[device + 4]];
      if (seen.some((cell) => cell === undefined || cell === '')) return [];
      const [first, second, third] = seen.map((cell) => (Number(cell) > 0 ? Number(cell) : null)) as [
        number | null,
        number | null,
        number | null,
      ];
      const ranks = [first, ...steps(first, second, 6, random), ...steps(second, third, 14, random)];
      return [{ volume: sameVolume ? 100 : Number(cells[0]), ranks }];
    }),
  );
}

/** The ranks of the next `days` days, ending with `to`. */
function steps(from: number | null, to: number | null, days: number, random: Random): (number | null)[] {
  if (from === to) return Array.from({ length: days }, () => to);
  const distance = from === null || to === null ? 1 : Math.abs(to - from);
  const count = Math.min(distance, 1 + Math.floor(random() * (days > 6 ? 3 : 2)));
  const at = Array.from({ length: count }, () => Math.floor(random() * days)).sort((a, b) => a - b);
  return Array.from({ length: days }, (_, day) => {
    const done = at.filter((each) => each <= day).length;
    if (done === 0) return from;
    if (done === count || from === null || to === null) return to;
    return Math.round(from + ((to - from) * done) / count);
  });
}
