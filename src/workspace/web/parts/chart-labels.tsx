// What a chart writes beside and over its lines: their newest values, the values at the cursor, and flags for events.
import type { scaleLinear, scalePower } from '@visx/scale';
import type { ReactNode } from 'react';
import { type ChartLine, type ChartMark, lineColour } from '../chart-line.ts';
import { day, missing } from '../words.ts';

type Scale = ReturnType<typeof scaleLinear<number>> | ReturnType<typeof scalePower<number>>;
type Format = (value: number) => string;

const lineHeight = 15;
const flagWidth = 20;
/** Of names and values at the cursor, on average. */
const letterWidth = 6.8;
const dateLetterWidth = 6.2;

/** A value as text; a date on which the line has none is a dash. */
export function valueText({ values, absent }: ChartLine, index: number, format: Format): string {
  const value = values[index];
  if (value != null) return format(value);
  return absent?.[index] === true ? 'not found' : missing;
}

/** The text at the end of a line: its name where there is room, and its newest value. Empty: it has none. */
export function endText(line: ChartLine, hasName: boolean, format: Format): string {
  const last = line.values.length - 1;
  if (line.values.every((value) => value === null)) return '';
  // a value of an earlier date never passes for one of the last
  const value = line.values[last] == null ? missing : valueText(line, last, format);
  if (hasName) return `${line.name} ${value}`;
  return value === missing ? '' : value;
}

interface AxesProps {
  readonly ticks: readonly number[];
  readonly tick: Format;
  readonly y: (value: number) => number;
  /** Dates with a label under the plot. */
  readonly dates: readonly string[];
  readonly x: (date: string) => number;
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
}

/** Hairlines with their values on the left, and dates at the foot. */
export function Axes({ ticks, tick, y, dates, x, left, right, bottom }: AxesProps): ReactNode {
  return (
    <g fontSize={11} fill="var(--faint)">
      {ticks.map((of) => (
        <g key={of}>
          <line x1={left} x2={right} y1={y(of)} y2={y(of)} stroke="var(--hairline)" />
          <text x={left - 8} y={y(of) + 4} textAnchor="end">
            {tick(of)}
          </text>
        </g>
      ))}
      {dates.map((date) => {
        const text = date.includes('T') ? `${date.slice(11)}:00` : day(date, dates.at(-1));
        return (
          // the first one stays in the picture
          <text
            key={date}
            x={Math.max(x(date), (text.length * dateLetterWidth) / 2)}
            y={bottom + 18}
            textAnchor="middle"
          >
            {text}
          </text>
        );
      })}
    </g>
  );
}

/** Numbered flags on the axis; those that would cover each other share one. */
export function Flags({
  marks,
  x,
  top,
  bottom,
}: {
  readonly marks: readonly ChartMark[];
  readonly x: (date: string) => number;
  readonly top: number;
  readonly bottom: number;
}): ReactNode {
  return flagsOf(marks, x).map(({ at, first, last, texts }) => (
    <g key={first}>
      <title>{texts.join('\n')}</title>
      <line x1={at} x2={at} y1={top - 8} y2={bottom} stroke="var(--outline)" strokeDasharray="2 3" />
      <rect
        x={at - (first === last ? 9 : 16)}
        y={2}
        width={first === last ? 18 : 32}
        height={16}
        rx={4}
        fill="var(--ink)"
      />
      <text x={at} y={14} textAnchor="middle" fontSize={11} fontWeight={650} fill="var(--ground)">
        {first === last ? first : `${first}–${last}`}
      </text>
    </g>
  ));
}

function flagsOf(
  marks: readonly ChartMark[],
  x: (date: string) => number,
): { at: number; first: number; last: number; texts: string[] }[] {
  const flags: ReturnType<typeof flagsOf> = [];
  for (const [index, { date, text }] of marks.entries()) {
    const [at, before] = [x(date), flags.at(-1)];
    const isClose = before !== undefined && at - before.at < flagWidth * 1.4;
    if (isClose) before.last = index + 1;
    else flags.push({ at, first: index + 1, last: index + 1, texts: [] });
    flags.at(-1)?.texts.push(`${day(date)}: ${text}`);
  }
  return flags;
}

interface LabelProps {
  readonly lines: readonly ChartLine[];
  readonly colourOf: (line: ChartLine) => string;
  readonly y: Scale;
  readonly left: number;
  readonly top: number;
  readonly bottom: number;
  readonly hasNames: boolean;
  readonly format: Format;
}

