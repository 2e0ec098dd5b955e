// The context of jobs in a bench: a store, a service that answers at once from memory, and a clock that stands still.
import type { Store } from '../../db/store.ts';
import type { JobContext } from '../../jobs/context.ts';
import type { AnsweredPage, SearchDataService } from '../../src/service/index.ts';
import type { Project } from '../../src/tracker/project.ts';

/** `pages`: the answer to each keyword. */
export function contextOf(
  store: Store,
  projects: readonly Project[],
  now: number,
  pages: ReadonlyMap<string, AnsweredPage>,
): JobContext {
  return {
    store,
    services: new Map([['default', memoryService(pages)]]),
    projects: new Map(projects.map((project) => [project.id, project])),
    clock: { now: () => now, sleep: () => Promise.resolve() },
    random: () => 0.5,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    timezone: 'UTC',
    owner: 'bench',
    freeBytes: () => Number.POSITIVE_INFINITY,
  };
}

function memoryService(pages: ReadonlyMap<string, AnsweredPage>): SearchDataService {
  const unasked = (): never => {
    throw new Error('benches ask for pages only');
  };
  return {
    source: 'memory',
    kind: 'sandbox',
    async serp({ keyword }, options) {
      await options?.beforeSend?.();
      const page = pages.get(keyword);
      if (page === undefined) throw new Error(`there is no page for ${keyword}`);
      return { requestId: '', creditsCharged: 1, pages: [page] };
    },
    keywordData: unasked,
    readPage: unasked,
    async close() {},
  };
}
