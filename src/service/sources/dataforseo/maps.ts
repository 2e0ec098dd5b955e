// Tasks of Google Maps, and their answers: a list of places.
import { placeInAddress, rejectOtherPlace } from '../../engines/page/other-place.ts';
import { rejectOtherQuery } from '../../engines/page/other-query.ts';
import type { ReadPage } from '../../model/results/serp.ts';
import type { PageRequest } from '../../model/source.ts';
import { type Fields, ShapeError } from '../../net/fields.ts';
import { mapMiddle, readMapPage } from '../vendor-kit/pages/map-page.ts';
import { mapFacts } from '../vendor-kit/pages/shared-facts.ts';
import { objectAt, objectsAt, wordsAt } from '../vendor-kit/values.ts';
import { complaint, findResult, findTask, nothingFound } from './answer.ts';
import { encodedKeyword, rejectOtherTask, targetOf } from './task.ts';

/**
 * The vendor sells lists from the first place on, up to 100 places at one price. A coordinate has a zoom instead of the
 * radius of results pages.
 */
export function mapTaskFor(asked: PageRequest): Record<string, unknown> {
  const middle = mapMiddle(asked.location)?.slice(1);
  return {
    keyword: encodedKeyword(asked.keyword),
    ...targetOf(asked),
    ...(middle !== undefined && { location_coordinate: middle }),
    depth: asked.page * mapFacts.pageSize,
  };
}

export function readMap(root: Fields, asked: PageRequest): ReadPage {
  if (nothingFound.test(complaint(root) ?? '')) return { serp: {}, features: [] };
  const task = findTask(root);
  if (task === undefined) throw new ShapeError('the answer has no task');
  const result = findResult(root);
  for (const echo of [objectAt(task, 'data'), result]) rejectOtherTask(asked, echo);
  const echoed = wordsAt(result, 'keyword');
  rejectOtherPlace(asked, [placeInAddress(wordsAt(result, 'check_url'))], { shownIn: 'echo' });
  rejectOtherQuery(asked.keyword, [echoed === encodedKeyword(asked.keyword) ? undefined : echoed]);
  const places = objectsAt(result, 'items').filter((item) => /^maps_/.test(wordsAt(item, 'type') ?? ''));
  const first = (asked.page - 1) * mapFacts.pageSize;
  return readMapPage(places.slice(first), { saysEmpty: false, hasList: false });
}
