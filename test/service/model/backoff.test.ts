// Exponential backoff with jitter over its upper half.
import { expect, it } from 'vitest';
import { backoffMs } from '../../../src/service/model/time/backoff.ts';

const backoff = { firstMs: 500, maxMs: 30_000 };

it.each([
  [1, undefined, 500],
  [2, undefined, 1000],
  [3, 1, 2000],
  [3, 0, 1000],
  [3, 0.5, 1500],
  [7, undefined, 30_000],
  [5000, 0, 15_000],
])('after attempt %d with jitter %s the wait is %d ms', (attempt, random, expected) => {
  expect(backoffMs(backoff, attempt, random)).toBe(expected);
});
