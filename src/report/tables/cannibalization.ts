// cannibalization.csv: keywords for which several pages of an own target rank at once, or alternate.

import type { Serp, SerpRow, SerpSites } from '../../read/serp.ts';
import { classifyDestination, pageIdentity } from '../../tracker/targets/target.ts';
import { columnsOf, searchTable } from '../formats/columns.ts';

/** How many complete checks are searched for alternating URLs: enough to show them, few enough to be current. */
export const alternationChecksMax = 10;

type CannibalizationKind = 'several_urls' | 'url_flips' | 'not_checked';

/** One line of the table. */
interface CannibalizationRow {
  readonly of: SerpRow;
  readonly kinds: readonly CannibalizationKind[];
  readonly target: string | null;
  /** Best rank of each page of the target. */
  readonly ranks: readonly number[];
  readonly urls: readonly string[];
  /** Null: no baseline read as many pages. */
  readonly previousCount: number | null;
  readonly alternation: UrlAlternation | null;
}

/** How the ranking URL changed from check to check. */
interface UrlAlternation {
  /** Complete checks, including this one. */
  readonly checks: number;
  readonly flips: number;
  /** The URLs that ranked, newest first, each once. */
  readonly urls: readonly string[];
}

/** The ranking URLs of the newest complete checks of a search, newest first; null: not found. */
export type UrlHistory = readonly (number | null)[];

const { text, number, list } = columnsOf<CannibalizationRow>();

export const cannibalizationTable = searchTable<CannibalizationRow>([
  text('target', 'Own target as configured', (row) => row.target),
  list(
    'kind',
    'several_urls (several of its URLs are on the results pages), url_flips (its ranking URL alternates), or not_checked',
    (row) => row.kinds,
  ),
  number('url_count', 'Number of its URLs on the results pages', (row) =>
    row.target === null ? null : row.ranks.length,
  ),
  number(
    'previous_url_count',
    'The same in the baseline; empty if that read another number of pages',
    (row) => row.previousCount,
  ),
  list('ranks', 'Best rank of each URL, in ascending order', (row) => row.ranks.map(String)),
  list('urls', 'Their URLs, in the same order', (row) => row.urls),
  number(
    'flips',
    'How often the best ranking URL differed from the previous check, without checks that have no rank',
    (row) => row.alternation?.flips ?? null,
  ),
  number(
    'flip_checks',
    `Complete checks of the same source that were compared: the newest, at most ${alternationChecksMax}`,
    (row) => row.alternation?.checks ?? null,
  ),
  list(
    'flip_urls',
    'URLs that ranked best in these checks, newest first; only where there were flips',
    (row) => row.alternation?.urls ?? [],
  ),
]);

/** `histories`: one per own target, in order. */
export function cannibalizationRows(
  of: SerpRow,
  histories: readonly UrlHistory[],
  sites: SerpSites,
): CannibalizationRow[] {
  const { now } = of;
  if (now === null) {
    const nothing = { ranks: [], urls: [], previousCount: null, alternation: null };
    return [{ of, kinds: ['not_checked'], target: null, ...nothing }];
  }
  return sites.targets.flatMap(({ value, role }, index) => {
    if (role !== 'own') return [];
    const ranks = bestRankPerPage(now, index, sites);
    const alternation = findAlternation(histories[index] ?? [], sites);
    const kinds: CannibalizationKind[] = [];
    if (ranks.length > 1) kinds.push('several_urls');
    if (alternation.flips > 0) kinds.push('url_flips');
    if (kinds.length === 0) return [];
    const urls = ranks.map((rank) => sites.url(now.urlIds[rank - 1] ?? 0));
    return [{ of, kinds, target: value, ranks, urls, previousCount: countBefore(of, index, sites), alternation }];
  });
}

/** Best rank of each page of a target. Spellings of one page count once. */
function bestRankPerPage({ targets, urlIds }: Serp, target: number, sites: SerpSites): readonly number[] {
  const ranks = targets[target] ?? [];
  if (ranks.length < 2) return ranks;
  const known = new Set<string | null>([null]);
  return ranks.filter((rank) => {
    const key = pageOf(urlIds[rank - 1] ?? 0, sites);
    if (known.has(key)) return false;
    known.add(key);
    return true;
  });
}

function countBefore({ now, before }: SerpRow, target: number, sites: SerpSites): number | null {
  if (now === null || before === null || now.pages !== before.pages) return null;
  return bestRankPerPage(before, target, sites).length;
}

function findAlternation(history: UrlHistory, sites: SerpSites): UrlAlternation {
  const still = { checks: history.length, flips: 0, urls: [] };
  if (!mayAlternate(history)) return still;
  let newer: number | null = null;
  let newerKey: string | null = null;
  let flips = 0;
  for (const urlId of history) {
    if (urlId === null || urlId === newer) continue;
    const key = pageOf(urlId, sites);
    if (key === null) continue;
    if (newer !== null && key !== newerKey) flips += 1;
    newer = urlId;
    newerKey = key;
  }
  return flips === 0 ? still : { checks: history.length, flips, urls: distinctUrls(history, sites) };
}

/** Whether more than one URL ranked: only then their texts are needed. */
export function mayAlternate(history: UrlHistory): boolean {
  let first: number | null = null;
  for (const urlId of history) {
    if (urlId === null || urlId === first) continue;
    if (first !== null) return true;
    first = urlId;
  }
  return false;
}

function distinctUrls(history: UrlHistory, sites: SerpSites): string[] {
  const byKey = new Map<string, string>();
  for (const urlId of history) {
    if (urlId === null) continue;
    const key = pageOf(urlId, sites);
    if (key !== null && !byKey.has(key)) byKey.set(key, sites.url(urlId));
  }
  return [...byKey.values()];
}

/** The common key of spellings of a page; null: the page is unknown. */
function pageOf(urlId: number, sites: SerpSites): string | null {
  const url = sites.url(urlId);
  return classifyDestination(url) === 'exact' ? pageIdentity(url) : null;
}
