// The API of DataForSEO: its tasks, the envelope of its answers (status, cost, result), and the account.
import * as z from 'zod';
import type { Charged } from '../../model/charged.ts';
import { parseLocation } from '../../model/results/location.ts';
import type { PageRange, PageRequest } from '../../model/source.ts';
import { Fields, ShapeError } from '../../net/fields.ts';
import { languageParameter, locationCode } from '../vendor-kit/market.ts';
import type { RefusalRule } from '../vendor-kit/refusals.ts';
import { noResults, rejectCutPage, rejectOtherMarket } from '../vendor-kit/validator.ts';
import { numberAt, objectAt, objectsAt, wordsAt } from '../vendor-kit/values.ts';

/** The call or task was carried out; a task was created. */
const [done, created] = [20_000, 20_100];

/** The engine found nothing: a page, and charged as one. */
export const nothingFound = /^40102 /;

/** The task is waiting or being worked on: `Task Handed`, `Task In Queue`. */
export const notReady = /^4060[12] /;

/** The task is no longer there, or never was this account's: of another client, not found, its results expired. */
export const taskGone = /^4(?:0001|0401|0403) /;

/** The engine's error, nothing found, a task that failed, waits, or is gone. */
const aboutTask = /^(?:4010[123]|4060[12]|4040[13]|40001) /;

/**
 * What the codes mean that stand in `status_code`, of the call or of its task, independent of the HTTP status (nearly
 * always 200). Codes as in the vendor's list of errors, 2026-05.
 */
export const refusals: readonly RefusalRule[] = [
  // calls of a minute, and calls at once
  { words: /^40202 /, means: 'throttled', pauseMs: 20_000 },
  { words: /^40209 /, means: 'throttled', pauseMs: 2000 },
  // payment required, insufficient funds; the daily cost limit that the account's owner has set
  { words: /^402(?:00|10|03) /, means: 'out_of_credits' },
  { words: /^40100 /, means: 'bad_key' },
  // an account that is blocked, has no subscription, is not verified, or may not be used from this address
  { words: /^40(?:104|201|204|207) /, means: 'forbidden' },
  { words: /^40(?:400|402) /, means: 'wrong_address' },
  // the engine answered with an error, or the task failed: tried again
  { words: /^4010[13] /, means: 'failed' },
  { words: /^50401 /, means: 'timeout' },
  { words: /^50303 /, means: 'failed', pauseMs: 60_000 },
  { words: /^5\d{4} /, means: 'failed' },
  { words: notReady, means: 'failed' },
  { words: /^40\d{3} /, means: 'bad_request' },
  { status: 200, means: 'failed' },
];

/** The only task of an answer: every call of ours has one, but for those that post. */
export function findTask(root: Fields): Fields | undefined {
  return objectsAt(root, 'tasks')[0];
}

/** Of the answer to several tasks, the one of this tag: the `nth`, from 0, where the answer repeats no tag. */
export function findTaskOf(root: Fields, tag: string, nth: number): Fields | undefined {
  const tasks = objectsAt(root, 'tasks');
  const named = tasks.find((task) => wordsAt(task, 'data.tag') === tag);
  const inOrder = tasks[nth];
  return named ?? (wordsAt(inOrder, 'data.tag') === undefined ? inOrder : undefined);
}

/**
 * Whether an answer names another task than that of this tag. Its page may be of the same keyword, and differ in device
 * or language only.
 */
export function isOfOtherTask(root: Fields, tag: string): boolean {
  const named = wordsAt(findTask(root), 'data.tag');
  return named !== undefined && named !== tag;
}

/** The first result of the task. */
export function findResult(root: Fields): Fields | undefined {
  return objectsAt(findTask(root), 'result')[0];
}

/**
 * The result of a task for a page, which is empty if the vendor says that nothing was found. Throws SERP_FAILED for a
 * task of another market, ShapeError for an answer without one.
 */
export function resultIn(root: Fields, asked: PageRequest): Fields {
  if (nothingFound.test(complaint(root) ?? '')) return new Fields({}, 'result');
  const task = findTask(root);
  if (task === undefined) throw new ShapeError('the answer has no task');
  rejectOtherTask(asked, objectAt(task, 'data'));
  const result = findResult(root);
  if (result === undefined) throw noResults();
  rejectOtherTask(asked, result);
  return result;
}

