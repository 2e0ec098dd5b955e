// Ranks, elements, volumes, devices and places in cells. The meaning of a sign depends on the tool; nothing is guessed.
import { parseCountry } from '../../tracker/countries.ts';

/** The cell of a column; blank where the row is too short, or the table has no such column. */
export function cellAt(cells: readonly string[], column: number | undefined | null): string {
  return cells[column ?? -1] ?? '';
}

/** The ranking in a cell. */
export type ImportedRanking =
  | { readonly kind: 'ranked'; readonly rank: number }
  /** `top`: how many results were searched; null: as many as the tool searches. */
  | { readonly kind: 'notFound'; readonly top: number | null }
  /** Blank: not checked, or unknown. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'refused'; readonly reason: 'unclear' | 'beyond_top' | 'unreadable_rank' | 'average' };

/** Signs of a tool, in lower case. */
export interface Signs {
  readonly notFound: readonly string[];
  readonly unclear: readonly string[];
}

/** Signs of many tools with no certain meaning. */
export const unclearSigns: readonly string[] = ['0', '-1', '-', '\u2013', '\u2014', '--'];
const nothingSigns: ReadonlySet<string> = new Set([
  '',
  ...'n/a, na, null, nan, none, nil, ?, #n/a, no rank for date'.split(', '),
]);
const notFoundWords: ReadonlySet<string> = new Set(
  ('not found, not_found, not ranked, not ranking, unranked, no rank, lost, dropped, dropped out, ' + 'out').split(
    ', ',
  ),
);

/**
 * Parses a ranking among the first `top` results. A rank is a whole number (`7`, `7.0`, `7,0`); a fraction is an
 * average. A rank beyond `top` is rejected, because the tool did not search there.
 */
