// Time series of reports: a project's dates and each target's rankings, many searches at once. Bench: `reports`.

import { sortedEntries } from '../../../src/tracker/figures.ts';
import { getOrInsert } from '../../../src/tracker/maps.ts';
import type { DatedRanking } from '../../../src/tracker/observation.ts';
import type { Market } from '../../../src/tracker/project.ts';
import { addDays, localDate, startOfDay } from '../../../src/tracker/schedule/local-time.ts';
import type { Connection } from '../../connection/client.ts';
import { marketValues } from '../../connection/names.ts';
import {
  isCheckOfProject,
  projectChecks,
  rankingStands,
  searchesAmong,
  seenDate,
} from '../../history/checks/conditions.ts';
import { isNotFollowedSql } from '../../history/checks/rankings.ts';
import {
  CheckColumnStore,
  type OrganicColumns,
  organicResults,
  type StoredChecks,
} from '../../history/columns/check-columns.ts';
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

/** The pages that a run saw for any project. */
interface RunPages {
  /** UTC milliseconds; null: it saw none. */
  readonly first: number | null;
  readonly last: number | null;
  /** 1: some of its checks read nothing. */
  readonly hasUnread: number;
}

interface SeenRun extends DatedRun {
  readonly date: string;
  readonly firstSeen: number;
}

/** Of runs, by id; those that are read are added. */
export type PagesOfRuns = Map<number, RunPages>;

