// How many passwords were hashed meanwhile: the work of a login counted, where its time would tell how busy the machine is.
import { createHook } from 'node:async_hooks';

/** Counts what Node begins to hash by scrypt until `work` is done. */
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
