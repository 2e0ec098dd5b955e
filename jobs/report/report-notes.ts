// Reads the notes that reports show, from the config and from the store.
import type { Note } from '../../src/tracker/note.ts';
import type { SerpScope } from './report-scope.ts';

/** The project's own notes and those for all, by date; of the same date those of the config first. */
export function projectNotes({
  context,
  settings,
  project,
}: Pick<SerpScope, 'context' | 'settings' | 'project'>): Note[] {
  const ofConfig = (settings.notes ?? []).filter((note) => note.project === null || note.project === project.id);
  return [...ofConfig, ...context.store.notes.list({ project: project.id })].sort((a, b) =>
    a.date < b.date ? -1 : a.date > b.date ? 1 : 0,
  );
}
