// The text plot of ranks: rank 1 up, days as they fell, gaps left open.
import { expect, test } from 'vitest';
import { type PlotPoint, rankPlot } from '../../src/cli/rank-plot.ts';

const ranked = (date: string, rank: number): PlotPoint => ({ date, kind: 'ranked', rank });

test('shows better ranks higher, days in order, and leaves days without a check open', () => {
  const points: PlotPoint[] = [
    ranked('2026-01-01', 3),
    ranked('2026-01-02', 1),
    { date: '2026-01-04', kind: 'notFound' },
    { date: '2026-01-05', kind: 'unknown' },
    ranked('2026-01-06', 2),
  ];
  expect(rankPlot(points, 60)).toEqual([
    '1 | ●',
    '2 |     ●',
    '3 |●',
    '- |   ○?',
    '  +------',
    '   2026-01-01 to 2026-01-06',
  ]);
});

test('keeps every rank on a row that begins at or above it when ranks lie far apart', () => {
  const lines = rankPlot([ranked('2026-01-01', 4), ranked('2026-01-02', 97), ranked('2026-01-03', 50)], 60);
  const plotted = lines.filter((line) => line.includes('●'));
  expect(lines.length).toBeLessThanOrEqual(11);
  expect(plotted).toEqual([' 4 |●', '40 |  ●', '88 | ●']);
});

test('shows the last days where not all fit, and of each day the last check', () => {
  const days = Array.from({ length: 40 }, (_, at) =>
    ranked(new Date(Date.UTC(2026, 0, 1 + at)).toISOString().slice(0, 10), 5),
  );
  const lines = rankPlot([...days, ranked('2026-02-09', 2)], 30);
  expect(lines.at(-2)).toBe(`  +${'-'.repeat(30)}`);
  expect(lines.at(-1)).toBe('   2026-01-11          2026-02-09');
  expect(lines[0]).toBe(`2 |${' '.repeat(29)}●`);
});

test('of absences only has no rank axis, and of nothing has no lines', () => {
  expect(rankPlot([{ date: '2026-01-01', kind: 'notFound' }], 60)).toEqual(['- |○', '  +-', '   2026-01-01']);
  expect(rankPlot([], 60)).toEqual([]);
});
