// Counts the passwords that were hashed: the cost of a login without measuring time.
import { createHook } from 'node:async_hooks';

/** Counts the scrypt calls of Node until `work` is done. */
export async function hashesDuring(work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === 'SCRYPTREQUEST') count += 1;
    },
  }).enable();
  try {
    await work();
    return count;
  } finally {
    hook.disable();
  }
}
