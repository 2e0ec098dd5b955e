// Rejects lists that contradict the vendor's own numbers.
import { isOutOfOrder } from '../../../model/results/list-order.ts';
import { type Fields, ShapeError } from '../../../net/fields.ts';
import { numberAt } from '../values.ts';

/** Numbers of results among their kind, in the names of all vendors. */
const positionNames: readonly string[] = ['position', 'rank', 'pos', 'rank_group'];

/**
 * Throws ShapeError for a list in another order than the numbers of its items: one of both is wrong, and ranks are
 * counted by the list.
 */
export function rejectOtherOrder(
  items: readonly Fields[],
  list: string,
  names: readonly string[] = positionNames,
): void {
  for (const name of names) {
    const numbers = items.flatMap((item) => numberAt(item, name) ?? []);
    if (isOutOfOrder(numbers)) throw new ShapeError(`${list} is in another order than its own numbers (${name})`);
  }
}
