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
  readonly #observations: Uint16Array;

  constructor(length: number) {
    this.#classes = new Uint8Array(length);
    this.#best = new Int32Array(length);
    this.#worst = new Int32Array(length);
    this.#observations = new Uint16Array(length);
  }

  set(index: number, judged: Significance): void {
    this.#classes[index] = 1 + classes.indexOf(judged.class);
    this.#best[index] = judged.band?.best ?? 0;
    this.#worst[index] = judged.band?.worst ?? 0;
    this.#observations[index] = judged.observations;
  }

  /** Null: not judged yet. */
  at(index: number): Significance | null {
    const judged = classes[(this.#classes[index] ?? 0) - 1];
    if (judged === undefined) return null;
    const [best, worst] = [this.#best[index] ?? 0, this.#worst[index] ?? 0];
    return { class: judged, band: best === 0 ? null : { best, worst }, observations: this.#observations[index] ?? 0 };
  }
}