export function parseRanking(cell: string, signs: Signs, notFound: readonly string[], top: number): ImportedRanking {
  const said = cell.toLowerCase();
  if (notFound.includes(said) || signs.notFound.includes(said)) return { kind: 'notFound', top: null };
  if (signs.unclear.includes(said)) return { kind: 'refused', reason: 'unclear' };
  if (nothingSigns.has(said)) return { kind: 'nothing' };
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

/** Parts of words for organic results, in many languages, and words that may stand beside them. */
const organicWord = new RegExp(
  `^(${(
    'organi orgaan orgán органи органіч οργανικ オーガニック 自然 有机 有機 오가닉 자연 אורגנ عضوي طبيعي ऑर्गेनिक ' +
    'ออร์แกนิก naturel naturlig'
  )
    .split(' ')
    .map(bareWord)
    .join('|')})`,
  'u',
);
const besideOrganic: ReadonlySet<string> = new Set(
  'result results search listing listings link resultat resultats resultado resultados risultato risultati ergebnis ergebnisse'.split(
    ' ',
  ),
);
const elementWord =
  /snippet|people also|overview|\b(local|image|video|map)s?\b|pack|sitelink|knowledge|shopping|product|stories|\bnews\b|\bads?\b|paid|carousel|twitter|tweet|review|answer|faq|jobs|hotel|flight|discussion|recipe|featured/;

function bareWord(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

/** Whether the name of an element of a results page is that of an organic result: `Organic`, `Organisch`. */
export function isOrganic(element: string): boolean {
  const words = bareWord(element).match(/[\p{L}\p{N}]+/gu) ?? [];
  const others = words.filter((word) => !organicWord.test(word));
  return others.length < words.length && others.every((word) => besideOrganic.has(word));
}

/** The cells of a column that say anything. */
function saidIn(below: readonly (readonly string[])[], column: number): string[] {
  return below.map((cells) => cellAt(cells, column)).filter((cell) => cell !== '');
}

/** Whether a column names elements of results pages, organic ones among them: `Organic`, `AI overview`. */
export function areElements(below: readonly (readonly string[])[], column: number): boolean {
  const said = saidIn(below, column);
  return said.some(isOrganic) && said.every((cell) => isOrganic(cell) || elementWord.test(cell.toLowerCase()));
}

/** Digits in groups of three, with one sign between them; in India, of two and at last of three (`1,00,000`). */
const grouped = /^\d{1,3}(?:([,.'\u2019 \u00a0\u202f])\d{3})(?:\1\d{3})*$|^\d{1,2}(?:,\d{2})+,\d{3}$/;

const groupingSigns = [',', '.', '\u2019', ' '] as const;
export type GroupingSign = (typeof groupingSigns)[number];
/** Digits in groups, with any apostrophe or space as one of each. */
const groupedWhole = /^\d{1,3}(?:([,.\u2019 ])\d{3})(?:\1\d{3})*$|^\d{1,2}(?:(,)\d{2})+,\d{3}$/;

function plainSigns(cell: string): string {
  return cell.replace(/['\u2019\u02bc]/g, '\u2019').replace(/[\s\u00a0\u2009\u202f]/g, ' ');
}

/** The decimal sign of numbers such as `7.41` and `3,53 %`; null: they show none, or both. */
export function decimalSign(cells: Iterable<string>): '.' | ',' | null {
  const signs = new Set<string>();
  for (const cell of cells) {
    const [, sign, decimals = ''] = /^[%\u066a]?\s*\d+([.,])(\d{1,12})\s*[%\u066a]?$/.exec(cell) ?? [];
    if (sign !== undefined && decimals.length !== 3) signs.add(sign);
  }
  const [only, ...others] = signs;
  return (only === '.' || only === ',') && others.length === 0 ? only : null;
}

/**
 * The sign between groups of three digits in a column of whole numbers, decided by all of its cells, and by the decimal
 * sign of the file if it is known. Undefined: no cell has one. Null: the cells contradict each other, or each has one
 * sign before three digits, so that it may also be a decimal one (`1.234`), and `proves` does not deny that either.
 * Cells that are no numbers say nothing.
 */
export function groupingSign(
  cells: Iterable<string>,
  decimal: '.' | ',' | null,
  proves: (sign: GroupingSign) => boolean,
): GroupingSign | null | undefined {
  let sign: string | undefined;
  let isProven = false;
  let hasFraction = false;
  for (const cell of cells) {
    const written = plainSigns(cell);
    if (/^\d{1,12}$/.test(written)) {
      isProven ||= written.length <= 3;
      continue;
    }
    const [, usual, indian] = groupedWhole.exec(written) ?? [];
    const found = usual ?? indian;
    if (found === undefined) {
      hasFraction ||= /^\d+[.,]\d+$/.test(written);
      continue;
    }
    if (sign !== undefined && sign !== found) return null;
    sign = found;
    isProven ||= !/^\d+[.,]\d{3}$/.test(written);
  }
  const known = groupingSigns.find((each) => each === sign);
  if (known === undefined) return undefined;
  if (hasFraction || known === decimal) return null;
  return isProven || decimal !== null || proves(known) ? known : null;
}

/** The digits of a whole number with this sign between its groups; another cell as it is. */
export function withoutGroups(cell: string, sign: GroupingSign): string {
  const written = plainSigns(cell);
  return written.includes(sign) && groupedWhole.test(written) ? written.replace(/\D/g, '') : cell;
}

/** Parses searches a month: `1,300`, `1.300`, `1 300`, `1300`; null for ranges, words and fractions. */
export function parseWholeVolume(cell: string): number | null {
  const digits = grouped.test(cell) ? cell.replace(/\D/g, '') : cell;
  return /^\d{1,12}$/.test(digits) ? Number(digits) : null;
}

/** Parses `desktop`, `D`, `Mobile phone`...; null: neither. */
export function parseDevice(written: string): 'desktop' | 'mobile' | null {
  if (/^(d|desktop|pc|computer)$/i.test(written)) return 'desktop';
  return /^(m|mobile|smartphone|phone|mobile phone)$/i.test(written) ? 'mobile' : null;
}

/** Whether every cell below names a device, where it names anything. */
export function areDevices(below: readonly (readonly string[])[], column: number): boolean {
  const said = saidIn(below, column);
  return said.length > 0 && said.every((cell) => parseDevice(cell) !== null);
}

interface WrittenPlace {
  /** ISO 3166-1; null: not said. */
  readonly country: string | null;
  /** Inside the country, as written; null: the country as a whole. */
  readonly place: string | null;
}

/** `United Kingdom`, `Austin, Texas, United States`, `Boise, ID`. Null: neither a country nor parts of a place. */
export function parsePlace(written: string): WrittenPlace | null {
  const whole = parseCountry(written);
  if (whole !== null) return { country: whole, place: null };
  const parts = written
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const last = parts.at(-1) ?? '';
  if (parts.length < 2) return null;
  // behind a city, two letters are a state rather than a country: Boise, ID
  const isState = /^[a-z]{2}$/i.test(last) && !/^(us|uk)$/i.test(last);
  return { country: isState ? null : parseCountry(last), place: parts.join(', ') };
}

/** What cells with city, region or a whole place say together. Null: nothing beyond a country. */
export function placeInCells(cells: readonly string[], columns: readonly number[]): string | null {
  const said = columns.map((at) => cellAt(cells, at)).filter((cell) => cell !== '' && cell !== '-');
  const place = said.join(', ');
  return place === '' || parseCountry(place) !== null ? null : place;
}
