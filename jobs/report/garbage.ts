// Collects garbage while a report is made, where Node.js lets programs ask for it (`--expose-gc`).

/** Bytes of the process: those of a report of 10,000 keywords. Below, a collection is not worth the milliseconds. */
const residentMin = 176 * 1_048_576;
const growthMin = 16 * 1_048_576;

let residentBefore = 0;

/** Within a table. V8 would wait until the heap has more than doubled. */
export function collectGarbage(): void {
  collect('regular');
}

/** Between tables: V8 keeps the memory of what it collects, unless the collection is its last resort. */
export function giveMemoryBack(): void {
  collect('last-resort');
}

function collect(flavor: 'regular' | 'last-resort'): void {
  if (globalThis.gc === undefined) return;
  if (process.memoryUsage.rss() < Math.max(residentMin, residentBefore + growthMin)) return;
  globalThis.gc({ type: 'major', flavor });
  residentBefore = process.memoryUsage.rss();
}
