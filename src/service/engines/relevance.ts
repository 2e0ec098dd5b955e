// Tests whether the results of a page match its query: engines serve pages of other searches to suspected robots. Pure.
import { domainToUnicode } from 'node:url';
import type { OrganicResult } from '../model/results/serp.ts';
import { normalise, withoutAccents } from './page/query.ts';

/** Scripts without spaces between words, and Korean, which joins words freely. */
const unspaced = String.raw`\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}`;
/** Made when first used, like the next: the characters of all these scripts take some milliseconds. */
let wordPattern: RegExp | undefined;
let unspacedPattern: RegExp | undefined;
/** Letters that are compared as others. Cyrillic ones are, as engines find Latin spellings of them: "pogoda moskva". */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ı: 'i',
  ς: 'σ',
  ...Object.fromEntries(
    'а=a б=b в=v г=g ґ=g д=d е=e є=ye ж=zh з=z и=i і=i к=k л=l м=m н=n о=o п=p р=r с=s т=t у=u ф=f х=kh ц=ts ч=ch ш=sh щ=shch ъ= ы=y ь= э=e ю=yu я=ya ђ=dj ј=j љ=lj њ=nj ћ=c џ=dz'
      .split(' ')
      .map((pair) => pair.split('=') as [string, string]),
  ),
};

/** Words that occur in any text of their language, or in any query. They count only if a query has no others. */
const common: ReadonlySet<string> = new Set(
  `a an and are at be best buy by can do does for from get has have how i in is it me my near not of on online or that the their this to top vs was what when where which who
  why will with you your der die das den dem des ein eine einen und oder mit von fur im ist sind wie wo wer zu zum zur bei auf aus nach le la les un une des du de et ou en
  au aux pour par sur dans est que qui avec el los las una y o con por para del al es como donde il lo gli uno e di da per che sono het een van voor met bij op os um uma
  www http https html com net org do dos das no na em com mais och att pa som till med w na z do i jak co gdzie v na s po dlya kak chto gde`.split(
    /\s+/,
  ),
);

/** The words of a text without accents, in lower case. A run in a script without spaces is one word. */
function splitWords(text: string): string[] {
  const normal = normalise(text);
  // most texts: what follows took a third of the time of a page
  if (/^[ -~]*$/.test(normal)) return normal.match(/[a-z0-9]+/g) ?? [];
  const plain = withoutAccents(normal).replace(/[ßæœøłđıς\u0430-\u045f\u0491]/g, (letter) => letters[letter] ?? letter);
  wordPattern ??= new RegExp(String.raw`[${unspaced}]+|(?:(?![${unspaced}])[\p{L}\p{M}\p{N}])+`, 'gu');
  return plain.match(wordPattern) ?? [];
}

/**
 * The searched words of a query: without operators, excluded words, and common words, numbers and abbreviations, if it
 * has others: many pages show the number of a year.
 */
export function wordsSearchedFor(query: string): string[] {
  const searched = query
    .replace(/(?<=^|\s)-(?:"[^"]*"|\S+)/gu, ' ')
    .replace(/(?<=^|\s)(?:OR|AND|AROUND\(\d+\))(?=\s|$)/gu, ' ')
    .replace(
      /(?<=^|\s)(?:all)?(?:site|intitle|inurl|intext|inanchor|filetype|ext|related|define|cache|before|after):/giu,
      ' ',
    );
  const words = [...new Set(splitWords(searched))];
  const own = words.filter((word) => !common.has(word));
  const distinctive = own.filter(
    (word) => isUnspaced(word) || (word.length >= distinctiveLengthMin && !/^\p{N}{1,4}$/u.test(word)),
  );
  return distinctive.length > 0 ? distinctive : own.length > 0 ? own : words;
}

/** Shorter words and abbreviations represent others: "fb", "h&m". */
const distinctiveLengthMin = 3;

function isUnspaced(word: string): boolean {
  unspacedPattern ??= new RegExp(`^[${unspaced}]`, 'u');
  return unspacedPattern.test(word);
}

/** An address in the letters that people read: no percent signs, no punycode. */
function readableAddress(link: string): string {
  if (!URL.canParse(link)) return link;
  const { host, pathname, search } = new URL(link);
  return `${domainToUnicode(host)} ${decoded(pathname)} ${decoded(search)}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/**
 * Whether a word of a text has the stem of a searched word: the same beginning, one contained in the other, or one
 * letter of difference. Three letters count only before an ending: "red" is not in "inherited". A common
 * word has no stem.
 */
export function sharesStem(searched: string, word: string): boolean {
  if (searched === word) return true;
  const [short, long] = searched.length < word.length ? [searched, word] : [word, searched];
  if (short.length < distinctiveLengthMin || common.has(word)) return false;
  if (short.length === distinctiveLengthMin) return long.length <= short.length + 2 && long.startsWith(short);
  if ((searched === short || 2 * short.length >= long.length) && long.includes(short)) return true;
  if (hasSameBeginning(short, long)) return true;
  return short.length >= 5 ? isOneEditApart(short, long) : isMistyped(short, long);
}

function hasSameBeginning(short: string, long: string): boolean {
  let length = 0;
  while (length < short.length && short[length] === long[length]) length += 1;
  return (length >= 4 && length >= 0.6 * long.length) || (length >= 5 && 2 * length >= long.length);
}

/** "food" and "good" are two words: of four letters, only a doubled or swapped one is a typing error. */
function isMistyped(short: string, long: string): boolean {
  const once = (word: string): string => word.replace(/(.)\1+/gu, '$1');
  const sorted = (word: string): string => [...word].sort().join('');
  return once(short) === once(long) || (sorted(short) === sorted(long) && isOneEditApart(short, long));
}

/** One letter more, less or different, or two neighbours swapped. */
function isOneEditApart(short: string, long: string): boolean {
  if (long.length - short.length > 1) return false;
  let start = 0;
  while (start < short.length && short[start] === long[start]) start += 1;
  const rest = (text: string, from: number) => text.slice(start + from);
  if (short.length < long.length) return rest(short, 0) === rest(long, 1);
  if (rest(short, 1) === rest(long, 1)) return true;
  return short[start] === long[start + 1] && short[start + 1] === long[start] && rest(short, 2) === rest(long, 2);
}

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
