// The update detector: what it finds, and how often it is wrong on histories in which nothing happened.
import { describe, expect, it } from 'vitest';
import { detectUpdates, type MovedShare, rateFactor } from '../../../src/tracker/signal/update-detector.ts';
import { seeded } from '../../helpers/seeded.ts';

const daysOfYear = 365;

/** `spread`: standard deviation of the day's share, relative to it: keywords of a project move together. */
interface History {
  readonly keywords: number;
  readonly share: number;
  readonly spread: number;
}

/** Days without any update; `factors` multiplies the share of some of them. */
function history(
  { keywords, share, spread }: History,
  seed: number,
  factors: Record<number, number> = {},
): MovedShare[] {
  const random = seeded(seed);
  return Array.from({ length: daysOfYear }, (_, day) => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const ofDay = Math.min(0.9, share * Math.exp(spread * normal - spread ** 2 / 2) * (factors[day] ?? 1));
    let outside = 0;
    for (let keyword = 0; keyword < keywords; keyword += 1) if (random() < ofDay) outside += 1;
    return { date: `day ${day}`, compared: keywords, outside };
  });
}

const histories: readonly History[] = [30, 200, 1000].flatMap((keywords) =>
  [0.02, 0.06, 0.15].flatMap((share) => [0, 0.2, 0.4].map((spread) => ({ keywords, share, spread }))),
);

/** False alarms a year of histories with this spread. */
function falseAlarms(spread: number, seeds: number): number {
  const some = histories.filter((one) => one.spread === spread);
  let alarms = 0;
  for (const one of some)
    for (let seed = 1; seed <= seeds; seed += 1) alarms += detectUpdates(history(one, seed)).length;
  return alarms / (some.length * seeds);
}

describe('an update', () => {
  it('is found on the day on which four times as many keywords move, and no other day', () => {
    const days = history({ keywords: 300, share: 0.06, spread: 0.2 }, 5, { 100: 4, 200: 4 });
    expect(detectUpdates(days).map(({ date }) => date)).toEqual(['day 100', 'day 200']);
  });

  it('that lasts for days is found on each of them', () => {
    const factors = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [100 + index, 5]));
    const found = detectUpdates(history({ keywords: 300, share: 0.06, spread: 0.2 }, 6, factors));
    expect(found.map(({ date }) => date)).toEqual(Object.keys(factors).map((day) => `day ${day}`));
  });

  it('needs a week of history, and five keywords', () => {
    const quiet = (date: string): MovedShare => ({ date, compared: 100, outside: 4 });
    const loud: MovedShare = { date: 'loud', compared: 100, outside: 60 };
    const days = (count: number): MovedShare[] => Array.from({ length: count }, (_, day) => quiet(String(day)));
    expect(detectUpdates([...days(6), loud])).toEqual([]);
    expect(detectUpdates([...days(7), loud])).toHaveLength(1);
    expect(
      detectUpdates([
        ...days(7).map((day) => ({ ...day, outside: 0, compared: 4 })),
        { ...loud, compared: 4, outside: 4 },
      ]),
    ).toEqual([]);
  });
});

it('a year without updates has less than one false alarm, also where keywords move together', () => {
  const seeds = 4;
  const rates = [0, 0.2, 0.4].map((spread) => [`spread ${spread}`, falseAlarms(spread, seeds)] as const);
  const printed = rates.map(([name, rate]) => `${name}: ${rate.toFixed(2)}`).join(', ');
  process.stderr.write(`false alarms of the update detector a year: ${printed}\n`);
  for (const [, rate] of rates) expect(rate).toBeLessThan(1);
});

describe('the rates of a day', () => {
  it('stay as they are within chance, and rise to five times at most', () => {
    expect(rateFactor(12, 10)).toBe(1);
    expect(rateFactor(40, 10)).toBeCloseTo(43 / 13);
    expect(rateFactor(1000, 10)).toBe(5);
  });
});
