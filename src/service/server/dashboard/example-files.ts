// The example programs of the dashboard. Credentials come from the environment, never from a file.
import { readFileSync } from 'node:fs';

/** A script for sh with curl, and a program for Node.js 24 or later without packages. */
export type ExampleName = 'search.sh' | 'search.ts';

const templates = new Map<ExampleName, string>();

/** The file, with the server's address and an API user filled in. */
export function exampleFile(name: ExampleName, baseUrl: string, username = '<API_USER>'): string {
  const template = templates.get(name) ?? readFileSync(new URL(`./files/${name}.txt`, import.meta.url), 'utf8');
  templates.set(name, template);
  return template.replaceAll('{base_url}', baseUrl).replaceAll('{api_user}', username);
}
