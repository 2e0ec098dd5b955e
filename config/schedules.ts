// What a written schedule, time zone or address must not be. When a slot is due is the tracker's to say.
import { isTimeZone } from '../src/tracker/local-time.ts';
import { scheduleProblem, slotsBetween } from '../src/tracker/schedule.ts';

/** Gaps are probed from here, so that a verdict never depends on the day it is given. It precedes a leap day. */
const probeFrom = Date.UTC(2024, 0, 1);
const probeSlots = 32;

/** What is wrong with a cron expression; undefined where it has five fields (or is a nickname such as @daily) and falls due at all. */
export function scheduleComplaint(written: string): string | undefined {
  const fields = written.trim().split(/\s+/).length;
  if (fields === 6)
    return `"${written}" has six fields: seconds are not supported, write minute hour day month weekday`;
  const problem = scheduleProblem(written, 'UTC')?.replace('CronPattern: ', '');
  if (problem === undefined || fields === 5 || written.trim().startsWith('@')) return problem;
  return `"${written}" is no schedule: write minute hour day month weekday, such as "0 6 * * *" for 06:00 each day`;
}

/** The shortest time between two of the next slots of a valid schedule, milliseconds. */
export function shortestGapMs(schedule: string): number {
  const slots = slotsBetween(schedule, 'UTC', probeFrom, Number.POSITIVE_INFINITY, probeSlots);
  return slots
    .slice(1)
    .reduce((shortest, slot, index) => Math.min(shortest, slot.at - (slots[index]?.at ?? 0)), Infinity);
}

/** What is wrong with a time zone; undefined where it is an IANA name this runtime knows. */
export function timezoneComplaint(written: string): string | undefined {
  return isTimeZone(written)
    ? undefined
    : `"${written}" is no known time zone: write an IANA name such as Europe/Berlin or UTC`;
}

/** What is wrong with the address of a monitor. It is not repeated: whoever knows it can say that all is well. */
export function heartbeatUrlComplaint(written: string): string | undefined {
  const protocol = URL.canParse(written) ? new URL(written).protocol : '';
  return protocol === 'https:' || protocol === 'http:' ? undefined : 'is no address: write https://...';
}

/** What is wrong with the address of published reports, which goes into links. */
export function publicUrlComplaint(written: string): string | undefined {
  const url = URL.parse(written);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return `"${written}" is no address: write https://...`;
  if (url.search !== '' || url.hash !== '') return 'must end with the path; leave out what follows ? or #';
  return `${url.username}${url.password}` === '' ? undefined : 'holds a user or password, which links must not';
}
