// The notes that reports show: those of the config and those in the store together. What a note is, is in src/tracker/note.ts. Reads only.
import { localDate } from '../src/tracker/local-time.ts';
import { type Note, notesBetween, noteText } from '../src/tracker/note.ts';
import type { ReportScope } from './report-scope.ts';

/** The project's own notes and those for all, by date; of the same date those of the config first. */
export function projectNotes({ context, settings, project }: ReportScope): Note[] {
  const ofConfig = (settings.notes ?? []).filter((note) => note.project === null || note.project === project.id);
  return [...ofConfig, ...context.store.notes.list({ project: project.id })].sort((a, b) =>
    a.date < b.date ? -1 : a.date > b.date ? 1 : 0,
  );
}

/** What happened from the day of a baseline to that of a check, as rows print it. Moments are UTC milliseconds; null: there is none. */
export function happenedBetween(
  notes: readonly Note[],
  timezone: string,
  from: number | null,
  until: number | null,
): readonly string[] {
  if (notes.length === 0 || from === null || until === null) return nothing;
  return notesBetween(notes, localDate(from, timezone), localDate(until, timezone)).map(noteText);
}

const nothing: readonly string[] = Object.freeze([]);
