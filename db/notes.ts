// Notes: what happened on a day that a reader of changes should know. Those of the config are not stored; jobs/report-notes.ts puts both together.
import type { Connection, Row } from './client.ts';
import type { Names } from './names.ts';

export interface NewNote {
  /** Local date, `2026-11-20`. */
  readonly date: string;
  readonly text: string;
  /** Null: for all projects. */
  readonly project: string | null;
}

export interface StoredNote extends NewNote {
  readonly id: number;
  /** UTC milliseconds. */
  readonly createdAt: number;
}

export interface NoteFilter {
  /** The notes of this project and those for all; absent: every note. */
  readonly project?: string;
  /** Local dates, inclusive. */
  readonly from?: string;
  readonly to?: string;
}

export class Notes {
  readonly #db: Connection;
  readonly #names: Names;

  constructor(db: Connection, names: Names) {
    this.#db = db;
    this.#names = names;
  }

  /** `at`: now, UTC milliseconds. */
  add({ date, text, project }: NewNote, at: number): StoredNote {
    return this.#db.transaction(() => {
      const projectId = project === null ? null : this.#names.projectId(project);
      const { lastInsertRowid } = this.#db
        .sql('INSERT INTO notes (local_date, project_id, text, created_at) VALUES (?, ?, ?, ?)')
        .run(date, projectId, text, at);
      return { id: Number(lastInsertRowid), date, text, project, createdAt: at };
    });
  }

  /** By date, and in the order in which they were added. */
  list({ project, from, to }: NoteFilter = {}): StoredNote[] {
    return this.#db
      .sql(
        `SELECT n.id, n.local_date, n.text, n.created_at, p.name AS project FROM notes n LEFT JOIN projects p ON p.id = n.project_id
         WHERE (@project IS NULL OR n.project_id IS NULL OR p.name = @project)
           AND n.local_date BETWEEN coalesce(@from, '') AND coalesce(@to, '~') ORDER BY n.local_date, n.id`,
      )
      .all({ project: project ?? null, from: from ?? null, to: to ?? null })
      .map(noteOf);
  }

  /** The note that is gone; null where there is none of that id. */
  remove(id: number): StoredNote | null {
    return this.#db.transaction(() => {
      const note = this.list().find((other) => other.id === id) ?? null;
      this.#db.sql('DELETE FROM notes WHERE id = ?').run(id);
      return note;
    });
  }
}

function noteOf(row: Row): StoredNote {
  return {
    id: Number(row['id']),
    date: String(row['local_date']),
    text: String(row['text']),
    project: row['project'] as string | null,
    createdAt: Number(row['created_at']),
  };
}
