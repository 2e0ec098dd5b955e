// Parses month names of column headers in seven languages as `2026-01`.
import { plainWord } from './amounts.ts';

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
