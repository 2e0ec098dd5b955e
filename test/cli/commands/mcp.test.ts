// `mcp` as an assistant starts it: a real process, with the SDK's client on its standard streams.
import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { Client, StreamableHTTPClientTransport, type VersionNegotiationOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeEach, expect, test } from 'vitest';
import { openApp } from '../../../src/app/app.ts';
import { authorizationServer } from '../../helpers/authorization-server.ts';
import { closeLater } from '../../helpers/closing.ts';
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

test('every tool that reads says how much of the project has a check, and of when', async () => {
  expect((await invoke(['run', '--all'], { cwd: folder.path, openApp, now: Date.now() })).exitCode).toBe(0);
  const client = await connect();
  try {
    const { rows, same } = JSON.parse((await call(client, 'keyword_table', { project: 'acme' })).text);
    const row = { ...same, ...rows[0] };
    const { id, keyword, country, language, device } = row;
    const needs: Record<string, object> = {
      keyword_history: { id },
      serp_on_date: { keyword, country, language, device },
    };
    for (const name of await namesOf(client)) {
      const { text, isError } = await call(
        client,
        name,
        name === 'list_projects' ? {} : { project: 'acme', ...needs[name] },
      );
      const { coverage } = JSON.parse(isError ? '{}' : text);
      const acme = { date: row.date, checked: 3, total: 3, missing: 0 };
      expect([name, coverage]).toEqual([name, expect.objectContaining(acme)]);
    }
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
  for (const again of [{ buy: true }, { buy: true, confirm: priced.confirm }])
    expect(await call(client, 'check_now', { ...trail, ...again })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/was used.* Nothing was bought\. Ask for the price again\./),
    });
  const { confirm } = JSON.parse((await call(client, 'check_now', trail)).text);
  const twice = JSON.parse((await call(client, 'check_now', { ...trail, buy: true, confirm })).text);
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

/** `mcp --http` with these flags; `end` interrupts it, and gives its exit code. */
async function serving(...flags: readonly string[]) {
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
  const ended = invoke(['mcp', '--http', '--port', '0', '--json', ...flags], {
    cwd: folder.path,
    openApp,
    now: Date.now(),
    stdout: output as Writable & { isTTY: boolean; columns: number },
    withSignal: (send) => {
      interrupt = send;
    },
  });
  await isListening;
  const end = async () => {
    interrupt();
    return (await ended).exitCode;
  };
  return { url, end };
}

test.each(eras)('with --allow-spend an assistant of %o buys over HTTP, too', async (versionNegotiation) => {
  const { url, end } = await serving('--allow-spend');
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  try {
    await spend(client);
  } finally {
    await client.close();
    expect(await end()).toBe(0);
  }
});

/** The folder with a keyword file, at a vendor with a list price. */
function withKeywordFile(): void {
  const config = readFileSync(join(folder.path, 'rankledger.yaml'), 'utf8');
  const priced = config.replace(
    'projects:',
    'services: { default: { mode: embedded, source: sandbox, usdPerThousand: 2 } }\nprojects:',
  );
  folder.write('rankledger.yaml', priced.replace('    keywords: [', '    keywordsFile: acme.csv\n    keywords: ['));
  folder.write('acme.csv', 'keyword,tags\nroad shoes,road\n');
}
const keywordFile = () => readFileSync(join(folder.path, 'acme.csv'), 'utf8');
const wanted = { project: 'acme', keywords: ['socks, long', 'road shoes'], tags: ['socks'] };

test.each(eras)(
  'with --edit an assistant of %o tracks keywords, once it has seen the lines and the cost',
  async (era) => {
    withKeywordFile();
    const client = await connect(['--edit'], era);
    try {
      expect(client.getInstructions()).toContain('only track_keywords changes what is tracked');
      const before = keywordFile();
      const preview = JSON.parse((await call(client, 'track_keywords', wanted)).text);
      expect(preview).toMatchObject({ isWritten: false, file: 'acme.csv', addedTotal: 1, known: 1 });
      expect(preview.diff).toContain('+"socks, long",socks');
      const { after, pagesMicroUsdPerMonth: dollars } = preview.cost;
      expect(after.creditsPerMonth - preview.cost.before.creditsPerMonth).toBeGreaterThan(0);
      expect(dollars.after).toEqual({ least: after.creditsPerMonth * 2000, most: after.creditsPerMonth * 2000 });
      expect(keywordFile()).toBe(before);
      const other = { ...wanted, keywords: ['gloves'], confirm: preview.confirm };
      expect(await call(client, 'track_keywords', other)).toMatchObject({
        isError: true,
        text: expect.stringMatching(/has changed since the preview.*"confirm":"[\w-]+".*\+gloves/),
      });
      const written = JSON.parse((await call(client, 'track_keywords', { ...wanted, confirm: preview.confirm })).text);
      expect([written.isWritten, written.confirm]).toEqual([true, undefined]);
      expect(keywordFile()).toBe(`${before}"socks, long",socks\n`);
      const again = JSON.parse((await call(client, 'track_keywords', wanted)).text);
      expect(again).toMatchObject({ addedTotal: 0, known: 2 });
    } finally {
      await client.close();
    }
    const { out } = await invoke(['account', 'log', '--json'], { cwd: folder.path, openApp });
    expect(JSON.parse(out)).toMatchObject([{ event: 'keywords-edit', facts: { project: 'acme', added: 1 } }]);
  },
);

test('over HTTP with readers, only the token of an editor tracks keywords', async () => {
  withKeywordFile();
  const tokenOf = async (...flags: string[]) => {
    const { out } = await invoke(['reader', 'add', ...flags, '--json'], { cwd: folder.path, openApp });
    return String(JSON.parse(out).token);
  };
  const tokens = [await tokenOf('ann'), await tokenOf('eve', '--role', 'editor')];
  const { url, end } = await serving('--edit');
  const answers = [];
  for (const token of tokens) {
    const client = new Client({ name: 'test', version: '1' });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    const { confirm } = JSON.parse((await call(client, 'track_keywords', wanted).catch(() => ({ text: '{}' }))).text);
    const tools = await namesOf(client);
    const asked = confirm && JSON.parse((await call(client, 'track_keywords', { ...wanted, confirm })).text);
    answers.push([tools.includes('track_keywords'), asked?.isWritten]);
    await client.close();
  }
  expect(await end()).toBe(0);
  expect(answers).toEqual([
    [false, undefined],
    [true, true],
  ]);
  const { out } = await invoke(['account', 'log', '--json'], { cwd: folder.path, openApp });
  expect(JSON.parse(out)[0]).toMatchObject({ event: 'keywords-edit', by: 'eve' });
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

test.each([
  [['--http', '--oauth', 'https://login.example.com'], 'need each other'],
  [['--oauth', 'https://login.example.com', '--resource', 'https://seo.example.com/mcp'], 'and --http'],
  [['--http', '--oauth', 'http://login.example.com', '--resource', 'https://seo.example.com/mcp'], 'https://'],
  [
    ['--http', '--allow-spend', '--oauth', 'https://login.example.com', '--resource', 'https://seo.example.com/mcp'],
    'exclude each other',
  ],
])('mcp %j is refused', async (flags, complaint) => {
  const { exitCode, err } = await invoke(['mcp', ...flags], { cwd: folder.path, openApp });
  expect([exitCode, err]).toEqual([2, expect.stringContaining(complaint)]);
});

test('--oauth asks every request for a token, also on this machine', async () => {
  const issuer = closeLater(await authorizationServer());
  const { url, end } = await serving('--oauth', issuer.url, '--resource', 'https://seo.example.com/mcp');
  const refused = await fetch(url, { method: 'POST', body: '{}' });
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
    401,
    expect.stringContaining('https://seo.example.com/.well-known/oauth-protected-resource/mcp'),
  ]);
  expect(await end()).toBe(0);
});
