// Keeps the memory of long runs and reports low, where Node.js lets programs collect garbage (`--expose-gc`).

/** Bytes: smaller processes, such as reports of 10,000 keywords, need no collection. */
const residentMin = 176 * 1_048_576;
const growthMin = 16 * 1_048_576;

/** Bytes of the process after the last collection, and after the last that gave memory back. */
let [residentCollected, residentGivenBack] = [0, 0];

/** For the middle of a task. V8 would wait until the heap has more than doubled. */
export function collectGarbage(): void {
  if (globalThis.gc === undefined || !isGrown(residentCollected)) return;
  globalThis.gc({ type: 'major', flavor: 'regular' });
  residentCollected = process.memoryUsage.rss();
}

/** For the end of a task. V8 keeps the memory that it frees, unless the collection is its last resort. */
export function giveMemoryBack(): void {
  if (globalThis.gc === undefined || !isGrown(residentGivenBack)) return;
  globalThis.gc({ type: 'major', flavor: 'last-resort' });
  residentGivenBack = process.memoryUsage.rss();
  residentCollected = residentGivenBack;
}

function isGrown(residentBefore: number): boolean {
  return process.memoryUsage.rss() >= Math.max(residentMin, residentBefore + growthMin);
}