/** The newest values beside the ends of their lines, pushed apart where they would meet. */
export function EndLabels({ lines, colourOf, y, left, top, bottom, hasNames, format }: LabelProps): ReactNode {
  const ends = lines.flatMap((line) => {
    const value = line.values.findLast((of) => of !== null);
    return value == null ? [] : [{ line, at: y(value) }];
  });
  const placed = ends.toSorted((a, b) => a.at - b.at || Number(b.line.isOwn ?? false) - Number(a.line.isOwn ?? false));
  for (const [index, label] of placed.entries())
    label.at = Math.max(label.at, (placed[index - 1]?.at ?? top - lineHeight) + lineHeight);
  for (const [index, label] of [...placed.entries()].reverse())
    label.at = Math.min(label.at, (placed[index + 1]?.at ?? bottom + lineHeight) - lineHeight);
  return placed.map(({ line, at }) => (
    <text key={line.name} x={left} y={at + 4} fontSize={12} fontWeight={line.isOwn ? 650 : 500} fill={colourOf(line)}>
      {endText(line, hasNames, format)}
    </text>
  ));
}

interface CursorProps {
  readonly lines: readonly ChartLine[];
  readonly colourOf: (line: ChartLine) => string;
  readonly dates: readonly string[];
  readonly format: Format;
  readonly at: number;
  readonly x: number;
  readonly y: Scale;
  readonly top: number;
  readonly bottom: number;
  readonly width: number;
}

const cursorRowsMax = 10;

/** The values of a date, in a box beside the cursor. */
export function CursorValues({ lines, colourOf, dates, format, at, x, y, top, bottom, width }: CursorProps): ReactNode {
  const worst = y.domain()[1] ?? 0;
  const known = lines
    .filter(({ values, absent }) => values[at] != null || absent?.[at] === true)
    .map((line) => ({ line, text: valueText(line, at, format), to: y(line.values[at] ?? worst + 1) }))
    .sort((a, b) => a.to - b.to);
  return (
    <g pointerEvents="none">
      <line x1={x} x2={x} y1={top} y2={bottom} stroke="var(--outline)" />
      {known.map(({ line, to }) =>
        line.values[at] == null ? null : (
          <circle
            key={line.name}
            cx={x}
            cy={to}
            r={line.isOwn ? 4 : 3}
            fill={colourOf(line)}
            stroke="var(--surface)"
            strokeWidth={1.5}
          />
        ),
      )}
      <CursorBox
        title={day(dates[at])}
        rows={known.map(({ line, text }) => {
          return { name: line.name, text, colour: colourOf(line), isStrong: line.isOwn === true };
        })}
        x={x}
        top={top}
        width={width}
      />
    </g>
  );
}

interface CursorBoxProps {
  readonly title: string;
  readonly rows: readonly {
    readonly name: string;
    readonly text: string;
    readonly colour: string;
    readonly isStrong: boolean;
  }[];
  readonly x: number;
  readonly top: number;
  /** Of the drawing: the box turns to the other side where it would end outside. */
  readonly width: number;
}

export function CursorBox({ title, rows, x, top, width }: CursorBoxProps): ReactNode {
  const shown = rows.slice(0, cursorRowsMax);
  const boxWidth = Math.max(110, ...shown.map(({ name, text }) => (name.length + text.length) * letterWidth + 44));
  const boxLeft = x + 12 + boxWidth > width ? Math.max(0, x - 12 - boxWidth) : x + 12;
  return (
    <g transform={`translate(${boxLeft} ${top})`} pointerEvents="none">
      <rect width={boxWidth} height={26 + shown.length * 17} rx={6} fill="var(--surface)" stroke="var(--hairline)" />
      <text x={10} y={17} fontSize={12} fill="var(--soft)">
        {title}
      </text>
      {shown.map(({ name, text, colour, isStrong }, row) => (
        <g key={name} transform={`translate(10 ${34 + row * 17})`}>
          <circle cx={3} cy={-4} r={3} fill={colour} />
          <text x={12} fontSize={12} fill="var(--ink)" fontWeight={isStrong ? 650 : 400}>
            {name}
          </text>
          <text x={boxWidth - 20} fontSize={12} fill="var(--ink)" textAnchor="end" fontWeight={650}>
            {text}
          </text>
        </g>
      ))}
    </g>
  );
}

/** For a chart too narrow for names at the ends of its lines. */
export function Names({ lines }: { readonly lines: readonly ChartLine[] }): ReactNode {
  return (
    <ul className="chart-names legend" aria-hidden="true">
      {lines.map((line) => (
        <li key={line.name}>
          <i style={{ background: lineColour(lines, line) }} />
          <bdi>{line.name}</bdi>
        </li>
      ))}
    </ul>
  );
}
