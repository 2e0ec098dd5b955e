// Warns of keywords of a file that are tracked already: the first ones by line, the others as a count.
import type { ConfigProblem } from '../document/problems.ts';

/** A file may repeat a million keywords. */
const namedMax = 50;
const hint = 'the first one counts';

export class DuplicateWarnings {
  readonly #warn: (warning: ConfigProblem) => void;
  #total = 0;

  constructor(warn: (warning: ConfigProblem) => void) {
    this.#warn = warn;
  }

  add(duplicate: ConfigProblem): void {
    this.#total += 1;
    if (this.#total <= namedMax) this.#warn({ ...duplicate, hint });
  }

  /** Call it at the end of the file. */
  finish(file: string): void {
    const more = this.#total - namedMax;
    if (more > 0) this.#warn({ file, message: `${more} more keywords are tracked twice in the same market`, hint });
  }
}