/**
 * The result of the page alone, also where the task has several: each element names its page. Throws what `resultIn`
 * throws, and ShapeError where a page is unknown, or is the last one and may be cut: by `depth`, or by the vendor.
 */
export function pageIn(root: Fields, asked: PageRequest): Fields {
  const result = resultIn(root, asked);
  const { page, through } = asked;
  const task = objectAt(findTask(root), 'data');
  const items = objectsAt(result, 'items');
  const named = new Set(items.flatMap((item) => numberAt(item, 'page') ?? []));
  const crawled = numberAt(task, 'max_crawl_pages') ?? through;
  if ((crawled ?? 1) === 1 && named.size < 2) return result;
  const pageOf = (item: Fields) => numberAt(item, 'page') ?? (wordsAt(item, 'type') === 'organic' ? undefined : 1);
  if (items.map(pageOf).includes(undefined))
    throw new ShapeError('a result of several pages does not say on which one it is');
  const last = Math.max(...named);
  const isCut = items.length >= (numberAt(task, 'depth') ?? elementsOfPage * last);
  const isUnknown = isCut || crawled === undefined;
  rejectCutPage(page, {
    last: isCut ? Math.max(page, last) : last,
    asked: isUnknown ? Number.POSITIVE_INFINITY : crawled,
  });
  const own = items.filter((item) => pageOf(item) === page).map((item) => item.value());
  return new Fields({ ...(result.value() as object), items: own }, 'result');
}

/**
 * `40101 Internal SE Server Error.` where the call was refused, or all its tasks were refused, have failed or have
 * found nothing in the same words; undefined for all others.
 */
export function complaint(root: Fields): string | undefined {
  const words = objectsAt(root, 'tasks').map(taskComplaint);
  return taskComplaint(root) ?? (words.every((each) => each === words[0]) ? words[0] : undefined);
}

/**
 * Of the queue's answers, what concerns the call, its account and its form: the caller that waits for the task judges
 * its outcome.
 */
export function queueComplaint(root: Fields): string | undefined {
  const words = complaint(root);
  return words === undefined || aboutTask.test(words) ? undefined : words;
}

/** The same of one task. */
export function taskComplaint(part: Fields | undefined): string | undefined {
  const code = numberAt(part, 'status_code');
  if (code === undefined || code === done || code === created) return undefined;
  return `${code} ${wordsAt(part, 'status_message') ?? 'without a message'}`;
}

/** What the task has cost, in micro-USD; undefined where the answer does not say. */
export function readCost(part: Fields | undefined): number | undefined {
  const cost = numberAt(part, 'cost');
  return cost === undefined || cost < 0 ? undefined : Math.round(cost * 1_000_000);
}

/** Whether an answer says that it has cost something; undefined where it says nothing about it. */
export function readCharge(root: Fields): Charged | undefined {
  const costs = [...objectsAt(root, 'tasks'), root].flatMap((part) => readCost(part) ?? []);
  if (costs.length === 0) return undefined;
  return costs.some((cost) => cost > 0) ? 'yes' : 'no';
}

/** A colon would end the login in the header that proves it. */
export const login = z
  .string()
  .regex(/^[\x21-\x39\x3b-\x7e]{1,250}$/, 'a login of printable characters without spaces')
  .describe('Login of the API, as its dashboard shows it.');

export const password = z
  .string()
  .regex(/^[\x21-\x7e]{1,250}$/, 'a password of printable characters without spaces')
  .describe('Password of the API; the password of the dashboard is a different one.');

/** The balance of the account, in micro-USD. It costs nothing. */
export const balance = {
  path: '/v3/appendix/user_data',
  left(root: Fields): number | null {
    const usd = numberAt(findResult(root), 'money.balance');
    return usd === undefined ? null : Math.floor(usd * 1_000_000);
  },
};

/** Organic results of one page: the vendor sells them in tens. */
const pageSize = 10;

/**
 * Elements of a page, at most: where pages are bought at once, `depth` must not end the crawl before the last page
 * does, nor cut it. Live tasks take a depth of 200 at most
 * (dataforseo.com/update/new-depth-limit-live-organic-serp-api, read 2026-11).
 */
const elementsOfPage = 20;

/**
 * Pages 1 to 10 in one task: the first costs the usual price, each further one 25 % less, and pages that the engine
 * does not have are refunded (dataforseo.com/update/organic-serp-api-pricing-changes-now-in-effect, read 2026-11).
 */
