// Milliseconds of a minute, an hour and a day of 24 hours, and how many such days lie between two moments.
export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** From one moment to a later one, in UTC milliseconds, or from date to date; negative where the second is earlier. */
export function daysBetween(from: number | string, to: number | string): number {
  return (utcMs(to) - utcMs(from)) / dayMs;
}

function utcMs(moment: number | string): number {
  return typeof moment === 'number' ? moment : Date.parse(moment);
}
