// The one period control of all pages: presets, a range of days, and what the end is compared with.
import { CalendarDays, ChevronDown } from 'lucide-react';
import { lazy, type ReactNode, Suspense } from 'react';
import { useAddress, useChangeQuery } from '../address.ts';
import { comparisons, periodText, presets } from '../period.ts';
import { useProject } from '../project.tsx';
import { Panel } from './menu.tsx';
import { Waiting } from './states.tsx';

/** Loaded when the period is changed. */
const Calendar = lazy(async () => ({ default: (await import('./calendar.tsx')).Calendar }));

export function PeriodButton(): ReactNode {
  const { facts, period } = useProject();
  const { query } = useAddress();
  const change = useChangeQuery();
  const [first, newest] = [facts.dates[0], facts.dates.at(-1)];
  const { from, to } = period;
  if (from === null || to === null || first === undefined || newest === undefined) return null;
  const compare = query.get('compare') ?? '';
  return (
    <Panel
      title="Period"
      label={
        <>
          <CalendarDays size={15} aria-hidden="true" />
          <span>{periodText(period)}</span>
          <span className="aside">vs. {period.comparedWith}</span>
          <ChevronDown size={14} aria-hidden="true" />
        </>
      }
    >
      {(close) => (
        <div className="period-panel stack gap-3">
          <fieldset className="choices">
            <legend>Period</legend>
            {presets(facts.dates).map(({ label, from: start }) => (
              <button
                key={label}
                type="button"
                className="choice"
                aria-pressed={from === facts.dates.find((date) => date >= start) && to === newest}
                onClick={() => {
                  change({ from: label === '30 days' ? null : start, to: null, date: null });
                  close();
                }}
              >
                {label}
              </button>
            ))}
          </fieldset>
          <Suspense fallback={<Waiting shape="chart" />}>
            <Calendar
              key={`${from} ${to}`}
              from={from}
              to={to}
              first={first}
              newest={newest}
              dates={facts.dates}
              onChoose={(start, end) => {
                change({ from: start, to: end === newest ? null : end, date: null });
                close();
              }}
            />
          </Suspense>
          <fieldset className="choices">
            <legend>Compared with</legend>
            {comparisons.map(({ value, label }) => (
              <button
                key={value}
                type="button"
                className="choice"
                aria-pressed={compare === value}
                onClick={() => {
                  change({ compare: value });
                  close();
                }}
              >
                {label}
              </button>
            ))}
          </fieldset>
        </div>
      )}
    </Panel>
  );
}
