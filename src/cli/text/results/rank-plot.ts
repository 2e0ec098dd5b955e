// A small plot of ranks over days, as text: rank 1 is up. A day without a rank is a gap; points are never joined.
import { dayMs } from '../../../tracker/schedule/time-units.ts';

/** One day: a rank, a proven absence, or a check that proved nothing. */
export type PlotPoint =
  | {
      readonly date: string;
      readonly kind: 'ranked';
      readonly rank: number;
      /** Another URL ranks than before. */
      readonly isOtherPage?: boolean;
      readonly isInFeature?: boolean;
    }
  | { readonly date: string; readonly kind: 'notFound' | 'unknown'; readonly isInFeature?: boolean };

const rowsMax = 8;
const marks = { ranked: '●', best: '★', notFound: '○', unknown: '?', otherPage: '^', feature: '+' } as const;

/** A column of the plot: its last point, and what happened within it. */
interface PlotColumn {
  readonly point: PlotPoint;
  readonly isBest: boolean;
  readonly isOtherPage: boolean;
  readonly isInFeature: boolean;
}

/** How many days a column of the plot stands for, where so many columns fit. */
export function daysPerColumn(points: readonly PlotPoint[], columns: number): number {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return 1;
  return Math.max(1, Math.ceil((parseDay(last.date) - parseDay(first.date) + 1) / Math.max(1, columns)));
}

/**
 * Lines of the plot, at most `columns` wide beside its axis. A column is a calendar day, or several if not all days
 * fit. Of several points in a column, the last one is shown, or the first one with the best rank of all. Dates are
 * `YYYY-MM-DD`, oldest first. Empty if nothing is known.
 */
export function rankPlot(points: readonly PlotPoint[], columns: number): string[] {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return [];
  const step = daysPerColumn(points, columns);
  const lastDay = parseDay(last.date);
  const count = Math.ceil((lastDay - parseDay(first.date) + 1) / step);
  const firstDay = lastDay - count * step + 1;
  const best = points.reduce((least, point) => (plottedRank(point) < plottedRank(least) ? point : least), first);
  const grouped = Map.groupBy(points, ({ date }) => Math.floor((parseDay(date) - firstDay) / step));
  const shown = Array.from({ length: count }, (_, at) => buildColumn(grouped.get(at) ?? [], best));
  const ranks = shown.flatMap((column) => (column?.point.kind === 'ranked' ? [column.point.rank] : []));
  const scale = buildScale(ranks);
  const widest = Math.max(1, ...scale.map((rank) => `${rank}`.length));
  const line = (label: string, markOf: (column: PlotColumn) => string): string =>
    `${label.padStart(widest)} |${shown.map((column) => (column === null ? ' ' : markOf(column))).join('')}`.trimEnd();
  const lines = scale.map((rank, row) =>
    line(`${rank}`, ({ point, isBest }) => {
      if (point.kind !== 'ranked' || findRow(point.rank, scale) !== row) return ' ';
      return isBest ? marks.best : marks.ranked;
    }),
  );
  if (shown.some((column) => column !== null && column.point.kind !== 'ranked')) {
    lines.push(line('-', ({ point }) => (point.kind === 'ranked' ? ' ' : marks[point.kind])));
  }
  if (shown.some((column) => column?.isOtherPage === true)) {
    lines.push(line(marks.otherPage, ({ isOtherPage }) => (isOtherPage ? marks.otherPage : ' ')));
  }
  if (shown.some((column) => column?.isInFeature === true)) {
    lines.push(line(marks.feature, ({ isInFeature }) => (isInFeature ? marks.feature : ' ')));
  }
  const axis = `${' '.repeat(widest + 1)}+${'-'.repeat(count)}`;
  return [...lines, axis, axisLine(parseDay(first.date), lastDay, count, widest + 2)];
}

/** The meaning of the marks. */
export const plotLegend = [
  `${marks.ranked} rank   ${marks.best} best rank   ${marks.notFound} not found   ${marks.unknown} unknown   blank: no check`,
  `${marks.otherPage} another URL ranks than before   ${marks.feature} in a SERP feature`,
] as const;

function buildColumn(points: readonly PlotPoint[], best: PlotPoint): PlotColumn | null {
  const point = points.includes(best) ? best : points.at(-1);
  if (point === undefined) return null;
  return {
    point,
    isBest: point === best && point.kind === 'ranked',
    isOtherPage: points.some((each) => each.kind === 'ranked' && each.isOtherPage === true),
    isInFeature: points.some(({ isInFeature }) => isInFeature === true),
  };
}

/** Infinity if there is no rank. */
function plottedRank(point: PlotPoint): number {
  return point.kind === 'ranked' ? point.rank : Number.POSITIVE_INFINITY;
}

/** The rank at the top of each row, best first: one row per rank if there are few ranks, else evenly spread. */
function buildScale(ranks: readonly number[]): number[] {
  if (ranks.length === 0) return [];
  const best = ranks.reduce((a, b) => Math.min(a, b));
  const worst = ranks.reduce((a, b) => Math.max(a, b));
  const step = Math.ceil((worst - best + 1) / rowsMax);
  return Array.from({ length: Math.floor((worst - best) / step) + 1 }, (_, row) => best + row * step);
}

/** The row whose ranks begin at or before this one. */
function findRow(rank: number, scale: readonly number[]): number {
  return scale.findLastIndex((top) => top <= rank);
}

function axisLine(firstDay: number, lastDay: number, columns: number, indent: number): string {
  const first = formatDay(firstDay);
  const last = formatDay(lastDay);
  const room = columns - first.length - last.length;
  const dates = room >= 1 ? `${first}${' '.repeat(room)}${last}` : firstDay === lastDay ? last : `${first} to ${last}`;
  return `${' '.repeat(indent)}${dates}`;
}

function parseDay(date: string): number {
  return Math.floor(Date.parse(`${date}T00:00Z`) / dayMs);
}

function formatDay(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}
