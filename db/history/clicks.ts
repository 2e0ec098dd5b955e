// Clicks, impressions and average positions as the search engine counted them: by day, and exports. Never ranks.

import type { SearchType } from '../../src/service/terms.ts';
import {
  type ClickGroup,
  type ClickNumbers,
  type CountedHour,
  joinPages,
  type QueryClicks,
  type QueryGroup,
} from '../../src/tracker/clicks/clicks.ts';
import { getOrInsert } from '../../src/tracker/maps.ts';
import type { Project } from '../../src/tracker/project.ts';
import type { Connection } from '../connection/client.ts';
import {
  clickDays,
  clickExportRows,
  clickExports,
  clickHours,
  clickPageTotals,
  clickQueries,
  clickQueryTotals,
  clickRows,
  clickTypeTotals,
  engineExportRows,
  engineExports,
} from '../schema/clicks.ts';
import { and, between, desc, eq, getTableColumns, isNull, lte } from '../schema/drizzle.ts';
import { keywords, projects } from '../schema/names.ts';
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

/** A query or a page, asked for by that alone. */
export interface NamedTotal {
  readonly name: string;
  readonly clicks: number;
  readonly impressions: number;
  readonly averagePosition: number;
}

/** The rows of a day: of the property, and of its pages. Absent totals: they were not asked for. */
export interface DayRows {
  readonly queries: readonly QueryRow[];
  readonly pages: readonly ClickRow[];
  readonly totals?: { readonly queries: readonly NamedTotal[]; readonly pages: readonly NamedTotal[] };
}

/** Sums over the days of a period, by what the numbers were asked for. */
export interface DimensionSums {
  readonly query: { readonly clicks: number; readonly impressions: number };
  readonly page: { readonly clicks: number; readonly impressions: number };
}

/** Totals of one search type on a day. */
export interface TypeDay extends Omit<ClickDay, 'isFinal'> {
  /** Null: there are no impressions, or the type has no positions. */
  readonly averagePosition: number | null;
}

export interface TypeSums extends ClickNumbers {
  readonly type: SearchType;
  readonly days: number;
  readonly impressions: number;
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

  /** Dates whose numbers no longer change, but for days by page or without totals, which are fetched again. */
  finalDates(project: string, property: string): Set<string> {
    const isWhole = and(eq(clickDays.aggregation, 'by_property'), eq(clickDays.totals, 1));
    const isCounted = and(eq(clickDays.state, 'final'), isWhole);
    const rows = this.#days()
      .where(and(ofProperty(project, property), isCounted))
      .all();
    return new Set(rows.map(({ localDate }) => localDate));
  }

