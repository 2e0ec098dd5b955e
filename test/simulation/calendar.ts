// The local date-times of a schedule, counted from the calendar instead of cron: the oracle of slots. No product code.

/** Times of a day, on all days or some, from which the cron of a seed's schedules is derived. */
export interface Timetable {
  readonly minute: number;
  readonly hours: readonly number[];
  /** 0 is Sunday; null: every day. */
  readonly weekdays: readonly number[] | null;
}

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;

export function cronOf({ minute, hours, weekdays }: Timetable): string {
  return `${minute} ${hours.join(',')} * * ${weekdays === null ? '*' : weekdays.join(',')}`;
}

/** The slots after `from` until `until`, both UTC milliseconds: key and moment, in order. */
export function slotsOf(table: Timetable, zone: string, from: number, until: number): { key: string; at: number }[] {
  const slots = new Map<string, number>();
  for (let day = from - 2 * dayMs; day <= until + 2 * dayMs; day += dayMs) {
    const date = new Date(day).toISOString().slice(0, 10);
    if (table.weekdays !== null && !table.weekdays.includes(new Date(`${date}T00:00Z`).getUTCDay())) continue;
    for (const hour of table.hours) {
      const wanted = `${date}T${two(hour)}:${two(table.minute)}`;
      const at = momentOf(wanted, zone);
      if (at > from && at <= until) slots.set(localKey(at, zone), at);
    }
  }
  return [...slots].map(([key, at]) => ({ key, at })).sort((a, b) => a.at - b.at);
}

/** True if the local clock skips this time at spring forward. */
export function isInGap(slotKey: string, table: Timetable): boolean {
  const [hour, minute] = slotKey.slice(11).split(':').map(Number);
  return minute !== table.minute || !table.hours.includes(hour ?? -1);
}

/** The first moment at which a local clock shows `key`, or the first one after the gap if it is skipped. */
function momentOf(key: string, zone: string): number {
  const naive = Date.parse(`${key}Z`);
  // candidates before and after any clock change; the first showing is the earlier one
  const offsets = [offsetAt(naive - dayMs, zone), offsetAt(naive + dayMs, zone)];
  const shown = offsets.map((offset) => naive - offset).filter((at) => localKey(at, zone) === key);
  if (shown.length > 0) return Math.min(...shown);
  let at = naive - Math.max(...offsets);
  while (localKey(at, zone) < key) at += minuteMs;
  return at;
}

function offsetAt(at: number, zone: string): number {
  return Date.parse(`${localKey(at, zone)}Z`) - Math.floor(at / minuteMs) * minuteMs;
}

const formats = new Map<string, Intl.DateTimeFormat>();
const knownKeys = new Map<string, string>();

/** `2026-03-29T02:30` on the local clock. */
function localKey(at: number, zone: string): string {
  const name = `${zone}${Math.floor(at / minuteMs)}`;
  const known = knownKeys.get(name);
  if (known !== undefined) return known;
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
    formats.set(zone, format);
  }
  const key = format.format(at).replace(' ', 'T');
  if (knownKeys.size > 50_000) knownKeys.clear();
  knownKeys.set(name, key);
  return key;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}

export { dayMs, hourMs, minuteMs };
