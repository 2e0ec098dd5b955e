// Stored notes: dated events that explain changes. jobs/read/rows/report-scope.ts adds those of the config.
import type { AnnouncedUpdate, Note } from '../../src/tracker/changes/note.ts';
import type { Connection } from '../connection/client.ts';
import { eq, isNull, or } from '../schema/drizzle.ts';
import { projects } from '../schema/names.ts';
import { engineUpdates, notes } from '../schema/runs.ts';

type NewNote = Pick<Note, 'date' | 'text' | 'project' | 'keyword' | 'tag'>;

export interface StoredNote extends NewNote {
  readonly id: number;
  /** UTC milliseconds. */
  readonly createdAt: number;
}

export class EngineUpdates {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Those that are known take what the feed says now. Returns how many are new. */
  put(updates: readonly AnnouncedUpdate[], at: number): number {
    return this.#db.transaction(() => {
      const known = new Set(this.list().map(({ feedId }) => feedId));
      for (const { feedId, ...update } of updates) {
        const facts = { ...update, importedAt: at };
        this.#db.drizzle
          .insert(engineUpdates)
          .values({ feedId, ...facts })
          .onConflictDoUpdate({ target: engineUpdates.feedId, set: facts })
          .run();
      }
      return updates.filter(({ feedId }) => !known.has(feedId)).length;
    });
  }

  /** The earliest first. */
  list(): AnnouncedUpdate[] {
    const { id, feedId, name, beginAt, endAt } = engineUpdates;
    return this.#db.drizzle.select({ feedId, name, beginAt, endAt }).from(engineUpdates).orderBy(beginAt, id).all();
  }
}

export class Notes {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** `at`: now, UTC milliseconds. */
  add({ date, text, project, keyword, tag }: NewNote, at: number): StoredNote {
    return this.#db.transaction(() => {
      const projectId = project === null ? null : this.#db.names.projectId(project);
      const note = { localDate: date, projectId, text, keyword, tag, createdAt: at };
      const { lastInsertRowid } = this.#db.drizzle.insert(notes).values(note).run();
      return { id: Number(lastInsertRowid), date, text, project, keyword, tag, createdAt: at };
    });
  }

  /** Those of a project and those for all, or every note: by date, and in the order in which they were added. */
  list(project?: string): StoredNote[] {
    const { id, localDate, text, projectId, keyword, tag, createdAt } = notes;
    return this.#db.drizzle
      .select({ id, date: localDate, text, project: projects.name, keyword, tag, createdAt })
      .from(notes)
      .leftJoin(projects, eq(projects.id, projectId))
      .where(project === undefined ? undefined : or(isNull(projectId), eq(projects.name, project)))
      .orderBy(localDate, id)
      .all()
      .map((note) => ({ ...note, keyword: note.keyword ?? undefined, tag: note.tag ?? undefined }));
  }

  /** Returns the removed note; null where no note has this id. */
  remove(id: number): StoredNote | null {
    return this.#db.transaction(() => {
      const note = this.list().find((other) => other.id === id) ?? null;
      this.#db.drizzle.delete(notes).where(eq(notes.id, id)).run();
      return note;
    });
  }
}
