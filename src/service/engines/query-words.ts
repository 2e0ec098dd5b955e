// Normalises the words of queries and results, and compares their stems.
import { domainToUnicode } from 'node:url';
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
export function splitWords(text: string): string[] {
  const plain = withoutAccents(normalise(text)).replace(
    /[ßæœøłđıς\u0430-\u045f\u0491]/g,
    (letter) => letters[letter] ?? letter,
  );
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
 * letter of difference. Three letters count only before an ending: "red" is not in "inherited". A common
 * word has no stem.
 */
export function sharesStem(searched: string, word: string): boolean {
  if (searched === word) return true;
  const [short, long] = searched.length < word.length ? [searched, word] : [word, searched];
  if (short.length < distinctiveLengthMin || common.has(word)) return false;
  if (short.length === distinctiveLengthMin) return long.length <= short.length + 2 && long.startsWith(short);
  if ((searched === short || 2 * short.length >= long.length) && long.includes(short)) return true;
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
