// Opens the Search Console of a project with the credentials of the config.
import { readFile } from 'node:fs/promises';
import type { SearchConsoleConfig } from '../../../config/resolve.ts';
import {
  type Clock,
  openSearchConsole,
  type SearchConsole,
  type SearchConsoleCredentials,
} from '../../service/index.ts';
import { UsageError } from './usage-error.ts';

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
