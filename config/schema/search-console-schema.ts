// The keys of `searchConsole`: whose clicks are fetched, and with which credentials.
import * as z from 'zod';
import { path, text } from './schema-parts.ts';

const secret = z.string().min(1).max(5_000);

const accountSchema = z.strictObject({
  keyFile: path.describe('JSON key of a service account that is a user of the property, relative to this file.'),
});

const userSchema = z.strictObject({
  clientId: secret.describe('OAuth client.'),
  clientSecret: secret.describe(`Its secret, such as \${SEARCH_CONSOLE_SECRET}.`),
  refreshToken: secret.describe('Refresh token of a user of the property, for the scope webmasters.readonly.'),
});

export const searchConsoleSchema = z.strictObject({
  property: text(propertyComplaint, 2_000).describe(
    'Property as Search Console names it: sc-domain:acme.com, or https://acme.com/ with its slash.',
  ),
  credentials: z.union([accountSchema, userSchema]).describe('A service account or an OAuth refresh token.'),
  baseUrl: z.url().optional().describe('Another URL of the API and its token server, such as a proxy.'),
});

function propertyComplaint(property: string): string | undefined {
  if (/^sc-domain:[^\s/:]+$/.test(property)) return undefined;
  if (/^https?:\/\/\S+\/$/.test(property)) return undefined;
  return 'is not a property; write sc-domain:acme.com, or a URL that ends with a slash, such as https://acme.com/';
}
