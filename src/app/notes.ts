// Notes on dates: checked against the config, and stored.

import type { StoredNote } from '../../db/history/notes.ts';
import { noteComplaint, noteDateComplaint } from '../tracker/changes/note.ts';
import { localDate } from '../tracker/schedule/local-time.ts';
import { normalText } from '../tracker/searches.ts';
import type { NewNote } from '../workspace/editing/editor.ts';
import type { App } from './app.ts';
import { UsageError } from './opening/failures.ts';
import { projectsNamed, rejectUnknown, rejectUnknownKeywords } from './opening/named-projects.ts';

/** Throws UsageError. */
export function addNote(app: App, { text, project: named, keyword, tag, ...written }: NewNote): StoredNote {
  const { config, context } = app;
  const { store, clock } = context;
  const date = written.date ?? localDate(clock.now(), config.timezone);
  const complaint = noteDateComplaint(date) ?? noteComplaint(text);
  if (complaint !== undefined) throw new UsageError(complaint);
  const [project = null] = named === undefined ? [] : projectsNamed(config, [named]);
  if (keyword !== undefined || tag !== undefined) {
    if (project === null) throw new UsageError('a note about a keyword or a tag needs its project');
    if (keyword !== undefined && tag !== undefined)
      throw new UsageError('a note is about a keyword or a tag, not about both');
    if (keyword !== undefined) rejectUnknownKeywords([keyword], [project]);
    const tags = new Set(project.keywords.flatMap((each) => each.tags));
    if (tag !== undefined) rejectUnknown('tag', [tag], tags, [project]);
  }
  return store.notes.add({ date, text: normalText(text), project: project?.id ?? null, keyword, tag }, clock.now());
}

/** Throws UsageError where no note has this id. */
export function removeNote({ context }: App, id: number): StoredNote {
  const note = context.store.notes.remove(id);
  if (note === null) throw new UsageError(`there is no note ${id}`, '`rankledger note list` lists all notes');
  return note;
}
