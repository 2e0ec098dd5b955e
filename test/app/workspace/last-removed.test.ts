// What was guarded stays guarded: the last of those who may enter is removed, at each door of running servers.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { invoke, TextStream } from '../../cli/fake-host.ts';
import { type ProjectFolder, projectFolder } from '../../cli/project-folder.ts';
import { commandAt } from '../../cli/real-app.ts';

const now = Date.parse('2026-01-14T12:00:00Z');
const dayMs = 86_400_000;
const config = (id: string) => `projects:
  - { id: ${id}, targets: [acme.com], depth: 1, keywordsFile: words.csv }
`;

let folder: ProjectFolder;
let ends: (() => Promise<void>)[];
beforeEach(() => {
  folder = projectFolder(config('acme'));
  folder.write('words.csv', 'keyword\r\nhats\r\n');
  ends = [];
});
afterEach(async () => {
  for (const end of ends) await end();
});

/** Starts a command that serves; the document of its first line. */
async function started(...argv: string[]): Promise<{ readonly url: string; readonly metrics?: string }> {
  const stdout = new TextStream();
  let interrupt = () => {};
  const ended = invoke([...argv, '--port', '0', '--json'], {
    ...{ cwd: folder.path, now: at, stdout },
    withSignal: (send) => {
      interrupt = send;
    },
  });
  await vi.waitUntil(() => stdout.text.includes('\n'), { timeout: 20_000 });
  ends.push(async () => {
    interrupt();
    expect((await ended).exitCode).toBe(0);
  });
  return JSON.parse(stdout.text);
}
let at = now;

const cli = async (...argv: string[]) => {
  const { exitCode, out, err } = await commandAt(folder, now, ...argv);
  expect([exitCode, err]).toEqual([0, '']);
  return out;
};
const added = async (...argv: string[]): Promise<string> =>
  JSON.parse(await cli('reader', 'add', ...argv, '--json')).token;

/** A read and a write at each door, as the operator of a machine without readers makes them, or with a token. */
async function tryDoors(doors: Awaited<ReturnType<typeof openDoors>>, token?: string): Promise<Record<string, number>> {
  const { view, mcp, metrics } = doors;
  const own = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...own };
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const edit = { ...json, 'x-rankledger-edit': '1' };
  const tried = {
    read: fetch(`${view}/v1/projects`, { headers: own }),
    write: fetch(`${view}/v1/notes`, { method: 'POST', headers: edit, body: '{"text":"a note"}' }),
    buy: fetch(`${view}/v1/projects/acme/checks`, { method: 'POST', headers: edit, body: '{"keywords":["hats"]}' }),
    mcp: fetch(mcp, { method: 'POST', headers: json, body: ping }),
    metrics: fetch(metrics, { headers: own }),
  };
  const statuses: Record<string, number> = {};
  for (const [name, answer] of Object.entries(tried)) statuses[name] = (await answer).status;
  return statuses;
}

async function openDoors() {
  const { url: view } = await started('view', '--edit', '--api-only');
  const { url: mcp } = await started('mcp', '--http', '--edit');
  const { metrics = '' } = await started('serve', '--metrics', '0');
  return { view, mcp, metrics };
}

const all = (status: number) => ({ read: status, write: status, buy: status, mcp: status, metrics: status });

const removals: readonly (readonly [who: string, argv: readonly string[], how: 'revoked' | 'ended'])[] = [
  ['reader', [], 'revoked'],
  ['reader', ['--until', '2026-01-14'], 'ended'],
  ['editor', ['--role', 'editor'], 'revoked'],
  ['editor', ['--role', 'editor', '--until', '2026-01-14'], 'ended'],
  ['share link', ['--project', 'acme'], 'revoked'],
  ['share link', ['--project', 'acme', '--until', '2026-01-14'], 'ended'],
];

