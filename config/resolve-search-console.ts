// Resolves `searchConsole` of projects: whose clicks are fetched, and with which credentials.
import { resolve as resolvePath } from 'node:path';
import type { PartialConfig } from './document/draft.ts';
import { trimSlashes } from './resolve-reports.ts';
import { Secret } from './schema/secret.ts';

/** Access to the clicks of a project. */
export interface SearchConsoleConfig {
  readonly property: string;
  /** `keyFile` is absolute. */
  readonly credentials:
    | { readonly keyFile: string }
    | { readonly clientId: Secret; readonly clientSecret: Secret; readonly refreshToken: Secret };
  readonly baseUrl?: string;
}

/** Absolute paths, and secrets that are never printed. */
export function resolveSearchConsoles(
  draft: PartialConfig,
  directory: string,
): ReadonlyMap<string, SearchConsoleConfig> {
  const consoles = new Map<string, SearchConsoleConfig>();
  for (const { written } of draft.projects) {
    if (written.searchConsole === undefined) continue;
    const { property, credentials, baseUrl } = written.searchConsole;
    consoles.set(written.id, {
      property,
      credentials:
        'keyFile' in credentials
          ? { keyFile: resolvePath(directory, credentials.keyFile) }
          : {
              clientId: new Secret(credentials.clientId),
              clientSecret: new Secret(credentials.clientSecret),
              refreshToken: new Secret(credentials.refreshToken),
            },
      ...(baseUrl === undefined ? {} : { baseUrl: trimSlashes(baseUrl) }),
    });
  }
  return consoles;
}
