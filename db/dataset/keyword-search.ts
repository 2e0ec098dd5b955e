// Full-text search of a keyword dataset: indexed text, queries, and ids that sort by volume. Pure.

/** Scripts that write no spaces between words. Two neighbouring characters stand for a word there. */
const spaceless =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc]+/gu;
const character = /\P{M}\p{M}*/gu;

/**
 * From this length a word also matches words that begin with it; a longer one matches its forms: `shoe` for `shoes`,
 * `Schuhe` for `Schuh`.
 */
const beginningCharsMin = 4;
const charactersAloneMin = 3;
/** More words than a question needs to be answered; a pasted text has no end. */
const wordsMax = 12;

/**
 * The indexed text of a keyword. The last character of a run is also indexed alone, so that one character is found
 * anywhere.
 */
export function indexedText(key: string): string {
  return key.replace(spaceless, (run) => {
    const characters = run.match(character) ?? [run];
    return ` ${[...characterPairs(characters), characters.at(-1)].join(' ')} `;
  });
}

/** The words of a keyword, each as a term of FTS5; none where it has no word. */
export function searchTerms(key: string): string[] {
  const spaced = key.replaceAll('*', ' ').replace(spaceless, (run) => {
    const characters = run.match(character) ?? [run];
    return characters.length === 1 ? ` ${run}* ` : ` ${characterPairs(characters).join(' ')} `;
  });
  const terms = [...spaced.matchAll(/([\p{L}\p{M}\p{N}]+)(\*?)/gu)].map(([, text = '', alone]) =>
    alone === '' ? searchTerm(text) : `"${text}"*`,
  );
  return [...new Set(terms)].slice(0, wordsMax);
}

/**
 * Whether a single shared term makes a keyword related: not `to` and `a`, but one character of a script without spaces.
 */
export function saysSomething(term: string): boolean {
  return (term.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= charactersAloneMin || term.search(spaceless) !== -1;
}

function searchTerm(text: string): string {
  const characters = [...text];
  if (characters.length < beginningCharsMin || !/^[\p{L}\p{M}]+$/u.test(text)) return `"${text}"`;
  return `"${characters.length === beginningCharsMin ? text : characters.slice(0, -1).join('')}"*`;
}

function characterPairs(characters: readonly string[]): string[] {
  return characters.slice(1).map((second, at) => `${characters[at]}${second}`);
}

/** 2^31 keywords, and as many that were replaced. */
const sequenceSpan = 2 ** 31;
const volumeClasses = 256;
const marketSpan = sequenceSpan * volumeClasses;
/** A volume that grows by about 9 % enters the next class, which gives its keyword another id. */
const classesPerDoubling = 8;
const unknownClass = volumeClasses - 1;

/** `sequence`: the keyword's number in the dataset. Higher volumes get lower ids; unknown volumes come last. */
export function datasetId(market: number, volume: number | null, sequence: number): number {
  return market * marketSpan + toVolumeClass(volume) * sequenceSpan + sequence;
}

export function toSequence(id: number): number {
  return id % sequenceSpan;
}

export function firstDatasetId(market: number): number {
  return market * marketSpan;
}

export function lastDatasetId(market: number): number {
  return (market + 1) * marketSpan - 1;
}

function toVolumeClass(volume: number | null): number {
  if (volume === null) return unknownClass;
  const fromTop = unknownClass - 1 - Math.floor(Math.log2(volume + 1) * classesPerDoubling);
  return Math.max(0, fromTop);
}
