// Fetches clicks and impressions of the projects that have access to Search Console.
import { readFile } from 'node:fs/promises';
import type { SearchConsoleConfig } from '../../../config/resolve-search-console.ts';
import { clicksPeriod, type FetchedClicks, fetchClicks } from '../../../jobs/backfill/fetch-clicks.ts';
import { openSearchConsole, type SearchConsoleCredentials } from '../../service/index.ts';
import type { App } from '../app.ts';
import { projectsNamed } from '../opening/named-projects.ts';
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
    const { property, baseUrl } = access;
    const credentials = await readCredentials(access);
    const url = baseUrl === undefined ? {} : { baseUrl };
    const source = await openSearchConsole({ property, credentials, ...url }, context.clock);
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
