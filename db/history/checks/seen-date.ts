// The local date of a check: the day its pages were seen, in its slot's time zone.
import { localDate } from '../../../src/tracker/schedule/local-time.ts';

/** Of a check `c` in a slot `l`. */
export const seenDateSql =
  'CASE WHEN c.checked_at IS NULL THEN l.local_date ELSE local_date(c.checked_at, l.timezone) END';

/** `@from` and `@to` are local dates, inclusive; null: open. */
export const inRange = (date: string): string =>
  `(@from IS NULL OR ${date} >= @from) AND (@to IS NULL OR ${date} <= @to)`;

/**
 * SQL: whether a check `c` of a run `n` was seen within the range, by one of its slots. On-demand checks have no slot
 * and count by their UTC day.
 */
export const checkInRange = `((@from IS NULL AND @to IS NULL) OR EXISTS (
  SELECT 1 FROM slots l JOIN projects lp ON lp.id = l.project_id WHERE l.run_id = n.id AND (@project IS NULL OR lp.name = @project) AND ${inRange(seenDateSql)})
  OR (NOT EXISTS (SELECT 1 FROM slots l WHERE l.run_id = n.id) AND ${inRange("date(coalesce(c.checked_at, n.moment) / 1000, 'unixepoch')")}))`;

/** The local date of a check; one that read nothing has the date of its slot. */
export function seenDate(
  checkedAt: number | null,
  slot: { readonly localDate: string; readonly timezone: string },
): string {
  return checkedAt === null ? slot.localDate : localDate(checkedAt, slot.timezone);
}
