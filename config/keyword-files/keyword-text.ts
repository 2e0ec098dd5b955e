// Normalises keywords and validates keywords and tags.
import { limits, withoutStrayMarks } from '../../src/service/index.ts';
import type { TrackedKeyword } from '../../src/tracker/project.ts';

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

/** A file may contain a million such keywords. */
const namedMax = 50;

/** One warning per keyword with more words than engines read, at most 50: the last one counts the others. */
export function findLongKeywords(
  keywords: readonly TrackedKeyword[],
): { readonly index: number; readonly message: string; readonly hint: string }[] {
  const wordsMax = limits.keywordWordsRead;
  const isLong = ({ keyword }: TrackedKeyword): boolean =>
    keyword.length > 2 * wordsMax && keyword.split(' ').length > wordsMax;
  const long = keywords.flatMap((each, index) => (isLong(each) ? [{ index, keyword: each.keyword }] : []));
  return long.slice(0, namedMax).map(({ index, keyword }, at) => {
    const more =
      at + 1 === namedMax && long.length > namedMax ? `; so have ${long.length - namedMax} more keywords` : '';
    const words = `the keyword "${keyword.slice(0, 30)}..." has ${keyword.split(' ').length} words`;
    return {
      index,
      message: `${words}: engines may ignore those after the ${wordsMax}nd, and a page that says so is refused${more}`,
      hint: 'track a shorter keyword',
    };
  });
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
