// Stored notes: dated events that explain changes. jobs/report/rows/report-scope.ts adds those of the config.
import type { Connection } from '../connection/client.ts';
import type { Names } from '../connection/names.ts';

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
      const { builder, tables } = this.#db.drizzle;
      const note = { localDate: date, projectId, text, createdAt: at };
      const { lastInsertRowid } = builder.insert(tables.notes).values(note).run();
      return { id: Number(lastInsertRowid), date, text, project, createdAt: at };
    });
  }

  /** By date, and in the order in which they were added. */
  list({ project, from, to }: NoteFilter = {}): StoredNote[] {
    const { builder, tables, operators } = this.#db.drizzle;
    const { and, asc, eq, gte, isNull, lte, or } = operators;
    const { notes, projects } = tables;
    return builder
      .select({
        id: notes.id,
        date: notes.localDate,
        text: notes.text,
        project: projects.name,
        createdAt: notes.createdAt,
      })
      .from(notes)
      .leftJoin(projects, eq(projects.id, notes.projectId))
      .where(
        and(
          project === undefined ? undefined : or(isNull(notes.projectId), eq(projects.name, project)),
          from === undefined ? undefined : gte(notes.localDate, from),
          to === undefined ? undefined : lte(notes.localDate, to),
        ),
      )
      .orderBy(asc(notes.localDate), asc(notes.id))
      .all();
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
