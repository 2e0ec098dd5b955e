// `mcp` as an assistant starts it: a real process, with the SDK's client on its standard streams.
import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { Client, StreamableHTTPClientTransport, type VersionNegotiationOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeEach, expect, test } from 'vitest';
import { openApp } from '../../../src/app/app.ts';
import { invoke } from '../fake-host.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';

const launcher = resolve(import.meta.dirname, '../../../src/cli/rankledger.mjs');

let folder: ProjectFolder;
beforeEach(() => {
  folder = projectFolder();
});

/** The protocol of 2025 with its handshake, and that of 2026-07-28 without one. */
const eras = [{ mode: 'legacy' }, { mode: { pin: '2026-07-28' } }] as const;

async function connect(flags: readonly string[] = [], versionNegotiation: VersionNegotiationOptions = {}) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [launcher, 'mcp', '--config', join(folder.path, 'rankledger.yaml'), ...flags],
    cwd: folder.path,
    env: { PATH: process.env['PATH'] ?? '' },
  });
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation });
  await client.connect(transport);
  return client;
}

async function call(client: Client, name: string, input: object): Promise<{ text: string; isError: boolean }> {
  const { content, isError } = await client.callTool({ name, arguments: { ...input } });
  const [{ text }] = content as unknown as [{ text: string }];
  return { text, isError: isError === true };
}

const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);

test('an assistant reads projects over standard input and output, and can buy nothing', async () => {
  const client = await connect();
  try {
    expect(client.getInstructions()).toContain('Null means missing');
    expect(client.getInstructions()).toContain('cannot buy');
    const { text } = await call(client, 'list_projects', {});
    expect(JSON.parse(text).projects).toMatchObject([{ project: 'acme' }]);
    expect(await namesOf(client)).not.toContain('check_now');
    const buying = call(client, 'check_now', { project: 'acme', keywords: ['running shoes'] });
    await expect(buying).rejects.toThrow('check_now not found');
  } finally {
    await client.close();
  }
});

/** States a price, buys, finds fresh pages afterwards, and refuses what it must. */
async function spend(client: Client): Promise<void> {
  expect(await namesOf(client)).toContain('check_now');
  const trail = { project: 'acme', keywords: ['trail shoes'] };
  const priced = JSON.parse((await call(client, 'check_now', trail)).text);
  expect(priced).toMatchObject({ price: { searches: 1, creditsAtMost: 1 }, bought: null });
  const { bought } = JSON.parse((await call(client, 'check_now', { ...trail, buy: true })).text);
  expect(bought).toMatchObject({
    creditsSpent: 1,
    creditsUnknown: 0,
    runs: [{ state: 'complete', checks: { ok: 1 } }],
  });
  const table = JSON.parse((await call(client, 'keyword_table', { project: 'acme', filter: 'q=trail' })).text);
  expect(table.rows[0].date).not.toBeNull();
  const twice = JSON.parse((await call(client, 'check_now', { ...trail, buy: true })).text);
  expect(twice.bought.creditsSpent + twice.bought.pagesReused).toBe(1);
  const unknown = await call(client, 'check_now', { project: 'acme', keywords: ['none'], buy: true });
  expect(unknown).toMatchObject({ isError: true, text: expect.stringContaining('there is no keyword "none"') });
}

test.each(eras)('with --allow-spend an assistant of %o buys a check, and the ledger has it', async (era) => {
  const client = await connect(['--allow-spend'], era);
  try {
    await spend(client);
  } finally {
    await client.close();
  }
  const { out } = await invoke(['audit', '--json'], { cwd: folder.path, openApp });
  expect(JSON.parse(out)).toMatchObject({ ok: true });
});

test.each(['0', '1.5', 'all'])('--allow-spend %s is refused', async (credits) => {
  const { exitCode, err } = await invoke(['mcp', '--allow-spend', credits], { cwd: folder.path, openApp });
  expect([exitCode, err]).toEqual([2, expect.stringContaining('--allow-spend')]);
});

test.each(eras)('with --allow-spend an assistant of %o buys over HTTP, too', async (versionNegotiation) => {
  let url = '';
  const output = new Writable({
    write(chunk, _, done) {
      url ||= JSON.parse(String(chunk)).url;
      done();
      listening.emit('url');
    },
  });
  const listening = new EventEmitter();
  const isListening = once(listening, 'url');
  let interrupt = () => {};
  const ended = invoke(['mcp', '--http', '--port', '0', '--json', '--allow-spend'], {
    cwd: folder.path,
    openApp,
    now: Date.now(),
    stdout: output as Writable & { isTTY: boolean; columns: number },
    withSignal: (send) => {
      interrupt = send;
    },
  });
  await isListening;
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  try {
    await spend(client);
  } finally {
    await client.close();
    interrupt();
  }
  expect((await ended).exitCode).toBe(0);
});

test('a check whose worst case is over the budget is refused in words, and nothing is bought', async () => {
  const config = readFileSync(join(folder.path, 'rankledger.yaml'), 'utf8');
  folder.write('rankledger.yaml', config.replace('perRun: 20, perMonth: 100', 'perRun: 5, perMonth: 100'));
  const client = await connect(['--allow-spend']);
  try {
    const asked = { project: 'acme', keywords: ['running shoes'], buy: true };
    const { text, isError } = await call(client, 'check_now', asked);
    expect(isError).toBe(true);
    expect(text).toContain('may cost 6 SERP credits, which the budget does not allow');
    expect(JSON.parse((await call(client, 'runs', {})).text)).toMatchObject({ runs: [] });
  } finally {
    await client.close();
  }
});

test('readers of other machines cannot spend', async () => {
  const argv = ['mcp', '--http', '--host', '0.0.0.0', '--port', '0', '--allow-spend'];
  const { exitCode, err } = await invoke(argv, { cwd: folder.path, openApp });
  expect(exitCode).toBe(2);
  expect(err).toContain('--allow-spend listens on this machine only');
});

test('an address that is reachable from other machines needs a reader', async () => {
  const argv = ['mcp', '--http', '--host', '0.0.0.0', '--port', '0'];
  const { exitCode, err } = await invoke(argv, { cwd: folder.path, openApp });
  expect(exitCode).toBe(2);
  expect(err).toContain('rankledger reader add');
});
