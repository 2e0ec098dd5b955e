// Close variants: keywords that a planner of ads counts as one, and whose volumes must not be added up. Pure.

/**
 * What the close variants of a keyword have in common: its words without case, accents, punctuation, order, repetition and their commonest endings
 * (`-s`, `-es`, `-ies`, `-e`). Much too coarse to say that two keywords mean the same: metrics have to be the same as well, see `variantKey`.
 */
export function wordsOfVariant(keyword: string): string {
  const stems: string[] = [];
  for (const word of wordsOf(keyword)) {
    const stem = stemOf(word);
    if (stem !== '' && !stems.includes(stem)) stems.push(stem);
  }
  return stems.sort().join(' ');
}

/** Most keywords are small letters and spaces, in which there is nothing to make the same. */
function wordsOf(keyword: string): string[] {
  if (/^[a-z0-9 ]*$/.test(keyword)) return keyword.split(' ');
  return keyword
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}|(?<=\p{L})['\u2019](?=\p{L})/gu, '')
    .split(/[^\p{L}\p{N}]+/u);
}

/** Metrics by which variants are known. */
export interface VariantMetrics {
  readonly searchVolume: number | null;
  readonly cpcMicroUsd: number | null;
  readonly competition: number | null;
  readonly competitionLevel: string | null;
}

/**
 * The group that a keyword belongs to: the same words, and the same volume, cost and competition. Null where there is nothing that could be counted twice:
 * no volume, or 0.
 */
export function variantKey(words: string, metrics: VariantMetrics): string | null {
  const { searchVolume, cpcMicroUsd, competition, competitionLevel } = metrics;
  if (searchVolume === null || searchVolume === 0 || words === '') return null;
  return `${searchVolume}|${cpcMicroUsd ?? ''}|${competition ?? ''}|${competitionLevel ?? ''}|${words}`;
}

/** `shoes` and `shoe`, `boxes` and `box`, `berries` and `berry`, `Schuhe` and `Schuh` come to the same. */
function stemOf(word: string): string {
  if (word.length <= 3) return word;
  const one = word.endsWith('s') ? word.slice(0, -1) : word;
  const bare = one.endsWith('e') ? one.slice(0, -1) : one;
  return bare.endsWith('y') ? `${bare.slice(0, -1)}i` : bare;
}
