// The newest values of a row in the height of a line: better is higher.
import type { ReactNode } from 'react';
import { breaksIn, dayNumber, stretchesOf } from '../gaps.ts';
import { missing } from '../words.ts';

interface SparklineProps {
  readonly values: readonly (number | 'not_found' | null)[];
  /** Of the values; absent: they are evenly spaced. */
  readonly dates?: readonly string[];
  /** A smaller number is better, as of ranks. */
  readonly isRank?: boolean;
  readonly width?: number;
  readonly height?: number;
}

/** Without a rank there is a mark at the foot; a value alone is a dot. */
export function Sparkline({ values, dates, isRank = true, width = 96, height = 24 }: SparklineProps): ReactNode {
  const numbers = values.filter((value) => typeof value === 'number');
  if (numbers.length === 0) return <span className="quiet">{missing}</span>;
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  const span = Math.max(most - least, isRank ? 6 : most * 0.1 || 1);
  const days = dates?.map(dayNumber) ?? values.map((_, at) => at);
  const [first = 0, last = 0] = [days[0], days.at(-1)];
  const x = (at: number) => (3 + (((days[at] ?? 0) - first) * (width - 6)) / Math.max(1, last - first)).toFixed(1);
  const y = (at: number) =>
    (height / 2 + ((Number(values[at]) - (least + most) / 2) / span) * (height - 8) * (isRank ? 1 : -1)).toFixed(1);
  const ranks = values.map((value) => (typeof value === 'number' ? value : null));
  const stretches = stretchesOf(ranks, dates === undefined ? undefined : breaksIn(dates));
  const line = stretches.flatMap((of) => of.map((at, step) => `${step === 0 ? 'M' : 'L'}${x(at)} ${y(at)}`)).join('');
  const absent = values.map((value, at) => (value === 'not_found' ? `M${x(at)} ${height - 4}v3` : '')).join('');
  const newest = values.findLastIndex((value) => typeof value === 'number');
  return (
    <svg className="sparkline" viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden="true">
      <path d={absent} stroke="var(--faint)" />
      <path d={line} fill="none" stroke="var(--soft)" strokeWidth={1.3} strokeLinejoin="round" strokeLinecap="round" />
      {stretches
        .filter(({ length }) => length === 1)
        .map(([at = 0]) => (
          <circle key={at} cx={x(at)} cy={y(at)} r={1.2} fill="var(--soft)" />
        ))}
      <circle cx={x(newest)} cy={y(newest)} r={2.2} fill="var(--ink)" />
    </svg>
  );
}
