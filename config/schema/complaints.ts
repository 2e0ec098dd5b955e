// What is wrong with written texts: countries, languages, keywords, tags, schedules, time zones, URLs, targets.

import { parse as parseHost } from 'tldts';
import { canonicalCountry, canonicalLanguage, limits, withoutStrayMarks } from '../../src/service/terms.ts';
import type { Target } from '../../src/tracker/project.ts';
import { isTimeZone } from '../../src/tracker/schedule/local-time.ts';
import { scheduleProblem, slotsBetween } from '../../src/tracker/schedule/schedule.ts';
import { hostInUrl, matchesTarget, targetKey, targetProblem } from '../../src/tracker/targets/target.ts';

/** Common wrong codes and the intended ones. */
const countryMistakes = new Map([
  ['UK', 'GB'],
  ['EL', 'GR'],
  ['EN', 'GB'],
  ['JA', 'JP'],
]);
const languageMistakes = new Map([
  ['jp', 'ja'],
  ['cn', 'zh'],
  ['cz', 'cs'],
  ['dk', 'da'],
  ['gr', 'el'],
  ['us', 'en'],
  ['gb', 'en'],
  ['ua', 'uk'],
]);

/** What is wrong with a country code; undefined: nothing. Case does not count. */
export function countryComplaint(written: string): string | undefined {
  if (canonicalCountry(written) !== undefined) return undefined;
  const meant = countryMistakes.get(written.toUpperCase());
  const remedy = meant === undefined ? ' (two letters, such as US, GB, DE)' : `; did you mean ${meant}?`;
  return `"${written}" is not an ISO 3166-1 country code${remedy}`;
}

/** Normalises a country code to upper case. Unknown text is returned unchanged. */
export function countryCode(written: string): string {
  return canonicalCountry(written) ?? written;
}

let languageNames: Intl.DisplayNames | undefined;

/** What is wrong with a language; undefined: a known primary language with an optional region. */
export function languageComplaint(written: string): string | undefined {
  const [primary = '', region] = canonicalLanguage(written)?.split('-') ?? [];
  if (!isLanguage(primary)) {
    const meant = languageMistakes.get(written.toLowerCase());
    const remedy = meant === undefined ? ' (such as en, de, pt-BR)' : `; did you mean ${meant}?`;
    return `"${written}" is not a language code${remedy}`;
  }
  return region === undefined || /\d/.test(region) ? undefined : countryComplaint(region);
}

function isLanguage(primary: string): boolean {
  languageNames ??= new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
  return primary !== '' && languageNames.of(primary) !== undefined;
}

/** Normalises a language code: `en`, `pt-BR`. Unknown text is returned unchanged. */
export function languageCode(written: string): string {
  return canonicalLanguage(written) ?? written;
}

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

/** Gaps are measured from this date, so that the result does not depend on today. It precedes a leap day. */
const probeFrom = Date.UTC(2024, 0, 1);
const probeSlots = 32;

/** What is wrong with a cron expression; undefined: it has five fields (or is a nickname such as @daily) and fires. */
export function scheduleComplaint(written: string): string | undefined {
  const zone = /^\s*(?:CRON_)?TZ\s*=\s*(\S*)/i.exec(written)?.[1];
  if (zone !== undefined)
    return `"${written}" names a time zone, which a schedule does not take: write it beside the schedule, as timezone: ${zone || 'Europe/Berlin'}`;
  const fields = written.trim().split(/\s+/).length;
  if (fields === 6)
    return `"${written}" has six fields, but seconds are not supported: write minute hour day month weekday`;
  const problem = scheduleProblem(written, 'UTC')?.replace('CronPattern: ', '');
  if (problem === undefined || fields === 5 || written.trim().startsWith('@')) return problem;
  return `"${written}" is not a schedule: write minute hour day month weekday, such as "0 6 * * *" for 06:00 every day`;
}

/** The shortest gap between the next slots of a valid schedule, milliseconds. */
export function shortestGapMs(schedule: string): number {
  const slots = slotsBetween(schedule, 'UTC', probeFrom, Number.POSITIVE_INFINITY, probeSlots);
  return slots
    .slice(1)
    .reduce((shortest, slot, index) => Math.min(shortest, slot.at - (slots[index]?.at ?? 0)), Infinity);
}

/** What is wrong with a time zone; undefined: nothing. */
export function timezoneComplaint(written: string): string | undefined {
  return isTimeZone(written)
    ? undefined
    : `"${written}" is not a known time zone: write an IANA name such as Europe/Berlin or UTC`;
}

/** What is wrong with the URL of a monitor. The message does not repeat it, because it is a secret. */
export function heartbeatUrlComplaint(written: string): string | undefined {
  const protocol = URL.canParse(written) ? new URL(written).protocol : '';
  return protocol === 'https:' || protocol === 'http:' ? undefined : 'is not a URL: write https://...';
}

/** What is wrong with the base URL of published reports. */
export function publicUrlComplaint(written: string): string | undefined {
  const url = URL.parse(written);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return `"${written}" is not a URL: write https://...`;
  if (url.search !== '' || url.hash !== '') return 'must end with the path: remove the part after ? or #';
  return `${url.username}${url.password}` === '' ? undefined : 'contains a user or password, which links must not';
}

function hostOfTarget({ value }: Target): string {
  return hostInUrl(value.includes('://') ? value : `https://${value}`) ?? value;
}

/** What is wrong with a target; undefined: it names a site, a part of one, or a page. */
export function targetComplaint(target: Target): string | undefined {
  const problem = targetProblem(target);
  if (problem !== null) return problem;
  if (target.match !== 'domain') return undefined;
  const parsed = parseHost(hostOfTarget(target));
  if (parsed.isIp === true)
    return `"${target.value}" is an IP address: write { match: host, value: "${target.value}" }`;
  const suffixOnly = parsed.isIcann === true && parsed.domain === null;
  return suffixOnly ? `"${target.value}" is a public suffix: all sites below it would match` : undefined;
}

/** Whether `outer`, a whole domain or host, includes pages of `inner`. False if both are equal. */
export function coversTarget(outer: Target, inner: Target): boolean {
  if (outer.match !== 'domain' && outer.match !== 'host') return false;
  return targetKey(outer) !== targetKey(inner) && matchesTarget(outer, `https://${hostOfTarget(inner)}/`);
}
