// Statistics of proportions: confidence intervals, and whether two of them differ by more than chance. Pure.

import { sumOf } from './figures.ts';

/** Standard deviations of the normal distribution that hold 95 %. */
const z95 = 1.959964;

/** Both ends from -1 to 1. */
interface Interval {
  readonly low: number;
  readonly high: number;
}

/** `count` of `of`. */
interface Proportion {
  readonly count: number;
  readonly of: number;
}

/**
 * The score interval of a proportion (Wilson 1927, J. Am. Stat. Assoc. 22, 209-212; recommended for few observations by
 * Brown, Cai and DasGupta 2001, Statistical Science 16, 101-133).
 */
export function wilsonInterval({ count, of }: Proportion, z = z95): Interval {
  const share = count / of;
  const scale = 1 + z ** 2 / of;
  const middle = (share + z ** 2 / (2 * of)) / scale;
  const half = (z / scale) * Math.sqrt((share * (1 - share)) / of + z ** 2 / (4 * of ** 2));
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

/**
 * The hybrid score interval of the difference `after` - `before` (Newcombe 1998, Statistics in Medicine 17, 873-890,
 * method 10).
 */
export function differenceInterval(before: Proportion, after: Proportion, z = z95): Interval {
  const [p, q] = [before.count / before.of, after.count / after.of];
  const [a, b] = [wilsonInterval(before, z), wilsonInterval(after, z)];
  return { low: q - p - Math.hypot(q - b.low, a.high - p), high: q - p + Math.hypot(b.high - q, p - a.low) };
}

/** At most this part of comparisons of equal shares is called a difference. */
const alarmRateMax = 0.05;

/**
 * Whether `after` is larger or smaller by more than chance explains. The 95 % interval of their difference must exclude
 * 0. That alone would call up to 9.2 % of equal shares different (6 and 7 observations): counts are whole numbers.
 * So the interval is widened until it just excludes 0, and the pairs of counts that it excludes 0 for must have a
 * probability of 5 % at most, at each share that both may have: the exact unconditional test (Barnard 1947, Biometrika
 * 34, 123-138; Suissa and Shuster 1985, J. R. Stat. Soc. A 148, 317-327), with pairs ordered by Newcombe's interval.
 * It sees more changes than with pairs ordered by Fisher's test; the mid-p test exceeds 5 % (5.8 % at 17 and 17).
 */
export function differ(before: Proportion, after: Proportion): boolean {
  const interval = differenceInterval(before, after);
  if (interval.high < 0) return differ(complement(before), complement(after));
  if (interval.low <= 0) return false;
  const rises = risesBeyond(before.of, after.of, widestZ(before, after));
  return equalShares.every((share) => {
    // a fall is a rise of the complements
    const rise = chanceOfRise(rises, after.of, share);
    return rise + chanceOfRise(rises, after.of, 1 - share) <= alarmRateMax;
  });
}

const complement = ({ count, of }: Proportion): Proportion => ({ count: of - count, of });

/** Up to a half, as the rate of alarms is symmetric; denser near 0, where it varies faster. */
const equalShares: readonly number[] = Array.from(
  { length: 100 },
  (_, at) => Math.sin(((at + 1) * Math.PI) / 400) ** 2,
);

/** The largest z, less a millionth, whose interval excludes 0: pairs that mirror each other stay equal. */
function widestZ(before: Proportion, after: Proportion): number {
  let [excludes, includes] = [z95, 2 * z95];
  while (differenceInterval(before, after, includes).low > 0) includes *= 2;
  while (includes - excludes > 1e-7) {
    const z = (excludes + includes) / 2;
    if (differenceInterval(before, after, z).low > 0) excludes = z;
    else includes = z;
  }
  return excludes - 1e-6;
}

/** For each count before, the least count after that is a rise; one more than there can be: none is. */
function risesBeyond(ofBefore: number, ofAfter: number, z: number): number[] {
  let least = 0;
  return Array.from({ length: ofBefore + 1 }, (_, count) => {
    const before = { count, of: ofBefore };
    while (least <= ofAfter && differenceInterval(before, { count: least, of: ofAfter }, z).low <= 0) least += 1;
    return least;
  });
}

function chanceOfRise(rises: readonly number[], ofAfter: number, share: number): number {
  const before = binomial(rises.length - 1, share);
  const after = binomial(ofAfter, share);
  // of each count after, and more
  const atLeast = [...after.chances];
  for (let at = atLeast.length - 2; at >= 0; at -= 1) atLeast[at] = (atLeast[at] ?? 0) + (atLeast[at + 1] ?? 0);
  return before.chances.reduce((sum, chance, at) => {
    const least = (rises[before.first + at] ?? 0) - after.first;
    return sum + chance * (atLeast[Math.max(0, least)] ?? 0);
  }, 0);
}

/** Probabilities of the counts from `first` on; all others are below 1e-12 of the likeliest. */
function binomial(of: number, share: number): { readonly first: number; readonly chances: readonly number[] } {
  const likeliest = Math.min(of, Math.floor((of + 1) * share));
  const odds = share / (1 - share);
  // from the likeliest outwards, so that none underflows
  const [below, above]: [number[], number[]] = [[], []];
  for (let count = likeliest, weight = 1; weight > 1e-12; count += 1) {
    above.push(weight);
    weight *= ((of - count) / (count + 1)) * odds;
  }
  for (let count = likeliest, weight = 1; count > 0; count -= 1) {
    weight *= count / ((of - count + 1) * odds);
    if (weight < 1e-12) break;
    below.push(weight);
  }
  const weights = [...below.reverse(), ...above];
  const sum = sumOf(weights);
  return { first: likeliest - below.length, chances: weights.map((weight) => weight / sum) };
}
