// Stored notes: dated events that explain changes. jobs/report/rows/report-scope.ts adds those of the config.
import type { Connection } from '../connection/client.ts';

interface NewNote {
  /** Local date, `2026-11-20`. */
  readonly date: string;
  readonly text: string;
  /** Null: for all projects. */
  readonly project: string | null;
}

interface StoredNote extends NewNote {
  readonly id: number;
  /** UTC milliseconds. */
  readonly createdAt: number;
}

interface NoteFilter {
  /** The notes of this project and those for all; absent: every note. */
  readonly project?: string;
  /** Local dates, inclusive. */
  readonly from?: string;
  readonly to?: string;
}

export class Notes {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** `at`: now, UTC milliseconds. */
  add({ date, text, project }: NewNote, at: number): StoredNote {
    return this.#db.transaction(() => {
      const projectId = project === null ? null : this.#db.names.projectId(project);
      const { builder, tables } = this.#db.drizzle;
      const note = { localDate: date, projectId, text, createdAt: at };
      const { lastInsertRowid } = builder.insert(tables.notes).values(note).run();
      return { id: Number(lastInsertRowid), date, text, project, createdAt: at };
    });
  }

  /** By date, and in the order in which they were added. In every report, which needs no query builder otherwise. */
  list({ project, from, to }: NoteFilter = {}): StoredNote[] {
    return this.#db
      .sql<StoredNote>(
        `SELECT n.id, n.local_date AS date, n.text, p.name AS project, n.created_at AS createdAt FROM notes n LEFT JOIN projects p ON p.id = n.project_id
         WHERE (@project IS NULL OR n.project_id IS NULL OR p.name = @project)
           AND (@from IS NULL OR n.local_date >= @from) AND (@to IS NULL OR n.local_date <= @to)
         ORDER BY n.local_date, n.id`,
      )
      .all({ project: project ?? null, from: from ?? null, to: to ?? null });
  }

  /** Returns the removed note; null where no note has this id. */
  remove(id: number): StoredNote | null {
    return this.#db.transaction(() => {
      const note = this.list().find((other) => other.id === id) ?? null;
      const { builder, tables, operators } = this.#db.drizzle;
      builder.delete(tables.notes).where(operators.eq(tables.notes.id, id)).run();
      return note;
    });
  }
}
