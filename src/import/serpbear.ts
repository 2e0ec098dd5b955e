// SerpBear: the list of a domain as CSV (never quoted, one day each), and its keywords as JSON (all days), from its API or its database.
import { localDate } from '../tracker/local-time.ts';
import { readDate } from './dates.ts';
import type { Reading, ReadOptions, Refused } from './reading.ts';
import { isKeyword, keywordOf, shortened, type TableFormat, webAddress } from './table.ts';
import { countryOf, deviceOf, placeOf, type Signs, volumeOf } from './values.ts';

/** 0 and its dash stand for "not found" and for a failed check alike. */
const signs: Signs = { notFound: [], unclear: ['0', '-'] };
const header = ['id', 'keyword', 'position', 'url', 'country', 'device', 'updated', 'added', 'tags'];
/** Half a century: what has more days is no history. */
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
    return { width: cells.length, columns, dated: [] };
  },
  /** Tags are joined by commas and not quoted: they run over the end of the row. */
  repaired: (cells, { width }) => cells.slice(0, width),
  refusalOf(cells, { columns }) {
    // a comma in a keyword moves what follows it: the device is then somewhere else
    if (deviceOf(cells[columns.get('device') ?? -1] ?? '') === null) return 'broken_row';
    const [country = 0, device = 0] = [columns.get('country'), columns.get('device')];
    return cells.slice(country + 1, device).some((cell) => cell !== '' && cell !== '-') ? 'location' : null;
  },
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

/** `{"keywords": [...]}` as its API answers, or the rows of its table `keyword`. Entries count as lines. Null: this is something else. */
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
): Generator<Reading | Refused> {
  for (const [index, entry] of entries.entries()) {
    const line = index + 1;
    const keyword = keywordOf(textOf(entry.keyword));
    const country = countryOf(textOf(entry.country));
    const device = deviceOf(textOf(entry.device));
    const days = historyOf(entry.history);
    if (!isKeyword(keyword)) yield { line, refused: 'bad_keyword', said: shortened(textOf(entry.keyword)) };
    else if (days === null) yield { line, refused: 'broken_row', said: shortened(`${keyword}: its history`) };
    else if (textOf(entry.city) !== '' || textOf(entry.state) !== '')
      yield { line, refused: 'location', said: shortened(`${keyword}: ${textOf(entry.city)} ${textOf(entry.state)}`) };
    else
      yield* entryReadings(
        { line, keyword, country, device, target: textOf(entry.domain) || null },
        entry,
        days,
        options,
      );
  }
}

type Common = Pick<Reading, 'line' | 'keyword' | 'country' | 'device' | 'target'>;

function* entryReadings(
  common: Common,
  entry: KeywordEntry,
  days: readonly (readonly [string, unknown])[],
  options: ReadOptions,
): Generator<Reading | Refused> {
  const { line, keyword } = common;
  const failedOn = failureDay(entry.lastUpdateError, options.timezone);
  const updated = readDate(textOf(entry.lastUpdated), options.timezone, 'ymd');
  const lastDay = 'date' in updated ? updated.date : '';
  for (const [written, said] of days) {
    const day = readDate(written, options.timezone, 'ymd');
    const place = placeOf(textOf(said), signs, options.notFound, options.top);
    if ('refused' in day) yield { line, refused: day.refused, said: shortened(`${keyword}: ${written}`) };
    // it writes the last rank again on a day on which the check failed
    else if (place.kind === 'refused' || day.date === failedOn) {
      const refused = place.kind === 'refused' ? place.reason : 'unclear';
      yield { line, refused, said: shortened(`${keyword} ${day.date}: ${textOf(said)}`) };
    } else {
      const isLast = day.date === lastDay;
      const volume = isLast ? volumeOf(textOf(entry.volume)) : null;
      yield {
        ...common,
        date: day.date,
        language: null,
        url: isLast ? webAddress(textOf(entry.url)) : null,
        volume: volume === 0 ? null : volume,
        place,
      };
    }
  }
}

/** `{"2026-3-7": 12}`, or the same as a text. Null where it is neither. */
function historyOf(history: unknown): readonly (readonly [string, unknown])[] | null {
  const parsed = typeof history === 'string' ? parsedJson(history) : history;
  if (typeof parsed !== 'object' || parsed === null) return null;
  if (Array.isArray(parsed)) return parsed.length === 0 ? [] : null;
  const days = Object.entries(parsed);
  return days.length > daysMax ? null : days;
}

/** The local date of the last failure, which is written as an object or as its text; null where there was none. */
function failureDay(failure: unknown, timezone: string): string | null {
  const parsed = typeof failure === 'string' ? parsedJson(failure) : failure;
  const isObject = typeof parsed === 'object' && parsed !== null;
  const at = isObject && 'date' in parsed ? Date.parse(textOf(parsed.date)) : Number.NaN;
  return Number.isNaN(at) ? null : localDate(at, timezone);
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' ? String(value) : '';
}
