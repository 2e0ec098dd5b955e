// Rejects lists that contradict the vendor's own numbers.
import { type Fields, ShapeError } from '../../../net/fields.ts';
import { numberAt } from '../values.ts';

/** Numbers of results among their kind, in the names of all vendors. */
const positionNames: readonly string[] = ['position', 'rank', 'pos', 'rank_group'];

/**
 * Throws ShapeError for a list in another order than the numbers of its items: one of both is wrong, and ranks are
 * counted by the list. Equal numbers, gaps, and numbers that begin again (a list of several pages) agree with it.
 */
export function rejectOtherOrder(
  items: readonly Fields[],
  list: string,
  names: readonly string[] = positionNames,
): void {
  for (const name of names) {
    const numbers = items.flatMap((item) => numberAt(item, name) ?? []);
    const first = numbers[0];
    const isOther = numbers.some((number, nth) => number < (numbers[nth - 1] ?? number) && number !== first);
    if (isOther) throw new ShapeError(`${list} is in another order than its own numbers (${name})`);
  }
}