export const pagesAtOnce: PageRange = {
  pagesMax: 10,
  credits: (pages) => Math.ceil(1 + 0.75 * (pages - 1)),
};

interface TaskChoices {
  readonly loadAiOverview: boolean;
}

/**
 * The task that buys that page alone, or pages 1 to `through`. Three facts of the vendor's documentation make it so:
 * `depth` 10 is one page, which is given whole where it holds more; `max_crawl_pages` forbids to go on (and to charge
 * for it) where pages hold fewer; and `search_param` adds parameters to the engine's address, among which the vendor
 * itself lists `start`, the index of the first result. `nfpr` is not in that list and is not sent.
 */
export function taskFor(asked: PageRequest, { loadAiOverview }: TaskChoices): Record<string, unknown> {
  const { keyword, page, through } = asked;
  const single = { depth: pageSize, max_crawl_pages: 1 };
  return {
    keyword: encodedKeyword(keyword),
    ...targetOf(asked),
    ...(through === undefined ? single : { depth: elementsOfPage * through, max_crawl_pages: through }),
    ...(through === undefined && page > 1 && { search_param: `&start=${(page - 1) * pageSize}` }),
    ...(loadAiOverview && { load_async_ai_overview: true }),
  };
}

/**
 * Languages of Google's pages by their codes there: serp/google/languages, as a public client lists it (read in
 * 2026-11), with those that have another name there.
 */
const otherNames: ReadonlyMap<string, string> = new Map([
  ['nb', 'no'],
  ['nn', 'no'],
  ['tl', 'fil'],
  ['zh', 'zh-CN'],
  ['zh-HK', 'zh-TW'],
]);
export const pageLanguages: readonly string[] = [
  ...`ach af ak am ar az ban be bem bg bn bs ca ceb ckb crs cs da de ee el en es et eu fa fi fil fo fr fy ga gaa gl gu ha he
      hi hr ht hu hy id ig is it iw ja ka kg kk km kn ko kri ky lg ln lo loz lt lua lv mfe mg mi mk ml mn mr ms mt my ne nl
      no nso ny nyn om pa pcm pl ps pt qu rm rn ro ru rw sd si sk sl sn so sq sr st sv sw ta te tg th ti tk tn to tr tum uk
      ur uz vi wo xh yo zu`.split(/\s+/),
  ...otherNames.keys(),
];

/** The code of one of them. */
export function languageCode(language: string): string {
  const code = languageParameter(language);
  return otherNames.get(code) ?? code;
}

/** Where, in which language and on which device. */
export function targetOf({ country, location, language, mobile }: PageRequest): Record<string, unknown> {
  return {
    ...(location === undefined ? { location_code: locationCode(country) } : placeField(location)),
    language_code: languageCode(language),
    device: mobile ? 'mobile' : 'desktop',
  };
}

/**
 * Throws SERP_FAILED if the vendor's echo of a task names another country, language, device or the like. A place has
 * another number than its country.
 */
function rejectOtherTask(asked: PageRequest, echo: Fields | undefined): void {
  const country = asked.location === undefined ? numberAt(echo, 'location_code') : undefined;
  const isOther = country !== undefined && country !== locationCode(asked.country);
  rejectOtherMarket(asked, echo);
  const named = { hl: wordsAt(echo, 'language_code'), gl: isOther ? String(country) : undefined };
  rejectOtherMarket(asked, new Fields(named, 'echo'));
}

/** Radius around a coordinate, as in the vendor's example (its documentation, 2026-11). */
const radius = 200;

/** The vendor's names of places are Google's canonical ones. */
function placeField(location: string): Record<string, string> {
  const asked = parseLocation(location);
  if (asked.kind === 'place') return { location_name: asked.name };
  return { location_coordinate: `${asked.latitude},${asked.longitude},${radius}` };
}

/** The vendor decodes `%##` and reads a plus sign as a space: both are written as it wants them. */
export function encodedKeyword(keyword: string): string {
  return keyword.replaceAll('%', '%25').replaceAll('+', '%2B');
}

/** A keyword that the vendor repeats, in its own form or in that of the request. */
export function decodedKeyword(keyword: string): string {
  return keyword.replaceAll('%2B', '+').replaceAll('%25', '%');
}
