// Shares of AI answers: their intervals, and changes that are more than chance, against exact sums over all counts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { answerShare, answersForChanges, shareChange } from '../../../src/tracker/answers/answer-share.ts';
import { answerSightings, periodStart } from '../../../src/tracker/answers/answers.ts';

// published values of the Wilson score interval: Brown, Cai and DasGupta 2001; R: prop.test(correct = FALSE)
it.each([
  [0, 5, 0, 0.4345],
  [1, 5, 0.0362, 0.6245],
  [5, 5, 0.5655, 1],
  [0, 10, 0, 0.2775],
  [5, 10, 0.2366, 0.7634],
  [50, 100, 0.4038, 0.5962],
])('%i of %i answers are bounded by the Wilson interval', (count, of, low, high) => {
  const share = answerShare(count, of);
  expect(share?.low).toBeCloseTo(low, 4);
  expect(share?.high).toBeCloseTo(high, 4);
});

it('no answers have no share', () => {
  expect(answerShare(0, 0)).toBeNull();
});

it.each([
  [0, 5, 5, 5, 'new'],
  [5, 5, 0, 5, 'lost'],
  [0, 5, 4, 5, 'new'],
  [0, 5, 3, 5, 'same'],
  [1, 1, 0, 1, 'same'],
  [0, 2, 2, 2, 'same'],
  [0, 3, 3, 3, 'new'],
  [2, 10, 8, 10, 'up'],
  [3, 10, 7, 10, 'same'],
  [30, 50, 10, 50, 'down'],
  [0, 7, 2, 6, 'same'],
  // pooled overviews of a week: equal shares, and a month that is far larger than its predecessor
  [1_400, 7_000, 1_300, 6_500, 'same'],
  [1_400, 7_000, 1_600, 7_000, 'up'],
  [700, 7_000, 9, 30, 'up'],
])('%i of %i before and %i of %i now is %s', (before, of, now, ofNow, expected) => {
  expect(shareChange(answerShare(before, of), answerShare(now, ofNow))).toBe(expected);
});

it('a change needs answers in both periods', () => {
  expect(shareChange(null, answerShare(5, 5))).toBeNull();
  expect(shareChange(answerShare(5, 5), null)).toBeNull();
});

/** Probabilities of 0 to `of` answers that cite, by the formula. */
function chances(of: number, share: number): number[] {
  let ways = 1;
  return Array.from({ length: of + 1 }, (_, count) => {
    if (count > 0) ways *= (of - count + 1) / count;
    return ways * share ** count * (1 - share) ** (of - count);
  });
}

/** For each count before, the least count now that is a rise; one more than there can be: none is. */
function risesOf(before: number, now: number): number[] {
  let least = 0;
  return Array.from({ length: before + 1 }, (_, count) => {
    const isRise = () => ['new', 'up'].includes(shareChange(answerShare(count, before), answerShare(least, now)) ?? '');
    while (least <= now && !isRise()) least += 1;
    return least;
  });
}

/** How often a rise is seen. A fall is a rise of the answers that do not cite. */
function rise(least: readonly number[], now: number, from: number, to: number): number {
  const before = chances(least.length - 1, from);
  const atLeast = chances(now, to);
  for (let count = now - 1; count >= 0; count -= 1) atLeast[count] = (atLeast[count] ?? 0) + (atLeast[count + 1] ?? 0);
  return before.reduce((sum, chance, count) => sum + chance * (atLeast[least[count] ?? 0] ?? 0), 0);
}

/** How often equal shares are reported as changed. */
const alarmRate = (least: readonly number[], now: number, share: number) =>
  rise(least, now, share, share) + rise(least, now, 1 - share, 1 - share);

it('at most 5 % of equal shares are reported as changed, for all pairs of 1 to 20 answers and all shares', () => {
  let most = { rate: 0, answers: '' };
  for (let before = 1; before <= 20; before += 1)
    // in the other order each change is the same in reverse
    for (let now = 1; now <= before; now += 1) {
      const least = risesOf(before, now);
      for (let step = 0; step <= 250; step += 1) {
        // up to a half: of 1 - share, the rate is the same
        const rate = alarmRate(least, now, step / 500);
        if (rate > most.rate) most = { rate, answers: `${before} and ${now} at ${step / 500}` };
      }
    }
  expect(most.rate, most.answers).toBeLessThanOrEqual(0.05);
  // and hardly less than that is used
  expect(most.rate, most.answers).toBeGreaterThan(0.0499);
});

