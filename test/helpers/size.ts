// Sizes of long tests: small in `npm test`, full in `npm run torture -- --only tests`, for files that import this one.
import { inject } from 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    readonly isFull: boolean;
  }
}

/** The first value in the quick size, the second in the full size. */
export function quickOrFull<T>(quick: T, full: T): T {
  return inject('isFull') ? full : quick;
}

/** Every nth case from the one at `first` in the quick size; all of them in full. */
export function someOrAll<T>(cases: readonly T[], nth: number, first = 0): readonly T[] {
  return quickOrFull(
    cases.filter((_, index) => index % nth === first % nth),
    cases,
  );
}
