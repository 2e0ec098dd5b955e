// Parses volumes, ranges, money and shares in the notations of several languages. Ambiguous cells are rejected.
import { parseWholeVolume } from './values.ts';

const nothingSigns: ReadonlySet<string> = new Set([
  '',
  ...'- -- \u2013 \u2014 \u221e ? n/a na n/d n.a. #n/a nan null none nil'.split(' '),
]);

type Volume =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'range'; readonly low: number; readonly high: number | null }
  | { readonly kind: 'nothing' | 'unreadable' };

export type Amount =
  | { readonly kind: 'number'; readonly value: number; readonly currency: string | null }
  | { readonly kind: 'nothing' | 'unreadable' | 'unclear' };

export function isNothing(cell: string): boolean {
  return nothingSigns.has(cell.toLowerCase());
}

/** Longest cell parsed as a number or a range: the patterns below take quadratic time. */
const cellCharsMax = 100;

/**
 * Words for thousands and millions, and the Indian lakh and crore. `mil` is a thousand in Spanish and Portuguese, which
 * write ranges with it.
 */
const multipliers: readonly (readonly [factor: number, words: readonly string[]])[] = [
  [1_000, ['k', 'tsd', 'mil', 'mila', 'dzd', 'duizend']],
  [100_000, ['l', 'lakh']],
  [10_000_000, ['cr', 'crore']],
  [1_000_000, ['m', 'mio', 'mi', 'mln', 'mill', 'million', 'millions', 'milhao', 'milhoes', 'millon', 'millones']],
];
const factors: ReadonlyMap<string, number> = new Map(
  multipliers.flatMap(([factor, words]) => words.map((word) => [word, factor] as const)),
);

/**
 * Parses searches a month: a whole number (`1300`, `1,300`, `1.300`, `1 300`, `1300.0`), or a range (`10-100`, `1K -
 * 10K`, `1 Tsd. - 10 Tsd.`, `10K+`, `< 10`). Abbreviated numbers such as `1.2K` are rounded and therefore rejected.
 */
export function parseVolume(cell: string): Volume {
  if (isNothing(cell)) return { kind: 'nothing' };
  if (cell.length > cellCharsMax) return { kind: 'unreadable' };
  const number = parseWhole(cell);
  if (number !== null) return { kind: 'number', value: number };
  const [, sign, bound = ''] = /^([<>\u2264\u2265])\s*(.+)$/.exec(cell) ?? [];
  const [, open] = /^(.+?)\s*\+$/.exec(cell) ?? [];
  if (sign !== undefined || open !== undefined) {
    const value = parseBound(open ?? bound);
    if (value === null) return { kind: 'unreadable' };
    return sign === '<' || sign === '\u2264'
      ? { kind: 'range', low: 0, high: value }
      : { kind: 'range', low: value, high: null };
  }
  const [low, high, ...others] = cell
    .split(/\s*[-\u2010-\u2015]\s*|\s+(?:to|bis|\u00e0|a|tot)\s+/i)
    .map((part) => parseBound(part));
  if (low == null || high == null || others.length > 0 || high < low) return { kind: 'unreadable' };
  return { kind: 'range', low, high };
}

function parseWhole(cell: string): number | null {
  return parseWholeVolume(cell.replace(/^(\d+)[.,]0{1,2}$/, '$1'));
}

