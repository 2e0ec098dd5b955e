// Numbers as text.
import { expect, test } from 'vitest';
import { amount, counted, dateRange, dollars, duration, signedAmount } from '../../../src/cli/text/numbers.ts';
import { shellQuoted } from '../../../src/cli/text/table.ts';

test('amounts have thousands separators, and changes have a sign', () => {
  expect([amount(1_234_567), amount(0), signedAmount(1_203), signedAmount(-4_000), signedAmount(0)]).toEqual([
    '1,234,567',
    '0',
    '+1,203',
    '-4,000',
    '0',
  ]);
  expect([counted(1, 'search', 'searches'), counted(2_000, 'search', 'searches')]).toEqual([
    '1 search',
    '2,000 searches',
  ]);
});

test('dollars are exact to the micro-dollar and have at least two decimals', () => {
  expect([0, 10_000, 12_345, 1_000_001, 1_234_500_000, -500_000].map(dollars)).toEqual([
    '$0.00',
    '$0.01',
    '$0.012345',
    '$1.000001',
    '$1,234.50',
    '-$0.50',
  ]);
});

test('durations are rounded for readers', () => {
  expect([400, 45_000, 180_000, 7_800_000].map(duration)).toEqual(['1 s', '45 s', '3 min', '2 h 10 min']);
});

test('ranges of dates name what differs', () => {
  const ranges = [
    ['2026-11-02T06:00', '2026-11-21T06:00', '2 to 21 Nov'],
    ['2026-10-30', '2026-11-02', '30 Oct to 2 Nov'],
    ['2025-12-30', '2026-01-02', '30 Dec 2025 to 2 Jan 2026'],
    ['2026-11-02T06:00', '2026-11-02T18:00', '2 Nov'],
  ];
  for (const [first = '', last = '', range] of ranges) expect(dateRange(first, last)).toBe(range);
});

test('words for a shell stay one word without special meaning', () => {
  expect(['demo/a.yaml', 'my site', 'a "b"', '$HOME', "it's $1"].map(shellQuoted)).toEqual([
    'demo/a.yaml',
    '"my site"',
    `'a "b"'`,
    `'$HOME'`,
    `'it'\\''s $1'`,
  ]);
});
