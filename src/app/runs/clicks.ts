// Opens the Search Console of a project with the credentials of the config.

import { readFile } from 'node:fs/promises';
import type { ResolvedConfig, SearchConsoleConfig } from '../../../config/resolve.ts';
import { describeError } from '../../../jobs/alerts/alert-channel.ts';
import { clicksPeriod, fetchClicks } from '../../../jobs/backfill/fetch-clicks.ts';
import type { JobContext } from '../../../jobs/context.ts';
import {
  type Clock,
  openSearchConsole,
  type SearchConsole,
  type SearchConsoleCredentials,
} from '../../service/terms.ts';
import { hourMs } from '../../tracker/schedule/time-units.ts';
import { UsageError } from '../opening/failures.ts';

/** Sends nothing yet. Throws UsageError where the key file cannot be used. */
export async function openConsole(access: SearchConsoleConfig, clock: Clock): Promise<SearchConsole> {
  const { property, baseUrl } = access;
  const credentials = await readCredentials(access);
  return await openSearchConsole({ property, credentials, baseUrl }, clock);
}

async function readCredentials({ credentials }: SearchConsoleConfig): Promise<SearchConsoleCredentials> {
  if ('clientId' in credentials) {
    const { clientId, clientSecret, refreshToken } = credentials;
    return {
      clientId: clientId.reveal(),
      clientSecret: clientSecret.reveal(),
      refreshToken: refreshToken.reveal(),
    };
  }
  const { keyFile } = credentials;
  const text = await readFile(keyFile, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`the key file of Search Console cannot be read (${error.code}): ${keyFile}`);
  });
  const { client_email: clientEmail, private_key: privateKey, private_key_id: keyId } = parsedKey(text);
  if (typeof clientEmail !== 'string' || typeof privateKey !== 'string')
    throw new UsageError(
      `${keyFile} is not the key of a service account`,
      'create a JSON key of the service account in the Cloud console',
    );
  return { clientEmail, privateKey, ...(typeof keyId === 'string' && { keyId }) };
}

/** The message of a failure never quotes the file: it holds a private key. */
function parsedKey(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** Days of a project that were fetched after a run. */
export interface ClicksFetch {
  readonly project: string;
  /** `fresh` of them are not final, and are fetched again. */
  readonly days: number;
  readonly fresh: number;
  /** Null: the fetch is complete. Days may be stored without a part that is refused. */
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
const gapMs = 6 * hourMs;
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
        const { days, fresh, refused } = await fetchClicks(context, source, request, signal);
        if (refused.length === 0) return { project, days, fresh, error: null };
        const error = refused.join('; ');
        context.log.warn({ project, error }, 'some clicks could not be fetched');
        return { project, days, fresh, error };
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
