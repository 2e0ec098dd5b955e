// Suggests tags for new keywords: by file, by folder of the page, and by a word that many of them share. Pure.
import { variantWords } from '../../tracker/searches.ts';
import { plainWord } from '../cells/amounts.ts';
import { stopWords } from './stop-words.ts';

export const tagSources = ['file', 'folder', 'cluster'] as const;
export type TagSource = (typeof tagSources)[number];

export interface Untagged {
  readonly keyword: string;
  /** BCP 47. */
  readonly language: string;
  /** Names of the files that list it, without folder and ending. */
  readonly files: readonly string[];
  /** The page that should rank; null: unknown. */
  readonly url: string | null;
}

/** A word makes a cluster from this many keywords on... */
const clusterKeywordsMin = 3;
/** ... and up to this share of all keywords: a word that most of them have distinguishes none. */
const clusterShareMax = 0.5;
const wordCharsMin = 3;

/** The suggested tags of each keyword, in their order. */
export function suggestTags(keywords: readonly Untagged[], sources: ReadonlySet<TagSource>): string[][] {
  const stops = stopWords(new Set(keywords.map(({ language }) => language)));
  const clusters = sources.has('cluster') ? clusterKeywords(keywords, stops) : [];
  return keywords.map(({ files, url }, index) => {
    const folder = sources.has('folder') && url !== null ? parseFolder(url) : null;
    const cluster = clusters[index] ?? null;
    return [
      ...(sources.has('file') ? files : []),
      ...(folder === null || stops.has(plainWord(folder)) ? [] : [folder]),
      ...(cluster === null ? [] : [cluster]),
    ];
  });
}

/** The first folder of a page, without languages: `shoes` of `https://acme.com/en/shoes/red`. */
function parseFolder(url: string): string | null {
  const folders = new URL(url).pathname.split('/').slice(1, -1);
  const [first = ''] = folders.filter((name) => !/^[a-z]{2}(-[a-z]{2})?$/i.test(name));
  try {
    return decodeURIComponent(first) || null;
  } catch {
    return first;
  }
}

/** For each keyword the word that it shares with most others, as it is usually written; null: none. */
function clusterKeywords(keywords: readonly Untagged[], stops: ReadonlySet<string>): (string | null)[] {
  const spellings = new Map<string, Map<string, number>>();
  const stemsOf = keywords.map(({ keyword }) => {
    const stems = new Set<string>();
    for (const word of keyword.toLowerCase().split(/[^\p{L}\p{N}]+/u)) {
      if (word.length < wordCharsMin || stops.has(plainWord(word)) || /^\d+$/.test(word)) continue;
      const stem = variantWords(word);
      if (stems.has(stem)) continue;
      stems.add(stem);
      const written = spellings.get(stem) ?? new Map<string, number>();
      spellings.set(stem, written.set(word, (written.get(word) ?? 0) + 1));
    }
    return stems;
  });
  const counts = new Map<string, number>();
  for (const stem of stemsOf.flatMap((stems) => [...stems])) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  const most = keywords.length * clusterShareMax;
  return stemsOf.map((stems) => {
    const [stem] = [...stems]
      .filter((each) => (counts.get(each) ?? 0) >= clusterKeywordsMin && (counts.get(each) ?? 0) <= most)
      .sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0) || a.localeCompare(b, 'en'));
    return stem === undefined ? null : commonest(spellings.get(stem) ?? new Map());
  });
}

function commonest(written: ReadonlyMap<string, number>): string | null {
  const [first] = [...written].sort(([a, m], [b, n]) => n - m || a.localeCompare(b, 'en'));
  return first?.[0] ?? null;
}
