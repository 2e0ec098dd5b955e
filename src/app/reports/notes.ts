// Notes that explain changes: those of the config, and those of the database, which can be added and removed.
import { type Note, normalNote, noteComplaint, noteDateComplaint } from '../../tracker/changes/note.ts';
import { byText } from '../../tracker/text-order.ts';
import type { App } from '../app.ts';
import { projectsNamed } from '../opening/named-projects.ts';
import { UsageError } from '../opening/usage-error.ts';

export interface KeptNote extends Note {
  /** Null: it is in the config. */
  readonly id: number | null;
}

/** By date. `project`: its own notes and those for all projects. */
export function listNotes({ config, context }: App, named?: string): KeptNote[] {
  const project = named === undefined ? undefined : projectsNamed(config, [named])[0]?.id;
  return [
    ...config.notes
      .filter((note) => project === undefined || note.project === null || note.project === project)
      .map((note) => ({ ...note, id: null })),
    ...context.store.notes.list(project === undefined ? {} : { project }).map(keptNote),
  ].sort((a, b) => byText(a.date, b.date));
}

/** Throws UsageError for an invalid text, date or project. */
export function addNote({ config, context }: App, { date, text, project: named }: Note): KeptNote {
  const complaint = noteDateComplaint(date) ?? noteComplaint(text);
  if (complaint !== undefined) throw new UsageError(complaint);
  const project = named === null ? null : (projectsNamed(config, [named])[0]?.id ?? null);
  const { store, clock } = context;
  return keptNote(store.notes.add({ date, text: normalNote(text), project }, clock.now()));
}

/** Throws UsageError if there is no such note. */
export function removeNote({ context }: App, id: number): KeptNote {
  const note = context.store.notes.remove(id);
  if (note === null) throw new UsageError(`there is no note ${id}`, '`rankledger note list` lists all notes');
  return keptNote(note);
}

function keptNote({ id, date, text, project }: KeptNote): KeptNote {
  return { id, date, text, project };
}
