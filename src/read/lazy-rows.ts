// Rows that cost much to make: a page of them is made when it is read.

export type ListRows<Row extends object = object> = Iterable<Row> & Pick<readonly Row[], 'length' | 'slice'>;

/** Made together: a reading of many costs less than many readings. */
const madeAtOnce = 500;

/** The rows that `make` makes of `from`, in their order. */
export class LazyRows<From, Row extends object> implements ListRows<Row> {
  readonly length: number;
  readonly #from: readonly From[];
  readonly #make: (from: readonly From[]) => readonly Row[];
  /** The rows up to each of `from`, with its own. */
  readonly #ends: Float64Array | null;

  /** `counts`: how many rows are made of each; absent: one. */
  constructor(from: readonly From[], make: (from: readonly From[]) => readonly Row[], counts?: readonly number[]) {
    this.#from = from;
    this.#make = make;
    let end = 0;
    this.#ends = counts === undefined ? null : Float64Array.from(counts, (count) => (end += count));
    this.length = counts === undefined ? from.length : end;
  }

  slice(start = 0, end = this.length): Row[] {
    const ends = this.#ends;
    if (ends === null) return [...this.#make(this.#from.slice(start, end))];
    const first = ends.findIndex((after) => after > start);
    const last = ends.findIndex((after) => after >= end);
    if (first < 0 || end <= start) return [];
    const before = ends[first - 1] ?? 0;
    const rows = this.#make(this.#from.slice(first, last < 0 ? undefined : last + 1));
    return rows.slice(start - before, end - before);
  }

  *[Symbol.iterator](): Generator<Row> {
    for (let at = 0; at < this.length; at += madeAtOnce) yield* this.slice(at, at + madeAtOnce);
  }

  /** The rows of several lists as one, in the order of what they are made of. */
  static merged<From extends object, Row extends object>(
    lists: readonly LazyRows<From, Row>[],
    order: (a: From, b: From) => number,
  ): LazyRows<From, Row> {
    const listOf = new Map(lists.flatMap((list) => list.#from.map((from) => [from, list] as const)));
    return new LazyRows([...listOf.keys()].sort(order), (asked) => {
      const made = new Map(
        lists.map((list) => [list, list.#make(asked.filter((from) => listOf.get(from) === list)).values()]),
      );
      return asked.flatMap((from) => {
        const list = listOf.get(from);
        return (list && made.get(list)?.next().value) ?? [];
      });
    });
  }
}
