// Shares of AI answers: their intervals, and changes that are more than chance.
import { expect, it } from 'vitest';
import { answerShare, shareChange } from '../../../src/tracker/answers/answer-share.ts';
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
  [0, 5, 3, 5, 'same'],
  [1, 1, 0, 1, 'same'],
  [0, 3, 3, 3, 'same'],
  [10, 50, 30, 50, 'up'],
  [30, 50, 10, 50, 'down'],
])('%i of %i before and %i of %i now is %s', (before, of, now, ofNow, expected) => {
  expect(shareChange(answerShare(before, of), answerShare(now, ofNow))).toBe(expected);
});

it('a change needs answers in both periods', () => {
  expect(shareChange(null, answerShare(5, 5))).toBeNull();
  expect(shareChange(answerShare(5, 5), null)).toBeNull();
});

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
