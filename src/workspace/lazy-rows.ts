// Rows that cost much to make: a page of them is made when it is read.

export type ListRows<Row extends object = object> = Iterable<Row> & Pick<readonly Row[], 'length' | 'slice'>;

/** Made together: a reading of many costs less than many readings. */
const madeAtOnce = 500;

/** The rows that `make` makes of `from`, in their order. */
export class LazyRows<From, Row extends object> implements ListRows<Row> {
  readonly #from: readonly From[];
  readonly #make: (from: readonly From[]) => readonly Row[];

  constructor(from: readonly From[], make: (from: readonly From[]) => readonly Row[]) {
    this.#from = from;
    this.#make = make;
  }

  get length(): number {
    return this.#from.length;
  }

  slice(start?: number, end?: number): Row[] {
    return [...this.#make(this.#from.slice(start, end))];
  }

  *[Symbol.iterator](): Generator<Row> {
    for (let at = 0; at < this.#from.length; at += madeAtOnce) yield* this.slice(at, at + madeAtOnce);
  }
}
