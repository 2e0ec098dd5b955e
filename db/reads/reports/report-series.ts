// Report time series: a project's run dates and each target's rankings, hundreds of searches per statement.

import type { Market } from '../../../src/tracker/project.ts';
import type { Connection } from '../../connection/client.ts';
import { marketValues } from '../../connection/names.ts';
import { isCheckOfProject, projectChecks } from '../../history/checks/project-checks.ts';
import { isNotFollowedSql } from '../../history/checks/rankings.ts';
import { searchesAmong } from '../../history/checks/search-list.ts';
import type { CheckColumnStore, StoredChecks } from '../../history/columns/check-column-store.ts';
import { organicResults } from '../../history/columns/derive-organic.ts';
import type { OrganicColumns } from '../../history/columns/organic-columns.ts';
import { rankingStands } from '../../history/runs/discarded-runs.ts';
import type { ClaimedSlot } from '../../history/runs/slots.ts';
import type { TableRow } from '../../schema/rows.ts';
import { type DatedRun, datesSeen, type SeriesDate, seriesDates } from './series-dates.ts';

/** Where a target stood in one check. */
export interface SeriesRanking {
  readonly moment: number;
  readonly checkId: number;
  /** UTC milliseconds; null where the moment of its run says the date. */
  readonly checkedAt: number | null;
  /** Null together with `urlId`: not found. Null with a `urlId`: seen, without an exact rank. */
  readonly rank: number | null;
  readonly urlId: number | null;
  /** Feature names joined by `|`; null: none. */
  readonly ownedFeatures: string | null;
  /** Not found on the pages read, which do not reach the check's depth. */
  readonly isNotFollowed: boolean;
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
export interface SearchSeries {
  /** Null where the search was never made. */
  readonly searchId: number | null;
  readonly rankings: readonly SeriesRanking[];
}

/** A check of which nothing was read, or not all. */
export interface UnreadCheck {
  readonly searchId: number;
  readonly state: 'incomplete' | 'failed' | 'deferred' | 'unknown_paid';
}

/** What the pages of complete checks showed besides results: a list a column. Valid until the next is read. */
export interface ShownFeatures {
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

  constructor(db: Connection, columns: CheckColumnStore) {
    this.#db = db;
    this.#columns = columns;
  }

  /** The newest `datesMax` dates on which the project's runs up to `until` saw pages, oldest first. */
  dates(project: string, until: number, datesMax: number): SeriesDate[] {
    return seriesDates(this.#db, project, until, datesMax);
  }

  /** The dates on which the run of a slot saw the project's pages, oldest first; none where it read nothing. */
  datesSeen(slot: ClaimedSlot): string[] {
    return datesSeen(this.#db, slot);
  }

  /** The rankings of each search, in the order of `keywords`. Those of one search are unordered. */
  *of({ target, market, keywords, from, until, spanning = [] }: SeriesQuery): Generator<SearchSeries> {
    const rows = this.#db
      .sql<{ search_id: number | null; places: string | null }>(
        // SQLite joins a search's history into one text: passing each row would take three times as long
        `SELECT s.id AS search_id, (
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
        searchId: row.search_id,
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
      .sql<TableRow<'checks', 'search_id'> & { state: UnreadCheck['state'] }>(
        `SELECT search_id, state FROM checks WHERE run_id = ? AND state IN ('incomplete', 'failed', 'deferred', 'unknown_paid')
           AND iif(checked_at IS NULL, ?, +checked_at BETWEEN ? AND ?) LIMIT ?`,
      )
      .all(id, hasUnread ? 1 : 0, from, until, max)
      .map((row) => ({ searchId: row.search_id, state: row.state }));
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
