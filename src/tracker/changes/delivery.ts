// Scheduled deliveries of reports: when one is due, and which days it covers. Pure.
import { previousSlot } from '../schedule/schedule.ts';
import { addDays } from './baseline.ts';

export const deliverySchedules = ['daily', 'weekly', 'monthly'] as const;
export type DeliverySchedule = (typeof deliverySchedules)[number];

export const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;

export interface DeliveryRule {
  readonly every: DeliverySchedule;
  /** Weekday from 0, Sunday, or day of the month from 1; of a daily delivery null. */
  readonly day: number | null;
  /** Local time, `06:00`. */
  readonly at: string;
  readonly channels: readonly string[];
  /** Null: all. */
  readonly projects: readonly string[] | null;
  /** Of mails. */
  readonly attach: 'pdf' | 'html' | 'none';
}

/** A delivery that is due, with the local days that it covers. */
export interface DueDelivery {
  /** UTC milliseconds. */
  readonly dueAt: number;
  readonly from: string;
  readonly to: string;
}

/** The newest delivery of a rule that is due at `now`; null: none ever was. */
export function dueDelivery({ every, day, at }: DeliveryRule, timezone: string, now: number): DueDelivery | null {
  const [hour = '0', minute = '0'] = at.split(':');
  const days = every === 'weekly' ? `* * ${day ?? 1}` : every === 'monthly' ? `${day ?? 1} * *` : '* * *';
  const slot = previousSlot(`${Number(minute)} ${Number(hour)} ${days}`, timezone, now);
  if (slot === null) return null;
  const date = slot.key.slice(0, 'yyyy-mm-dd'.length);
  return { dueAt: slot.at, ...daysCovered(every, date) };
}

/** A day covers itself; a week the seven days before; a month the whole month before. */
function daysCovered(every: DeliverySchedule, date: string): { readonly from: string; readonly to: string } {
  if (every === 'daily') return { from: date, to: date };
  if (every === 'weekly') return { from: addDays(date, -7), to: addDays(date, -1) };
  const to = addDays(`${date.slice(0, 'yyyy-mm'.length)}-01`, -1);
  return { from: `${to.slice(0, 'yyyy-mm'.length)}-01`, to };
}
