// Clicks, impressions and average positions per day, as the search engine counted them. Never ranks.
import type { ClickGroup } from '../../src/tracker/clicks/matching.ts';
import type { Connection } from '../connection/client.ts';
import { insertInto, toValues } from '../connection/insert.ts';
import type { Names } from '../connection/names.ts';
import type { TableRow } from '../schema/rows.ts';

/** One day of a property, with its totals, hidden queries included. */
export interface ClickDay {
  readonly date: string;
  /** False: the engine still counts, and the day is fetched again. */
  readonly isFinal: boolean;
  readonly clicks: number;
  readonly impressions: number;
}

export interface ClickRow {
  readonly query: string;
  readonly page: string;
  readonly country: string;
  readonly device: string;
  readonly clicks: number;
  readonly impressions: number;
  readonly averagePosition: number;
}

/** Of one day. */
export interface DatedGroup extends ClickGroup {
  readonly date: string;
  readonly isFinal: boolean;
}

export interface PositionReading extends Pick<ClickGroup, 'query' | 'device' | 'clicks' | 'impressions'> {
  readonly position: number;
}

/** A row as the database has it: the page by its id. */
type Stored<Row> = { readonly [Name in Exclude<keyof Row, 'page'>]: Row[Name] } & { readonly urlId: number };

/** A query over a period. */
export interface QueryClicks extends Pick<ClickRow, 'query' | 'clicks' | 'impressions' | 'averagePosition'> {}

export interface ClickSums {
  readonly days: number;
  readonly freshDays: number;
  readonly from: string | null;
  readonly to: string | null;
  readonly clicks: number;
  readonly impressions: number;
}

const insertDay = insertInto('click_days', [
  'project_id',
  'property',
  'local_date',
  'state',
  'clicks',
  'impressions',
  'fetched_at',
]);

const insertRow = insertInto('click_rows', [
  'day_id',
  'keyword_id',
  'url_id',
  'country',
  'device',
  'clicks',
  'impressions',
  'average_position',
]);

const daysOfSql =
  'FROM click_days d JOIN projects p ON p.id = d.project_id WHERE p.name = ? AND d.property = ? AND d.local_date BETWEEN ? AND ?';

export class Clicks {
  readonly #db: Connection;
  readonly #names: Names;

  constructor(db: Connection, names: Names) {
    this.#db = db;
    this.#names = names;
  }

  /** Dates whose numbers no longer change. */
  finalDates(project: string, property: string): Set<string> {
    const rows = this.#db
      .sql<TableRow<'click_days', 'local_date'>>(
        "SELECT local_date FROM click_days d JOIN projects p ON p.id = d.project_id WHERE p.name = ? AND property = ? AND state = 'final'",
      )
      .all(project, property);
    return new Set(rows.map(({ local_date }) => local_date));
  }

