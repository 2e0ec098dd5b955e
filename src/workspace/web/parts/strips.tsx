// What held on which dates, as strips under a chart: on its dates, and with its cursor.

import { scaleUtc } from '@visx/scale';
import { type CSSProperties, type PointerEvent, type ReactNode, useId } from 'react';
import { dayMs } from '../../../tracker/schedule/time-units.ts';
import { usualStep } from '../gaps.ts';
import { day } from '../words.ts';
import { type Plotted, useCursor } from './chart.tsx';

/** `owned` is filled, `shown` outlined, `lost` struck, `unknown` hatched; `absent`: nothing is drawn. */
export type StripState = 'owned' | 'shown' | 'lost' | 'absent' | 'unknown';

export interface Strip {
  readonly name: string;
  readonly label: ReactNode;
  /** One a date. */
  readonly states: readonly StripState[];
  /** In words, for the date under the cursor. */
  readonly words: Readonly<Record<StripState, string>>;
  /** What it adds up to. */
  readonly end: string;
}

interface Props {
  readonly title: string;
  readonly dates: readonly string[];
  readonly strips: readonly Strip[];
  readonly plotted: Plotted;
  readonly chosen?: string;
  readonly onChoose?: (date: string) => void;
}

const height = 20;
/** Narrower than this, names stand over their strips. */
export const besideWidth = 560;

export function Strips({ title, dates, strips, plotted: { left, right, width }, chosen, onChoose }: Props): ReactNode {
  const hatch = useId();
  const { date, move } = useCursor();
  const moments = dates.map((of) => Date.parse(`${of}T00:00:00Z`));
  const plotWidth = Math.max(1, width - left - right);
  const x = scaleUtc({ domain: [moments[0] ?? 0, moments.at(-1) ?? 1], range: [0, plotWidth] });
  const half = (usualStep(dates) * dayMs) / 2;
  const at = date === null ? -1 : dates.indexOf(date);
  const dateAt = (event: PointerEvent<SVGSVGElement>) => {
    const wanted = Number(x.invert(event.clientX - event.currentTarget.getBoundingClientRect().left));
    const distance = (index: number) => Math.abs((moments[index] ?? 0) - wanted);
    return dates[dates.reduce((best, _, index) => (distance(index) < distance(best) ? index : best), 0)] ?? null;
  };
  const line = (of: string, colour: string) => (
    <line
      x1={x(Date.parse(`${of}T00:00:00Z`))}
      x2={x(Date.parse(`${of}T00:00:00Z`))}
      y1={0}
      y2={height}
      stroke={colour}
    />
  );
  if (strips.length === 0) return null;
  return (
    <section className={width < besideWidth ? 'strips strips-stacked' : 'strips'} aria-label={title}>
      <h3 style={width < besideWidth ? undefined : { width: left - 10 }}>{title}</h3>
      <ul>
        {strips.map(({ name, label, states, words, end }) => (
          <li key={name} style={gutters(left, right)}>
            <span className="strip-name cut" title={name}>
              {label}
            </span>
            <svg
              viewBox={`0 0 ${plotWidth} ${height}`}
              height={height}
              role="img"
              aria-label={`${name}: ${runsText(states, dates, words)}`}
              onPointerMove={(event) => move(dateAt(event))}
              onPointerLeave={() => move(null)}
              onPointerUp={(event) => onChoose?.(dateAt(event) ?? '')}
              style={onChoose && { cursor: 'pointer' }}
            >
              <pattern id={hatch} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                <line x1="0" y1="0" x2="0" y2="5" stroke="var(--outline)" strokeWidth="1.5" />
              </pattern>
              <line x1={0} x2={plotWidth} y1={height / 2} y2={height / 2} stroke="var(--hairline)" />
              {runsOf(states).map(({ from, to, state }) => {
                const start = x((moments[from] ?? 0) - half);
                return (
                  <rect
                    key={from}
                    className={`strip-${state}`}
                    x={start + 0.5}
                    y={5.5}
                    width={Math.max(2, x((moments[to] ?? 0) + half) - start - 1)}
                    height={9}
                    rx={2}
                    fill={state === 'unknown' ? `url(#${hatch})` : undefined}
                  />
                );
              })}
              {chosen !== undefined && line(chosen, 'var(--accent)')}
              {at >= 0 && line(dates[at] ?? '', 'var(--outline)')}
            </svg>
            <span className="strip-end cut">{at < 0 ? end : words[states[at] ?? 'unknown']}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Widths beside the strips, for the style sheet. */
function gutters(left: number, right: number): CSSProperties {
  const properties: Record<`--${string}`, string> = { '--left': `${left}px`, '--right': `${right}px` };
  return properties;
}

interface Run {
  readonly from: number;
  readonly to: number;
  readonly state: StripState;
}

/** Neighbouring dates with one state are one run. */
function runsOf(states: readonly StripState[]): Run[] {
  const runs: Run[] = [];
  for (const [index, state] of states.entries()) {
    const last = runs.at(-1);
    if (last?.state === state) runs[runs.length - 1] = { ...last, to: index };
    else runs.push({ from: index, to: index, state });
  }
  return runs.filter(({ state }) => state !== 'absent');
}

function runsText(states: readonly StripState[], dates: readonly string[], words: Strip['words']): string {
  const runs = runsOf(states).map(({ from, to, state }) => {
    const range = from === to ? day(dates[from]) : `${day(dates[from])} to ${day(dates[to])}`;
    return `${words[state]} ${range}`;
  });
  return runs.length === 0 ? words.absent : runs.join(', ');
}
