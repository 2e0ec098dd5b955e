// Dates and months in the notations of other tools. An ambiguous order of day and month is rejected.
import { localDate } from '../../tracker/schedule/local-time.ts';
import { plainWord } from './amounts.ts';

export type DateFormat = 'ymd' | 'dmy' | 'mdy';

type ReadDate = { readonly date: string } | { readonly refused: 'unreadable_date' | 'ambiguous_date' };

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const time = String.raw`(?:[T ,]+\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?(?: ?[AP]M)?)?`;
const zone = String.raw`(?: ?(Z|UTC|GMT|[+-]\d{2}:?\d{2}))?`;
const yearFirst = new RegExp(String.raw`^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})${time}${zone}$`, 'i');
const yearFirstCompact = /^((?:19|20)\d{2})(\d{2})(\d{2})$/;
const yearLast = new RegExp(String.raw`^(\d{1,2})([-/.])(\d{1,2})\2(\d{4})${time}$`, 'i');
const monthFirstWords = new RegExp(String.raw`^([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})${time}$`, 'i');
const dayFirstWords = new RegExp(
  String.raw`^(\d{1,2})(?:st|nd|rd|th|\.)?[ -]([a-z]{3,9})\.?[ ,-]*(\d{4})${time}$`,
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

const languages = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl'];
let numbers: ReadonlyMap<string, number> | undefined;

/** Parses `Jan 2026`, `janv. 2026`, `gennaio 2026`, `jan. de 2026`, `2026-01`, `01/2026`; null: not a month. */
export function parseMonth(written: string): string | null {
  const text = plainWord(written);
  const [, named = '', yearAfter = ''] = /^(\p{L}+)\.?(?: de)?[ .-]+(\d{4})$/u.exec(text) ?? [];
  const [, yearFirst = '', second = ''] = /^(\d{4})[-/. ](\d{1,2})$/.exec(text) ?? [];
  const [, first = '', yearLast = ''] = /^(\d{1,2})[-/. ](\d{4})$/.exec(text) ?? [];
  const year = Number(yearAfter || yearFirst || yearLast);
  const month = named === '' ? Number(second || first) : (monthNumbers().get(named) ?? 0);
  if (year < 1990 || year > 2100 || month < 1 || month > 12) return null;
  return `${year}-${String(month).padStart(2, '0')}`;
}

/** The month in a header: alone, or after a colon (`Searches: Jan 2026`). */
export function parseMonthHeader(header: string): string | null {
  return parseMonth(header.slice(header.lastIndexOf(':') + 1));
}

/** All months of an inclusive range; empty if an end is missing, the range is reversed, or too long for a header. */
export function monthsBetween(first: string | null, last: string | null): string[] {
  if (first === null || last === null) return [];
  const start = monthIndex(first);
  const count = monthIndex(last) - start + 1;
  if (count < 1 || count > 240) return [];
  return Array.from({ length: count }, (_, at) => {
    const month = start + at;
    return `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`;
  });
}

function monthIndex(month: string): number {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return year * 12 + number - 1;
}

/** Long and short names, without dots and accents: `mar`, `marz`, `mars`, `mrt`. */
function monthNumbers(): ReadonlyMap<string, number> {
  numbers ??= new Map([['sept', 9], ['mrt', 3], ...languages.flatMap(namesIn)]);
  return numbers;
}

function namesIn(language: string): (readonly [string, number])[] {
  return (['long', 'short'] as const).flatMap((month) => {
    const format = new Intl.DateTimeFormat(language, { month, timeZone: 'UTC' });
    return Array.from({ length: 12 }, (_, at) => {
      const name = plainWord(format.format(Date.UTC(2026, at, 15))).replace(/\.$/, '');
      return [name, at + 1] as const;
    });
  });
}
