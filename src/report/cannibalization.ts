// cannibalization.csv: keywords for which several pages of an own target rank at once, or take turns. What the pages show is serp.ts's part.
import { destinationOf } from '../tracker/destination.ts';
import { pageKey } from '../tracker/target.ts';
import { type CsvOptions, columnNotes } from './csv.ts';
import { type Serp, type SerpRow, type SerpSites, searchTable } from './serp.ts';
import { startLines, type WaitingLines } from './table-lines.ts';

/** So many complete checks are looked at for turns: at one a day enough to see them, and few enough to be of today. */
export const turnChecksMax = 10;

export type CannibalizationKind = 'several_urls' | 'url_flips' | 'not_checked';

/** One line of the table. */
export interface CannibalizationRow {
  readonly of: SerpRow;
  readonly kinds: readonly CannibalizationKind[];
  readonly target: string | null;
  /** Best rank of each page of the target. */
  readonly ranks: readonly number[];
  readonly urls: readonly string[];
  /** Null: there is no baseline that read as many pages. */
  readonly previousCount: number | null;
  readonly turns: Turns | null;
}

/** How the ranking URL changed from check to check. */
export interface Turns {
  /** Complete checks looked at, this one among them. */
  readonly checks: number;
  readonly flips: number;
  /** URLs that ranked in them, newest first, each once. */
  readonly urls: readonly string[];
}

/** The URLs that ranked in the newest complete checks of a search, newest first; null where the target was not found. */
export type UrlHistory = readonly (number | null)[];

/** The columns of cannibalization.csv, in order. */
const table = searchTable<CannibalizationRow>([
  { name: 'target', kind: 'text', description: 'Own target as configured', value: (row) => row.target },
  {
    name: 'kind',
    kind: 'list',
    description:
      'several_urls (more than one of its pages is on the results pages), url_flips (they take turns), or not_checked',
    value: (row) => row.kinds,
  },
  {
    name: 'url_count',
    kind: 'number',
    description: 'Its pages on the results pages',
    value: (row) => (row.target === null ? null : row.ranks.length),
  },
  {
    name: 'previous_url_count',
    kind: 'number',
    description: 'The same in the baseline; empty where that read another number of pages',
    value: (row) => row.previousCount,
  },
  {
    name: 'ranks',
    kind: 'list',
    description: 'Best rank of each, in order',
    value: (row) => row.ranks.map(String),
  },
  { name: 'urls', kind: 'list', description: 'Their URLs, in the same order', value: (row) => row.urls },
  {
    name: 'flips',
    kind: 'number',
    description: 'How often another page ranked best than in the check before, checks without a rank left out',
    value: (row) => row.turns?.flips ?? null,
  },
  {
    name: 'flip_checks',
    kind: 'number',
    description: `Complete checks of the same source that were looked at: the newest, at most ${turnChecksMax}`,
    value: (row) => row.turns?.checks ?? null,
  },
  {
    name: 'flip_urls',
    kind: 'list',
    description: 'URLs that ranked best in these checks, newest first; only where there were flips',
    value: (row) => row.turns?.urls ?? [],
  },
]);

/** Name, kind and meaning of each column, for the documentation. */
export const cannibalizationColumnNotes = () => columnNotes(table.columns);

/** Collects the lines of searches that come one by one. */
export interface Cannibalization {
  /** `histories`: one an own target, in their order. */
  add(row: SerpRow, histories: readonly UrlHistory[]): void;
  readonly lines: WaitingLines;
}

/** Starts an empty table. */
export function startCannibalization(sites: SerpSites, options: CsvOptions): Cannibalization {
  const lines = startLines(table.columns, options, table.shared);
  return {
    lines,
    add(of, histories) {
      const { now } = of;
      if (now === null) {
        const nothing = { ranks: [], urls: [], previousCount: null, turns: null };
        lines.add({ of, kinds: ['not_checked'], target: null, ...nothing });
        return;
      }
      sites.targets.forEach(({ value, role }, index) => {
        if (role !== 'own') return;
        const ranks = pagesOf(now, index, sites);
        const turns = turnsOf(histories[index] ?? [], sites);
        const kinds: CannibalizationKind[] = [];
        if (ranks.length > 1) kinds.push('several_urls');
        if (turns.flips > 0) kinds.push('url_flips');
        if (kinds.length === 0) return;
        const urls = ranks.map((rank) => sites.url(now.urlIds[rank - 1] ?? 0));
        lines.add({ of, kinds, target: value, ranks, urls, previousCount: countBefore(of, index, sites), turns });
      });
    },
  };
}

/** Best rank of each page of a target. Two spellings of one page are one. */
function pagesOf({ targets, urlIds }: Serp, target: number, sites: SerpSites): readonly number[] {
  const ranks = targets[target] ?? [];
  if (ranks.length < 2) return ranks;
  const known = new Set<string | null>([null]);
  return ranks.filter((rank) => {
    const key = keyOf(urlIds[rank - 1] ?? 0, sites);
    if (known.has(key)) return false;
    known.add(key);
    return true;
  });
}

function countBefore({ now, before }: SerpRow, target: number, sites: SerpSites): number | null {
  if (now === null || before === null || now.pages !== before.pages) return null;
  return pagesOf(before, target, sites).length;
}

function turnsOf(history: UrlHistory, sites: SerpSites): Turns {
  let newer: number | null = null;
  let flips = 0;
  for (const urlId of history) {
    if (urlId === null) continue;
    if (keyOf(urlId, sites) === null) continue;
    if (newer !== null && urlId !== newer && keyOf(urlId, sites) !== keyOf(newer, sites)) flips += 1;
    newer = urlId;
  }
  return { checks: history.length, flips, urls: flips === 0 ? [] : distinctUrls(history, sites) };
}

function distinctUrls(history: UrlHistory, sites: SerpSites): string[] {
  const byKey = new Map<string, string>();
  for (const urlId of history) {
    if (urlId === null) continue;
    const key = keyOf(urlId, sites);
    if (key !== null && !byKey.has(key)) byKey.set(key, sites.url(urlId));
  }
  return [...byKey.values()];
}

/** What two spellings of one page share; null where the page is not known. */
function keyOf(urlId: number, sites: SerpSites): string | null {
  const url = sites.url(urlId);
  return destinationOf(url) === 'exact' ? (pageKey(url) ?? url) : null;
}
