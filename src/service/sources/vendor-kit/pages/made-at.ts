// Reads when a vendor fetched a page from the engine, and rejects old pages.
import { pageFailureMessages, ServiceError } from '../../../model/errors.ts';
import type { Fields } from '../../../net/fields.ts';
import { objectAt, objectsAt, wordsAt } from '../values.ts';

/** Clocks and time zones differ by less, and no vendor keeps pages for longer to answer from them. */
const ageMsMax = 86_400_000;

/** UTC milliseconds. `isExact`: the answer names the time zone. */
interface Moment {
  readonly at: number;
  readonly isExact: boolean;
}

/**
 * When the page was fetched, in the names of all vendors: `created_at` of SerpApi, SearchApi, ValueSERP and Oxylabs,
 * `timestamp` of Bright Data, `datetime` of DataForSEO. Undefined if the answer does not say.
 */
function madeAt(root: Fields): Moment | undefined {
  const result = objectsAt(objectsAt(root, 'tasks')[0], 'result')[0];
  const metadata = [
    objectAt(root, 'search_metadata'),
    objectAt(root, 'general'),
    objectsAt(root, 'results')[0],
    result,
  ];
  const names = ['created_at', 'timestamp', 'datetime'];
  const written = metadata.map((part) => wordsAt(part, ...names)).find((text) => text !== undefined);
  const [, moment, zone] =
    /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?) ?(Z|UTC|[+-]\d\d:\d\d)?$/.exec(written ?? '') ?? [];
  if (moment === undefined) return undefined;
  const at = Date.parse(`${moment.replace(' ', 'T')}${zone === undefined || zone === 'UTC' ? 'Z' : zone}`);
  return Number.isNaN(at) ? undefined : { at, isExact: zone !== undefined };
}

/** When the engine was queried, UTC milliseconds: before `now` if the vendor answers from a cache. */
export function observedAt(root: Fields, now: number): number {
  const made = madeAt(root);
  return made?.isExact === true && made.at <= now && made.at > now - ageMsMax ? made.at : now;
}

/** Throws SERP_FAILED for a page that was fetched long before or after its request, such as one from a cache. */
export function rejectOldPage(root: Fields, receivedAt: number | undefined): void {
  const made = madeAt(root);
  if (receivedAt === undefined || made === undefined || Math.abs(made.at - receivedAt) <= ageMsMax) return;
  const [fetched, received] = [made.at, receivedAt].map((at) => new Date(at).toISOString());
  const message = `${pageFailureMessages.stale_page} It was fetched at ${fetched} and received at ${received}.`;
  throw new ServiceError('SERP_FAILED', message, { reason: 'stale_page' });
}
