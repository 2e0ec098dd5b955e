// Parses ranks, volumes, devices and countries. The meaning of a sign depends on the tool; nothing is guessed.
import type { ImportedRanking } from './reading.ts';

/** Signs of a tool, in lower case. */
export interface Signs {
  readonly notFound: readonly string[];
  readonly unclear: readonly string[];
}

/** Signs of many tools with no certain meaning. */
export const unclearSigns: readonly string[] = ['0', '-1', '-', '\u2013', '\u2014', '--'];
const nothingSigns: ReadonlySet<string> = new Set(['', 'n/a', 'na', 'null', 'nan', 'none', 'nil', '?', '#n/a']);
const notFoundWords: ReadonlySet<string> = new Set([
  'not found',
  'not_found',
  'not ranked',
  'not ranking',
  'unranked',
  'no rank',
  'lost',
  'dropped',
  'dropped out',
  'out',
]);

const nothing: ImportedRanking = { kind: 'nothing' };

/**
 * Parses a ranking among the first `top` results. A rank is a whole number (`7`, `7.0`, `7,0`); a fraction is an
 * average. A rank beyond `top` is rejected, because the tool did not search there.
 */
export function parseRanking(cell: string, signs: Signs, notFound: readonly string[], top: number): ImportedRanking {
  const said = cell.toLowerCase();
  if (notFound.includes(said)) return { kind: 'notFound', top: null };
  if (signs.notFound.includes(said)) return { kind: 'notFound', top: null };
  if (signs.unclear.includes(said)) return { kind: 'refused', reason: 'unclear' };
  if (nothingSigns.has(said)) return nothing;
  if (notFoundWords.has(said)) return { kind: 'notFound', top: null };
  const [, below] = /^(?:>|over |beyond |not in (?:the )?top |out of (?:the )?top )\s*(\d{1,4})$/.exec(said) ?? [];
  const beyond = below ?? /^(\d{1,4})\+$/.exec(said)?.[1];
  if (beyond !== undefined) return { kind: 'notFound', top: Number(beyond) };
  if (/^\d{1,6}[.,]\d{1,12}$/.test(said) && !/^\d+[.,]0{1,2}$/.test(said)) return fractionOrThousands(said, top);
  const [, digits] = /^(\d{1,9})(?:[.,]0{1,2})?$/.exec(said) ?? [];
  const rank = digits === undefined ? 0 : Number(digits);
  if (rank < 1) return { kind: 'refused', reason: digits === undefined ? 'unreadable_rank' : 'unclear' };
  return rank > top ? { kind: 'refused', reason: 'beyond_top' } : { kind: 'ranked', rank };
}

/** `1,234` is a thousand or a fraction. Either way it is not a rank, unless `top` exceeds a thousand. */
function fractionOrThousands(said: string, top: number): ImportedRanking {
  const isGrouped = /^[1-9]\d{0,2}[.,]\d{3}$/.test(said);
  return { kind: 'refused', reason: isGrouped && top >= 1000 ? 'unreadable_rank' : 'average' };
}

/** Parses searches a month: `1,300`, `1.300`, `1 300`, `1300`; null for ranges, words and fractions. */
export function parseWholeVolume(cell: string): number | null {
  const digits = /^\d{1,3}(?:([,.' \u00a0\u202f])\d{3})(?:\1\d{3})*$/.test(cell) ? cell.replace(/\D/g, '') : cell;
  return /^\d{1,12}$/.test(digits) ? Number(digits) : null;
}

/** Parses `desktop`, `D`, `Mobile phone`...; null: neither. */
export function parseDevice(written: string): 'desktop' | 'mobile' | null {
  if (/^(d|desktop|pc|computer)$/i.test(written)) return 'desktop';
  return /^(m|mobile|smartphone|phone|mobile phone)$/i.test(written) ? 'mobile' : null;
}

/** Common names that the runtime does not know. */
const otherNames: readonly (readonly [name: string, code: string])[] = [
  ['usa', 'US'],
  ['united states of america', 'US'],
  ['great britain', 'GB'],
  ['turkey', 'TR'],
  ['czech republic', 'CZ'],
  ['ivory coast', 'CI'],
  ['swaziland', 'SZ'],
  ['east timor', 'TL'],
  ['burma', 'MM'],
  ['palestine', 'PS'],
  ['macedonia', 'MK'],
  ['viet nam', 'VN'],
  ['russian federation', 'RU'],
  ['democratic republic of the congo', 'CD'],
  ['republic of the congo', 'CG'],
];
let codesByName: ReadonlyMap<string, string> | undefined;

/** The ISO 3166-1 code of a code or an English country name; null: unknown. */
export function parseCountry(written: string): string | null {
  if (/^[a-z]{2}$/i.test(written)) return written.toUpperCase() === 'UK' ? 'GB' : written.toUpperCase();
  codesByName ??= new Map([...namedCountries(), ...otherNames]);
  return codesByName.get(plainName(written)) ?? null;
}

/** Codes by long and short name: `Hong Kong` is a short one. */
function* namedCountries(): Generator<readonly [string, string]> {
  const styles = (['long', 'short'] as const).map(
    (style) => new Intl.DisplayNames('en', { type: 'region', style, fallback: 'none' }),
  );
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  for (const code of letters.flatMap((first) => letters.map((second) => first + second))) {
    // obsolete codes have the name of their successor
    if (new Intl.Locale(`und-${code}`).region !== code) continue;
    for (const names of styles) {
      const name = names.of(code);
      if (name !== undefined) yield [plainName(name), code];
    }
  }
}

/** Normalises a country name: `Saint Kitts and Nevis`, `St. Kitts & Nevis`, `Myanmar [Burma]`, `Côte d’Ivoire`. */
function plainName(name: string): string {
  return name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[([].*$/s, '')
    .replaceAll('&', 'and')
    .replace(/\bst\./g, 'saint')
    .replaceAll('’', "'")
    .trim();
}
