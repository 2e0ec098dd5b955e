// Rejects a page that says itself that it was made for another device than the requested one.
import type { Device } from '../../model/results/serp.ts';
import { pageFailure } from './failure.ts';
import type { Tree } from './tree.ts';

/** Throws SERP_FAILED `wrong_query` for a page of another device. A page without marks of any proves nothing. */
export function rejectOtherDevice(isMobile: boolean | undefined, shown: Device | undefined, html: string): void {
  const asked = isMobile === true ? 'mobile' : 'desktop';
  if (isMobile === undefined || shown === undefined || shown === asked) return;
  throw pageFailure('wrong_query', html, `It was made for "${shown}" instead of "${asked}".`);
}

/** Whether the page has a width for phones (`viewport`); undefined for a page without its head (`referrer`). */
export function fitsPhones({ elements }: Tree): boolean | undefined {
  const named = (name: string) =>
    elements.find((element) => element.tag === 'meta' && element.get('name')?.toLowerCase() === name);
  const viewport = named('viewport')?.get('content');
  if (viewport === undefined && named('referrer') === undefined) return undefined;
  return viewport?.includes('device-width') === true;
}
