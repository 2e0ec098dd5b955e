// Parses dates of other tools as local dates. An ambiguous order of day and month is rejected.
import { localDate } from '../../tracker/schedule/local-time.ts';

export type DateFormat = 'ymd' | 'dmy' | 'mdy';

export type ReadDate = { readonly date: string } | { readonly refused: 'unreadable_date' | 'ambiguous_date' };

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const time = String.raw`(?:[T ,]+\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?(?: ?[AP]M)?)?`;
const zone = String.raw`(?: ?(Z|UTC|GMT|[+-]\d{2}:?\d{2}))?`;
const yearFirst = new RegExp(String.raw`^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})${time}${zone}$`, 'i');
const yearFirstCompact = /^((?:19|20)\d{2})(\d{2})(\d{2})$/;
const yearLast = new RegExp(String.raw`^(\d{1,2})([-/.])(\d{1,2})\2(\d{4})${time}$`, 'i');
const monthFirstWords = new RegExp(String.raw`^([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})${time}$`, 'i');
const dayFirstWords = new RegExp(
  String.raw`^(\d{1,2})(?:st|nd|rd|th|\.)?[ -]([a-z]{3,9})\.?[ -,]*(\d{4})${time}$`,
  'i',
);
const isoInstant = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})$/i;
const dateCharsMax = 40;

/**
 * Parses a date as a local date. An instant with a zone is converted to `timezone`; a time without a zone is local.
 * Dotted dates (`27.01.2026`) are day, month, year. With slashes and dashes the order must be specified even if the
 * numbers show it, so that all dates of a file are read alike.
 */
export function parseDate(written: string, timezone: string, format: DateFormat | undefined): ReadDate {
  if (written.length > dateCharsMax) return unreadable;
  if (isoInstant.test(written)) return instantDate(written, timezone);
  const [, year, , month, day] = yearFirst.exec(written) ?? [];
  if (year !== undefined) return calendar(year, month, day);
  const compact = yearFirstCompact.exec(written);
  if (compact !== null) return calendar(compact[1], compact[2], compact[3]);
  const last = yearLast.exec(written);
  if (last !== null) return inOrder(last, format);
  const [, wordMonth, wordDay, wordYear] = monthFirstWords.exec(written) ?? [];
  if (wordMonth !== undefined) return calendar(wordYear, monthNumber(wordMonth), wordDay);
  const [, firstDay, secondMonth, lastYear] = dayFirstWords.exec(written) ?? [];
  return secondMonth === undefined ? unreadable : calendar(lastYear, monthNumber(secondMonth), firstDay);
}

const unreadable: ReadDate = { refused: 'unreadable_date' };

function inOrder([, first, separator, second, year]: RegExpExecArray, format: DateFormat | undefined): ReadDate {
  if (format === 'mdy') return calendar(year, first, second);
  if (format === 'dmy' || separator === '.') return calendar(year, second, first);
  return { refused: 'ambiguous_date' };
}

function instantDate(written: string, timezone: string): ReadDate {
  const day = calendar(written.slice(0, 4), written.slice(5, 7), written.slice(8, 10));
  const at = Date.parse(written.replace(' ', 'T'));
  return 'refused' in day || Number.isNaN(at) ? unreadable : { date: localDate(at, timezone) };
}

function calendar(year: string | undefined, month: string | undefined, day: string | undefined): ReadDate {
  const date = `${year}-${month?.padStart(2, '0')}-${day?.padStart(2, '0')}`;
  const at = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(date) && date >= '1990' ? { date } : unreadable;
}

function monthNumber(word: string): string {
  return String(months.indexOf(word.slice(0, 3).toLowerCase()) + 1);
}
