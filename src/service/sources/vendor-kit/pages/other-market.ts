// Rejects a page that a vendor says it fetched for another country, device or page than the requested one.
import { pageFailureMessages, ServiceError } from '../../../model/errors.ts';
import type { PageRequest } from '../../../model/source.ts';
import type { Fields } from '../../../net/fields.ts';
import { numberAt, wordsAt } from '../values.ts';

/** Vendors write the United Kingdom in two ways. */
const sameCountry: ReadonlyMap<string, string> = new Map([['uk', 'gb']]);

/**
 * Throws SERP_FAILED if `echo`, the parameters of the search that the vendor repeats in its answer, names another
 * country (`gl`), device or `page`. Parameters that it does not repeat prove nothing.
 */
export function rejectOtherMarket(asked: PageRequest, echo: Fields | undefined): void {
  const country = wordsAt(echo, 'gl')?.toLowerCase();
  const device = wordsAt(echo, 'device')?.toLowerCase();
  const page = numberAt(echo, 'page');
  const wanted = { country: asked.country.toLowerCase(), device: asked.mobile ? 'mobile' : 'desktop' };
  if (country !== undefined && (sameCountry.get(country) ?? country) !== wanted.country) {
    reject('wrong_location', `It was searched in "${country.slice(0, 80)}" instead of "${wanted.country}".`);
  }
  if (device !== undefined && ['desktop', 'mobile', 'tablet'].includes(device) && device !== wanted.device) {
    reject('wrong_query', `It was searched on ${device} instead of ${wanted.device}.`);
  }
  if (page !== undefined && page !== asked.page) {
    reject('wrong_query', `It is page ${page} instead of page ${asked.page}.`);
  }
}

function reject(reason: 'wrong_location' | 'wrong_query', how: string): never {
  throw new ServiceError('SERP_FAILED', `${pageFailureMessages[reason]} ${how}`, { reason });
}
