// Notes: dated events that explain changes, such as a release or an update of a search engine. Pure.

import { isDate, localDate } from '../schedule/local-time.ts';

export interface Note {
  /** Local date, `2026-11-20`. */
  readonly date: string;
  readonly text: string;
  /** In its place in each of many rows; absent: `text`. */
  readonly rowText?: string;
  /** Null: all projects. */
  readonly project: string | null;
}

/** Long enough for a sentence; reports print it in cells and on charts. */
const noteCharactersMax = 200;

/** Collapses and trims white space. */
export function normalNote(written: string): string {
  return written.normalize('NFC').replace(/\s+/g, ' ').trim();
}

/** What is wrong with the text of a note; undefined: nothing. */
export function noteComplaint(written: string): string | undefined {
  const text = normalNote(written);
  if (text === '') return 'the note is empty';
  if (text.length > noteCharactersMax) return `the note is longer than ${noteCharactersMax} characters`;
  if (/\p{Cc}/u.test(text) || !text.isWellFormed()) return 'the note contains control characters or broken text';
  return undefined;
}

/** What is wrong with the date of a note; undefined: nothing. */
export function noteDateComplaint(written: string): string | undefined {
  return isDate(written) ? undefined : `"${written}" is not a date: write 2026-11-20`;
}

/**
 * The notes that may explain a change between two local dates. Both dates count: the hours of the event and of the
 * check are unknown.
 */
export function notesBetween(notes: readonly Note[], from: string, to: string): Note[] {
  return notes.filter(({ date }) => date >= from && date <= to);
}

/**
 * The notes from the day of a baseline to that of a check, as rows print them. Instants are UTC milliseconds; null:
 * there is none.
 */
export function noteTextsBetween(
  notes: readonly Note[],
  timezone: string,
  from: number | null,
  until: number | null,
): readonly string[] {
  if (notes.length === 0 || from === null || until === null) return [];
  const between = notesBetween(notes, localDate(from, timezone), localDate(until, timezone));
  const alike = Map.groupBy(between, ({ text, rowText = text }) => rowText);
  return [...alike].map(([text, of]) => `note ${of.map(({ date }) => date).join(', ')}: ${text}`);
}
