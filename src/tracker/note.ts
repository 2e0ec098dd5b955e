// Notes: what happened on a day that a reader of changes should know, such as a release or an update of a search engine. Pure.
import { isDate } from './baseline.ts';
import { localDate } from './local-time.ts';

export interface Note {
  /** Local date, `2026-11-20`. */
  readonly date: string;
  readonly text: string;
  /** Null: for all projects. */
  readonly project: string | null;
}

/** Long enough for a sentence; it stands in cells and on charts. */
const noteCharactersMax = 200;

/** White space collapsed and trimmed. */
export function normalNote(written: string): string {
  return written.normalize('NFC').replace(/\s+/g, ' ').trim();
}

/** What is wrong with the text of a note; undefined where it can be shown. */
export function noteComplaint(written: string): string | undefined {
  const text = normalNote(written);
  if (text === '') return 'the note is blank';
  if (text.length > noteCharactersMax) return `the note is longer than ${noteCharactersMax} characters`;
  if (/\p{Cc}/u.test(text) || !text.isWellFormed()) return 'the note holds control characters or broken text';
  return undefined;
}

/** What is wrong with the date of a note; undefined where the calendar has it. */
export function noteDateComplaint(written: string): string | undefined {
  return isDate(written) ? undefined : `"${written}" is no date: write 2026-11-20`;
}

/** `note 2026-11-03: core update` */
export function noteText({ date, text }: Note): string {
  return `note ${date}: ${text}`;
}

/**
 * The notes that a change between two local dates may be the doing of. Both dates count: nobody knows at what hour of its day a thing happened, nor
 * whether the check of that day saw it.
 */
export function notesBetween(notes: readonly Note[], from: string, to: string): Note[] {
  return notes.filter(({ date }) => date >= from && date <= to);
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
