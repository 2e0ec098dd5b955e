// A small plot of ranks over days, as text: rank 1 is up. A day without a rank is a gap; points are never joined.

/** What is known of one day: a rank, a proven absence, or a check that proved nothing. */
export type PlotPoint =
  | { readonly date: string; readonly kind: 'ranked'; readonly rank: number }
  | { readonly date: string; readonly kind: 'notFound' | 'unknown' };

const rowsMax = 8;
const dayMs = 86_400_000;
const marks = { ranked: '●', notFound: '○', unknown: '?' } as const;

/**
 * Lines of the plot, at most `columns` days wide: the last ones. One column a calendar day; where a day has several points the last one is shown.
 * Dates are `YYYY-MM-DD`, oldest first. Empty where nothing is known.
 */
export function rankPlot(points: readonly PlotPoint[], columns: number): string[] {
  const last = points.at(-1);
  if (last === undefined) return [];
  const lastDay = dayOf(last.date);
  const firstDay = Math.max(dayOf(points[0]?.date ?? last.date), lastDay - columns + 1);
  const shown = new Map(points.map((point) => [dayOf(point.date), point]));
  const days = Array.from({ length: lastDay - firstDay + 1 }, (_, at) => shown.get(firstDay + at));
  const ranks = days.flatMap((point) => (point?.kind === 'ranked' ? [point.rank] : []));
  const scale = scaleOf(ranks);
  const widest = Math.max(0, ...scale.map((rank) => `${rank}`.length), days.some(isAbsent) ? 1 : 0);
  const lines = scale.map((rank, row) => {
    const marksOfRow = days.map((point) =>
      point?.kind === 'ranked' && rowOf(point.rank, scale) === row ? marks.ranked : ' ',
    );
    return `${`${rank}`.padStart(widest)} |${marksOfRow.join('')}`.trimEnd();
  });
  if (days.some(isAbsent)) {
    const absent = days.map((point) => (point !== undefined && isAbsent(point) ? marks[point.kind] : ' '));
    lines.push(`${'-'.padStart(widest)} |${absent.join('')}`.trimEnd());
  }
  return [...lines, `${' '.repeat(widest + 1)}+${'-'.repeat(days.length)}`, axisLine(firstDay, lastDay, widest + 2)];
}

/** What the marks mean. */
export const plotLegend = `${marks.ranked} rank   ${marks.notFound} not found   ${marks.unknown} not known   blank: no check`;

/** The rank at the top of each row, best first: one row a rank where there are few, else evenly spread. */
function scaleOf(ranks: readonly number[]): number[] {
  if (ranks.length === 0) return [];
  const best = ranks.reduce((a, b) => Math.min(a, b));
  const worst = ranks.reduce((a, b) => Math.max(a, b));
  const step = Math.ceil((worst - best + 1) / rowsMax);
  return Array.from({ length: Math.floor((worst - best) / step) + 1 }, (_, row) => best + row * step);
}

/** The row whose ranks begin at or before this one. */
function rowOf(rank: number, scale: readonly number[]): number {
  return scale.findLastIndex((top) => top <= rank);
}

function isAbsent(point: PlotPoint | undefined): point is Exclude<PlotPoint, { kind: 'ranked' }> {
  return point !== undefined && point.kind !== 'ranked';
}

function axisLine(firstDay: number, lastDay: number, indent: number): string {
  const first = dateOf(firstDay);
  const last = dateOf(lastDay);
  const room = lastDay - firstDay + 1 - first.length - last.length;
  const dates = room >= 1 ? `${first}${' '.repeat(room)}${last}` : firstDay === lastDay ? last : `${first} to ${last}`;
  return `${' '.repeat(indent)}${dates}`;
}

function dayOf(date: string): number {
  return Math.floor(Date.parse(`${date}T00:00Z`) / dayMs);
}

function dateOf(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}
