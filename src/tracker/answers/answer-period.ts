// The day, week or month that samples of AI answers belong to. Dates are local.
import type { TrackedPrompts } from '../project.ts';
import { dayMs } from '../schedule/time-units.ts';

const daysOfWeek = 7;

/** The first date of the period: the date itself, the Monday of its week (ISO 8601), or the first of its month. */
export function periodStart(date: string, every: TrackedPrompts['every']): string {
  if (every === 'day') return date;
  if (every === 'month') return `${date.slice(0, 'yyyy-mm'.length)}-01`;
  const at = Date.parse(`${date}T00:00:00Z`);
  const sinceMonday = (new Date(at).getUTCDay() + daysOfWeek - 1) % daysOfWeek;
  return new Date(at - sinceMonday * dayMs).toISOString().slice(0, date.length);
}
