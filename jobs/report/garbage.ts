// Collects garbage between the tables of a report, where Node.js lets programs ask for it (`--expose-gc`).
import { getHeapStatistics } from 'node:v8';

/** Less is not worth the milliseconds. */
const growthMin = 32 * 1_048_576;

let usedBefore = getHeapStatistics().used_heap_size;

/** A table leaves tens of megabytes behind. V8 would wait until the heap has more than doubled. */
export function collectGarbage(): void {
  if (globalThis.gc === undefined || getHeapStatistics().used_heap_size < usedBefore + growthMin) return;
  globalThis.gc();
  usedBefore = getHeapStatistics().used_heap_size;
}
