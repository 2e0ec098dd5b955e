// The local dates on which a project's pages were seen, each with its runs. Reads only.
import { sortedEntries } from '../../../src/tracker/figures.ts';
import { addDays, localDate, startOfDay } from '../../../src/tracker/schedule/local-time.ts';
import type { Connection } from '../../connection/client.ts';
import { seenDate } from '../../history/checks/seen-date.ts';
import type { ClaimedSlot } from '../../history/runs/slots.ts';
import type { TableRow } from '../../schema/rows.ts';

/** The most days after the moment of a run on which its pages may be seen: a run may be resumed late. */
export const lateDaysMax = 31;

/** What one run saw on one date: its checks within these moments. */
export interface DatedRun {
  readonly id: number;
  readonly moment: number;
  /** UTC milliseconds, both inclusive; 0 and the largest number for a run of one date. */
  readonly from: number;
  readonly until: number;
  /** Whether the checks that read nothing stand on this date: that of the slot. */
  readonly hasUnread: boolean;
}

export interface SeriesDate {
  /** `2026-11-20` */
  readonly date: string;
  /** In the order in which they saw their first page of that date. */
  readonly runs: readonly DatedRun[];
}

interface EndedRun {
  readonly id: number;
  readonly moment: number;
  readonly localDate: string;
  readonly timezone: string;
  /** UTC milliseconds: no page of the run was seen later. */
  readonly latest: number;
}

interface SeenRun extends DatedRun {
  readonly date: string;
  readonly firstSeen: number;
}

/** The newest dates of runs of the project that are not after `until`, oldest first: at most `datesMax`. */
export function seriesDates(db: Connection, project: string, until: number, datesMax: number): SeriesDate[] {
  const dates = new Map<string, SeenRun[]>();
  let oldest = '';
  for (const run of endedRuns(db, project, until)) {
    if (localDate(run.latest, run.timezone) < oldest) break;
    for (const seen of readDates(db, project, run)) {
      const known = dates.get(seen.date);
      if (known !== undefined) {
        known.push(seen);
        continue;
      }
      dates.set(seen.date, [seen]);
      if (dates.size >= datesMax) oldest = [...dates.keys()].sort().at(-datesMax) ?? '';
    }
  }
  return sortedEntries(dates)
    .slice(-datesMax)
    .map(([date, runs]) => ({ date, runs: runs.sort(bySight).map(({ date: _, firstSeen: __, ...run }) => run) }));
}

function bySight(a: SeenRun, b: SeenRun): number {
  return a.firstSeen - b.firstSeen || a.moment - b.moment || a.id - b.id;
}

/** The dates on which a run saw the project's pages, oldest first; none where it read nothing. */
export function datesSeen(db: Connection, { project, runId, localDate, timezone, at }: ClaimedSlot): string[] {
  if (runId === null) return [];
  const run = { id: runId, moment: at, localDate, timezone, latest: at };
  const seen = readDates(db, project, run).filter(({ from, until }) => from <= until);
  return seen.map(({ date }) => date);
}

/** By `latest`, the newest first. */
function endedRuns(db: Connection, project: string, until: number): EndedRun[] {
  return db
    .sql<TableRow<'runs', 'id' | 'moment'> & TableRow<'slots', 'local_date' | 'timezone'> & { latest: number }>(
      `SELECT r.id, r.moment, s.local_date, s.timezone, iif(r.origin = 'import', r.moment, max(r.moment, r.closed_at, s.at)) AS latest
       FROM slots s JOIN projects p ON p.id = s.project_id JOIN runs r ON r.id = s.run_id
       WHERE p.name = ? AND r.kind = 'ranks' AND r.confirms IS NULL AND r.state <> 'open' AND r.discarded_at IS NULL AND r.moment <= ?
       ORDER BY latest DESC`,
    )
    .all(project, until)
    .map((row) => ({
      id: row.id,
      moment: row.moment,
      localDate: row.local_date,
      timezone: row.timezone,
      latest: row.latest,
    }));
}

function readDates(db: Connection, project: string, run: EndedRun): SeenRun[] {
  const { id, moment } = run;
  const row = db
    .sql<{ first: number | null; last: number | null; has_unread: number }>(
      `SELECT (SELECT min(checked_at) FROM checks WHERE run_id = @id AND checked_at IS NOT NULL) AS first,
              (SELECT max(checked_at) FROM checks WHERE run_id = @id AND checked_at IS NOT NULL) AS last,
              EXISTS (SELECT 1 FROM checks WHERE run_id = @id AND state IN ('failed', 'deferred', 'unknown_paid')) AS has_unread`,
    )
    .get({ id });
  const { first, last } = row ?? { first: null, last: null };
  const slotOnly = { id, moment, from: 0, until: -1, hasUnread: true, date: run.localDate, firstSeen: moment };
  if (first === null || last === null) return [slotOnly];
  const days =
    seenDate(first, run) === seenDate(last, run)
      ? [{ id, moment, date: seenDate(first, run), from: 0, until: Number.MAX_SAFE_INTEGER, firstSeen: first }]
      : [...daysSeen(db, project, run)];
  const seen = days.map((day) => ({
    ...day,
    hasUnread: day.date === run.localDate,
    firstSeen: Math.max(moment, day.firstSeen),
  }));
  return row?.has_unread === 1 && seen.every(({ hasUnread }) => !hasUnread) ? [...seen, slotOnly] : seen;
}

/** The dates of a run on which the project's own pages were seen: other projects may have seen theirs on others. */
function* daysSeen(db: Connection, project: string, run: EndedRun): Generator<Omit<SeenRun, 'hasUnread'>> {
  const { id, moment, timezone } = run;
  let after = -1;
  for (;;) {
    const row = db
      .sql<{ checked_at: number }>(
        `SELECT c.checked_at FROM checks c WHERE c.run_id = ? AND c.checked_at > ? AND EXISTS (
           SELECT 1 FROM check_projects cp JOIN projects p ON p.id = cp.project_id WHERE cp.check_id = c.id AND p.name = ?)
         ORDER BY c.checked_at LIMIT 1`,
      )
      .get(id, after, project);
    if (row === undefined) return;
    const firstSeen = row.checked_at;
    const date = localDate(firstSeen, timezone);
    const until = Math.max(firstSeen, startOfDay(addDays(date, 1), timezone) - 1);
    yield { id, moment, date, from: firstSeen, until, firstSeen };
    after = until;
  }
}
