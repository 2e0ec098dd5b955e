// Tests whether the results of a page match its query: engines serve pages of other searches to suspected robots. Pure.

import type { OrganicResult } from '../model/results/serp.ts';
import {
  distinctiveLengthMin,
  isUnspaced,
  readableAddress,
  sharesStem,
  splitWords,
  wordsSearchedFor,
} from './query-words.ts';

/** A page with fewer results proves nothing about itself. */
const resultsMin = 3;
/** Minimum number of different words per result: pages of names and numbers say nothing about their subject. */
const wordsPerResultMin = 2;
/** A result with so many words of a long query has enough of it. */
const wordsEnough = 3;
/**
 * The share of the query that an average result of a true page has at least. Calibrated on half of the recorded pages,
 * and tested on the others, by `npx vitest run --mode long test/corpus/relevance`: true pages have 0.6 and more.
 */
const shareMin = 0.25;

/**
 * Whether the results have too little of the query on average. False if that cannot be judged: few results, few words.
 * What the page says about itself does not count: decoys have the query in the search box.
 */
export function isDecoy(organic: readonly OrganicResult[], keyword: string): boolean {
  const found = shareOfQuery(organic, keyword);
  // engines translate and transcribe: of results in another script, one with a word of the query is enough
  return found !== undefined && (found.isSameScript ? found.share < shareMin : found.share === 0);
}

interface FoundShare {
  /** The share of the query's words that a result has, as the mean of the list. */
  readonly share: number;
  /** Whether half of the results are in the script of the query. */
  readonly isSameScript: boolean;
}

/** Undefined if it cannot be judged. */
export function shareOfQuery(organic: readonly OrganicResult[], keyword: string): FoundShare | undefined {
  if (organic.length < resultsMin) return undefined;
  const searched = wordsSearchedFor(keyword).flatMap(splitScripts);
  if (!searched.some((word) => isUnspaced(word) || word.length >= distinctiveLengthMin)) return undefined;
  const results = organic.map(collectTexts);
  const wordy = results.map(({ words }) => [...words].filter((word) => !/^\d+$/.test(word) && word.length > 1));
  const different = new Set(wordy.flat()).size;
  if (!isMost(wordy) || different < wordsPerResultMin * results.length) return undefined;
  const scripts = new Set(searched.map(detectScript));
  const shares = results.map((result) => shareIn(result, searched));
  return {
    share: shares.reduce((sum, share) => sum + share, 0) / shares.length,
    isSameScript: isMost(wordy.map((words) => words.filter((word) => scripts.has(detectScript(word))))),
  };
}

/** Whether half of the results have enough words. */
function isMost(wordy: readonly (readonly string[])[]): boolean {
  return 2 * wordy.filter((words) => words.length >= wordsPerResultMin).length >= wordy.length;
}

interface ResultTexts {
  /** Of its title and its description. */
  readonly words: ReadonlySet<string>;
  /** Of everything that it shows, its address included. */
  readonly all: ReadonlySet<string>;
  /** The letters of its title and of its address without separators: "running-shoes" and "runningshoes" are alike. */
  readonly letters: string;
  /** Its words in scripts without spaces. */
  readonly unspaced: string;
}

function collectTexts({ title, description, link, display_link, source, extensions }: OrganicResult): ResultTexts {
  const words = new Set(
    [title, description ?? ''].flatMap((text) => splitWords(text.replace(/https?:\/\/\S+/giu, ' '))),
  );
  const address = splitWords(readableAddress(link));
  const others = [display_link, source, ...(extensions ?? []).map(({ text }) => text)];
  const all = new Set([...words, ...address, ...others.flatMap((text) => splitWords(text ?? ''))]);
  const letters = `${splitWords(title).join('')} ${address.join('')}`;
  return { words, all, letters, unspaced: [...all].filter(isUnspaced).join(' ') };
}

const scriptNames =
  'Latin Cyrillic Greek Arabic Hebrew Devanagari Bengali Tamil Telugu Thai Hangul Han Hiragana Katakana'.split(' ');
const japanese: readonly string[] = ['Han', 'Hiragana', 'Katakana'];
/** Made when first used: the characters of all scripts take some milliseconds. */
let scripts: readonly { readonly name: string; readonly holds: RegExp }[] | undefined;

/** Chinese and Japanese count as one. */
function detectScript(word: string): string {
  scripts ??= scriptNames.map((name) => ({
    name: japanese.includes(name) ? 'Japanese' : name,
    holds: new RegExp(`\\p{scx=${name}}`, 'u'),
  }));
  return scripts.find(({ holds }) => holds.test(word))?.name ?? 'other';
}

function shareIn(result: ResultTexts, searched: readonly string[]): number {
  const shares = searched.map((word) => shareOfWord(result, word));
  // "air bnb" is "airbnb", and the reverse
  for (const [index, word] of searched.entries()) {
    const next = searched[index + 1];
    if (next !== undefined && !isUnspaced(word + next) && has(result, word + next))
      shares[index] = shares[index + 1] = 1;
  }
  const sum = shares.reduce((total, share) => total + share, 0);
  return Math.min(1, sum / Math.min(searched.length, wordsEnough));
}

function has({ all, letters }: ResultTexts, word: string): boolean {
  return all.has(word) || (word.length > distinctiveLengthMin && letters.includes(word));
}

function shareOfWord(result: ResultTexts, word: string): number {
  if (isUnspaced(word)) return shareOfRun(result.unspaced, word);
  return has(result, word) || [...result.all].some((other) => sharesStem(word, other)) ? 1 : 0;
}

/** Japanese words end where the script changes; particles are one or two characters of Hiragana. */
function splitScripts(word: string): string[] {
  if (!isUnspaced(word)) return [word];
  const runs =
    word.match(/\p{scx=Hiragana}+|\p{sc=Katakana}[\p{sc=Katakana}ー]*|[^\p{sc=Hiragana}\p{sc=Katakana}]+/gu) ?? [];
  const others = runs.filter((run) => !/^\p{sc=Hiragana}{1,2}$/u.test(run));
  return others.length > 0 ? others : [word];
}

/**
 * For a script without spaces: the share of its pieces, of which about half cross the border of two words. Half of the
 * characters are half of the run: one word may be written with different ones.
 */
function shareOfRun(text: string, run: string): number {
  const isAlphabetic = /^[\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u.test(run);
  const length = Math.min(isAlphabetic ? 4 : 2, run.length);
  const pieces = Array.from({ length: run.length - length + 1 }, (_, start) => run.slice(start, start + length));
  const found = pieces.filter((piece) => text.includes(piece)).length;
  const share = Math.min(1, found / Math.ceil(pieces.length / 2));
  if (isAlphabetic) return share;
  const characters = [...new Set(run)];
  const isHalf = 2 * characters.filter((character) => text.includes(character)).length >= characters.length;
  return Math.max(share, isHalf ? 0.5 : 0);
}
