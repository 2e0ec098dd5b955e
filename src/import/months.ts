// Months as headers write them, in seven languages -> `2026-01`. Anything else is none.
import { plainWord } from './amounts.ts';

const languages = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl'];
let numbers: ReadonlyMap<string, number> | undefined;

/** `Jan 2026`, `janv. 2026`, `gennaio 2026`, `jan. de 2026`, `2026-01`, `01/2026`; null for what is no month. */
export function monthOf(written: string): string | null {
  const text = plainWord(written);
  const [, named = '', yearAfter = ''] = /^(\p{L}+)\.?(?: de)?[ .-]+(\d{4})$/u.exec(text) ?? [];
  const [, yearFirst = '', second = ''] = /^(\d{4})[-/. ](\d{1,2})$/.exec(text) ?? [];
  const [, first = '', yearLast = ''] = /^(\d{1,2})[-/. ](\d{4})$/.exec(text) ?? [];
  const year = Number(yearAfter || yearFirst || yearLast);
  const month = named === '' ? Number(second || first) : (monthNumbers().get(named) ?? 0);
  if (year < 1990 || year > 2100 || month < 1 || month > 12) return null;
  return `${year}-${String(month).padStart(2, '0')}`;
}

/** The month that a header names: by itself, or behind a colon (`Searches: Jan 2026`). */
export function monthOfHeader(header: string): string | null {
  return monthOf(header.slice(header.lastIndexOf(':') + 1));
}

/** All months from one to another; empty where one is none, they are the wrong way round, or too many to be a header's. */
export function monthsBetween(first: string | null, last: string | null): string[] {
  if (first === null || last === null) return [];
  const start = indexOf(first);
  const count = indexOf(last) - start + 1;
  if (count < 1 || count > 240) return [];
  return Array.from({ length: count }, (_, at) => {
    const month = start + at;
    return `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`;
  });
}

function indexOf(month: string): number {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return year * 12 + number - 1;
}

/** Long and short names, without dots and marks: `mar`, `marz`, `mars`, `mrt`. */
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
