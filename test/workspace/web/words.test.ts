// Numbers as people read them.
import { expect, it } from 'vitest';
import {
  counted,
  day,
  days,
  marketNameWords,
  marketWords,
  number,
  percent,
  plain,
  signed,
  statusText,
  withMarketWords,
} from '../../../src/workspace/web/words.ts';

it('writes a missing value as a dash, never as a number', () => {
  expect([number(null), percent(undefined), day(null)]).toEqual(['–', '–', '–']);
});

it('writes changes with their sign, and what rounds to nothing without one', () => {
  expect([signed(3), signed(-2.345, 2), signed(0.001, 1), signed(-0.4), signed(-0.4, 1)]).toEqual([
    ...['+3', '−2.35', '0', '0', '−0.4'],
  ]);
});

it('writes dates, shares, places and codes as words', () => {
  expect([day('2026-11-20'), day('2026-11-20', '2026-01-01'), percent(0.42), percent(12.34)]).toEqual([
    ...['20 Nov 2026', '20 Nov', '0.42', '12.3'],
  ]);
  expect([days('2026-10-28', '2026-11-26'), days('2025-12-28', '2026-01-03')]).toEqual([
    '28 Oct – 26 Nov 2026',
    '28 Dec 2025 – 3 Jan 2026',
  ]);
  expect(marketWords({ country: 'US', language: 'en', device: 'mobile' })).toBe('US phone');
  expect(marketWords({ country: 'DE', language: 'de', device: 'desktop', location: 'Berlin' })).toBe('DE de, Berlin');
  expect(withMarketWords('an unusual move of US en desktop (tea, US en mobile)')).toBe(
    'an unusual move of US desktop (tea, US phone)',
  );
  expect([marketNameWords('US en mobile'), marketNameWords('DE de desktop Bad Homburg')]).toEqual([
    'US phone',
    'DE de, Bad Homburg',
  ]);
  expect([statusText('not_found'), plain('people_also_ask')]).toEqual(['not found', 'people also ask']);
});

it('counts one thing and several', () => {
  expect([counted(1, 'row'), counted(1200, 'row'), counted(2, 'query', 'queries')]).toEqual([
    ...['1 row', '1,200 rows', '2 queries'],
  ]);
});
