// Templates: the days of a comment, and colours that stand out.
import { describe, expect, test } from 'vitest';
import {
  commentDays,
  commentsOn,
  contrast,
  plainTemplate,
  withContrast,
} from '../../../src/tracker/changes/client-reports.ts';

test.each([
  ['2026-11', { from: '2026-11-01', to: '2026-11-30' }],
  ['2028-02', { from: '2028-02-01', to: '2028-02-29' }],
  ['2026-12', { from: '2026-12-01', to: '2026-12-31' }],
  ['2026-11-20', { from: '2026-11-20', to: '2026-11-20' }],
  ['2026-W47', { from: '2026-11-16', to: '2026-11-22' }],
  ['2026-W01', { from: '2025-12-29', to: '2026-01-04' }],
  ['2026-W53', { from: '2026-12-28', to: '2027-01-03' }],
  ['2027-W53', null],
  ['2026-13', null],
  ['2026-W00', null],
  ['2026-02-30', null],
  ['November', null],
])('the period %s names its days', (period, days) => {
  expect(commentDays(period)).toEqual(days);
});

test('a report shows the comments on any of its days, and no others', () => {
  const comments = ['2026-10', '2026-11', '2026-W48'].map((text) => ({ ...commentDays(text)!, text }));
  const template = { ...plainTemplate, comments };
  expect(commentsOn(template, '2026-11-20', '2026-11-20')).toEqual(['2026-11']);
  expect(commentsOn(template, '2026-10-31', '2026-11-01')).toEqual(['2026-10', '2026-11']);
  expect(commentsOn(template, '2026-11-23', '2026-11-29')).toEqual(['2026-11', '2026-W48']);
  expect(commentsOn(template, '2026-12-01', '2026-12-01')).toEqual([]);
});

describe('the contrast of two colours', () => {
  test('is that of WCAG', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21);
    expect(contrast('#767676', '#ffffff')).toBeCloseTo(4.54, 2);
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  });

  test.each([
    ['#ffdd00', '#ffffff'],
    ['#7a1f5c', '#14171a'],
    ['#000000', '#14171a'],
    ['#ffffff', '#ffffff'],
  ])('of %s on %s is raised by as little as it takes', (colour, paper) => {
    const raised = withContrast(colour, paper, 4.5);
    expect(contrast(raised, paper)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(raised, paper)).toBeLessThan(5);
  });

  test('that is sufficient is not changed', () => {
    expect(withContrast('#0b5394', '#ffffff', 4.5)).toBe('#0b5394');
  });
});
