// Which passwords a holder may choose: length, a packaged list of breached passwords, and patterns.
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

/**
 * The 10,000 most common passwords of the breaches that Mark Burnett published in 2015, most common first. Source: the
 * frequency list of zxcvbn 4.4.2 (Dropbox, MIT), data/passwords.txt at commit 67c4ece.
 */
const listFile = new URL('./files/common-passwords.txt', import.meta.url);

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
  return undefined;
}

/** The same text twice or more, such as `dragondragon`. */
function isRepeated(text: string): boolean {
  return text.length > 1 && (text + text).indexOf(text, 1) < text.length;
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
  const letters = [...text].map((character) => standIns.get(character) ?? character).join('');
  return [text, letters].some((written) => restBesideListed(written) < restCharsMin);
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