  /** Stores a day, instead of its earlier numbers. A final day stays as it is. `at`: now, UTC milliseconds. */
  put(project: string, property: string, day: ClickDay, { queries, pages, totals }: DayRows, at: number): void {
    this.#db.transaction(() => {
      const projectId = this.#db.names.projectId(project);
      const known = this.#days()
        .where(and(ofProperty(project, property), eq(clickDays.localDate, day.date)))
        .get();
      if (known?.state === 'final' && known.aggregation === 'by_property' && known.totals === 1) return;
      if (known !== undefined) {
        for (const table of [clickQueries, clickRows, clickQueryTotals, clickPageTotals, clickTypeTotals])
          this.#db.drizzle.delete(table).where(eq(table.dayId, known.id)).run();
        this.#db.drizzle.delete(clickDays).where(eq(clickDays.id, known.id)).run();
      }
      const { lastInsertRowid } = this.#db.insert('click_days', {
        projectId,
        property,
        localDate: day.date,
        state: day.isFinal ? 'final' : 'fresh',
        clicks: day.clicks,
        impressions: day.impressions,
        fetchedAt: at,
        aggregation: 'by_property',
        totals: totals === undefined ? 0 : 1,
      });
      const dayId = Number(lastInsertRowid);
      const valuesOf = ({ query, country, device, clicks, impressions, averagePosition }: QueryRow) => ({
        dayId,
        keywordId: this.#db.names.textId(query),
        country,
        device,
        clicks,
        impressions,
        averagePosition,
      });
      for (const row of queries) this.#db.insert('click_queries', valuesOf(row));
      for (const row of pages)
        this.#db.insert('click_rows', { ...valuesOf(row), urlId: this.#db.names.urlId(row.page) });
      for (const { name, ...numbers } of totals?.queries ?? [])
        this.#db.insert('click_query_totals', { dayId, keywordId: this.#db.names.textId(name), ...numbers });
      for (const { name, ...numbers } of totals?.pages ?? [])
        this.#db.insert('click_page_totals', { dayId, urlId: this.#db.names.urlId(name), ...numbers });
    });
  }

  /** Final days without the totals of a search type, oldest first. */
  datesWithout(type: SearchType, project: string, property: string): string[] {
    const isOfType = and(eq(clickTypeTotals.dayId, clickDays.id), eq(clickTypeTotals.type, type));
    const lacksType = and(eq(clickDays.state, 'final'), isNull(clickTypeTotals.dayId));
    return this.#days()
      .leftJoin(clickTypeTotals, isOfType)
      .where(and(ofProperty(project, property), lacksType))
      .orderBy(clickDays.localDate)
      .all()
      .map(({ localDate }) => localDate);
  }

  /** Stores totals of a search type on days that `datesWithout` names. */
  putTypeTotals(type: SearchType, project: string, property: string, totals: readonly TypeDay[]): void {
    this.#db.transaction(() => {
      for (const { date, ...numbers } of totals) {
        const day = this.#days().where(and(ofProperty(project, property), eq(clickDays.localDate, date)));
        const dayId = day.get()?.id;
        if (dayId !== undefined) this.#db.insert('click_type_totals', { dayId, type, ...numbers });
      }
    });
  }

  /** Sums by search type over the final days of a period. `days`: those with totals of the type. */
  typeTotals(project: string, property: string, from: string, to: string): TypeSums[] {
    return this.#db
      .sql<TypeSums>(
        `SELECT type, count(*) AS days, sum(clicks) AS clicks, sum(impressions) AS impressions,
           sum(average_position * impressions) / nullif(sum(impressions), 0) AS averagePosition
         FROM click_type_totals WHERE day_id IN (SELECT d.id ${daysOfSql} AND d.state = 'final') GROUP BY type`,
      )
      .all(project, property, from, to);
  }

  /** Stores hours of the web, instead of all earlier ones. */
  putHours(project: string, hours: readonly CountedHour[]): void {
    this.#db.transaction(() => {
      const projectId = this.#db.names.projectId(project);
      this.#db.drizzle.delete(clickHours).where(eq(clickHours.projectId, projectId)).run();
      for (const { hour: localHour, isFinal, clicks, impressions } of hours) {
        const state = isFinal ? 'final' : 'fresh';
        this.#db.insert('click_hours', { projectId, localHour, state, clicks, impressions });
      }
    });
  }

  /** The stored hours, oldest first; those without impressions are missing. */
  hours(project: string): CountedHour[] {
    const { localHour: hour, state, clicks, impressions, projectId } = clickHours;
    return this.#db.drizzle
      .select({ hour, state, clicks, impressions })
      .from(clickHours)
      .innerJoin(projects, eq(projects.id, projectId))
      .where(eq(projects.name, project))
      .orderBy(hour)
      .all()
      .map(({ state: of, ...row }) => ({ ...row, isFinal: of === 'final' }));
  }

  /** Dates the newest day anew once everything is fetched: readers see that history has changed. */
  noteFetch(project: string, property: string, at: number): void {
    const newest = this.#days().where(ofProperty(project, property)).orderBy(desc(clickDays.localDate)).limit(1).get();
    if (newest === undefined) return;
    this.#db.drizzle.update(clickDays).set({ fetchedAt: at }).where(eq(clickDays.id, newest.id)).run();
  }

  /** Of the final days of a period, asked for by one dimension alone. Null: not of all of them. */
  dimensionSums(project: string, property: string, from: string, to: string): DimensionSums | null {
    if (!this.#haveTotals(project, property, from, to)) return null;
    const sums = (table: string) =>
      this.#db
        .sql<{ clicks: number; impressions: number }>(
          `SELECT coalesce(sum(clicks), 0) AS clicks, coalesce(sum(impressions), 0) AS impressions FROM ${table}
           WHERE day_id IN (SELECT d.id ${daysOfSql} AND d.state = 'final')`,
        )
        .get(project, property, from, to) ?? { clicks: 0, impressions: 0 };
    return { query: sums('click_query_totals'), page: sums('click_page_totals') };
  }

  /** Pages of the final days of a period, hidden queries included. Null: totals of a day are missing. */
  pageTotals(project: string, property: string, from: string, to: string): NamedTotal[] | null {
    if (!this.#haveTotals(project, property, from, to)) return null;
    const rows = this.#db
      .sql<Omit<NamedTotal, 'name'> & { urlId: number }>(
        `SELECT url_id AS urlId, sum(clicks) AS clicks, sum(impressions) AS impressions,
           sum(average_position * impressions) / max(1, sum(impressions)) AS averagePosition
         FROM click_page_totals WHERE day_id IN (SELECT d.id ${daysOfSql} AND d.state = 'final') GROUP BY url_id`,
      )
      .all(project, property, from, to);
    return this.#withPages(rows).map(({ page: name, ...numbers }) => ({ name, ...numbers }));
  }

  /** Whether each final day of the period has them, and there is one. */
  #haveTotals(project: string, property: string, from: string, to: string): boolean {
    const isOfPeriod = and(ofProperty(project, property), between(clickDays.localDate, from, to));
    const days = this.#days()
      .where(and(isOfPeriod, eq(clickDays.state, 'final')))
      .all();
    return days.length > 0 && days.every(({ totals }) => totals === 1);
  }

  /**
   * The property of the newest day. Null: no day is stored, or the project tracks another engine since, whose ranks
   * these clicks say nothing about. Bench: `cluster`.
   */
  property({ id, engine }: Pick<Project, 'id' | 'engine'>): string | null {
    if (engine !== undefined) return null;
    const row = this.#db
      .sql<TableRow<'click_days', 'property'>>(
        `SELECT d.property FROM click_days d JOIN projects p ON p.id = d.project_id WHERE p.name = ?
         ORDER BY d.local_date DESC, d.fetched_at DESC LIMIT 1`,
      )
      .get(id);
    return row?.property ?? null;
  }

  /** The newest final day on or before a date. Null: there is none. */
  newestFinal(project: string, property: string, until: string): string | null {
    const isFinal = and(eq(clickDays.state, 'final'), lte(clickDays.localDate, until));
    const days = this.#days().where(and(ofProperty(project, property), isFinal));
    return days.orderBy(desc(clickDays.localDate)).limit(1).get()?.localDate ?? null;
  }

  /** When a day of the property was last fetched, UTC milliseconds. Null: never. */
  fetchedAt(project: string, property: string): number | null {
    const days = this.#days().where(ofProperty(project, property));
    return days.orderBy(desc(clickDays.fetchedAt)).limit(1).get()?.fetchedAt ?? null;
  }

  /** The stored days of a period, oldest first. */
  days(project: string, property: string, from: string, to: string): CountedDay[] {
    return this.#days()
      .where(and(ofProperty(project, property), between(clickDays.localDate, from, to)))
      .orderBy(clickDays.localDate)
      .all()
      .map(({ localDate: date, state, clicks, impressions, aggregation }) => {
        return {
          date,
          isFinal: state === 'final',
          clicks,
          impressions: aggregation === 'by_page' ? null : impressions,
        };
      });
  }

  /** Sums by query, country and device, with their pages. Fresh days are left out: their numbers are partial. */
  queries(project: string, property: string, from: string, to: string): QueryClicks[] {
    const totals = this.#db
      .sql<QueryGroup>(
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
      .sql<QueryGroup & { readonly date: string; readonly state: string }>(
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
      .sql<PositionReading>(
        `WITH ${finalDaysSql}
         SELECT k.text AS query, r.device, sum(r.clicks) AS clicks, sum(r.impressions) AS impressions,
           sum(r.average_position * r.impressions) / sum(r.impressions) AS position
         FROM ${totalsSql()} r JOIN keywords k ON k.id = r.keyword_id WHERE r.impressions > 0
         GROUP BY r.keyword_id, r.device, CAST(r.average_position AS INTEGER)`,
      )
      .all(project, property, from, to);
  }

  #days() {
    return this.#db.drizzle
      .select(getTableColumns(clickDays))
      .from(clickDays)
      .innerJoin(projects, eq(projects.id, clickDays.projectId));
  }

  #withPages<Row extends { readonly urlId: number }>(rows: readonly Row[]): (Omit<Row, 'urlId'> & { page: string })[] {
    const pages = new Map<number, string>();
    return rows.map(({ urlId, ...row }) => {
      const page = getOrInsert(pages, urlId, () => this.#db.names.url(urlId));
      return { ...row, page };
    });
  }
}

function ofProperty(project: string, property: string) {
  return and(eq(projects.name, project), eq(clickDays.property, property));
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

export class ClickExports {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Stores an export, instead of an earlier one of the same period. `at`: now, UTC milliseconds. */
  put(project: string, { from, to }: ExportPeriod, rows: readonly ExportedQuery[], at: number): void {
    this.#db.transaction(() => {
      const projectId = this.#db.names.projectId(project);
      const known = this.#db.drizzle.select().from(clickExports);
      const earlier = known.where(and(eq(clickExports.projectId, projectId), ofPeriod({ from, to }))).get();
      if (earlier !== undefined) {
        this.#db.drizzle.delete(clickExportRows).where(eq(clickExportRows.exportId, earlier.id)).run();
        this.#db.drizzle.delete(clickExports).where(eq(clickExports.id, earlier.id)).run();
      }
      const period = { projectId, fromDate: from, toDate: to, importedAt: at };
      const exportId = Number(this.#db.insert('click_exports', period).lastInsertRowid);
      for (const { query, clicks, impressions, position: averagePosition } of rows) {
        const keywordId = this.#db.names.textId(query);
        this.#db.insert('click_export_rows', { exportId, keywordId, clicks, impressions, averagePosition });
      }
    });
  }

  /** The period of the newest export that ends on or before the date. Null: there is none, as for `Clicks.property`. */
  newest({ id, engine }: Pick<Project, 'id' | 'engine'>, until: string): ExportPeriod | null {
    if (engine !== undefined) return null;
    const { fromDate: from, toDate: to, projectId } = clickExports;
    const row = this.#db.drizzle
      .select({ from, to })
      .from(clickExports)
      .innerJoin(projects, eq(projects.id, projectId))
      .where(and(eq(projects.name, id), lte(to, until)))
      .orderBy(desc(to), from)
      .limit(1)
      .get();
    return row ?? null;
  }

  /** Its queries, most impressions first. */
  queries(project: string, period: ExportPeriod): ExportedQuery[] {
    const { clicks, impressions, averagePosition: position } = clickExportRows;
    return this.#db.drizzle
      .select({ query: keywords.text, clicks, impressions, position })
      .from(clickExportRows)
      .innerJoin(clickExports, eq(clickExports.id, clickExportRows.exportId))
      .innerJoin(projects, eq(projects.id, clickExports.projectId))
      .innerJoin(keywords, eq(keywords.id, clickExportRows.keywordId))
      .where(and(eq(projects.name, project), ofPeriod(period)))
      .orderBy(desc(impressions), keywords.text)
      .all();
  }
}

function ofPeriod({ from, to }: ExportPeriod) {
  return and(eq(clickExports.fromDate, from), eq(clickExports.toDate, to));
}

export interface EngineExportRow {
  readonly kind: 'query' | 'page';
  readonly name: string;
  /** Clicks, or citations. */
  readonly count: number;
  /** Null, both, of citations. */
  readonly impressions: number | null;
  readonly averagePosition: number | null;
}

export type EngineReport = 'clicks' | 'citations';

/** Exports of the webmaster tools of another search engine. */
export class EngineExports {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /**
   * Stores an export. Rows of these kinds of an earlier export of the same period are replaced. `at`: now, UTC
   * milliseconds.
   */
  put(project: string, report: EngineReport, { from, to }: ExportPeriod, rows: readonly EngineExportRow[], at: number) {
    this.#db.transaction(() => {
      const projectId = this.#db.names.projectId(project);
      const exported = this.#db.drizzle
        .insert(engineExports)
        .values({ projectId, report, fromDate: from, toDate: to, importedAt: at })
        .onConflictDoUpdate({
          target: [engineExports.projectId, engineExports.report, engineExports.fromDate, engineExports.toDate],
          set: { importedAt: at },
        })
        .returning({ id: engineExports.id })
        .get();
      for (const kind of new Set(rows.map((row) => row.kind))) {
        const isOfKind = and(eq(engineExportRows.exportId, exported.id), eq(engineExportRows.kind, kind));
        this.#db.drizzle.delete(engineExportRows).where(isOfKind).run();
      }
      for (const row of rows) this.#db.insert('engine_export_rows', { exportId: exported.id, ...row });
    });
  }

  /** Those of a project, newest first, each with its rows, highest counts first. */
  list(project: string): (ExportPeriod & { readonly report: EngineReport; readonly rows: EngineExportRow[] })[] {
    const { id, report, fromDate: from, toDate: to, projectId } = engineExports;
    const { kind, name, count, impressions, averagePosition, exportId } = engineExportRows;
    return this.#db.drizzle
      .select({ id, report, from, to })
      .from(engineExports)
      .innerJoin(projects, eq(projects.id, projectId))
      .where(eq(projects.name, project))
      .orderBy(desc(to), report)
      .all()
      .map(({ id: exported, ...facts }) => ({
        ...facts,
        rows: this.#db.drizzle
          .select({ kind, name, count, impressions, averagePosition })
          .from(engineExportRows)
          .where(eq(exportId, exported))
          .orderBy(kind, desc(count), name)
          .all(),
      }));
  }
}