it.each([
  [100, 100],
  [100, 95],
  [300, 10],
  [1_000, 3],
])('and for %i before and %i now', (before, now) => {
  const least = risesOf(before, now);
  for (let step = 0; step <= 1_000; step += 1)
    expect(alarmRate(least, now, step / 2_000), `${step / 2_000}`).toBeLessThanOrEqual(0.05);
});

it('each count beyond the least is a rise, in reverse a fall, and a fall of the answers that do not cite', () => {
  const direction = { new: 1, up: 1, same: 0, lost: -1, down: -1 } as const;
  for (let before = 1; before <= 8; before += 1)
    for (let now = 1; now <= 8; now += 1)
      for (const [count, least] of risesOf(before, now).entries())
        for (let other = 0; other <= now; other += 1) {
          const directionOf = (...[a, m, b, n]: [number, number, number, number]) =>
            direction[shareChange(answerShare(a, m), answerShare(b, n)) ?? 'same'];
          const found = directionOf(count, before, other, now);
          expect(found === 1, `${count}/${before} to ${other}/${now}`).toBe(other >= least);
          expect(directionOf(other, now, count, before) + found).toBe(0);
          expect(directionOf(before - count, before, now - other, now) + found).toBe(0);
        }
});

it('the page about AI answers says how often changes are seen', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/ai-answers.md'), 'utf8');
  const lines = [...page.matchAll(/^\| (\d+) \|(( \d+ % \|)+)$/gm)];
  expect(lines.length).toBe(10);
  for (const [line, answers] of lines) {
    const of = Number(answers);
    const least = risesOf(of, of);
    const cells = (
      [
        [0.2, 0.8],
        [0.2, 0.6],
        [0.1, 0.3],
        [0.3, 0.5],
      ] as const
    ).map(([from, to]) => `${Math.round(100 * rise(least, of, from, to))} %`);
    expect(line).toBe(`| ${of} | ${cells.join(' | ')} |`);
  }
});

it.each(Object.values(answersForChanges))(
  '$answers answers are the least that show a change from $from to $to',
  ({ from, to, answers }) => {
    const seen = (of: number) => rise(risesOf(of, of), of, from, to);
    expect(seen(answers)).toBeGreaterThanOrEqual(0.8);
    expect(seen(answers - 1)).toBeLessThan(0.8);
  },
);

it.each([
  ['2026-01-15', 'day', '2026-01-15'],
  ['2026-01-15', 'week', '2026-01-12'],
  ['2026-01-12', 'week', '2026-01-12'],
  ['2026-01-18', 'week', '2026-01-12'],
  ['2026-01-01', 'week', '2025-12-29'],
  ['2026-01-15', 'month', '2026-01-01'],
] as const)('%s is in the %s that begins on %s', (date, every, start) => {
  expect(periodStart(date, every)).toBe(start);
});

const project = {
  targets: [{ match: 'domain', value: 'acme.example' }],
  competitors: [
    { match: 'domain', value: 'adventure-works.example' },
    { match: 'prefix', value: 'https://globex.example/shop' },
  ],
} as const;
const see = (text: string, ...urls: string[]) =>
  answerSightings(project)({ text, citations: urls.map((url) => ({ url })) });

it('a target is cited by its pages, as it ranks: subdomains of a domain, pages below a prefix', () => {
  const seen = see('x', 'https://shop.acme.example/a', 'https://globex.example/blog', 'https://notacme.example/');
  expect(seen.map(({ pages }) => pages)).toEqual([['https://shop.acme.example/a'], [], []]);
});

it.each([
  ['We like ACME.', [true, false, false]],
  ['We like **Adventure Works** and Globex', [false, true, true]],
  ['Acmeology is a science', [false, false, false]],
  ['see [1](https://acme.example/shoes) and https://globex.example', [false, false, false]],
])('%s names those targets', (text, expected) => {
  expect(see(text).map(({ isMentioned }) => isMentioned)).toEqual(expected);
});

it('own targets are named by the brand terms of the project', () => {
  const look = answerSightings({ ...project, brandTerms: ['Rocket Boots'] });
  const of = (text: string) => look({ text, citations: [] })[0]?.isMentioned;
  expect([of('the rocket-boots of 1956'), of('Acme')]).toEqual([true, false]);
});
