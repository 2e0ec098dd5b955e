// Validates schedules, time zones and URLs of the config.
import { isTimeZone } from '../../src/tracker/schedule/local-time.ts';
import { scheduleProblem, slotsBetween } from '../../src/tracker/schedule/schedule.ts';

/** Gaps are measured from this date, so that the result does not depend on today. It precedes a leap day. */
const probeFrom = Date.UTC(2024, 0, 1);
const probeSlots = 32;

/** What is wrong with a cron expression; undefined: it has five fields (or is a nickname such as @daily) and fires. */
export function scheduleComplaint(written: string): string | undefined {
  const zone = /^\s*(?:CRON_)?TZ\s*=\s*(\S*)/i.exec(written)?.[1];
  if (zone !== undefined)
    return `"${written}" names a time zone, which a schedule does not take: write it beside the schedule, as timezone: ${zone || 'Europe/Berlin'}`;
  const fields = written.trim().split(/\s+/).length;
  if (fields === 6)
    return `"${written}" has six fields, but seconds are not supported: write minute hour day month weekday`;
  const problem = scheduleProblem(written, 'UTC')?.replace('CronPattern: ', '');
  if (problem === undefined || fields === 5 || written.trim().startsWith('@')) return problem;
  return `"${written}" is not a schedule: write minute hour day month weekday, such as "0 6 * * *" for 06:00 every day`;
}

/** The shortest gap between the next slots of a valid schedule, milliseconds. */
export function shortestGapMs(schedule: string): number {
  const slots = slotsBetween(schedule, 'UTC', probeFrom, Number.POSITIVE_INFINITY, probeSlots);
  return slots
    .slice(1)
    .reduce((shortest, slot, index) => Math.min(shortest, slot.at - (slots[index]?.at ?? 0)), Infinity);
}

/** What is wrong with a time zone; undefined: nothing. */
export function timezoneComplaint(written: string): string | undefined {
  return isTimeZone(written)
    ? undefined
    : `"${written}" is not a known time zone: write an IANA name such as Europe/Berlin or UTC`;
}

/** What is wrong with the URL of a monitor. The message does not repeat it, because it is a secret. */
export function heartbeatUrlComplaint(written: string): string | undefined {
  const protocol = URL.canParse(written) ? new URL(written).protocol : '';
  return protocol === 'https:' || protocol === 'http:' ? undefined : 'is not a URL: write https://...';
}

/** What is wrong with the base URL of published reports. */
export function publicUrlComplaint(written: string): string | undefined {
  const url = URL.parse(written);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return `"${written}" is not a URL: write https://...`;
  if (url.search !== '' || url.hash !== '') return 'must end with the path: remove the part after ? or #';
  return `${url.username}${url.password}` === '' ? undefined : 'contains a user or password, which links must not';
}
