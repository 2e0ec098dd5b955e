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

/**
 * Whether no result shares a stem with the query. False if that cannot be judged: different scripts, few results, few
 * words.
 */
export function isDecoy(organic: readonly OrganicResult[], keyword: string): boolean {
  if (organic.length < resultsMin) return false;
  const searched = wordsSearchedFor(keyword);
  // Nearly every page shows a word of its query in a title: only the others are examined further.
  if (organic.some(({ title }) => isPlainlyIn(title.toLowerCase(), searched))) return false;
  if (!searched.some((word) => isUnspaced(word) || word.length >= distinctiveLengthMin)) return false;
  const results = organic.map(collectTexts);
  if (!canJudge(results, searched)) return false;
  return !results.some((result) => searched.some((word) => isIn(result, word)));
}

function isPlainlyIn(title: string, searched: readonly string[]): boolean {
  return searched.some((word) => word.length >= distinctiveLengthMin && title.includes(word));
}

interface ResultTexts {
  /** Of its title and its description. */
  readonly words: ReadonlySet<string>;
  /** Of everything that it shows, its address included. */
  readonly all: ReadonlySet<string>;
  /** The letters of its address without separators: "running-shoes" and "runningshoes" are alike. */
  readonly address: string;
}

function collectTexts({ title, description, link, display_link, source, extensions }: OrganicResult): ResultTexts {
  const words = new Set(
    [title, description ?? ''].flatMap((text) => splitWords(text.replace(/https?:\/\/\S+/giu, ' '))),
  );
  const address = splitWords(readableAddress(link));
  const others = [display_link, source, ...(extensions ?? []).map(({ text }) => text)];
  const all = new Set([...words, ...address, ...others.flatMap((text) => splitWords(text ?? ''))]);
  return { words, all, address: address.join('') };
}

/** Whether results are written in a script of the query, with enough words to judge their subject. */
function canJudge(results: readonly ResultTexts[], searched: readonly string[]): boolean {
  const scripts = new Set(searched.map(detectScript));
  const wordy = results.map(({ words }) =>
    [...words].filter((word) => !/^\d+$/.test(word) && word.length > 1 && scripts.has(detectScript(word))),
  );
  const inScript = wordy.filter((words) => words.length >= wordsPerResultMin).length;
  const different = new Set(wordy.flat()).size;
  return 2 * inScript >= results.length && different >= wordsPerResultMin * results.length;
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

function isIn({ all, address }: ResultTexts, searched: string): boolean {
  if (isUnspaced(searched)) return piecesShared([...all].filter(isUnspaced).join(' '), searched);
  if (searched.length > distinctiveLengthMin && address.includes(searched)) return true;
  return [...all].some((word) => sharesStem(searched, word));
}

/**
 * For a script without spaces: a common substring of a word's length, or half of the characters, because one word may
 * be written with different ones.
 */
function piecesShared(text: string, searched: string): boolean {
  const isAlphabetic = /^[\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u.test(searched);
  const length = Math.min(isAlphabetic ? 4 : 2, searched.length);
  for (let start = 0; start + length <= searched.length; start += 1) {
    if (text.includes(searched.slice(start, start + length))) return true;
  }
  const characters = [...new Set(searched)];
  return !isAlphabetic && 2 * characters.filter((character) => text.includes(character)).length >= characters.length;
}
