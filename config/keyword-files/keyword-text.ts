// Normalises keywords and validates keywords and tags.
import { limits, withoutStrayMarks } from '../../src/service/index.ts';

const tagCharactersMax = 64;
/** Most result pages of one check. */
export const depthMax = 100;

/** Words of printable ASCII with one space between them: normal already, as most keywords are. */
const normal = /^[!-~]+(?: [!-~]+)*$/;

/** NFC, trimmed, inner white space collapsed. Case is kept for reports. */
export function normalKeyword(written: string): string {
  if (normal.test(written)) return written;
  return written
    .normalize('NFC')
    .replace(/[^\S\ufeff]+/g, ' ')
    .trim();
}

/** What is wrong with a normalised keyword; undefined: nothing. */
export function keywordComplaint(keyword: string): string | undefined {
  const isNormal = normal.test(keyword);
  if (!isNormal && withoutStrayMarks(keyword).trim() === '') return 'the keyword is empty';
  if (keyword.length > limits.keywordCharsMax && [...keyword].length > limits.keywordCharsMax) {
    return `the keyword is longer than ${limits.keywordCharsMax} characters (${keyword.slice(0, 30)}...)`;
  }
  if (!isNormal && (/\p{Cc}/u.test(keyword) || !keyword.isWellFormed()))
    return 'the keyword contains control characters or invalid Unicode';
  return undefined;
}

const urlCharactersMax = 2_000;

/** What is wrong with a preferred URL; undefined: nothing. */
export function preferredUrlComplaint(url: string): string | undefined {
  if (url.length > urlCharactersMax)
    return `the preferred URL is longer than ${urlCharactersMax} characters (${url.slice(0, 30)}...)`;
  const isUrl = /^https?:\/\/\S+$/i.test(url) && URL.canParse(url);
  return isUrl ? undefined : `"${url}" is not an http or https URL, such as https://example.com/shoes`;
}

/** What is wrong with a tag; undefined: nothing. Reports join tags by |. */
export function tagComplaint(tag: string): string | undefined {
  if (tag.trim() === '') return 'the tag is empty';
  if (tag.length > tagCharactersMax)
    return `the tag is longer than ${tagCharactersMax} characters (${tag.slice(0, 30)}...)`;
  if (/[|\p{Cc}]/u.test(tag)) return `the tag "${tag}" contains a | or a control character; | separates tags`;
  return undefined;
}
