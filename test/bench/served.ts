// `rankledger serve` as a separate process with an account and API users, for measurements of the running server.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openStore } from '../../db/store.ts';
import { Accounts, type NewCredentials, systemClock } from '../../src/service/index.ts';
import { launcher } from './command-line.ts';

export interface Served {
  readonly url: string;
  readonly users: readonly NewCredentials[];
  stop(): Promise<void>;
}

const config = `database: rankledger.sqlite
services:
  default: { mode: embedded, source: sandbox }
projects: []
`;

/** Starts the server in `folder`, with users of an account with enough credits. Its log is read and dropped. */
export async function serve(folder: string, count: number, ...flags: readonly string[]): Promise<Served> {
  writeFileSync(join(folder, 'rankledger.yaml'), config);
  const store = openStore(join(folder, 'rankledger.sqlite'));
  const users: NewCredentials[] = [];
  try {
    const accounts = new Accounts(store.accounts, systemClock);
    await accounts.create('bench', { serpCredits: 1_000_000_000, microUsd: 0 });
    for (let user = 0; user < count; user++) users.push(await accounts.addUser('bench'));
  } finally {
    store.close();
  }
  const child = spawn(process.execPath, [launcher, 'serve', '--port', '0', '--json', '--rate', '1000000', ...flags], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stderr.resume();
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const { url } = JSON.parse(line) as { readonly url: string };
  return {
    url,
    users,
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** Headers of a request of this user. */
export function headersOf({ username, password }: NewCredentials): Record<string, string> {
  return { 'content-type': 'application/json', 'service-api-user': username, 'service-api-password': password };
}
