// SerpBear: a domain's keywords as CSV (one day, never quoted), or as JSON from its API or database (all days).
import { parseCountry } from '../../tracker/countries.ts';
import { localDate } from '../../tracker/schedule/local-time.ts';
import { parseDate } from '../cells/dates.ts';
import { placeInCells } from '../cells/places.ts';
import { parseDevice, parseRanking, parseWholeVolume, type Signs } from '../cells/values.ts';
import type { Reading, ReadOptions, RejectedCell } from './reading.ts';
import { isKeyword, normalKeywordText, shortened, type TableFormat, webAddress } from './table.ts';

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
    const columns = new Map([
      ['keyword', at('keyword')] as const,
      ['rank', at('position')] as const,
      ['url', at('url')] as const,
      ['country', at('country')] as const,
      ['device', at('device')] as const,
      ['date', at('updated')] as const,
    ]);
    const locations = ['city', 'state'].map(at).filter((column) => column !== -1);
    return { width: cells.length, columns, dated: [], locations };
  },
  /** Unquoted tags joined by commas run past the last column. */
  repaired: (cells, { width }) => cells.slice(0, width),
  // an unquoted comma in a keyword shifts the device to another column
  refusalOf: (cells, { columns }) =>
    parseDevice(cells[columns.get('device') ?? -1] ?? '') === null ? 'broken_row' : null,
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
    const keyword = normalKeywordText(asText(entry.keyword));
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
