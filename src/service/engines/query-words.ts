// Normalises the words of queries and results, and compares their stems.
import { domainToUnicode } from 'node:url';
import { normalise, withoutAccents } from './page/query.ts';

/** Scripts without spaces between words, and Korean, which joins words freely. */
const unspaced = String.raw`\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}`;
/** Made when first used, like the next: the characters of all these scripts take some milliseconds. */
let wordPattern: RegExp | undefined;
let unspacedPattern: RegExp | undefined;
const ligatures: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ı: 'i',
  ς: 'σ',
};

/** Words that occur in any text of their language, or in any query. They count only if a query has no others. */
const common: ReadonlySet<string> = new Set(
  `a an and are at be best buy by can do does for from get has have how i in is it me my near not of on online or that the their this to top vs was what when where which who
  why will with you your der die das den dem des ein eine einen und oder mit von fur im ist sind wie wo wer zu zum zur bei auf aus nach le la les un une des du de et ou en
  au aux pour par sur dans est que qui avec el los las una y o con por para del al es como donde il lo gli uno e di da per che sono het een van voor met bij op os um uma
  www http https html com net org do dos das no na em com mais och att pa som till med w na z do i jak co gdzie и в на с по для как что где`.split(
    /\s+/,
  ),
);

/** The words of a text without accents, in lower case. A run in a script without spaces is one word. */
export function splitWords(text: string): string[] {
  const plain = withoutAccents(normalise(text).replace(/[ßæœøłđıς]/g, (letter) => ligatures[letter] ?? letter));
  wordPattern ??= new RegExp(String.raw`[${unspaced}]+|(?:(?![${unspaced}])[\p{L}\p{M}\p{N}])+`, 'gu');
  return plain.match(wordPattern) ?? [];
}

/** The searched words of a query: without operators, excluded words, and common words, if it has others. */
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
  const distinctive = own.filter((word) => isUnspaced(word) || word.length >= distinctiveLengthMin);
  return distinctive.length > 0 ? distinctive : own.length > 0 ? own : words;
}

/** Shorter words and abbreviations represent others: "fb", "h&m". */
export const distinctiveLengthMin = 3;

export function isUnspaced(word: string): boolean {
  unspacedPattern ??= new RegExp(`^[${unspaced}]`, 'u');
  return unspacedPattern.test(word);
}

/** An address in the letters that people read: no percent signs, no punycode. */
export function readableAddress(link: string): string {
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
 * letter of difference.
 */
export function sharesStem(searched: string, word: string): boolean {
  if (searched === word) return true;
  const [short, long] = searched.length < word.length ? [searched, word] : [word, searched];
  if (short.length < distinctiveLengthMin) return false;
  if (searched === short && long.includes(short)) return true;
  if (2 * short.length >= long.length && (long.startsWith(short) || (short.length >= 4 && long.includes(short))))
    return true;
  return hasSameBeginning(short, long) || (short.length >= 5 && isOneEditApart(short, long));
}

function hasSameBeginning(short: string, long: string): boolean {
  let length = 0;
  while (length < short.length && short[length] === long[length]) length += 1;
  return (length >= 4 && length >= 0.6 * long.length) || (length >= 5 && 2 * length >= long.length);
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
