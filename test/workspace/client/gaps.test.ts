// Dates of charts and small histories: lines are interrupted where runs or ranks are missing.
import { describe, expect, it } from 'vitest';
import { breaksIn, dateOf, dayNumber, linePoints, pointRadii } from '../../../src/workspace/client/gaps.js';
import { drawPaths } from '../../../src/workspace/client/parts/rank-trend.js';
import { labelledDays } from '../../../src/workspace/client/parts/time-axis.js';

const days = (...dates: number[]) => dates.map((date) => dayNumber(`2026-01-${String(date).padStart(2, '0')}`));
const dates = (...of: number[]) => days(...of).map(dateOf);

describe('the axis', () => {
  it('has days at their distance', () => {
    expect(dayNumber('2026-01-05') - dayNumber('2026-01-01')).toBe(4);
    expect(dateOf(dayNumber('2026-02-28'))).toBe('2026-02-28');
  });

  it('is broken where runs are missing, by the distance that is usual', () => {
    expect(breaksIn(days(1, 2, 3, 6, 7))).toEqual([3]);
    expect(breaksIn(days(1, 8, 15, 29))).toEqual([3]);
    expect(breaksIn(days(1))).toEqual([]);
  });

  it('labels the last date, and others at even distances', () => {
    const month = Array.from({ length: 30 }, (_, index) => index);
    expect(labelledDays(month, 400)).toEqual([5, 11, 17, 23, 29]);
    expect(labelledDays(month, 100)).toEqual([0, 29]);
    expect(labelledDays([7], 400)).toEqual([7]);
  });

  it('labels no date whose label would cover the next one, such as those of imports', () => {
    expect(labelledDays([0, 6, 20, 72, 301], 500)).toEqual([20, 72, 301]);
    expect(labelledDays([0, 6, 20, 72, 301], 300)).toEqual([20, 301]);
  });
});

describe('a line', () => {
  it('is interrupted before a date that follows missing runs, and a point between gaps is a dot', () => {
    const points = linePoints([1, 2, 3, null, 5], days(1, 2, 3, 9, 10));
    expect(points.map(({ y }) => y)).toEqual([1, 2, 3, null, null, 5]);
    expect(points[3]?.x).toBe((dayNumber('2026-01-03') + dayNumber('2026-01-09')) / 2);
    const long = linePoints(
      Array.from({ length: 60 }, (_, index) => (index === 30 || index === 32 ? null : 1)),
      Array.from({ length: 60 }, (_, index) => index),
    );
    expect(pointRadii(long).flatMap((radius, index) => (radius > 0 ? [index] : []))).toEqual([31]);
  });
});

describe('a small history', () => {
  it('never draws through a gap or an absence', () => {
    const { line, absences } = drawPaths({ dates: dates(1, 2, 3, 4), ranks: [1, null, 2, 3] });
    expect(line.match(/[ML]/g)?.join('')).toBe('MML');
    expect(absences).toBe('');
    const absent = drawPaths({ dates: dates(1, 2, 3, 4), ranks: [1, 'not_found', 2, 'not_found'] });
    expect(absent.absences.match(/M/g)).toHaveLength(2);
  });

  it('never draws over days without runs', () => {
    const { line } = drawPaths({ dates: dates(1, 2, 3, 9), ranks: [1, 2, 3, 4] });
    expect(line.match(/[ML]/g)?.join('')).toBe('MLLM');
  });
});
