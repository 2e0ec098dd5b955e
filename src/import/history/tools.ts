// Rank histories of single tools: Semrush, serposcope, SerpBear and Search Console.

import { parseCountry } from '../../tracker/countries.ts';
import { localDate } from '../../tracker/schedule/local-time.ts';
import { normalText } from '../../tracker/searches.ts';
import { parseDate } from '../cells/dates.ts';
import { cellAt, parseDevice, parseRanking, parseWholeVolume, placeInCells, type Signs } from '../cells/values.ts';
import { performanceLayout } from './performance-report.ts';
import {
  type ColumnRole,
  type DatedColumn,
  isKeyword,
  type Layout,
  type Reading,
  type ReadOptions,
  type RejectedCell,
  shortened,
  type TableFormat,
  webAddress,
} from './table.ts';

const datedHeader = /^(.+)_(\d{8})$/;

/** Semrush searches 100 results and writes a dash for "not found". */
export const semrush: TableFormat = {
  name: 'semrush',
  signs: { notFound: ['-'], unclear: ['0'] },
  layoutOf(header, { timezone }, { above }) {
    const keyword = header.findIndex((cell) => cell.toLowerCase() === 'keyword');
    const volume = header.findIndex((cell) => cell.toLowerCase() === 'search volume');
    const dated = header.flatMap((cell, rank): DatedColumn[] => {
      const [, target = '', written] = datedHeader.exec(cell) ?? [];
      const day = written === undefined ? undefined : parseDate(written, timezone, 'ymd');
      if (day === undefined || 'refused' in day) return [];
      const beside = (name: string): number | null => {
        const found = header.indexOf(`${cell}_${name}`);
        return found === -1 ? null : found;
      };
      return [{ date: day.date, target, rank, url: beside('landing'), element: beside('type'), device: null }];
    });
    if (keyword === -1 || dated.length === 0) return null;
    const columns = new Map([['keyword', keyword] as const, ...(volume === -1 ? [] : [['volume', volume] as const])]);
    return { width: header.length, columns, dated, ...readCampaign(above) };
  },
};

/**
 * Device and location of the campaign, from the lines above the header: `Device: mobile`, `Location: Texas, United
 * States (Google) - English`. The caller's options decide where device or country is unknown.
 */
