// Fetches new days of clicks after a run. Free; a failure is reported and never fails the run.
import type { ResolvedConfig, SearchConsoleConfig } from '../../../config/resolve.ts';
import { describeError } from '../../../jobs/alerts/alert-channel.ts';
import { clicksPeriod, fetchClicks } from '../../../jobs/backfill/fetch-clicks.ts';
import type { JobContext } from '../../../jobs/context.ts';
import { openConsole } from '../opening/search-console.ts';

/** Days of a project that were fetched after a run. */
export interface ClicksFetch {
  readonly project: string;
  /** `fresh` of them are not final, and are fetched again. */
  readonly days: number;
  readonly fresh: number;
  /** Null: the fetch is complete. */
  readonly error: string | null;
}

export interface ClicksFetcher {
  /** Begins to fetch what is due, unless it is fetching already. */
  fetchDue(): void;
  /** Waits for a fetch that runs. Never rejects. */
  close(): Promise<readonly ClicksFetch[]>;
}

/** Older days are fetched by `backfill clicks`. */
const months = 1;
/** Search Console adds days once or twice a day: projects with many runs ask no more often. */
const gapMs = 6 * 3_600_000;
const timeoutMs = 5 * 60_000;

export function openClicksFetcher(
  { searchConsoles }: ResolvedConfig,
  context: JobContext,
  stop: AbortSignal,
): ClicksFetcher {
  const fetched: ClicksFetch[] = [];
  const triedAt = new Map<string, number>();
  let fetching: Promise<void> | null = null;

  async function fetchAll(): Promise<void> {
    for (const [project, access] of searchConsoles) {
      const now = context.clock.now();
      const last = triedAt.get(project) ?? context.store.clicks.fetchedAt(project, access.property) ?? 0;
      if (stop.aborted || !context.projects.has(project) || now - last < gapMs) continue;
      triedAt.set(project, now);
      fetched.push(await fetchOne(project, access, now));
    }
  }

  async function fetchOne(project: string, access: SearchConsoleConfig, now: number): Promise<ClicksFetch> {
    try {
      const source = await openConsole(access, context.clock);
      try {
        const request = { project, property: access.property, ...clicksPeriod(now, months) };
        const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]);
        const { days, fresh } = await fetchClicks(context, source, request, signal);
        return { project, days, fresh, error: null };
      } finally {
        await source.close();
      }
    } catch (error) {
      const words = describeError(error);
      context.log.warn({ project, error: words }, 'clicks could not be fetched');
      return { project, days: 0, fresh: 0, error: words };
    }
  }

  return {
    fetchDue() {
      if (fetching !== null || stop.aborted) return;
      fetching = fetchAll().finally(() => {
        fetching = null;
      });
    },
    async close() {
      await fetching?.catch((error: unknown) =>
        context.log.warn({ error: describeError(error) }, 'clicks could not be fetched'),
      );
      return fetched;
    },
  };
}
