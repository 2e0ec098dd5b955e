// Where a line over dates is interrupted: values that are not known, and dates between which runs are missing.
import { dayMs } from '../../tracker/schedule/time-units.ts';

/** Dates further apart than this many usual steps have missing runs between them. */
const breakSteps = 1.8;

/** Of a date, or of an hour such as `2026-11-27T13`. */
export function timeOf(date: string): number {
  return Date.parse(date.includes('T') ? `${date}:00Z` : date);
}

/** Days since 1970. */
export function dayNumber(date: string): number {
  return timeOf(date) / dayMs;
}

/** The usual distance of dates, in days. */
export function usualStep(dates: readonly string[]): number {
  const steps = stepsOf(dates).sort((a, b) => a - b);
  return steps[Math.floor(steps.length / 2)] ?? 1;
}

/** Indexes of dates before which runs are missing. `dates`: ascending. */
export function breaksIn(dates: readonly string[]): ReadonlySet<number> {
  const usual = usualStep(dates);
  return new Set(stepsOf(dates).flatMap((step, index) => (step > usual * breakSteps ? [index + 1] : [])));
}

function stepsOf(dates: readonly string[]): number[] {
  const days = dates.map(dayNumber);
  return days.slice(1).map((of, index) => of - (days[index] ?? of));
}

/** Indexes of neighbouring values: a line is drawn within each. */
export function stretchesOf(values: readonly (number | null)[], breaks: ReadonlySet<number> = new Set()): number[][] {
  const stretches: number[][] = [];
  for (const [index, value] of values.entries()) {
    if (value === null) continue;
    const isNext = index > 0 && values[index - 1] !== null && !breaks.has(index);
    if (isNext) stretches.at(-1)?.push(index);
    else stretches.push([index]);
  }
  return stretches;
}