function readCampaign(above: readonly (readonly string[])[]): Pick<Layout, 'market' | 'place'> {
  const lines = above.map((cells) => cells.filter((cell) => cell !== '').join(', '));
  const said = (name: string): string => {
    const line = lines.find((text) => text.toLowerCase().startsWith(`${name}:`)) ?? '';
    return line
      .slice(name.length + 1)
      .replaceAll('"', '')
      .trim();
  };
  const [place = ''] = said('location').split(/ \(| - /);
  const places = place.split(',').map((part) => part.trim());
  const country = parseCountry(places.at(-1) ?? '');
  const market = { country, device: parseDevice(said('device')) };
  return country !== null && places.length > 1 ? { market, place: shortened(place) } : { market };
}

const begin = ['date', 'rank', 'url', 'target', 'keyword', 'device'];
const end = ['datacenter', 'local', 'custom'];
const urlColumn = begin.indexOf('url');

/** serposcope writes 32767 for "not found"; a blank cell is a search that the run did not reach. */
export const serposcope: TableFormat = {
  name: 'serposcope',
  signs: { notFound: ['32767', '-'], unclear: ['0'] },
  layoutOf(header) {
    const names = header.map((cell) => cell.toLowerCase());
    const isOurs = begin.every((name, at) => names[at] === name) && end.every((name) => names.includes(name));
    if (!isOurs) return null;
    const roles: ColumnRole[] = ['date', 'rank', 'url', 'target', 'keyword', 'device', 'country'];
    const columns = new Map(
      roles.flatMap((role) => (names.includes(role) ? [[role, names.indexOf(role)] as const] : [])),
    );
    return { width: header.length, columns, dated: [], locations: [names.indexOf('local')] };
  },
  repaired(cells, { width }) {
    const more = cells.length - width;
    if (more <= 0) return cells;
    const url = cells.slice(urlColumn, urlColumn + more + 1).join(',');
    return [...cells.slice(0, urlColumn), url, ...cells.slice(urlColumn + more + 1)];
  },
};

export const searchConsole: TableFormat = {
  name: 'search-console',
  signs: { notFound: [], unclear: [] },
  layoutOf(header, _options, { below }) {
    const found = performanceLayout(header, below);
    if (found === null) return null;
    const { width, hasHeader } = found;
    return { width, hasHeader, columns: new Map([['keyword', Math.max(found.name, 0)]]), dated: [] };
  },
  refusalOf: () => 'average',
};

/**
 * The API response: `{"rows": [{"keys": [...], "clicks", "impressions", "ctr", "position"}]}`. Null: another document.
 */
export function searchConsoleRows(document: unknown): readonly object[] | null {
  const rows = (document as { rows?: unknown } | null)?.rows;
  if (!Array.isArray(rows) || rows.length === 0) return null;
  return rows.every((row) => typeof row === 'object' && row !== null && 'impressions' in row && 'position' in row)
    ? rows
    : null;
}

export function* searchConsoleReadings(rows: readonly object[]): Generator<Reading | RejectedCell> {
  for (const [index, row] of rows.entries()) {
    yield { line: index + 1, refused: 'average', said: shortened(JSON.stringify(row)) };
  }
}

/** SerpBear writes 0 and a dash both for "not found" and for a failed check. */
const signs: Signs = { notFound: [], unclear: ['0', '-'] };
const header = ['id', 'keyword', 'position', 'url', 'country', 'device', 'updated', 'added', 'tags'];
/** More than half a century: not a history. */
const daysMax = 20_000;

export const serpbear: TableFormat = {
  name: 'serpbear',
  signs,
  layoutOf(cells) {
    const names = cells.map((cell) => cell.toLowerCase());
    if (!header.every((name) => names.includes(name)) || names.at(-1) !== 'tags') return null;
    const at = (name: string): number => names.indexOf(name);
    const columns = new Map<ColumnRole, number>([
      ...(['keyword', 'url', 'country', 'device'] as const).map((role) => [role, at(role)] as const),
      ['rank', at('position')],
      ['date', at('updated')],
    ]);
    const locations = ['city', 'state'].map(at).filter((column) => column !== -1);
    return { width: cells.length, columns, dated: [], locations };
  },
  /** Unquoted tags joined by commas run past the last column. */
  repaired: (cells, { width }) => cells.slice(0, width),
  // an unquoted comma in a keyword shifts the device to another column
  refusalOf: (cells, { columns }) => (parseDevice(cellAt(cells, columns.get('device'))) === null ? 'broken_row' : null),
};

interface KeywordEntry {
  readonly keyword?: unknown;
  readonly domain?: unknown;
  readonly device?: unknown;
  readonly country?: unknown;
  readonly city?: unknown;
  readonly state?: unknown;
  readonly volume?: unknown;
  readonly url?: unknown;
  readonly lastUpdated?: unknown;
  readonly lastUpdateError?: unknown;
  readonly history?: unknown;
}

/**
 * `{"keywords": [...]}` from the API, or the rows of the table `keyword`. Entries count as lines. Null: another
 * document.
 */
export function serpbearEntries(document: unknown): readonly KeywordEntry[] | null {
  const list = Array.isArray(document) ? document : (document as { keywords?: unknown } | null)?.keywords;
  if (!Array.isArray(list)) return null;
  const isOurs = list.every(
    (entry) => typeof entry === 'object' && entry !== null && 'keyword' in entry && 'history' in entry,
  );
  return isOurs && list.length > 0 ? (list as KeywordEntry[]) : null;
}

export function* serpbearReadings(
  entries: readonly KeywordEntry[],
  options: ReadOptions,
): Generator<Reading | RejectedCell> {
  for (const [index, entry] of entries.entries()) {
    const line = index + 1;
    const keyword = normalText(asText(entry.keyword));
    const country = parseCountry(asText(entry.country));
    const device = parseDevice(asText(entry.device));
    const days = parseHistory(entry.history);
    if (!isKeyword(keyword)) yield { line, refused: 'bad_keyword', said: shortened(asText(entry.keyword)) };
    else if (days === null) yield { line, refused: 'broken_row', said: shortened(`${keyword}: its history`) };
    else
      yield* entryReadings(
        { line, keyword, country, device, location: entryPlace(entry), target: asText(entry.domain) || null },
        entry,
        days,
        options,
      );
  }
}

/** `Boise, ID`, of an entry of `serpbearEntries`. */
export function entryPlace({ city, state }: KeywordEntry): string | null {
  return placeInCells([asText(city), asText(state)], [0, 1]);
}

type Common = Pick<Reading, 'line' | 'keyword' | 'country' | 'device' | 'location' | 'target'>;

function* entryReadings(
  common: Common,
  entry: KeywordEntry,
  days: readonly (readonly [string, unknown])[],
  options: ReadOptions,
): Generator<Reading | RejectedCell> {
  const { line, keyword } = common;
  const failedOn = parseFailureDay(entry.lastUpdateError, options.timezone);
  const updated = parseDate(asText(entry.lastUpdated), options.timezone, 'ymd');
  const lastDay = 'date' in updated ? updated.date : '';
  for (const [written, said] of days) {
    const day = parseDate(written, options.timezone, 'ymd');
    const ranking = parseRanking(asText(said), signs, options.notFound, options.top);
    if ('refused' in day) yield { line, refused: day.refused, said: shortened(`${keyword}: ${written}`) };
    // SerpBear repeats the last rank on a day whose check failed
    else if (ranking.kind === 'refused' || day.date === failedOn) {
      const refused = ranking.kind === 'refused' ? ranking.reason : 'unclear';
      yield { line, refused, said: shortened(`${keyword} ${day.date}: ${asText(said)}`) };
    } else {
      const isLast = day.date === lastDay;
      const volume = isLast ? parseWholeVolume(asText(entry.volume)) : null;
      yield {
        ...common,
        date: day.date,
        language: null,
        url: isLast ? webAddress(asText(entry.url)) : null,
        volume: volume === 0 ? null : volume,
        ranking,
      };
    }
  }
}

/** `{"2026-3-7": 12}`, or the same as JSON text. Null: neither. */
function parseHistory(history: unknown): readonly (readonly [string, unknown])[] | null {
  const parsed = typeof history === 'string' ? parsedJson(history) : history;
  if (typeof parsed !== 'object' || parsed === null) return null;
  if (Array.isArray(parsed)) return parsed.length === 0 ? [] : null;
  const days = Object.entries(parsed);
  return days.length > daysMax ? null : days;
}

/** The local date of the last failure, written as an object or as JSON text; null: none. */
function parseFailureDay(failure: unknown, timezone: string): string | null {
  const parsed = typeof failure === 'string' ? parsedJson(failure) : failure;
  const isObject = typeof parsed === 'object' && parsed !== null;
  const at = isObject && 'date' in parsed ? Date.parse(asText(parsed.date)) : Number.NaN;
  return Number.isNaN(at) ? null : localDate(at, timezone);
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' ? String(value) : '';
}
