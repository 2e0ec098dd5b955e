// Cannibalization over time: rows for which several own pages took turns.
import { pageIdentity } from '../../tracker/targets/target.ts';
import type { CannibalizationAnswer, KeywordRow, PageTurns } from '../records.ts';

/** The best ranking page of a row on each date of a range; null: none is known. */
export interface RowPages {
  readonly row: KeywordRow;
  readonly urls: readonly (string | null)[];
  readonly ranks: readonly (number | null)[];
}

/**
 * `dates`: the range. `shown`: ascending indices of the dates in the answer, the last of each day, week or month. A
 * flip is a page that differs from that of the date before with a known page; spellings of one page are equal.
 */
export function pageTurns(
  rows: Iterable<RowPages>,
  dates: readonly string[],
  shown: readonly number[],
): CannibalizationAnswer {
  const periodOf = periods(dates.length, shown);
  const ranked = shown.map(() => 0);
  const flips = shown.map(() => 0);
  const found: PageTurns[] = [];
  for (const of of rows) {
    const keys = of.urls.map((url) => (url === null ? null : pageIdentity(url)));
    const flipped = flipDates(keys);
    for (const date of flipped) bump(flips, periodOf[date]);
    for (const [period, last] of shown.entries()) if (keys[last] != null) bump(ranked, period);
    if (flipped.length > 0) found.push(turnsOf(of, keys, flipped.length, dates, shown));
  }
  found.sort((a, b) => b.flips - a.flips || (b.searchVolume ?? -1) - (a.searchVolume ?? -1));
  return {
    dates: shown.map((index) => dates[index] ?? ''),
    ranked,
    flips,
    total: found.length,
    rows: found,
  };
}

/** By date: the index of the shown date that ends its period. */
function periods(count: number, shown: readonly number[]): number[] {
  let period = 0;
  return Array.from({ length: count }, (_, date) => {
    while (period < shown.length - 1 && date > (shown[period] ?? 0)) period += 1;
    return period;
  });
}

function flipDates(keys: readonly (string | null)[]): number[] {
  const found: number[] = [];
  let last: string | null = null;
  for (const [date, key] of keys.entries()) {
    if (key === null) continue;
    if (last !== null && key !== last) found.push(date);
    last = key;
  }
  return found;
}

function bump(counts: number[], index: number | undefined): void {
  if (index !== undefined) counts[index] = (counts[index] ?? 0) + 1;
}

function turnsOf(
  { row, urls, ranks }: RowPages,
  keys: readonly (string | null)[],
  flips: number,
  dates: readonly string[],
  shown: readonly number[],
): PageTurns {
  const byPage = new Map<string, { url: string; dates: number; bestRank: number | null; last: string }>();
  for (const [date, key] of keys.entries()) {
    if (key === null) continue;
    const rank = ranks[date] ?? null;
    const known = byPage.get(key) ?? { url: '', dates: 0, bestRank: null, last: '' };
    byPage.set(key, {
      url: urls[date] ?? known.url,
      dates: known.dates + 1,
      bestRank: rank === null ? known.bestRank : Math.min(rank, known.bestRank ?? rank),
      last: dates[date] ?? '',
    });
  }
  const pages = [...byPage].sort(([, a], [, b]) => b.dates - a.dates || (a.last < b.last ? 1 : -1));
  const indexOf = new Map(pages.map(([key], index) => [key, index]));
  const { id, keyword, country, language, device, location, target, rank, url, preferredUrl, searchVolume } = row;
  return {
    id,
    keyword,
    country,
    language,
    device,
    location,
    target,
    rank,
    url,
    preferredUrl,
    searchVolume,
    flips,
    pages: pages.map(([, page]) => page),
    turns: shown.map((date) => indexOf.get(keys[date] ?? '') ?? null),
  };
}
