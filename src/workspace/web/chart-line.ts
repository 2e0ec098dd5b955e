// What a chart draws: lines over dates, and events marked on them.

export interface ChartLine {
  readonly name: string;
  /** One a date; null: nothing is known, and no line is drawn. */
  readonly values: readonly (number | null)[];
  readonly isOwn?: boolean;
  /** Rows of each value, for the table behind the chart. */
  readonly over?: readonly (number | null)[] | undefined;
  /** Dates on which it was looked for and not found: of the first of our lines, marked below all ranks. */
  readonly absent?: readonly boolean[];
  /** Bounds of each value: an interval around the line. */
  readonly low?: readonly (number | null)[];
  readonly high?: readonly (number | null)[];
  /** Its colour, 2 to 8; absent: by its place among the lines. */
  readonly series?: number;
}

export interface ChartMark {
  readonly date: string;
  readonly text: string;
}

/** The colour of a competitor, the same on every page: by its place in the project. */
export function rivalSeries(competitors: readonly string[], target: string): number {
  return 2 + (Math.max(0, competitors.indexOf(target)) % 7);
}

/** With many competitors two may share a colour: of those that are shown, the later takes a free one. */
export function withColours(lines: readonly ChartLine[]): ChartLine[] {
  const taken = new Set<number>();
  return lines.map((line) => {
    if (line.isOwn) return line;
    const wanted = line.series ?? 2;
    const series = taken.has(wanted) ? ([2, 3, 4, 5, 6, 7, 8].find((of) => !taken.has(of)) ?? wanted) : wanted;
    taken.add(series);
    return { ...line, series };
  });
}

export const seriesColours = 8;

/** Ours is the accent; the others take the colours after it, in their order. */
export function lineColour(lines: readonly ChartLine[], line: ChartLine): string {
  if (line.isOwn) return 'var(--series-1)';
  if (line.series !== undefined) return `var(--series-${line.series})`;
  const others = lines.filter(({ isOwn }) => !isOwn);
  return `var(--series-${2 + (others.indexOf(line) % (seriesColours - 1))})`;
}
