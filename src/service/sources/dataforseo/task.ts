// Builds the task of a page, for live calls and for the queue.
import { ServiceError } from '../../model/errors.ts';
import { parseLocation } from '../../model/results/location.ts';
import type { PageRequest } from '../../model/source.ts';
import { Fields } from '../../net/fields.ts';
import { languageParameter, locationCode } from '../vendor-kit/market.ts';
import { rejectOtherMarket } from '../vendor-kit/pages/validator.ts';
import { numberAt, wordsAt } from '../vendor-kit/values.ts';

/** What the operator may choose of a task. */
export interface TaskChoices {
  /** Waits for an AI overview that the engine loads later, at an extra charge. */
  readonly loadAiOverview: boolean;
}

/** Organic results of one page: the vendor sells them in tens. */
export const pageSize = 10;

/**
 * The task that buys that page alone. Three facts of the vendor's documentation make it so: `depth` 10 is one page,
 * which is given whole where it holds more; `max_crawl_pages` 1 forbids to go on (and to charge for it) where it holds
 * fewer; and `search_param` adds parameters to the engine's address, among which the vendor itself lists `start`, the
 * index of the first result. `nfpr` is not in that list and is not sent.
 */
export function taskFor(asked: PageRequest, { loadAiOverview }: TaskChoices): Record<string, unknown> {
  const { keyword, page } = asked;
  return {
    keyword: encodedKeyword(keyword),
    ...targetOf(asked),
    depth: pageSize,
    max_crawl_pages: 1,
    ...(page > 1 && { search_param: `&start=${firstIndex(page)}` }),
    ...(loadAiOverview && { load_async_ai_overview: true }),
  };
}

/** Where, in which language and on which device. Throws INVALID_REQUEST for a country that has no number. */
export function targetOf({ country, location, language, mobile }: PageRequest): Record<string, unknown> {
  const code = locationCode(country);
  if (code === undefined) {
    throw new ServiceError('INVALID_REQUEST', `dataforseo has no code for the country ${country}.`, {
      charged: 'no',
      hint: 'Track another country there, or use another source for this one.',
    });
  }
  return {
    ...(location === undefined ? { location_code: code } : placeField(location)),
    language_code: languageParameter(language),
    device: mobile ? 'mobile' : 'desktop',
  };
}

/**
 * Throws SERP_FAILED if the vendor's echo of a task names another country, language, device or the like. A place has
 * another number than its country.
 */
export function rejectOtherTask(asked: PageRequest, echo: Fields | undefined): void {
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

/** Index of the first result of a page, from 0, as the engine counts them. */
function firstIndex(page: number): number {
  return (page - 1) * pageSize;
}

/** The vendor decodes `%##` and reads a plus sign as a space: both are written as it wants them. */
export function encodedKeyword(keyword: string): string {
  return keyword.replaceAll('%', '%25').replaceAll('+', '%2B');
}

/** A keyword that the vendor repeats, in its own form or in that of the request. */
export function decodedKeyword(keyword: string): string {
  return keyword.replaceAll('%2B', '+').replaceAll('%25', '%');
}

/** The header that proves who asks; `key` is `login:password`. */
export function authorization(key: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(key).toString('base64')}` };
}
