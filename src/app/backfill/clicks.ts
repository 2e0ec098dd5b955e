// Fetches clicks and impressions of the projects that have access to Search Console.
import { clicksPeriod, type FetchedClicks, fetchClicks } from '../../../jobs/backfill/fetch-clicks.ts';
import type { App } from '../app.ts';
import { projectsNamed } from '../opening/named-projects.ts';
import { openConsole } from '../opening/search-console.ts';
import { UsageError } from '../opening/usage-error.ts';

export interface BackfillClicksOptions {
  readonly projects?: readonly string[];
  /** Search Console keeps 16. */
  readonly months: number;
  readonly signal: AbortSignal;
  readonly onProgress?: (project: string, done: number, total: number) => void;
}

/** Throws UsageError where no project has access, or a key file cannot be used, and ServiceError. */
export async function backfillClicks(app: App, options: BackfillClicksOptions): Promise<FetchedClicks[]> {
  const { config, context } = app;
  const projects = projectsNamed(config, options.projects).filter(({ id }) => config.searchConsoles.has(id));
  if (projects.length === 0)
    throw new UsageError(
      'no project has access to Search Console',
      'add `searchConsole: { property, credentials }` to the project; see docs/search-console.md',
    );
  const period = clicksPeriod(context.clock.now(), options.months);
  const fetched: FetchedClicks[] = [];
  for (const { id } of projects) {
    const access = config.searchConsoles.get(id);
    if (access === undefined) continue;
    const { property } = access;
    const source = await openConsole(access, context.clock);
    try {
      const onProgress = (done: number, total: number) => options.onProgress?.(id, done, total);
      const request = { project: id, property, ...period };
      fetched.push(await fetchClicks(context, source, request, options.signal, onProgress));
    } finally {
      await source.close();
    }
  }
  return fetched;
}
