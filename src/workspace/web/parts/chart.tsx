// Lines over dates as SVG: on screen with a cursor that all charts of the page share, on paper as crisp as text.
import { scaleLinear, scalePower, scaleUtc } from '@visx/scale';
import { Area, AreaClosed, LinePath } from '@visx/shape';
import {
  createContext,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type ReactNode,
  useContext,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import { type ChartLine, type ChartMark, lineColour, seriesColours } from '../chart-line.ts';
import { breaksIn, stretchesOf, timeOf } from '../gaps.ts';
import { day, missing } from '../words.ts';
import { Axes, CursorValues, EndLabels, endText, Flags, Names, valueText } from './chart-labels.tsx';
import { ValueTable } from './chart-table.tsx';

export interface ChartProps {
  /** What the chart shows, with its unit: read before its values. */
  readonly label: string;
  readonly dates: readonly string[];
  readonly lines: readonly ChartLine[];
  readonly marks?: readonly ChartMark[];
  readonly format: (value: number) => string;
  /** On the axis; default: as values. */
  readonly tick?: (value: number) => string;
  readonly height?: number;
  /** Ranks: 1 is on top, pages are faint bands, and the scale fits. */
  readonly isRank?: boolean;
  /** Without room for names at the end of lines and a table behind. */
  readonly isSmall?: boolean;
  /** The values of the axis, where charts beside each other share it; absent: it fits the lines. */
  readonly domain?: readonly [number, number];
  /** The newest values stand elsewhere, not at the ends of the lines. */
  readonly hasNoEnds?: boolean;
  /** Names below a chart that is too narrow for them at the ends of its lines. */
  readonly hasLegend?: boolean;
  /** Where our line usually stands: a band behind it. */
  readonly usual?: readonly [number, number];
  /** A marked date, and how another one is chosen. */
  readonly chosen?: string;
  readonly onChoose?: (date: string) => void;
  /** Least room beside the plot, and what is drawn there under it on the same dates. */
  readonly room?: (width: number) => Margins;
  readonly below?: (plotted: Plotted) => ReactNode;
}

/** Pixels beside the plot. */
export interface Margins {
  readonly left: number;
  readonly right: number;
}

/** Where a chart draws its dates. */
export interface Plotted extends Margins {
  readonly width: number;
}

const CursorContext = createContext<{ readonly date: string | null; readonly move: (date: string | null) => void }>({
  date: null,
  move: () => {},
});

/** Charts inside share their cursor. */
export function SharedCursor({ children }: { readonly children: ReactNode }): ReactNode {
  const [date, move] = useState<string | null>(null);
  return <CursorContext value={{ date, move }}>{children}</CursorContext>;
}

export function useCursor(): { readonly date: string | null; readonly move: (date: string | null) => void } {
  return useContext(CursorContext);
}

const rankBands = [3, 10, 20, 30, 50, 100];
/** Where the scale of ranks may end. */
const rankEnds = [5, 10, 20, 30, 40, 60, 100];

export function Chart(props: ChartProps): ReactNode {
  return (
    <ChartFigure
      {...props}
      below={(width) => (
        <>
          {isNamedBelow(props, width) && <Names lines={props.lines} />}
          {props.below?.({ ...marginsOf(props, width), width })}
        </>
      )}
    >
      {(plot) => <Plot {...props} {...plot} margins={marginsOf(props, plot.width)} />}
    </ChartFigure>
  );
}

/** Where a chart is drawn, and the date of its cursor. */
export interface PlotState {
  /** Those within the dates. */
  readonly marks: readonly ChartMark[];
  readonly width: number;
  /** Index of the date under the cursor; -1: none. */
  readonly at: number;
  readonly move: (date: string | null) => void;
}

interface FigureProps
  extends Pick<ChartProps, 'label' | 'dates' | 'lines' | 'marks' | 'format' | 'isSmall' | 'height' | 'onChoose'> {
  readonly below?: (width: number) => ReactNode;
  readonly children: (plot: PlotState) => ReactNode;
}

/** What every chart over dates has around its drawing: words, keys, the shared cursor, its marks and a table. */
export function ChartFigure(props: FigureProps): ReactNode {
  const { label, dates, lines, marks = [], format, isSmall = false, height, onChoose, below, children } = props;
  const isEmpty = lines.every(({ values, absent }) => values.every((of) => of === null) && !absent?.includes(true));
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const { date, move } = useCursor();
  const [isTable, setTable] = useState(false);
  const at = date === null ? -1 : dates.indexOf(date);
  const seen = marks.filter(({ date: of }) => of >= (dates[0] ?? '') && of <= (dates.at(-1) ?? ''));
  const keys = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === 'Escape') move(null);
    if (event.key === 'Enter' && at >= 0) onChoose?.(dates[at] ?? '');
    if (step === undefined) return;
    event.preventDefault();
    const next = at < 0 ? dates.length - 1 : Math.min(dates.length - 1, Math.max(0, at + step));
    move(dates[next] ?? null);
  };
  return (
    <figure className={isSmall ? 'chart chart-small' : 'chart'}>
      <div
        ref={frame}
        className="chart-frame"
        role="img"
        aria-label={`${label}, ${summaryOf(props)}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move its cursor
        tabIndex={0}
        onKeyDown={keys}
      >
        {isEmpty ? (
          <p className="chart-empty" style={{ height }}>
            Nothing is known of these dates
          </p>
        ) : (
          width > 0 && children({ marks: seen, width, at, move })
        )}
      </div>
      {width > 0 && below?.(width)}
      <p className="unseen" aria-live="polite">
        {at >= 0 &&
          `${day(dates[at])}: ${lines.map((line) => `${line.name} ${valueText(line, at, format)}`).join(', ')}`}
      </p>
      {seen.length > 0 && !isSmall && (
        <ol className="chart-marks">
          {seen.map(({ date: of, text }) => (
            <li key={`${of} ${text}`}>
              <span>{day(of, dates.at(-1))}</span> {text}
            </li>
          ))}
        </ol>
      )}
      {!isSmall && (
        <details className="screen-only chart-table cover" onToggle={(event) => setTable(event.currentTarget.open)}>
          <summary>Values as a table</summary>
          {isTable && (
            <ValueTable
              label={label}
              dates={dates}
              lines={lines}
              shown={(line, index) => valueText(line, index, format)}
            />
          )}
        </details>
      )}
    </figure>
  );
}

/** A4 between the margins of a report, in the pixels of a chart: its letters shrink as those of the text do. */
const paperWidth = 840;

/** The content box of an element, kept current; for paper its part of a page, so that letters keep their size. */
function useWidth(of: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = of.current;
    if (element === null) return;
    setWidth(element.clientWidth);
    const fit = () => setWidth(element.clientWidth);
    const fitPaper = () => {
      const whole = element.closest('main')?.clientWidth ?? element.clientWidth;
      flushSync(() => setWidth((paperWidth * element.clientWidth) / whole));
    };
    const observer = new ResizeObserver(fit);
    observer.observe(element);
    addEventListener('beforeprint', fitPaper);
    addEventListener('afterprint', fit);
    return () => {
      observer.disconnect();
      removeEventListener('beforeprint', fitPaper);
      removeEventListener('afterprint', fit);
    };
  }, [of]);
  return width;
}

function shown(value: number | null | undefined, format: ChartProps['format']): string {
  return value == null ? missing : format(value);
}

/** First and last value of each line, for those who do not see it. */
function summaryOf({ dates, lines, format }: FigureProps): string {
  const ends = lines.slice(0, seriesColours).map(({ name, values }) => {
    const known = values.filter((value) => value !== null);
    return `${name} from ${shown(known[0], format)} to ${shown(known.at(-1), format)}`;
  });
  return `${day(dates[0])} to ${day(dates.at(-1))}: ${ends.join('; ')}`;
}

interface PlotProps extends Omit<ChartProps, 'marks'>, PlotState {
  readonly margins: Margins;
}

/** Of the small type in charts, on average. */
export const letterWidth = 6.6;
/** Between the middles of two dates on the axis. */
const labelRoom = 56;
/** Half of the last date under the plot. */
const endRoom = 20;
/** Between two labels of the axis beside it. */
const tickRoom = 15;
/** What is named beside the plot has room from here on. */
const gutterMin = 100;
/** Below the ranks, for dates without one. */
const absentRoom = 18;

function hasNames({ isSmall = false, lines }: Pick<ChartProps, 'isSmall' | 'lines'>, width: number): boolean {
  return !isSmall && width > 480 && lines.length > 1;
}

/** Narrow charts have no room for names beside their lines; those with other room have a legend of their own. */
function isNamedBelow(props: ChartProps, width: number): boolean {
  const { isSmall = false, lines, room, hasLegend = !isSmall && room === undefined } = props;
  return hasLegend && lines.length > 1 && !hasNames(props, width);
}

function marginsOf(props: ChartProps, width: number): Margins {
  const { lines, format, tick = format, room, hasNoEnds } = props;
  const least = room?.(width) ?? { left: 0, right: 0 };
  const ends = hasNoEnds ? [] : lines.map((line) => endText(line, hasNames(props, width), format).length);
  const ticks = ticksOf(props, yScale(props)).map((of) => tick(of).length);
  return {
    left: Math.max(least.left, Math.max(0, ...ticks) * letterWidth + 16),
    right: Math.max(least.right, endRoom, Math.min(220, Math.max(0, ...ends) * letterWidth + 14)),
  };
}

function yScale({ lines, marks = [], isRank = false, height = 240, domain }: ChartProps): Scale {
  const known = lines.flatMap(({ values }) => values.filter((value) => value !== null));
  const [top, bottom] = [
    marks.length > 0 ? 26 : 10,
    height - 24 - (isAbsent(lines.find(({ isOwn }) => isOwn)) ? absentRoom : 0),
  ];
  if (!isRank)
    return scaleLinear({
      domain: [...(domain ?? valueDomain(known, false))],
      range: [bottom, top],
      nice: domain === undefined ? 4 : false,
    });
  const ranks = domain ?? valueDomain(known, true);
  // a step at the top is worth more than one at the end
  return scalePower({ exponent: ranks[1] > 20 ? 0.5 : 1, domain: [...ranks], range: [top, bottom] });
}

const isAbsent = (line: ChartLine | undefined): boolean => line?.absent?.includes(true) === true;

function ticksOf({ isRank = false, isSmall = false }: ChartProps, y: Scale): number[] {
  const all = isRank ? rankTicks(y.domain()[1] ?? 10) : y.ticks(isSmall ? 3 : 4);
  // without those whose labels would cover the one before
  const kept: number[] = [];
  for (const of of all) if (kept.length === 0 || Math.abs(y(of) - y(kept.at(-1) ?? 0)) >= tickRoom) kept.push(of);
  return kept;
}

function Plot(props: PlotProps): ReactNode {
  const { dates, lines, marks, format, tick = format, height = 240, isRank = false, width } = props;
  const { margins, at, move, usual, chosen, onChoose } = props;
  const clip = useId();
  const days = dates.map(timeOf);
  const y = yScale(props);
  const [low = 0, high = 0] = y.range();
  const [top, bottom, floor] = [Math.min(low, high), Math.max(low, high), height - 24];
  const [left, right] = [margins.left, width - margins.right];
  const ticks = ticksOf(props, y);
  const x = scaleUtc({ domain: [days[0] ?? 0, days.at(-1) ?? 1], range: [left, right] });
  const xOf = (index: number) => x(days[index] ?? 0);
  const xOn = (date: string) => x(timeOf(date));
  const colourOf = (line: ChartLine) => lineColour(lines, line);
  const nearest = (event: PointerEvent<SVGSVGElement> | MouseEvent<SVGSVGElement>) => {
    const from = event.currentTarget.getBoundingClientRect();
    return nearestDate(dates, days, Number(x.invert(event.clientX - from.left)));
  };
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      width="100%"
      height={height}
      aria-hidden="true"
      style={onChoose && { cursor: 'pointer' }}
      onPointerMove={(event) => move(nearest(event))}
      onPointerLeave={() => move(null)}
      onClick={(event) => onChoose?.(nearest(event) ?? '')}
    >
      <clipPath id={clip}>
        <rect x={left - 4} y={top - 4} width={Math.max(0, right - left + 8)} height={floor - top + 8} />
      </clipPath>
      {isRank && <RankBands y={y} left={left} right={right} />}
      {usual !== undefined && (
        <rect
          x={left}
          width={Math.max(0, right - left)}
          y={y(usual[0] - 0.5)}
          height={y(usual[1] + 0.5) - y(usual[0] - 0.5)}
          clipPath={`url(#${clip})`}
          fill="var(--series-1)"
          opacity={0.09}
        />
      )}
      {usual !== undefined && left > gutterMin && (
        <text x={0} y={y((usual[0] + usual[1]) / 2) + 4} fontSize={11} fill="var(--faint)">
          usually {usual[0] === usual[1] ? usual[0] : `${usual[0]}–${usual[1]}`}
        </text>
      )}
      {floor > bottom && left > gutterMin && (
        <text x={0} y={floor - absentRoom / 2 + 4} fontSize={11} fill="var(--faint)">
          not found
        </text>
      )}
      <Axes
        ticks={ticks}
        tick={tick}
        y={y}
        dates={dayTicks(dates, right - left).filter(
          (date) => chosen === undefined || Math.abs(xOn(date) - xOn(chosen)) > labelRoom,
        )}
        x={xOn}
        left={left}
        right={right}
        bottom={floor}
      />
      <Flags marks={marks} x={xOn} top={top} bottom={floor} />
      {chosen !== undefined && (
        <>
          <line x1={xOn(chosen)} x2={xOn(chosen)} y1={top - 4} y2={floor} stroke="var(--accent)" strokeWidth={1.5} />
          <text x={xOn(chosen)} y={floor + 18} textAnchor="middle" fontSize={11} fontWeight={650} fill="var(--accent)">
            {day(chosen, dates.at(-1))}
          </text>
        </>
      )}
      <g clipPath={`url(#${clip})`}>
        {lines
          .toSorted((a, b) => Number(a.isOwn ?? false) - Number(b.isOwn ?? false))
          .map((line) => (
            <Line
              key={line.name}
              line={line}
              dates={dates}
              colour={colourOf(line)}
              isFirst={lines.find(({ isOwn }) => isOwn) === line}
              x={xOf}
              y={y}
              floor={floor - absentRoom / 2}
              hasArea={line.isOwn === true && !isRank && line.low === undefined}
            />
          ))}
      </g>
      {!props.hasNoEnds && (
        <EndLabels
          lines={lines}
          colourOf={colourOf}
          y={y}
          left={right + 8}
          top={top}
          bottom={bottom}
          hasNames={hasNames(props, width)}
          format={format}
        />
      )}
      {at >= 0 && (
        <CursorValues
          lines={lines}
          colourOf={colourOf}
          dates={dates}
          format={format}
          at={at}
          x={xOf(at)}
          y={y}
          top={top}
          bottom={floor}
          width={width}
        />
      )}
    </svg>
  );
}

