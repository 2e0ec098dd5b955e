// Notes that explain changes: those of the config, and those of the database, which can be added and removed.
import { type Note, normalNote, noteComplaint, noteDateComplaint } from '../../tracker/changes/note.ts';
import { byText } from '../../tracker/text-order.ts';
import type { App } from '../app.ts';
import { UsageError } from '../opening/usage-error.ts';

export interface KeptNote extends Note {
  /** Null: it is in the config. */
  readonly id: number | null;
}

/** By date. `project`: its own notes and those for all projects. */
export function listNotes(app: App, project?: string): KeptNote[] {
  if (project !== undefined) requireProject(app, project);
  const { config, context } = app;
  return [
    ...config.notes
      .filter((note) => project === undefined || note.project === null || note.project === project)
      .map((note) => ({ ...note, id: null })),
    ...context.store.notes.list(project === undefined ? {} : { project }).map(keptNote),
  ].sort((a, b) => byText(a.date, b.date));
}

/** Throws UsageError for an invalid text, date or project. */
export function addNote(app: App, { date, text, project }: Note): KeptNote {
  const complaint = noteDateComplaint(date) ?? noteComplaint(text);
  if (complaint !== undefined) throw new UsageError(complaint);
  if (project !== null) requireProject(app, project);
  const { store, clock } = app.context;
  return keptNote(store.notes.add({ date, text: normalNote(text), project }, clock.now()));
}

/** Throws UsageError if there is no such note. */
export function removeNote({ context }: App, id: number): KeptNote {
  const note = context.store.notes.remove(id);
  if (note === null) throw new UsageError(`there is no note ${id}`, '`rankledger note list` lists all notes');
  return keptNote(note);
}

function requireProject({ config, context }: App, project: string): void {
  if (!context.projects.has(project)) throw new UsageError(`there is no project "${project}" in ${config.file}`);
}

function keptNote({ id, date, text, project }: KeptNote): KeptNote {
  return { id, date, text, project };
}
