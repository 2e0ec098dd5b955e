// Searches and keywords: their keys and spellings, close variants, and searches at the points of a grid.
import { sumOf } from './figures.ts';
import type { Grid } from './grid.ts';
import { getOrInsert } from './maps.ts';
import { marketName, type Search, type TrackedKeyword } from './project.ts';

/** The key of a search in maps: spellings of one search are equal. */
export function searchKey({ keyword, market }: Search): string {
  return `${foldSearch(keyword, market.language)}\0${market.service}\0${marketName(market)}`;
}

/** Languages in which the capital of i is another letter than that of ı: engines may take them for two words. */
const dottedLanguages = /^(?:tr|az)\b/i;

/**
 * Equal for spellings that an engine takes for one search in this language: case, runs of white space of any kind, and
 * the form of Unicode (NFC). Not equal: compatibility forms (full width, ligatures, `m²`), accents, `ß` and `ss`, and
 * in Turkish and Azerbaijani capitals of i.
 */
export function foldSearch(keyword: string, language: string): string {
  if (!dottedLanguages.test(language)) return foldKeyword(keyword);
  return normalText(keyword).replace(/[^Iİ]+/g, (others) => others.toLowerCase());
}

/**
 * Of keywords that several projects spell differently: each group of spellings, in the order of the config. One
 * project has each search once.
 */
export function sharedSpellings(
  projects: readonly { readonly keywords: readonly Pick<TrackedKeyword, 'keyword' | 'language'>[] }[],
): string[][] {
  if (projects.length < 2) return [];
  const first = new Map<string, string>();
  const groups = new Map<string, Set<string>>();
  const apart = new Set<string>();
  for (const { keywords } of projects)
    for (const { keyword, language } of keywords) {
      const fold = foldKeyword(keyword);
      // a spelling is one for all markets
      if (foldSearch(keyword, language) !== fold) apart.add(fold);
      const known = first.get(fold);
      if (known === undefined) first.set(fold, keyword);
      else if (known !== keyword) getOrInsert(groups, fold, () => new Set([known])).add(keyword);
    }
  return [...groups].flatMap(([fold, spellings]) => (apart.has(fold) ? [] : [[...spellings]]));
}

/** Words of printable ASCII with one space between them, as most keywords are. */
const plain = /^[!-~]+(?: [!-~]+)*$/;

/** NFC, white space collapsed and trimmed: as keywords and notes are kept. */
export function normalText(written: string): string {
  return written.normalize('NFC').replace(/\s+/g, ' ').trim();
}

/** Equal for spellings of one keyword: search engines ignore case and spaces. */
export function foldKeyword(keyword: string): string {
  return (plain.test(keyword) ? keyword : normalText(keyword)).toLowerCase();
}

/** How many searches these keywords make. */
export function countSearches(keywords: readonly Pick<TrackedKeyword, 'devices'>[]): number {
  return sumOf(keywords, ({ devices }) => devices.length);
}

/** A grid in numbers. */
export interface GridSearches {
  readonly size: number;
  readonly spacing: string;
  readonly points: number;
  readonly keywords: number;
  readonly searches: number;
}

export function keywordsAtPoints(
  keywords: readonly TrackedKeyword[],
  points: ReadonlySet<string>,
): readonly TrackedKeyword[] {
  return keywords.filter(({ location }) => location !== undefined && points.has(location));
}

/** `atPoints`: the keywords at its points, each once a point. */
export function gridSearches({ size, spacing, points }: Grid, atPoints: readonly TrackedKeyword[]): GridSearches {
  const count = new Set(points).size;
  return { size, spacing, points: count, keywords: atPoints.length / count, searches: countSearches(atPoints) };
}

/**
 * The words that close variants of a keyword share: without case, accents, punctuation, order, repetition and common
 * endings (`-s`, `-es`, `-ies`, `-e`). Alone this is too coarse: metrics must be equal too, see `variantKey`.
 */
export function variantWords(keyword: string): string {
  const stems: string[] = [];
  for (const word of splitWords(keyword)) {
    const stem = stemWord(word);
    if (stem !== '' && !stems.includes(stem)) stems.push(stem);
  }
  return stems.sort().join(' ');
}

/** Most keywords are lower-case letters and spaces, which need no normalisation. */
function splitWords(keyword: string): string[] {
  if (/^[a-z0-9 ]*$/.test(keyword)) return keyword.split(' ');
  return keyword
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}|(?<=\p{L})['\u2019](?=\p{L})/gu, '')
    .split(/[^\p{L}\p{N}]+/u);
}

/** Metrics that close variants share. */
interface VariantMetrics {
  readonly searchVolume: number | null;
  readonly cpcMicroUsd: number | null;
  readonly competition: number | null;
  readonly competitionLevel: string | null;
}

/**
 * The key of a variant group: same words, volume, cost and competition. Null if there is no volume to count twice:
 * none, or 0.
 */
export function variantKey(words: string, metrics: VariantMetrics): string | null {
  const { searchVolume, cpcMicroUsd, competition, competitionLevel } = metrics;
  if (searchVolume === null || searchVolume === 0 || words === '') return null;
  return `${searchVolume}|${cpcMicroUsd ?? ''}|${competition ?? ''}|${competitionLevel ?? ''}|${words}`;
}

/** `shoes` and `shoe`, `boxes` and `box`, `berries` and `berry`, `Schuhe` and `Schuh` have the same stem. */
function stemWord(word: string): string {
  if (word.length <= 3) return word;
  const one = word.endsWith('s') ? word.slice(0, -1) : word;
  const bare = one.endsWith('e') ? one.slice(0, -1) : one;
  return bare.endsWith('y') ? `${bare.slice(0, -1)}i` : bare;
}
