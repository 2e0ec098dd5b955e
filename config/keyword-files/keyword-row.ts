// Parses one row of a keyword file into a keyword.

import { parseCountry } from '../../src/tracker/countries.ts';
import type { Device, Priority } from '../../src/tracker/project.ts';
import { countryComplaint, languageComplaint } from '../rules/markets.ts';
import { depthMax, keywordComplaint, normalKeyword, preferredUrlComplaint, tagComplaint } from './keyword-text.ts';

/** One keyword as written, in YAML or CSV; missing values come from its project. */
export interface KeywordEntry {
  /** Normalised. */
  readonly keyword: string;
  readonly country?: string;
  readonly language?: string;
  /** As written: a place, a coordinate or none. */
  readonly location?: string | undefined;
  readonly devices?: readonly Device[];
  readonly tags?: readonly string[];
  readonly priority?: Priority;
  readonly depth?: number;
  readonly preferredUrl?: string;
}

export const keywordColumns = [
  'keyword',
  'country',
  'language',
  'device',
  'tags',
  'priority',
  'depth',
  'preferred_url',
  'location',
] as const;
export type KeywordColumn = (typeof keywordColumns)[number];

/** The value of a cell, or what is wrong with it. */
type Meaning<T> = { readonly value: T } | { readonly complaint: string };

const deviceLists = new Map<string, readonly Device[]>([
  ['desktop', ['desktop']],
  ['mobile', ['mobile']],
  ['desktop|mobile', ['desktop', 'mobile']],
  ['mobile|desktop', ['desktop', 'mobile']],
]);
const priorities = new Map<string, Priority>([
  ['high', 'high'],
  ['normal', 'normal'],
  ['low', 'low'],
]);

function checked(cell: string, complaint: string | undefined): Meaning<string> {
  return complaint === undefined ? { value: cell } : { complaint };
}

/** A country code, `UK`, or an English country name. */
function parseMarketCountry(cell: string): Meaning<string> {
  const complaint = countryComplaint(cell);
  if (complaint === undefined) return { value: cell };
  const code = parseCountry(cell);
  return code !== null && countryComplaint(code) === undefined ? { value: code } : { complaint };
}

function parseDevices(cell: string): Meaning<readonly Device[]> {
  const value = deviceLists.get(cell.toLowerCase().replaceAll(' ', ''));
  return value === undefined ? { complaint: `"${cell}" is not desktop, mobile or desktop|mobile` } : { value };
}

function parseTags(cell: string): Meaning<readonly string[]> {
  const value = cell.split('|').map((tag) => tag.trim());
  const complaint = value.map(tagComplaint).find((found) => found !== undefined);
  return complaint === undefined ? { value } : { complaint };
}

function parsePriority(cell: string): Meaning<Priority> {
  const value = priorities.get(cell.toLowerCase());
  return value === undefined ? { complaint: `"${cell}" is not high, normal or low` } : { value };
}

function parseDepth(cell: string): Meaning<number> {
  const value = /^\d{1,3}$/.test(cell) ? Number(cell) : 0;
  const fits = value >= 1 && value <= depthMax;
  return fits ? { value } : { complaint: `"${cell}" is not a whole number from 1 to ${depthMax}` };
}

/**
 * Caches parsed cells: a million rows have few distinct countries and tag lists, which then share memory. Errors are
 * not cached.
 */
function cached<T>(meaningOf: (cell: string) => Meaning<T>): (cell: string) => Meaning<T> {
  const known = new Map<string, Meaning<T>>();
  return (cell) => {
    const before = known.get(cell);
    if (before !== undefined) return before;
    const meaning = meaningOf(cell);
    if ('value' in meaning && known.size < rememberedMax) known.set(cell, meaning);
    return meaning;
  };
}

const rememberedMax = 100_000;

/** Called for every bad cell. A row with one is dropped. */
export type OnBadCell = (column: KeywordColumn, message: string) => void;

/** Reads one cell into the entry; returns what is wrong with it. */
interface CellReader {
  readonly column: KeywordColumn;
  readonly read: (row: readonly string[], entry: Mutable<KeywordEntry>) => string | undefined;
}

/** A parser of the rows of one file with these columns; undefined marks an unknown column. */
export function rowReader(
  columns: readonly (KeywordColumn | undefined)[],
): (row: readonly string[], onBadCell: OnBadCell) => KeywordEntry | undefined {
  /** None where the file lacks the column. */
  const reader = <Key extends keyof KeywordEntry>(
    column: KeywordColumn,
    key: Key,
    meaningOf: (cell: string) => Meaning<KeywordEntry[Key]>,
  ): CellReader[] => {
    const index = columns.indexOf(column);
    if (index === -1) return [];
    const read: CellReader['read'] = (row, entry) => {
      const cell = row[index]?.trim() ?? '';
      if (cell === '') return undefined;
      const meaning = meaningOf(cell);
      if ('complaint' in meaning) return meaning.complaint;
      entry[key] = meaning.value;
      return undefined;
    };
    return [{ column, read }];
  };
  const readers: readonly CellReader[] = [
    ...reader('country', 'country', cached(parseMarketCountry)),
    ...reader(
      'language',
      'language',
      cached((cell) => checked(cell, languageComplaint(cell))),
    ),
    ...reader('location', 'location', (value) => ({ value })),
    ...reader('device', 'devices', cached(parseDevices)),
    ...reader('tags', 'tags', cached(parseTags)),
    ...reader('priority', 'priority', cached(parsePriority)),
    ...reader('depth', 'depth', cached(parseDepth)),
    ...reader('preferred_url', 'preferredUrl', (cell) => checked(cell, preferredUrlComplaint(cell))),
  ];
  const keywordAt = columns.indexOf('keyword');
  return (row, onBadCell) => {
    const entry: Mutable<KeywordEntry> = { keyword: normalKeyword(row[keywordAt] ?? '') };
    const complaint = keywordComplaint(entry.keyword);
    if (complaint !== undefined) onBadCell('keyword', complaint);
    let good = complaint === undefined;
    for (const { column, read } of readers) {
      const badCell = read(row, entry);
      if (badCell === undefined) continue;
      good = false;
      onBadCell(column, badCell);
    }
    return good ? entry : undefined;
  };
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

type Defined<T> = { [Key in keyof T]: Exclude<T[Key], undefined> };

/** Drops undefined values: the schema keeps them for optional keys. */
export function definedOnly<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, held]) => held !== undefined)) as Defined<T>;
}