  /** Stores a day, instead of its earlier numbers. A final day stays as it is. `at`: now, UTC milliseconds. */
  put(project: string, property: string, day: ClickDay, rows: readonly ClickRow[], at: number): void {
    this.#db.transaction(() => {
      const projectId = this.#names.projectId(project);
      const known = this.#db
        .sql<TableRow<'click_days', 'id' | 'state'>>(
          'SELECT id, state FROM click_days WHERE project_id = ? AND property = ? AND local_date = ?',
        )
        .get(projectId, property, day.date);
      if (known?.state === 'final') return;
      if (known !== undefined) {
        this.#db.sql('DELETE FROM click_rows WHERE day_id = ?').run(known.id);
        this.#db.sql('DELETE FROM click_days WHERE id = ?').run(known.id);
      }
      const { lastInsertRowid } = this.#db.sql(insertDay.sql).run(
        ...toValues(insertDay, {
          project_id: projectId,
          property,
          local_date: day.date,
          state: day.isFinal ? 'final' : 'fresh',
          clicks: day.clicks,
          impressions: day.impressions,
          fetched_at: at,
        }),
      );
      const insert = this.#db.sql(insertRow.sql);
      for (const { query, page, averagePosition, ...row } of rows) {
        const ids = { keyword_id: this.#names.keywordId(query), url_id: this.#names.urlId(page) };
        const values = { day_id: Number(lastInsertRowid), ...ids, ...row, average_position: averagePosition };
        insert.run(...toValues(insertRow, values));
      }
    });
  }

  /** Totals of the stored days of a period, hidden queries included. Local dates, inclusive. */
  sums(project: string, property: string, from: string, to: string): ClickSums {
    const sums = this.#db
      .sql<{ [Name in keyof ClickSums]: ClickSums[Name] }>(
        `SELECT count(*) AS days, coalesce(sum(state = 'fresh'), 0) AS freshDays, min(local_date) AS "from", max(local_date) AS "to",
           coalesce(sum(clicks), 0) AS clicks, coalesce(sum(impressions), 0) AS impressions ${daysOfSql}`,
      )
      .get(project, property, from, to);
    return sums ?? { days: 0, freshDays: 0, from: null, to: null, clicks: 0, impressions: 0 };
  }

  /** The property of the newest day. Null: no day is stored. */
  property(project: string): string | null {
    const row = this.#db
      .sql<TableRow<'click_days', 'property'>>(
        `SELECT d.property FROM click_days d JOIN projects p ON p.id = d.project_id WHERE p.name = ?
         ORDER BY d.local_date DESC, d.fetched_at DESC LIMIT 1`,
      )
      .get(project);
    return row?.property ?? null;
  }

  /** The newest final day on or before a date. Null: there is none. */
  newestFinal(project: string, property: string, until: string): string | null {
    const row = this.#db
      .sql<{ readonly date: string | null }>(`SELECT max(d.local_date) AS date ${daysOfSql} AND d.state = 'final'`)
      .get(project, property, '', until);
    return row?.date ?? null;
  }

  /** When a day of the property was last fetched, UTC milliseconds. Null: never. */
  fetchedAt(project: string, property: string): number | null {
    const row = this.#db
      .sql<{ readonly at: number | null }>(`SELECT max(d.fetched_at) AS at ${daysOfSql}`)
      .get(project, property, '', '9999');
    return row?.at ?? null;
  }

  /** The stored days of a period, oldest first. */
  days(project: string, property: string, from: string, to: string): ClickDay[] {
    return this.#db
      .sql<TableRow<'click_days', 'local_date' | 'state' | 'clicks' | 'impressions'>>(
        `SELECT d.local_date, d.state, d.clicks, d.impressions ${daysOfSql} ORDER BY d.local_date`,
      )
      .all(project, property, from, to)
      .map(({ local_date, state, ...day }) => ({ date: local_date, isFinal: state === 'final', ...day }));
  }

  /** Sums by query, page, country and device. Fresh days are left out: their numbers are partial. */
  groups(project: string, property: string, from: string, to: string): ClickGroup[] {
    return this.#withPages(
      this.#db
        .sql<Stored<ClickGroup>>(
          `SELECT k.text AS query, r.url_id AS urlId, r.country, r.device, sum(r.clicks) AS clicks,
             sum(r.impressions) AS impressions,
             sum(r.average_position * r.impressions) / max(1, sum(r.impressions)) AS averagePosition
           FROM click_rows r JOIN keywords k ON k.id = r.keyword_id
           WHERE r.day_id IN (SELECT d.id ${daysOfSql} AND d.state = 'final')
           GROUP BY r.keyword_id, r.url_id, r.country, r.device`,
        )
        .all(project, property, from, to),
    );
  }

  /** The rows of some queries on the days of a period, oldest first. */
  ofQueries(project: string, property: string, queries: readonly string[], from: string, to: string): DatedGroup[] {
    const rows = this.#db
      .sql<Stored<Omit<DatedGroup, 'isFinal'>> & { readonly state: string }>(
        `SELECT d.local_date AS date, d.state, k.text AS query, r.url_id AS urlId, r.country, r.device, r.clicks,
           r.impressions, r.average_position AS averagePosition
         FROM click_rows r JOIN keywords k ON k.id = r.keyword_id JOIN click_days d ON d.id = r.day_id
         WHERE k.text IN (SELECT value FROM json_each(?)) AND d.id IN (SELECT d.id ${daysOfSql}) ORDER BY d.local_date`,
      )
      .all(JSON.stringify(queries), project, property, from, to);
    return this.#withPages(rows).map(({ state, ...row }) => ({ ...row, isFinal: state === 'final' }));
  }

  /** The data of a click curve: sums per query, device and whole position, of final days only. */
  readings(project: string, property: string, from: string, to: string): PositionReading[] {
    return this.#db
      .sql<{ [Name in keyof PositionReading]: PositionReading[Name] }>(
        `SELECT k.text AS query, r.device, sum(r.clicks) AS clicks, sum(r.impressions) AS impressions,
           sum(r.average_position * r.impressions) / sum(r.impressions) AS position
         FROM click_rows r JOIN keywords k ON k.id = r.keyword_id
         WHERE r.impressions > 0 AND r.day_id IN (SELECT d.id ${daysOfSql} AND d.state = 'final')
         GROUP BY r.keyword_id, r.device, CAST(r.average_position AS INTEGER)`,
      )
      .all(project, property, from, to);
  }

  #withPages<Row extends { readonly urlId: number }>(rows: readonly Row[]): (Omit<Row, 'urlId'> & { page: string })[] {
    const pages = new Map<number, string>();
    return rows.map(({ urlId, ...row }) => {
      const page = pages.get(urlId) ?? this.#names.url(urlId);
      pages.set(urlId, page);
      return { ...row, page };
    });
  }

  /** Queries of a period, most impressions first. Their sums are less than the totals: rare queries are hidden. */
  queries(project: string, property: string, from: string, to: string): QueryClicks[] {
    return this.#db
      .sql<{ [Name in keyof QueryClicks]: QueryClicks[Name] }>(
        `SELECT k.text AS query, sum(r.clicks) AS clicks, sum(r.impressions) AS impressions,
           sum(r.average_position * r.impressions) / max(1, sum(r.impressions)) AS averagePosition
         FROM click_rows r JOIN keywords k ON k.id = r.keyword_id
         WHERE r.day_id IN (SELECT d.id ${daysOfSql})
         GROUP BY r.keyword_id ORDER BY impressions DESC, query`,
      )
      .all(project, property, from, to);
  }
}
