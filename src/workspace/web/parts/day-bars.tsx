// Sums by date as stacked bars, with the frame, cursor and table of all charts.

import { scaleLinear, scaleUtc } from '@visx/scale';
import { type PointerEvent, type ReactNode, useId } from 'react';
import { sumOf } from '../../../tracker/figures.ts';
import { dayMs } from '../../../tracker/schedule/time-units.ts';
import { type ChartLine, lineColour } from '../chart-line.ts';
import { timeOf } from '../gaps.ts';
import { day } from '../words.ts';
import { ChartFigure, type ChartProps, dayTicks, letterWidth, nearestDate, type PlotState } from './chart.tsx';
import { Axes, CursorBox, Flags, valueText } from './chart-labels.tsx';

interface BarSeries extends ChartLine {
  /** Not proven, as money of which no outcome is known: hatched. */
  readonly isUnproven?: boolean;
  /** Of its bars as they are; absent: by its place among the series. */
  readonly colour?: string;
}

/** Of `dates` each has its room, also one without a bar. */
interface BarsProps extends Pick<ChartProps, 'label' | 'dates' | 'marks' | 'format' | 'tick' | 'height' | 'isSmall'> {
  /** Stacked from the axis up, in this order. */
  readonly lines: readonly BarSeries[];
  /** Names and newest values beside the newest bar, instead of a legend. */
  readonly hasNames?: boolean;
}

export function DayBars(props: BarsProps): ReactNode {
  return <ChartFigure {...props}>{(plot) => <BarPlot {...props} {...plot} />}</ChartFigure>;
}

const barWidthMax = 40;

function BarPlot({
  dates,
  lines,
  marks,
  format,
  tick = format,
  height = 180,
  isSmall = false,
  hasNames = false,
  width,
  at,
  move,
}: BarsProps & PlotState): ReactNode {
  const hatch = useId();
  const [top, bottom] = [marks.length > 0 ? 26 : 10, height - 24];
  const sums = dates.map((_, index) => sumOf(lines, ({ values }) => values[index] ?? 0));
  const most = Math.max(...sums);
  const y = scaleLinear({ domain: [0, most || 1], range: [bottom, top], nice: 4 });
  // of counts between which there is nothing, one tick each: 0.5 would be written as 1
  const ticks = most === 0 ? [0] : [...new Map(y.ticks(isSmall ? 2 : 4).map((of) => [tick(of), of])).values()];
  const left = Math.max(...ticks.map((of) => tick(of).length)) * letterWidth + 16;
  const named = lines.map((line) => `${line.name} ${valueText(line, dates.length - 1, format)}`.length);
  const right = width - (hasNames ? Math.max(...named) * letterWidth + 26 : 20);
  const moments = dates.map(timeOf);
  // a bar stands in the middle of its day
  const x = scaleUtc({
    domain: [(moments[0] ?? 0) - dayMs / 2, (moments.at(-1) ?? 0) + dayMs / 2],
    range: [left, right],
  });
  const room = x((moments[0] ?? 0) + dayMs) - x(moments[0] ?? 0);
  const barWidth = Math.max(1, Math.min(barWidthMax, room - (room > 6 ? 2 : room * 0.2)));
  const fillOf = (line: BarSeries) =>
    line.isUnproven ? `url(#${hatch})` : (line.colour ?? softened(lineColour(lines, line)));
  const hover = (event: PointerEvent<SVGSVGElement>) => {
    const from = event.currentTarget.getBoundingClientRect();
    move(nearestDate(dates, moments, Number(x.invert(event.clientX - from.left))));
  };
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      width="100%"
      height={height}
      aria-hidden="true"
      onPointerMove={hover}
      onPointerLeave={() => move(null)}
    >
      <Hatch id={hatch} />
      <Axes
        ticks={ticks}
        tick={tick}
        y={y}
        dates={dayTicks(dates, right - left)}
        x={(date) => x(timeOf(date))}
        left={left}
        right={right}
        bottom={bottom}
      />
      <Flags marks={marks} x={(date) => x(timeOf(date))} top={top} bottom={bottom} />
      {moments.map((moment, index) => (
        <g key={moment} opacity={at < 0 || at === index ? 1 : 0.45}>
          {stackOf(lines, index).map(({ line, from, to }) => (
            <rect
              key={line.name}
              x={x(moment) - barWidth / 2}
              width={barWidth}
              y={y(to)}
              height={Math.max(0.5, y(from) - y(to))}
              rx={Math.min(2, barWidth / 4)}
              fill={fillOf(line)}
            />
          ))}
        </g>
      ))}
      {hasNames && (
        <StackNames lines={lines} dates={dates} fillOf={fillOf} format={format} y={y} left={right + 8} top={top} />
      )}
      {at >= 0 && (
        <CursorBox
          title={day(dates[at])}
          rows={lines
            .filter(({ values }) => values[at] != null)
            .map((line) => {
              return { name: line.name, text: valueText(line, at, format), colour: fillOf(line), isStrong: false };
            })}
          x={x(moments[at] ?? 0)}
          top={top}
          width={width}
        />
      )}
    </svg>
  );
}

interface NamesProps {
  readonly lines: readonly BarSeries[];
  readonly dates: readonly string[];
  readonly fillOf: (line: BarSeries) => string;
  readonly format: (value: number) => string;
  readonly y: (value: number) => number;
  readonly left: number;
  readonly top: number;
}

const nameHeight = 15;

/** Beside the middles of their parts, pushed apart where they would meet. */
function StackNames({ lines, dates, fillOf, format, y, left, top }: NamesProps): ReactNode {
  const newest = dates.length - 1;
  let below = 0;
  const placed = lines.map((line) => {
    const value = line.values[newest] ?? 0;
    below += value;
    return { line, at: y(below - value / 2) };
  });
  for (const [index, label] of placed.entries())
    label.at = Math.min(label.at, (placed[index - 1]?.at ?? Number.POSITIVE_INFINITY) - nameHeight);
  for (const [index, label] of [...placed.entries()].reverse())
    label.at = Math.max(label.at, (placed[index + 1]?.at ?? top - nameHeight) + nameHeight);
  return placed.map(({ line, at }) => (
    <g key={line.name} transform={`translate(${left} ${at})`}>
      <rect y={-4} width={8} height={8} rx={2} fill={fillOf(line)} />
      <text x={14} y={4} fontSize={12} fill="var(--soft)">
        {line.name}{' '}
        <tspan fontWeight={650} fill="var(--ink)">
          {valueText(line, newest, format)}
        </tspan>
      </text>
    </g>
  ));
}

/** An area has more colour than a line. */
function softened(colour: string): string {
  return `color-mix(in oklab, ${colour} 72%, var(--surface))`;
}

function Hatch({ id }: { readonly id: string }): ReactNode {
  return (
    <pattern id={id} width={5} height={5} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <rect width={5} height={5} fill="var(--hairline)" />
      <rect width={2} height={5} fill="var(--outline)" />
    </pattern>
  );
}

/** The parts of one bar that are seen, from the axis up. */
function stackOf(lines: readonly BarSeries[], index: number): { line: BarSeries; from: number; to: number }[] {
  const parts: ReturnType<typeof stackOf> = [];
  for (const line of lines) {
    const [value, from] = [line.values[index] ?? 0, parts.at(-1)?.to ?? 0];
    if (value > 0) parts.push({ line, from, to: from + value });
  }
  return parts;
}