export function nearestDate(dates: readonly string[], days: readonly number[], wanted: number): string | null {
  const nearest = days.reduce(
    (best, of, index) => (Math.abs(of - wanted) < Math.abs((days[best] ?? 0) - wanted) ? index : best),
    0,
  );
  return dates[nearest] ?? null;
}

interface LineProps {
  readonly line: ChartLine;
  readonly dates: readonly string[];
  readonly colour: string;
  /** The first of our lines: the strongest. */
  readonly isFirst: boolean;
  readonly x: (index: number) => number;
  readonly y: Scale;
  /** Where dates without a rank are marked. */
  readonly floor: number;
  readonly hasArea: boolean;
}

/** Lines within stretches of known values, with dotted bridges between them. */
function Line({ line, dates, colour, isFirst, x, y, floor, hasArea }: LineProps): ReactNode {
  const { values, absent = [], isOwn = false, low, high } = line;
  const stretches = stretchesOf(values, breaksIn(dates));
  const yOf = (index: number) => y(values[index] ?? 0);
  return (
    <g>
      {low !== undefined &&
        stretches.map((of) => (
          <Area
            key={of[0]}
            data={of}
            x={x}
            y0={(index) => y(low[index] ?? 0)}
            y1={(index) => y(high?.[index] ?? 0)}
            fill={colour}
            opacity={0.12}
          />
        ))}
      {hasArea &&
        stretches.map((of) => (
          <AreaClosed key={of[0]} data={of} x={x} y={yOf} yScale={y} fill={colour} opacity={0.08} />
        ))}
      {stretches.slice(1).map((of, index) => {
        const [before = 0, after = 0] = [stretches[index]?.at(-1), of[0]];
        // where it was looked for and not found, nothing is missing
        if (absent.slice(before, after).includes(true)) return null;
        return (
          <line
            key={after}
            x1={x(before)}
            x2={x(after)}
            y1={yOf(before)}
            y2={yOf(after)}
            stroke={colour}
            strokeDasharray="1 4"
            strokeLinecap="round"
            opacity={0.6}
          />
        );
      })}
      {stretches.map((of) =>
        of.length === 1 ? (
          <circle key={of[0]} cx={x(of[0] ?? 0)} cy={yOf(of[0] ?? 0)} r={isOwn ? 3 : 2} fill={colour} />
        ) : (
          <LinePath
            key={of[0]}
            data={of}
            x={x}
            y={yOf}
            stroke={colour}
            strokeWidth={isFirst ? 2.5 : 1.5}
            strokeDasharray={isOwn && !isFirst ? '5 3' : undefined}
            strokeLinejoin="round"
          />
        ),
      )}
      {isFirst &&
        absent.map((is, index) =>
          is ? (
            <path
              // biome-ignore lint/suspicious/noArrayIndexKey: one a date
              key={index}
              d={`M${x(index) - 3} ${floor - 3}l6 6m0 -6l-6 6`}
              stroke="var(--faint)"
              strokeWidth={1.2}
            />
          ) : null,
        )}
    </g>
  );
}

