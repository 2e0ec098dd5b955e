// Judged changes of the rows of a table as columns of numbers: an object for each of 100,000 rows takes 10 MB.
import type { SignificanceClass } from '../../../src/tracker/observation.ts';
import type { Significance } from '../../../src/tracker/signal/significance.ts';

const classes: readonly SignificanceClass[] = ['noise', 'likely', 'certain'];

/** By search. */
export class SignificanceColumn {
  /** 0: not judged yet; otherwise one more than an index into `classes`. */
  readonly #classes: Uint8Array;
  /** The ends of the band; 0: there is none. */
  readonly #best: Int32Array;
  readonly #worst: Int32Array;

  constructor(length: number) {
    this.#classes = new Uint8Array(length);
    this.#best = new Int32Array(length);
    this.#worst = new Int32Array(length);
  }

  isJudged(index: number): boolean {
    return (this.#classes[index] ?? 0) > 0;
  }

  set(index: number, judged: Significance): void {
    this.#classes[index] = 1 + classes.indexOf(judged.class);
    this.#best[index] = judged.band?.best ?? 0;
    this.#worst[index] = judged.band?.worst ?? 0;
  }

  /** Null: not judged. */
  classOf(index: number): SignificanceClass | null {
    return classes[(this.#classes[index] ?? 0) - 1] ?? null;
  }

  /** The usual ranks, inclusive. Null: not judged, or it did not rank before. */
  bandOf(index: number): NonNullable<Significance['band']> | null {
    const [best, worst] = [this.#best[index] ?? 0, this.#worst[index] ?? 0];
    return best === 0 ? null : { best, worst };
  }
}
