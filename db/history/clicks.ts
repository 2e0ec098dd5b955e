// Clicks, impressions and average positions as the search engine counted them: by day, and exports. Never ranks.
import { type ClickGroup, joinPages, type QueryClicks, type QueryGroup } from '../../src/tracker/clicks/clicks.ts';

import type { Connection } from '../connection/client.ts';
import { insertInto, toValues } from '../connection/statement.ts';
import type { TableRow } from '../schema/rows.ts';

/** One day of a property, with its totals, hidden queries included. */
export interface ClickDay {
  readonly date: string;
  /** False: the engine still counts, and the day is fetched again. */
  readonly isFinal: boolean;
  readonly clicks: number;
  readonly impressions: number;
}

export interface QueryRow {
  readonly query: string;
  readonly country: string;
  readonly device: string;
  readonly clicks: number;
  readonly impressions: number;
  readonly averagePosition: number;
}

export interface ClickRow extends QueryRow {
  readonly page: string;
}

/** The rows of a day: of the property, and of its pages. */
export interface DayRows {
  readonly queries: readonly QueryRow[];
  readonly pages: readonly ClickRow[];
}

/** A stored day. */
export interface CountedDay extends Omit<ClickDay, 'impressions'> {
  /** Null: only a sum over pages is stored. */
  readonly impressions: number | null;
}

/** Of one day. */
export interface DatedQuery extends QueryClicks {
  readonly date: string;
  readonly isFinal: boolean;
}

export interface PositionReading extends Pick<QueryGroup, 'query' | 'device' | 'clicks'> {
  readonly impressions: number;
  readonly position: number;
}

/** A row as the database has it: the page by its id. */
type Stored<Row> = { readonly [Name in Exclude<keyof Row, 'page'>]: Row[Name] } & { readonly urlId: number };

const insertDay = insertInto('click_days', [
  'project_id',
  'property',
  'local_date',
  'state',
  'clicks',
  'impressions',
  'fetched_at',
  'aggregation',
]);