type Scale = ReturnType<typeof scaleLinear<number>> | ReturnType<typeof scalePower<number>>;

/** One axis for several charts, as each of them would choose it. */
export function sharedDomain(
  values: readonly (number | null)[],
  isRank = false,
  most = Number.POSITIVE_INFINITY,
): [number, number] {
  const [from, to] = valueDomain(
    values.filter((value) => value !== null),
    isRank,
  );
  if (isRank) return [from, to];
  const [low = 0, high = 1] = scaleLinear({ domain: [from, to], nice: 3 }).domain();
  return [low, Math.min(high, most)];
}

/** From 0 for what adds up; ranks from 1 to the end of the page that holds the worst. */
function valueDomain(known: readonly number[], isRank: boolean): [number, number] {
  if (known.length === 0) return isRank ? [1, 10] : [0, 1];
  const [least, most] = [Math.min(...known), Math.max(...known)];
  if (isRank) return [1, rankEnds.find((end) => end >= most) ?? most];
  // a scale that starts at 0 flattens a line far from it: the axis says where it starts
  if (least <= most * 0.5) return [0, most === 0 ? 1 : most * 1.05];
  const room = Math.max((most - least) * 0.3, most * 0.02);
  return [Math.max(0, least - room), most + room];
}

/** 1, the ends of pages and the end of the scale. */
function rankTicks(worst: number): number[] {
  return [1, ...rankBands.filter((band) => band < worst), worst];
}

