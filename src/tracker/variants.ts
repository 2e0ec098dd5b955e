// Close variants: keywords that an ad planner counts as one, so that their volumes must not be added up. Pure.

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
export interface VariantMetrics {
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
