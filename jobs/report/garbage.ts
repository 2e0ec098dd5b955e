// Collects garbage while a report is made, where Node.js lets programs ask for it (`--expose-gc`).

/** Bytes of the process: those of a report of 10,000 keywords. Below, a collection is not worth the milliseconds. */
const residentMin = 176 * 1_048_576;
const growthMin = 16 * 1_048_576;

/** Bytes of the process after the last collection, and after the last that gave memory back. */
let [residentCollected, residentGivenBack] = [0, 0];

/** Within a table. V8 would wait until the heap has more than doubled. */
export function collectGarbage(): void {
  if (globalThis.gc === undefined || !isGrown(residentCollected)) return;
  globalThis.gc({ type: 'major', flavor: 'regular' });
  residentCollected = process.memoryUsage.rss();
}

/** Between tables: V8 keeps the memory of what it collects, unless the collection is its last resort. */
export function giveMemoryBack(): void {
  if (globalThis.gc === undefined || !isGrown(residentGivenBack)) return;
  globalThis.gc({ type: 'major', flavor: 'last-resort' });
  residentGivenBack = process.memoryUsage.rss();
  residentCollected = residentGivenBack;
}

function isGrown(residentBefore: number): boolean {
  return process.memoryUsage.rss() >= Math.max(residentMin, residentBefore + growthMin);
}