function RankBands({
  y,
  left,
  right,
}: {
  readonly y: Scale;
  readonly left: number;
  readonly right: number;
}): ReactNode {
  const worst = y.domain()[1] ?? 10;
  return [
    [1, 3],
    [10, 20],
    [30, 50],
  ].map(([from = 1, to = 1]) =>
    from >= worst ? null : (
      <rect
        key={from}
        x={left}
        width={Math.max(0, right - left)}
        y={y(from)}
        height={y(Math.min(to, worst)) - y(from)}
        fill="var(--ink)"
        opacity={0.025}
      />
    ),
  );
}

/** Evenly spread dates whose labels do not meet: the last one always has its own. */
export function dayTicks(dates: readonly string[], width: number): string[] {
  const days = dates.map(timeOf);
  const [first = 0, last = first] = [days[0], days.at(-1)];
  const perPixel = Math.max(1, last - first) / Math.max(1, width);
  const step = Math.max(1, Math.ceil((dates.length - 1) / Math.max(1, Math.floor(width / 96))));
  const ticks: string[] = [];
  let after = Number.POSITIVE_INFINITY;
  for (let index = dates.length - 1; index >= 0; index -= step) {
    const at = days[index] ?? 0;
    if ((after - at) / perPixel < labelRoom) continue;
    ticks.unshift(dates[index] ?? '');
    after = at;
  }
  return ticks;
}
