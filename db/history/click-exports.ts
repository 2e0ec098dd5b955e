// Exports of performance reports: clicks of queries over a period, for projects without access to the API.
import type { Connection } from '../connection/client.ts';
import { insertInto, toValues } from '../connection/insert.ts';
import type { Names } from '../connection/names.ts';
import type { TableRow } from '../schema/rows.ts';

export interface ExportPeriod {
  readonly from: string;
  readonly to: string;
}

export interface ExportedQuery {
  readonly query: string;
  readonly clicks: number;
  readonly impressions: number;
  readonly position: number;
}

const insertExport = insertInto('click_exports', ['project_id', 'from_date', 'to_date', 'imported_at']);
const insertRow = insertInto('click_export_rows', [
  'export_id',
  'keyword_id',
  'clicks',
  'impressions',
  'average_position',
]);

export class ClickExports {
  readonly #db: Connection;
  readonly #names: Names;

  constructor(db: Connection, names: Names) {
    this.#db = db;
    this.#names = names;
  }

  /** Stores an export, instead of an earlier one of the same period. `at`: now, UTC milliseconds. */
  put(project: string, { from, to }: ExportPeriod, rows: readonly ExportedQuery[], at: number): void {
    this.#db.transaction(() => {
      const projectId = this.#names.projectId(project);
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
      const insert = this.#db.sql(insertRow.sql);
      for (const { query, position, ...counts } of rows) {
        const ids = { export_id: Number(lastInsertRowid), keyword_id: this.#names.keywordId(query) };
        insert.run(...toValues(insertRow, { ...ids, ...counts, average_position: position }));
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
