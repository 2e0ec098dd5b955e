// The searches of a project, in batches that are read together.
import { getOrInsert } from '../../../src/tracker/maps.ts';
import {
  expandSearches,
  type Market,
  marketName,
  type Project,
  type TrackedKeyword,
} from '../../../src/tracker/project.ts';

/**
 * One statement for this many rows costs a third of one statement a row. Rows of larger batches would live long enough
 * for V8 to take them for lasting ones.
 */
const searchesPerRead = 100;

/** Searches of one market, read together. */
export interface Batch {
  readonly market: Market;
  readonly keywords: readonly TrackedKeyword[];
}

/** The searches of a project, market by market, some hundred at a time. */
export function* inBatches(project: Project, size: number = searchesPerRead): Generator<Batch> {
  const open = new Map<string, { readonly market: Market; keywords: TrackedKeyword[] }>();
  for (const keyword of project.keywords) {
    for (const { market } of expandSearches(project, keyword)) {
      const key = marketName(market);
      const batch = getOrInsert(open, key, () => ({ market, keywords: [] }));
      batch.keywords.push(keyword);
      if (batch.keywords.length < size) continue;
      yield { market, keywords: batch.keywords };
      batch.keywords = [];
    }
  }
  for (const batch of open.values()) if (batch.keywords.length > 0) yield batch;
}