it.each(removals)(
  'a token is asked for good: the only %s (%j) was %s',
  async (_, argv, how) => {
    at = now;
    const before = await openDoors();
    expect(await tryDoors(before)).toEqual(all(200));
    const token = await added('anna', ...argv);
    expect(await tryDoors(before)).toEqual(all(401));
    expect((await tryDoors(before, token))['read']).toBe(200);
    if (how === 'revoked') await cli('reader', 'revoke', 'anna');
    else at = now + 2 * dayMs; // the servers below
    if (how === 'revoked') {
      expect(await tryDoors(before)).toEqual(all(401));
      expect(await tryDoors(before, token)).toEqual(all(401));
    }
    const after = await openDoors();
    expect(await tryDoors(after)).toEqual(all(401));
    expect(await tryDoors(after, token)).toEqual(all(401));
    const own = await added('me', '--role', 'editor');
    expect(await tryDoors(after, own)).toEqual(all(200));
  },
  30_000,
);

it('a share link reads no metrics, which sum up all projects', async () => {
  at = now;
  const doors = await openDoors();
  const token = await added('acme-team', '--project', 'acme');
  expect(await tryDoors(doors, token)).toMatchObject({ read: 200, write: 403, metrics: 403 });
}, 30_000);

it('a reader of a database that did not exist when the server began is asked for a token, too', async () => {
  at = now;
  const { url } = await started('view', '--api-only');
  const status = async (token?: string) =>
    (await fetch(`${url}/v1/projects`, { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } }))
      .status;
  expect(existsSync(join(folder.path, 'rankledger.sqlite'))).toBe(false);
  expect(await status()).toBe(200);
  const token = await added('anna');
  expect([await status(), await status(token)]).toEqual([401, 200]);
  await cli('reader', 'revoke', 'anna');
  expect([await status(), await status(token)]).toEqual([401, 401]);
}, 30_000);

it('of several databases each remembers: the last reader of any was revoked', async () => {
  at = now;
  const other = projectFolder(config('globex'));
  other.write('words.csv', 'keyword\r\nhats\r\n');
  const configs = ['--config', 'rankledger.yaml', '--config', join(other.path, 'rankledger.yaml')];
  const { url } = await started('view', '--api-only', ...configs);
  const status = async () => (await fetch(`${url}/v1/projects`)).status;
  expect(await status()).toBe(200);
  await commandAt(other, now, 'reader', 'add', 'ben');
  expect(await status()).toBe(401);
  await commandAt(other, now, 'reader', 'revoke', 'ben');
  expect(await status()).toBe(401);
  const refused = await commandAt(folder, now, 'view', '--port', '0', ...configs);
  expect([refused.exitCode, refused.err]).toEqual([2, expect.stringContaining('has or had readers')]);
}, 30_000);

it('`serve` without its last API user, or its last network, still asks for credentials', async () => {
  at = now;
  await cli('account', 'create', 'acme', '--serp-credits', '10');
  const { url } = await started('serve');
  const call = async (user: { readonly username?: string; readonly password?: string }) => {
    const { username = '', password = '' } = user;
    const credentials = { 'service-api-user': username, 'service-api-password': password };
    const headers = { 'content-type': 'application/json', ...credentials };
    return (await fetch(`${url}/v1/serp`, { method: 'POST', headers, body: '{"keyword":"hats"}' })).status;
  };
  const user = JSON.parse(await cli('api-user', 'add', 'crawler', '--account', 'acme', '--json'));
  expect([await call({}), await call(user)]).toEqual([401, 200]);
  await cli('account', 'whitelist', 'acme', '192.0.2.1');
  expect([await call({}), await call(user)]).toEqual([401, 401]);
  // no rules remove none: only --clear opens it to every address, and to API users alone
  await cli('account', 'whitelist', 'acme');
  expect([await call({}), await call(user)]).toEqual([401, 401]);
  await cli('account', 'whitelist', 'acme', '--clear');
  expect([await call({}), await call(user)]).toEqual([401, 200]);
  await cli('api-user', 'revoke', 'crawler');
  expect([await call({}), await call(user)]).toEqual([401, 401]);
}, 30_000);
