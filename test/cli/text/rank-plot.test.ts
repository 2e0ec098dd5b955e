// The text plot of ranks: rank 1 on top, days in order, gaps left open.
import { expect, test } from 'vitest';
import { daysPerColumn, type PlotPoint, rankPlot } from '../../../src/cli/text/results/rank-plot.ts';

const ranked = (date: string, rank: number) => ({ date, kind: 'ranked', rank }) as const;

test('shows better ranks higher, days in order, and leaves days without a check open', () => {
  const points: PlotPoint[] = [
    ranked('2026-01-01', 3),
    ranked('2026-01-02', 1),
    { date: '2026-01-04', kind: 'notFound' },
    { date: '2026-01-05', kind: 'unknown' },
    ranked('2026-01-06', 2),
    ranked('2026-01-07', 1),
  ];
  expect(rankPlot(points, 60)).toEqual([
    '1 | ★    ●',
    '2 |     ●',
    '3 |●',
    '- |   ○?',
    '  +-------',
    '   2026-01-01 to 2026-01-07',
  ]);
});

test('marks other ranking URLs, and SERP features with the target', () => {
  const points: PlotPoint[] = [
    { ...ranked('2026-01-01', 3), isOtherPage: false },
    { ...ranked('2026-01-03', 3), isOtherPage: true },
    { date: '2026-01-04', kind: 'notFound', isInFeature: true },
  ];
  expect(rankPlot(points, 60)).toEqual([
    '3 |★ ●',
    '- |   ○',
    '^ |  ^',
    '+ |   +',
    '  +----',
    '   2026-01-01 to 2026-01-04',
  ]);
});

test('keeps every rank on a row that begins at or above it if ranks are far apart', () => {
  const lines = rankPlot([ranked('2026-01-01', 4), ranked('2026-01-02', 97), ranked('2026-01-03', 50)], 60);
  const plotted = lines.filter((line) => /[●★]/.test(line));
  expect(lines.length).toBeLessThanOrEqual(11);
  expect(plotted).toEqual([' 4 |★', '40 |  ●', '88 | ●']);
});

test('joins several days in a column if not all fit, and shows their last check or best rank', () => {
  const days = Array.from({ length: 40 }, (_, at) =>
    ranked(new Date(Date.UTC(2026, 0, 1 + at)).toISOString().slice(0, 10), at === 20 ? 1 : 2 + (at % 2)),
  );
  expect(daysPerColumn(days, 40)).toBe(1);
  expect(daysPerColumn(days, 20)).toBe(2);
  const lines = rankPlot(days, 20);
  expect(lines).toEqual([
    `1 |${' '.repeat(10)}★`,
    `2 |`,
    `3 |${'●'.repeat(10)} ${'●'.repeat(9)}`,
    `  +${'-'.repeat(20)}`,
    '   2026-01-01 to 2026-02-09',
  ]);
  expect(rankPlot(days, 30)[0]).toHaveLength(3 + 11);
});

test('shows the last check of a day', () => {
  expect(rankPlot([ranked('2026-01-01', 2), ranked('2026-01-02', 4), ranked('2026-01-02', 5)], 60)[3]).toBe('5 | ●');
});

test('has no rank axis for absences alone, and no lines without checks', () => {
  expect(rankPlot([{ date: '2026-01-01', kind: 'notFound' }], 60)).toEqual(['- |○', '  +-', '   2026-01-01']);
  expect(rankPlot([], 60)).toEqual([]);
});
