// Which passwords a holder may choose: length, packaged lists of breached passwords and common phrases, patterns.
import { readFileSync } from 'node:fs';

/** Code points. NIST SP 800-63B-4, 3.1.1.2: 15 where the password is the only factor. */
export const passwordCharsMin = 15;
export const passwordCharsMax = 128;
/** A password with fewer different characters is a pattern. */
const differentCharsMin = 6;
/**
 * Without a breached password, the account's name or a row of keys, the rest of a password must be at least this long.
 */
const restCharsMin = 6;
/** Shorter names and breached passwords are part of any text. */
const partCharsMin = 4;
/** Shorter parts of phrases are in other texts, too. */
const phraseCharsMin = 8;
/** Characters that neither repeat the one before them nor follow it as they did before. */
const newCharsMin = 10;

/**
 * The 10,000 most common passwords of the breaches that Mark Burnett published in 2015, most common first. Source: the
 * frequency list of zxcvbn 4.4.2 (Dropbox, MIT), data/passwords.txt at commit 67c4ece.
 */
const listFile = new URL('./files/common-passwords.txt', import.meta.url);

/** Quotations, songs, prayers, proverbs and series of words in six languages, collected by us. */
const phraseFile = new URL('./files/common-phrases.txt', import.meta.url);

const keyRows = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890123456789',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
];

/** Characters that stand for letters in many passwords. */
const standIns: ReadonlyMap<string, string> = new Map([
  ['0', 'o'],
  ['1', 'i'],
  ['3', 'e'],
  ['4', 'a'],
  ['5', 's'],
  ['7', 't'],
  ['@', 'a'],
  ['$', 's'],
  ['!', 'i'],
]);

let list: ReadonlySet<string> | undefined;
let phrases: string | undefined;

/** Keyboards write the same text with different characters: hash and compare this normal form. */
export function normalisedPassword(password: string): string {
  return password.normalize('NFKC');
}

/** Why a password is refused, as a sentence for its holder; undefined if it is accepted. */
export function passwordRefusal(password: string, account: string): string | undefined {
  const text = normalisedPassword(password);
  const length = [...text].length;
  if (length < passwordCharsMin) return `Use at least ${passwordCharsMin} characters.`;
  if (length > passwordCharsMax) return `Use at most ${passwordCharsMax} characters.`;
  if (new Set(text).size < differentCharsMin) return `Use at least ${differentCharsMin} different characters.`;
  const lower = text.toLowerCase();
  if (isRepeated(lower)) return 'Do not repeat one text.';
  if (restWithout(lower, [account.toLowerCase()]).length < restCharsMin) return 'Do not use the name of the account.';
  if (isRowOfKeys(lower)) return 'Do not use a row of keys or letters.';
  if (isBreached(lower)) return 'This password, or most of it, is on a list of breached passwords.';
  if (isPhrase(lower)) return 'This password, or most of it, is a common phrase.';
  if (newChars(lower) < newCharsMin) return 'Do not repeat characters or parts.';
  return undefined;
}

/** The same text twice or more, such as `dragondragon`. */
function isRepeated(text: string): boolean {
  return text.length > 1 && (text + text).indexOf(text, 1) < text.length;
}

function newChars(text: string): number {
  const characters = [...text];
  const pairs = characters.map((character, at) => `${characters[at - 1] ?? ''} ${character}`);
  return pairs.filter((pair, at) => characters[at] !== characters[at - 1] && pairs.indexOf(pair) === at).length;
}

function restWithout(text: string, parts: readonly string[]): string {
  return parts.reduce((rest, part) => (part.length < partCharsMin ? rest : rest.replaceAll(part, '')), text);
}

/** Whether a text is a row of keys: four or more neighbouring keys, forwards or backwards. */
function isRowOfKeys(text: string): boolean {
  const rows = keyRows.flatMap((row) => [row, [...row].reverse().join('')]);
  let rest = '';
  for (let at = 0; at < text.length; ) {
    const run = longestRun(text, at, rows);
    if (run < partCharsMin) rest += text.charAt(at);
    at += run < partCharsMin ? 1 : run;
  }
  return rest.length < restCharsMin;
}

function longestRun(text: string, at: number, rows: readonly string[]): number {
  let longest = 0;
  for (const row of rows) {
    let length = 0;
    while (at + length < text.length && row.includes(text.slice(at, at + length + 1))) length += 1;
    longest = Math.max(longest, length);
  }
  return longest;
}

/**
 * A listed password, or listed ones with a few characters around them, also with digits and signs in place of letters.
 */
function isBreached(text: string): boolean {
  return [text, toLetters(text)].some((written) => restBesideListed(written) < restCharsMin);
}

/** A common phrase or a part of one, with any spaces and signs, and a few characters around it. */
function isPhrase(text: string): boolean {
  phrases ??= readFileSync(phraseFile, 'utf8').split('\n').map(withoutSigns).join('\n');
  return [text, toLetters(text)].map(withoutSigns).some((written) => {
    const rest = restBesidePhrases(written);
    return rest < written.length && rest < restCharsMin;
  });
}

function toLetters(text: string): string {
  return [...text].map((character) => standIns.get(character) ?? character).join('');
}

function withoutSigns(text: string): string {
  return text.replace(/[\s\p{P}]/gu, '');
}

function restBesidePhrases(text: string): number {
  let rest = 0;
  for (let at = 0; at < text.length; ) {
    let length = phraseCharsMin;
    while (at + length <= text.length && phrases?.includes(text.slice(at, at + length)) === true) length += 1;
    rest += length === phraseCharsMin ? 1 : 0;
    at += length === phraseCharsMin ? 1 : length - 1;
  }
  return rest;
}

/** The minimum number of characters that no listed password covers. */
function restBesideListed(text: string): number {
  list ??= new Set(readFileSync(listFile, 'utf8').split('\n').filter(Boolean));
  const rest: number[] = [0];
  for (let end = 1; end <= text.length; end += 1) {
    let least = (rest[end - 1] ?? 0) + 1;
    for (let from = 0; from <= end - partCharsMin; from += 1) {
      if (list.has(text.slice(from, end))) least = Math.min(least, rest[from] ?? 0);
    }
    rest.push(least);
  }
  return rest[text.length] ?? 0;
}
