// Parses one row of a keyword file into a keyword.

import { parseCountry } from '../src/tracker/country-names.ts';
import type { Device, Priority } from '../src/tracker/project.ts';
import { depthMax, keywordComplaint, normalKeyword, preferredUrlComplaint, tagComplaint } from './keyword-text.ts';
import { countryComplaint, languageComplaint } from './markets.ts';

/** One keyword as written, in YAML or CSV; missing values come from its project. */
export interface KeywordEntry {
  /** Normalised. */
  readonly keyword: string;
  readonly country?: string;
  readonly language?: string;
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
  return fits ? { value } : { complaint: `"${cell}" is no whole number from 1 to ${depthMax}` };
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

/** A parser of the rows of one file with these columns; undefined marks an unknown column. */
export function rowReader(
  columns: readonly (KeywordColumn | undefined)[],
): (row: readonly string[], onBadCell: OnBadCell) => KeywordEntry | undefined {
  const columnIndex = new Map(keywordColumns.map((column) => [column, columns.indexOf(column)]));
  const meanings = {
    country: cached(parseMarketCountry),
    language: cached((cell) => checked(cell, languageComplaint(cell))),
    device: cached(parseDevices),
    tags: cached(parseTags),
    priority: cached(parsePriority),
    depth: cached(parseDepth),
  };
  return (row, onBadCell) => {
    let good = true;
    const complain: OnBadCell = (column, message) => {
      good = false;
      onBadCell(column, message);
    };
    const read = <T>(column: KeywordColumn, meaningOf: (cell: string) => Meaning<T>): T | undefined => {
      const cell = row[columnIndex.get(column) ?? -1]?.trim() ?? '';
      if (cell === '') return undefined;
      const meaning = meaningOf(cell);
      if ('value' in meaning) return meaning.value;
      complain(column, meaning.complaint);
      return undefined;
    };
    const keyword = normalKeyword(row[columnIndex.get('keyword') ?? -1] ?? '');
    const complaint = keywordComplaint(keyword);
    if (complaint !== undefined) complain('keyword', complaint);
    const country = read('country', meanings.country);
    const language = read('language', meanings.language);
    const devices = read('device', meanings.device);
    const tags = read('tags', meanings.tags);
    const priority = read('priority', meanings.priority);
    const depth = read('depth', meanings.depth);
    const preferredUrl = read('preferred_url', (cell) => checked(cell, preferredUrlComplaint(cell)));
    if (!good) return undefined;
    return {
      keyword,
      ...(country === undefined ? {} : { country }),
      ...(language === undefined ? {} : { language }),
      ...(devices === undefined ? {} : { devices }),
      ...(tags === undefined ? {} : { tags }),
      ...(priority === undefined ? {} : { priority }),
      ...(depth === undefined ? {} : { depth }),
      ...(preferredUrl === undefined ? {} : { preferredUrl }),
    };
  };
}
