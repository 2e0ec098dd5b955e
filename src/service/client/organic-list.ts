// Reads the organic results of a provider's page. A list that contradicts its own ranks or marks proves nothing.
import { resolveRedirect } from '../engines/redirects.ts';
import { ServiceError } from '../model/errors.ts';
import { isOutOfOrder } from '../model/results/list-order.ts';
import type { DestinationState, Extension, OrganicResult } from '../model/results/serp.ts';
import { isMarkedAd } from '../net/ad-mark.ts';
import { type Fields, present } from '../net/fields.ts';

type ReadExtension = (item: Fields, index: number) => Extension;

/**
 * The results of a page; undefined for none. Throws ShapeError for another shape, and SERP_FAILED `unparseable` for an
 * ad among them, and a list in another order than its ranks.
 */
export function readOrganicList(root: Fields, readExtension: ReadExtension): OrganicResult[] | undefined {
  const organic = root.list('organic', (item, index) => readOrganic(item, index, readExtension));
  if (organic === undefined) return undefined;
  if (isOutOfOrder(organic.map(({ rank }) => rank)))
    throw doubtful('its results are in another order than their ranks');
  return organic;
}

function doubtful(why: string): ServiceError {
  return new ServiceError('SERP_FAILED', `The page proves no ranks: ${why}.`, { reason: 'unparseable' });
}

const destinationStates = ['host_only', 'hidden'] as const satisfies readonly DestinationState[];

function readOrganic(item: Fields, index: number, readExtension: ReadExtension): OrganicResult {
  if (isMarkedAd(item)) throw doubtful('one of its results is an ad by its own mark');
  return present<OrganicResult>({
    rank: item.rank('rank') ?? index + 1,
    global_rank: item.rank('global_rank'),
    title: item.text('title') ?? '',
    description: item.text('description'),
    link: destination(item),
    destination_state: destinationStates.find((state) => state === item.raw('destination_state')),
    display_link: item.text('display_link'),
    source: item.text('source'),
    extensions: item.list('extensions', readExtension),
    image: item.text('image'),
    duration: item.text('duration'),
    duration_sec: item.integer('duration_sec'),
  });
}

/** The page to which a redirect of an engine leads; any other address is kept as received. */
function destination(item: Fields): string {
  const { link, isAd } = resolveRedirect(webAddress(item, 'link'));
  if (isAd) throw doubtful('the link of one of its results is a click on an ad');
  return link;
}

function webAddress(item: Fields, name: string): string {
  const link = item.text(name);
  if (link === undefined || !/^https?:\/\//i.test(link) || !URL.canParse(link)) {
    throw item.problem(name, 'is not an http address');
  }
  return link;
}