/** Parses the bound of a range: `10K`, `1 Tsd.`, `100 mil`, `1.000`, `1M`. */
function parseBound(written: string): number | null {
  const [, digits = '', word = ''] = /^([\d.,'\u2019 \u00a0\u202f]*\d)\s*(\p{L}*)\.?$/u.exec(written.trim()) ?? [];
  const number = parseWhole(digits);
  const factor = word === '' ? 1 : factors.get(plainWord(word));
  return number === null || factor === undefined ? null : number * factor;
}

const symbols: ReadonlyMap<string, string> = new Map([
  ['us$', 'USD'],
  ['\u20ac', 'EUR'],
  ['\u00a3', 'GBP'],
  ['r$', 'BRL'],
]);
let knownCurrencies: ReadonlySet<string> | undefined;

/** A currency code such as `EUR`, in any case; null: not a currency. */
export function parseCurrency(written: string): string | null {
  const code = written.trim().toUpperCase();
  knownCurrencies ??= new Set(Intl.supportedValuesOf('currency'));
  return knownCurrencies.has(code) ? code : (symbols.get(written.trim().toLowerCase()) ?? null);
}

/** Parses money: `1.20`, `1,20`, `1.234,56`, with a code or a sign before or after it. A bare `$` is ambiguous. */
export function parseAmount(cell: string): Amount {
  if (isNothing(cell)) return { kind: 'nothing' };
  if (cell.length > cellCharsMax) return { kind: 'unreadable' };
  const [, before = '', digits = '', after = ''] =
    /^([\p{L}$\p{Sc}]*)\s*([\d.,'\u2019 \u00a0\u202f]*\d)\s*([\p{L}$\p{Sc}]*)$/u.exec(cell) ?? [];
  const sign = `${before}${after}`;
  const currency = sign === '' ? null : parseCurrency(sign);
  if (digits === '' || (currency === null && sign !== '' && !/^\p{Sc}$/u.test(sign))) return { kind: 'unreadable' };
  const value = parseDecimal(digits);
  return value === 'unreadable' || value === 'unclear' ? { kind: value } : { kind: 'number', value, currency };
}

/**
 * Parses a decimal number with either separator. If both occur, the last is the decimal one. A single separator before
 * exactly three digits is ambiguous, unless a zero precedes it.
 */
export function parseDecimal(written: string): number | 'unreadable' | 'unclear' {
  const text = written.replace(/['\u2019 \u00a0\u202f]/g, '');
  if (/^\d{1,12}$/.test(text)) return Number(text);
  if (/^0?[.,]\d{1,9}$/.test(text)) return Number(text.replace(',', '.'));
  if (/^\d{1,3}[.,]\d{3}$/.test(text)) return 'unclear';
  if (/^\d{1,12}[.,]\d{1,9}$/.test(text)) return Number(text.replace(',', '.'));
  const [, whole = '', fraction = ''] =
    /^(\d{1,3}(?:,\d{3})+)\.(\d{1,9})$/.exec(text) ?? /^(\d{1,3}(?:\.\d{3})+),(\d{1,9})$/.exec(text) ?? [];
  if (whole !== '') return Number(`${whole.replace(/\D/g, '')}.${fraction}`);
  const isGrouped = /^\d{1,3}(?:,\d{3}){2,}$/.test(text) || /^\d{1,3}(?:\.\d{3}){2,}$/.test(text);
  return isGrouped ? Number(text.replace(/\D/g, '')) : 'unreadable';
}

const levelWords: Readonly<Record<'low' | 'medium' | 'high', readonly string[]>> = {
  low: ['low', 'niedrig', 'gering', 'faible', 'baja', 'bajo', 'bassa', 'basso', 'baixa', 'baixo', 'laag'],
  medium: ['medium', 'mittel', 'moyenne', 'moyen', 'media', 'medio', 'gemiddeld', 'matig'],
  high: ['high', 'hoch', 'elevee', 'eleve', 'forte', 'fort', 'alta', 'alto', 'elevata', 'hoog'],
};
const levels: ReadonlyMap<string, 'low' | 'medium' | 'high'> = new Map(
  (['low', 'medium', 'high'] as const).flatMap((level) => levelWords[level].map((word) => [word, level] as const)),
);
const unknownLevels: ReadonlySet<string> = new Set(
  (
    'unknown unspecified unbekannt inconnue inconnu desconocida desconocido sconosciuta sconosciuto ' +
    'desconhecida desconhecido onbekend'
  ).split(' '),
);

/** Parses a level of competition in seven languages; null: not a level. */
export function parseLevel(cell: string): 'low' | 'medium' | 'high' | 'nothing' | null {
  const word = plainWord(cell);
  if (isNothing(cell) || unknownLevels.has(word)) return 'nothing';
  return levels.get(word) ?? null;
}

/** Lower case without accents. */
export function plainWord(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim();
}
