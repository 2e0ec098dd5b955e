// Sizes of long tests: small in `npm test`, full in `npm run torture -- --only tests`, which runs the files that import this one.
import { inject } from 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    readonly isFull: boolean;
  }
}

/** The first where tests are to be quick, the second where they take their time. */
export function quickOrFull<T>(quick: T, full: T): T {
  return inject('isFull') ? full : quick;
}

/** Every nth of these, from the one at `first`, where tests are to be quick; all of them in full. */
export function someOrAll<T>(cases: readonly T[], nth: number, first = 0): readonly T[] {
  return quickOrFull(
    cases.filter((_, index) => index % nth === first % nth),
    cases,
  );
}