/** The newest dates of runs of the project that are not after `until`, oldest first: at most `datesMax`. */
function seriesDates(
  db: Connection,
  project: string,
  until: number,
  datesMax: number,
  pages: PagesOfRuns,
): SeriesDate[] {
  const dates = new Map<string, SeenRun[]>();
  let oldest = '';
  for (const run of endedRuns(db, project, until)) {
    if (localDate(run.latest, run.timezone) < oldest) break;
    const seenPages = getOrInsert(pages, run.id, () => readPages(db, run.id));
    for (const seen of readDates(db, project, run, seenPages)) {
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
function datesSeen(db: Connection, { project, runId, localDate, timezone, at }: ClaimedSlot): string[] {
  if (runId === null) return [];
  const run = { id: runId, moment: at, localDate, timezone, latest: at };
  const seen = readDates(db, project, run, readPages(db, runId)).filter(({ from, until }) => from <= until);
  return seen.map(({ date }) => date);
}

/** By `latest`, the newest first. */
function endedRuns(db: Connection, project: string, until: number): EndedRun[] {
  return db
    .sql<EndedRun>(
      `SELECT r.id, r.moment, s.local_date AS localDate, s.timezone, iif(r.origin = 'import', r.moment, max(r.moment, r.closed_at, s.at)) AS latest
       FROM slots s JOIN projects p ON p.id = s.project_id JOIN runs r ON r.id = s.run_id
       WHERE p.name = ? AND r.kind = 'ranks' AND r.confirms IS NULL AND r.state <> 'open' AND r.discarded_at IS NULL AND r.moment <= ?
       ORDER BY latest DESC`,
    )
    .all(project, until);
}

function readPages(db: Connection, id: number): RunPages {
  const row = db
    .sql<{ [Name in keyof RunPages]: RunPages[Name] }>(
      `SELECT (SELECT min(checked_at) FROM checks WHERE run_id = @id AND checked_at IS NOT NULL) AS first,
              (SELECT max(checked_at) FROM checks WHERE run_id = @id AND checked_at IS NOT NULL) AS last,
              EXISTS (SELECT 1 FROM checks WHERE run_id = @id AND state IN ('failed', 'deferred', 'unknown_paid')) AS hasUnread`,
    )
    .get({ id });
  return row ?? { first: null, last: null, hasUnread: 0 };
}

function readDates(db: Connection, project: string, run: EndedRun, { first, last, hasUnread }: RunPages): SeenRun[] {
  const { id, moment } = run;
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
  return hasUnread === 1 && seen.every(({ hasUnread: isOnSlot }) => !isOnSlot) ? [...seen, slotOnly] : seen;
}

/** The dates of a run on which the project's own pages were seen: other projects may have seen theirs on others. */
function* daysSeen(db: Connection, project: string, run: EndedRun): Generator<Omit<SeenRun, 'hasUnread'>> {
  const { id, moment, timezone } = run;
  let after = -1;
  for (;;) {
    const row = db
      .sql<{ checkedAt: number }>(
        `SELECT c.checked_at AS checkedAt FROM checks c WHERE c.run_id = ? AND c.checked_at > ? AND EXISTS (
           SELECT 1 FROM check_projects cp JOIN projects p ON p.id = cp.project_id WHERE cp.check_id = c.id AND p.name = ?)
         ORDER BY c.checked_at LIMIT 1`,
      )
      .get(id, after, project);
    if (row === undefined) return;
    const firstSeen = row.checkedAt;
    const date = localDate(firstSeen, timezone);
    const until = Math.max(firstSeen, startOfDay(addDays(date, 1), timezone) - 1);
    yield { id, moment, date, from: firstSeen, until, firstSeen };
    after = until;
  }
}

export interface SeriesQuery {
  /** As `targetKey` makes it. */
  readonly target: string;
  readonly market: Market;
  /** Searches of this market; some hundred make one statement worth its while. */
  readonly keywords: readonly string[];
  /** Moments of runs, both inclusive. */
  readonly from: number;
  readonly until: number;
  /** Moments of runs whose checks are of several dates: `checkedAt` is read of these. */
  readonly spanning?: readonly number[];
}

/** The rankings of one search. */
interface SearchSeries {
  /** Null where the search was never made. */
  readonly searchId: number | null;
  readonly rankings: readonly DatedRanking[];
}

/** A check of which nothing was read, or not all. */
interface UnreadCheck {
  readonly searchId: number;
  readonly state: 'incomplete' | 'failed' | 'deferred' | 'unknown_paid';
}

/** What the pages of complete checks showed besides results: a list a column. Valid until the next is read. */
interface ShownFeatures {
  readonly searchIds: ArrayLike<number>;
  /** Of each check an index into `names`. */
  readonly features: ArrayLike<number>;
  /** Joined by `|`, empty: none. Null: not recorded, because another tool made the check. */
  readonly names: readonly (string | null)[];
}

const checksPerRead = 500;
/** Of a whole run they would be a hundred thousand texts at once. */
const featuresPerRead = 1_000;

/** A list a column: lists of numbers are read, and forgotten, at little cost. */
type Packed = readonly [
  number[],
  number[],
  (number | null)[],
  (number | null)[],
  (string | null)[],
  number[],
  (number | null)[],
];

export class ReportSeries {
  readonly #db: Connection;
  readonly #columns: CheckColumnStore;

  constructor(db: Connection) {
    this.#db = db;
    this.#columns = new CheckColumnStore(db);
  }

  /**
   * The newest `datesMax` dates on which the project's runs up to `until` saw pages, oldest first. `pages`: what was
   * read for other projects of the same history.
   */
  dates(project: string, until: number, datesMax: number, pages: PagesOfRuns = new Map()): SeriesDate[] {
    return seriesDates(this.#db, project, until, datesMax, pages);
  }

  /** The dates on which the run of a slot saw the project's pages, oldest first; none where it read nothing. */
  datesSeen(slot: ClaimedSlot): string[] {
    return datesSeen(this.#db, slot);
  }

  /** The rankings of each search, in the order of `keywords`. Those of one search are unordered. */
  *of({ target, market, keywords, from, until, spanning = [] }: SeriesQuery): Generator<SearchSeries> {
    const rows = this.#db
      .sql<{ searchId: number | null; places: string | null }>(
        // SQLite joins a search's history into one text: passing each row would take three times as long
        `SELECT s.id AS searchId, (
           SELECT json_array(json_group_array(r.moment), json_group_array(r.check_id), json_group_array(r.rank), json_group_array(r.url_id),
                             json_group_array(r.owned_features),
                             json_group_array(iif(r.url_id IS NULL, (SELECT ${isNotFollowedSql('r', 'c')} FROM checks c WHERE c.id = r.check_id), 0)),
                             json_group_array(iif(r.moment IN (SELECT value FROM json_each(@spanning)),
                               (SELECT checked_at FROM checks WHERE id = r.check_id), NULL))) FROM rankings r
           WHERE r.target_id = t.id AND r.search_id = s.id AND r.moment BETWEEN @from AND @until
             AND ${rankingStands('r')}) AS places
         ${searchesAmong('LEFT JOIN')}
         ORDER BY w.key`,
      )
      .iterate({
        target,
        ...marketValues(market),
        keywords: JSON.stringify(keywords),
        from,
        until,
        spanning: JSON.stringify(spanning),
      });
    for (const row of rows) {
      const [moments, checkIds, ranks, urlIds, owned, notFollowed, seen] = JSON.parse(
        row.places ?? '[[],[],[],[],[],[],[]]',
      ) as Packed;
      yield {
        searchId: row.searchId,
        rankings: moments.map((moment, index) => ({
          moment,
          checkId: checkIds[index] ?? 0,
          checkedAt: seen[index] ?? null,
          rank: ranks[index] ?? null,
          urlId: urlIds[index] ?? null,
          ownedFeatures: owned[index] ?? null,
          isNotFollowed: notFollowed[index] === 1,
        })),
      };
    }
  }

  /** The ids of a run's incomplete checks: their rankings prove less. */
  incomplete(runId: number): number[] {
    return this.#db
      .sql<TableRow<'checks', 'id'>>("SELECT id FROM checks WHERE run_id = ? AND state = 'incomplete'")
      .all(runId)
      .map((row) => row.id);
  }

  /** Checks of a run and date that read nothing, or not all, which explain the gaps of a history: at most `max`. */
  unread({ id, from, until, hasUnread }: DatedRun, max: number): UnreadCheck[] {
    return this.#db
      .sql<UnreadCheck>(
        `SELECT search_id AS searchId, state FROM checks WHERE run_id = ? AND state IN ('incomplete', 'failed', 'deferred', 'unknown_paid')
           AND iif(checked_at IS NULL, ?, +checked_at BETWEEN ? AND ?) LIMIT ?`,
      )
      .all(id, hasUnread ? 1 : 0, from, until, max);
  }

  /** The SERP features of a run's complete checks of a date that a project wanted. */
  *features(project: string, run: DatedRun): Generator<ShownFeatures> {
    using columns = this.#columns.read(run.id, project);
    if (columns === null) yield* this.#readFeatures(project, run);
    else yield shownFeatures(columns, run);
  }

  /** Some thousand at a time. */
  *#readFeatures(project: string, { id, from, until }: DatedRun): Generator<ShownFeatures> {
    let after = 0;
    for (;;) {
      const row = this.#db
        .sql<{ last: number | null; searches: string; features: string }>(
          // as one text, because handing over each row would take three times as long
          `SELECT max(id) AS last, json_group_array(search_id) AS searches, json_group_array(features) AS features
           FROM (SELECT c.id, c.search_id, iif(c.source LIKE 'import/%', NULL, coalesce(c.features, '')) AS features
                 FROM ${projectChecks} WHERE ${isCheckOfProject} AND c.checked_at BETWEEN @from AND @until
                 ORDER BY w.check_id LIMIT @limit)`,
        )
        .get({ project, runId: id, after, from, until, limit: featuresPerRead });
      if (row === undefined || row.last === null) return;
      const searchIds = JSON.parse(row.searches) as number[];
      const features = JSON.parse(row.features) as (string | null)[];
      yield { searchIds, features: [...features.keys()], names: features };
      after = row.last;
    }
  }

  /** The organic results of a run's complete checks of a date that a project wanted. A search of another date is 0. */
  *organic(project: string, run: DatedRun): Generator<OrganicColumns> {
    const columns = this.#columns.organic(project, run);
    if (columns === null) yield* this.#readOrganic(project, run);
    else yield columns;
  }

  /** Some hundred checks at a time. */
  *#readOrganic(project: string, { id, from, until }: DatedRun): Generator<OrganicColumns> {
    let after = 0;
    for (;;) {
      const checks = this.#db
        .sql<{ id: number; searchId: number }>(
          `SELECT c.id, c.search_id AS searchId FROM ${projectChecks} WHERE ${isCheckOfProject}
             AND c.checked_at BETWEEN @from AND @until ORDER BY w.check_id LIMIT @limit`,
        )
        .all({ project, runId: id, after, from, until, limit: checksPerRead });
      if (checks.length === 0) return;
      after = checks.at(-1)?.id ?? after;
      yield organicResults(this.#db, checks);
    }
  }
}

function shownFeatures(
  { searchIds, checkedAt, sources, features }: StoredChecks,
  { from, until }: DatedRun,
): ShownFeatures {
  const isImport = sources.names.map((name) => name.startsWith('import/'));
  const notRecorded = features.names.length;
  const names = [...features.names, null];
  if (!isImport.includes(true) && checkedAt.every((at) => at >= from && at <= until))
    return { searchIds, features: features.column, names };
  const rows = [...checkedAt.keys()].filter((row) => {
    const at = checkedAt[row] ?? 0;
    return at >= from && at <= until;
  });
  return {
    searchIds: rows.map((row) => searchIds[row] ?? 0),
    features: rows.map((row) =>
      isImport[sources.column[row] ?? 0] === true ? notRecorded : (features.column[row] ?? notRecorded),
    ),
    names,
  };
}