const insertQuery = insertInto('click_queries', [
  'day_id',
  'keyword_id',
  'country',
  'device',
  'clicks',
  'impressions',
  'average_position',
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

/** Rows like `click_queries`, of the days of `days`. Days by page have totals of queries with one page only. */
const totalsSql = (where = '') => `(
  SELECT day_id, keyword_id, country, device, clicks, impressions, average_position
  FROM click_queries WHERE day_id IN (SELECT id FROM days) ${where}
  UNION ALL
  SELECT day_id, keyword_id, country, device, sum(clicks), CASE count(*) WHEN 1 THEN sum(impressions) END,
    CASE count(*) WHEN 1 THEN sum(average_position) END
  FROM click_rows WHERE day_id IN (SELECT id FROM days WHERE aggregation = 'by_page') ${where}
  GROUP BY day_id, keyword_id, country, device)`;

const finalDaysSql = `days AS (SELECT d.id, d.aggregation ${daysOfSql} AND d.state = 'final')`;

export class Clicks {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Dates whose numbers no longer change, but for days by page, which are fetched again by query. */
  finalDates(project: string, property: string): Set<string> {
    const rows = this.#db
      .sql<TableRow<'click_days', 'local_date'>>(
        "SELECT local_date FROM click_days d JOIN projects p ON p.id = d.project_id WHERE p.name = ? AND property = ? AND state = 'final' AND aggregation = 'by_property'",
      )
      .all(project, property);
    return new Set(rows.map(({ local_date }) => local_date));
  }

  /** Stores a day, instead of its earlier numbers. A final day stays as it is. `at`: now, UTC milliseconds. */
  put(project: string, property: string, day: ClickDay, { queries, pages }: DayRows, at: number): void {
    this.#db.transaction(() => {
      const projectId = this.#db.names.projectId(project);
      const known = this.#db
        .sql<TableRow<'click_days', 'id' | 'state' | 'aggregation'>>(
          'SELECT id, state, aggregation FROM click_days WHERE project_id = ? AND property = ? AND local_date = ?',
        )
        .get(projectId, property, day.date);
      if (known?.state === 'final' && known.aggregation === 'by_property') return;
      if (known !== undefined) {
        for (const table of ['click_queries', 'click_rows'])
          this.#db.sql(`DELETE FROM ${table} WHERE day_id = ?`).run(known.id);
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
          aggregation: 'by_property',
        }),
      );
      const valuesOf = ({ query, averagePosition, ...row }: QueryRow) => {
        const ids = { day_id: Number(lastInsertRowid), keyword_id: this.#db.names.keywordId(query) };
        return { ...ids, ...row, average_position: averagePosition };
      };
      for (const row of queries) this.#db.sql(insertQuery.sql).run(...toValues(insertQuery, valuesOf(row)));
      for (const { page, ...row } of pages) {
        const values = { ...valuesOf(row), url_id: this.#db.names.urlId(page) };
        this.#db.sql(insertRow.sql).run(...toValues(insertRow, values));
      }
    });
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
  days(project: string, property: string, from: string, to: string): CountedDay[] {
    return this.#db
      .sql<TableRow<'click_days', 'local_date' | 'state' | 'clicks'> & { readonly impressions: number | null }>(
        `SELECT d.local_date, d.state, d.clicks, iif(d.aggregation = 'by_property', d.impressions, NULL) AS impressions
         ${daysOfSql} ORDER BY d.local_date`,
      )
      .all(project, property, from, to)
      .map(({ local_date, state, ...day }) => ({ date: local_date, isFinal: state === 'final', ...day }));
  }

  /** Sums by query, country and device, with their pages. Fresh days are left out: their numbers are partial. */
  queries(project: string, property: string, from: string, to: string): QueryClicks[] {
    const totals = this.#db
      .sql<{ [Name in keyof QueryGroup]: QueryGroup[Name] }>(
        `WITH ${finalDaysSql}
         SELECT k.text AS query, r.country, r.device, sum(r.clicks) AS clicks,
           iif(count(r.impressions) = count(*), sum(r.impressions), NULL) AS impressions,
           iif(count(r.impressions) = count(*), sum(r.average_position * r.impressions) / max(1, sum(r.impressions)), NULL) AS averagePosition
         FROM ${totalsSql()} r JOIN keywords k ON k.id = r.keyword_id
         GROUP BY r.keyword_id, r.country, r.device`,
      )
      .all(project, property, from, to);
    const pages = this.#db
      .sql<Stored<ClickGroup>>(
        `SELECT k.text AS query, r.url_id AS urlId, r.country, r.device, sum(r.clicks) AS clicks,
           sum(r.impressions) AS impressions,
           sum(r.average_position * r.impressions) / max(1, sum(r.impressions)) AS averagePosition
         FROM click_rows r JOIN keywords k ON k.id = r.keyword_id
         WHERE r.day_id IN (SELECT d.id ${daysOfSql} AND d.state = 'final')
         GROUP BY r.keyword_id, r.url_id, r.country, r.device`,
      )
      .all(project, property, from, to);
    return joinPages(totals, this.#withPages(pages));
  }

  /** Some queries on the days of a period, with their pages, oldest first. */
  queriesByDay(project: string, property: string, queries: readonly string[], from: string, to: string): DatedQuery[] {
    const values = [project, property, from, to, JSON.stringify(queries)] as const;
    const asked = `days AS (SELECT d.id, d.aggregation, d.local_date, d.state ${daysOfSql}),
      asked AS (SELECT id FROM keywords WHERE text IN (SELECT value FROM json_each(?)))`;
    const isAsked = 'AND keyword_id IN (SELECT id FROM asked)';
    const columns = `d.local_date AS date, k.text AS query, r.country, r.device, r.clicks, r.impressions,
      r.average_position AS averagePosition`;
    const totals = this.#db
      .sql<{ [Name in keyof QueryGroup]: QueryGroup[Name] } & { readonly date: string; readonly state: string }>(
        `WITH ${asked} SELECT ${columns}, d.state FROM ${totalsSql(isAsked)} r
         JOIN keywords k ON k.id = r.keyword_id JOIN days d ON d.id = r.day_id ORDER BY d.local_date`,
      )
      .all(...values)
      .map(({ state, ...total }) => ({ ...total, isFinal: state === 'final' }));
    const pages = this.#db
      .sql<Stored<ClickGroup & { readonly date: string }>>(
        `WITH ${asked} SELECT ${columns}, r.url_id AS urlId FROM click_rows r
         JOIN keywords k ON k.id = r.keyword_id JOIN days d ON d.id = r.day_id WHERE true ${isAsked}`,
      )
      .all(...values);
    return joinPages(totals, this.#withPages(pages));
  }

  /** The data of a click curve: sums per query, device and whole position, of final days only. */
  readings(project: string, property: string, from: string, to: string): PositionReading[] {
    return this.#db
      .sql<{ [Name in keyof PositionReading]: PositionReading[Name] }>(
        `WITH ${finalDaysSql}
         SELECT k.text AS query, r.device, sum(r.clicks) AS clicks, sum(r.impressions) AS impressions,
           sum(r.average_position * r.impressions) / sum(r.impressions) AS position
         FROM ${totalsSql()} r JOIN keywords k ON k.id = r.keyword_id WHERE r.impressions > 0
         GROUP BY r.keyword_id, r.device, CAST(r.average_position AS INTEGER)`,
      )
      .all(project, property, from, to);
  }

  #withPages<Row extends { readonly urlId: number }>(rows: readonly Row[]): (Omit<Row, 'urlId'> & { page: string })[] {
    const pages = new Map<number, string>();
    return rows.map(({ urlId, ...row }) => {
      const page = pages.get(urlId) ?? this.#db.names.url(urlId);
      pages.set(urlId, page);
      return { ...row, page };
    });
  }
}

export interface ExportPeriod {
  readonly from: string;
  readonly to: string;
}

interface ExportedQuery {
  readonly query: string;
  readonly clicks: number;
  readonly impressions: number;
  readonly position: number;
}

const insertExport = insertInto('click_exports', ['project_id', 'from_date', 'to_date', 'imported_at']);
const insertExportRow = insertInto('click_export_rows', [
  'export_id',
  'keyword_id',
  'clicks',
  'impressions',
  'average_position',
]);

export class ClickExports {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Stores an export, instead of an earlier one of the same period. `at`: now, UTC milliseconds. */
  put(project: string, { from, to }: ExportPeriod, rows: readonly ExportedQuery[], at: number): void {
    this.#db.transaction(() => {
      const projectId = this.#db.names.projectId(project);
      const known = this.#db
        .sql<TableRow<'click_exports', 'id'>>(
          'SELECT id FROM click_exports WHERE project_id = ? AND from_date = ? AND to_date = ?',
        )
        .get(projectId, from, to);
      if (known !== undefined) {
        this.#db.sql('DELETE FROM click_export_rows WHERE export_id = ?').run(known.id);
        this.#db.sql('DELETE FROM click_exports WHERE id = ?').run(known.id);
      }
      const values = { project_id: projectId, from_date: from, to_date: to, imported_at: at };
      const { lastInsertRowid } = this.#db.sql(insertExport.sql).run(...toValues(insertExport, values));
      const insert = this.#db.sql(insertExportRow.sql);
      for (const { query, position, ...counts } of rows) {
        const ids = { export_id: Number(lastInsertRowid), keyword_id: this.#db.names.keywordId(query) };
        insert.run(...toValues(insertExportRow, { ...ids, ...counts, average_position: position }));
      }
    });
  }

  /** The period of the newest export that ends on or before the date. Null: there is none. */
  newest(project: string, until: string): ExportPeriod | null {
    const row = this.#db
      .sql<TableRow<'click_exports', 'from_date' | 'to_date'>>(
        `SELECT e.from_date, e.to_date FROM click_exports e JOIN projects p ON p.id = e.project_id
         WHERE p.name = ? AND e.to_date <= ? ORDER BY e.to_date DESC, e.from_date LIMIT 1`,
      )
      .get(project, until);
    return row === undefined ? null : { from: row.from_date, to: row.to_date };
  }

  /** Its queries, most impressions first. */
  queries(project: string, { from, to }: ExportPeriod): ExportedQuery[] {
    return this.#db
      .sql<{ [Name in keyof ExportedQuery]: ExportedQuery[Name] }>(
        `SELECT k.text AS query, r.clicks, r.impressions, r.average_position AS position
         FROM click_export_rows r JOIN click_exports e ON e.id = r.export_id JOIN projects p ON p.id = e.project_id
           JOIN keywords k ON k.id = r.keyword_id
         WHERE p.name = ? AND e.from_date = ? AND e.to_date = ? ORDER BY r.impressions DESC, query`,
      )
      .all(project, from, to);
  }
}
