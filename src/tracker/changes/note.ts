// Notes: dated events that explain changes, such as a release or an update of a search engine. Pure.

import type { Project } from '../project.ts';
import { isDate, localDate } from '../schedule/local-time.ts';
import { foldKeyword, normalText } from '../searches.ts';

export interface Note {
  /** Local date, `2026-11-20`. */
  readonly date: string;
  readonly text: string;
  /** In its place in each of many rows; absent: `text`. */
  readonly rowText?: string;
  /** Null: all projects. */
  readonly project: string | null;
  /** Only for this keyword, or keywords with this tag, of the project. */
  readonly keyword?: string;
  readonly tag?: string;
  /** The last local date of an event of several days; `9999-12-31`: it goes on. Absent: `date`. */
  readonly until?: string;
  /** An update that the operator of the search engine has announced. */
  readonly isConfirmed?: true;
}

/** An announced update that goes on. */
export const goesOn = '9999-12-31';

/** An update that the operator of the search engine has announced, in a status feed. */
export interface AnnouncedUpdate {
  readonly feedId: string;
  readonly name: string;
  /** UTC milliseconds; `endAt` null: it goes on. */
  readonly beginAt: number;
  readonly endAt: number | null;
}

/** A keyword with its tags. */
interface TaggedKeyword {
  readonly keyword: string;
  readonly tags: readonly string[];
}

/** Long enough for a sentence; reports print it in cells and on charts. */
const noteCharactersMax = 200;

/** What is wrong with the text of a note; undefined: nothing. */
export function noteComplaint(written: string): string | undefined {
  const text = normalText(written);
  if (text === '') return 'the note is empty';
  if (text.length > noteCharactersMax) return `the note is longer than ${noteCharactersMax} characters`;
  if (/\p{Cc}/u.test(text) || !text.isWellFormed()) return 'the note contains control characters or broken text';
  return undefined;
}

/** What is wrong with the date of a note; undefined: nothing. */
export function noteDateComplaint(written: string): string | undefined {
  return isDate(written) ? undefined : `"${written}" is not a date: write 2026-11-20`;
}

/** Whether a note of the project is about a keyword. */
export function isNoteAbout(note: Note, { keyword, tags }: TaggedKeyword): boolean {
  if (note.keyword !== undefined && foldKeyword(note.keyword) !== foldKeyword(keyword)) return false;
  return note.tag === undefined || tags.includes(note.tag);
}

/**
 * The notes of a project and of all projects; of a part of a project those of all, and about its keywords. Announced
 * updates are Google's, and no notes of a project of another engine.
 */
export function notesOf<Of extends Note>(
  notes: readonly Of[],
  { id, isPart, engine, keywords }: Project,
): readonly Of[] {
  const own = notes.filter(
    (note) => (note.project === null || note.project === id) && (engine === undefined || note.isConfirmed !== true),
  );
  if (isPart !== true) return own;
  const isOfPart = (note: Note) => isNarrow(note) && keywords.some((keyword) => isNoteAbout(note, keyword));
  return own.filter((note) => note.project === null || isOfPart(note));
}

/** Whether a note is about one keyword or one tag of its project. */
export function isNarrow({ keyword, tag }: Note): boolean {
  return keyword !== undefined || tag !== undefined;
}

/** `keyword running shoes`, as lists of notes say it; null: the note is about the whole project. */
export function noteSubject({ keyword, tag }: Note): string | null {
  if (keyword !== undefined) return `keyword ${keyword}`;
  return tag === undefined ? null : `tag ${tag}`;
}

/**
 * The notes that may explain a change between two local dates. Both dates count: the hours of the event and of the
 * check are unknown.
 */
export function notesBetween(notes: readonly Note[], from: string, to: string): Note[] {
  return notes.filter(({ date, until = date }) => until >= from && date <= to);
}

/**
 * The notes about a keyword from the day of a baseline to that of a check, as rows print them. Instants are UTC
 * milliseconds; null: there is none.
 */
export function noteTextsBetween(
  notes: readonly Note[],
  row: TaggedKeyword,
  timezone: string,
  from: number | null,
  until: number | null,
): readonly string[] {
  if (notes.length === 0 || from === null || until === null) return [];
  const between = notesBetween(notes, localDate(from, timezone), localDate(until, timezone)).filter((note) =>
    isNoteAbout(note, row),
  );
  const alike = Map.groupBy(between, ({ text, rowText = text }) => rowText);
  return [...alike].map(([text, of]) => `note ${of.map(({ date }) => date).join(', ')}: ${text}`);
}
