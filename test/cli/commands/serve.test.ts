// `serve`: the service over HTTP from one command line, until a signal ends it.
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { openApp } from '../../../src/app/app.ts';
import { SearchDataClient } from '../../../src/service/client/client.ts';
import { systemClock } from '../../../src/service/index.ts';
import { createApiUser, tableRows } from '../../helpers/dashboard.ts';
import { DashboardVisitor } from '../../helpers/dashboard-visitor.ts';
import { folderOf } from '../child.ts';
import { invoke, type Outcome, TextStream } from '../fake-host.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';

const config = `services:
  default: { mode: embedded, source: sandbox }
  own: { mode: embedded, source: sandbox, account: acme }
  vendor: { mode: remote, baseUrl: "https://api.example.com", user: ann, password: "\${PASSWORD}" }
projects: []
`;

let folder: ProjectFolder;
beforeEach(async () => {
  folder = projectFolder(config);
  await go('account', 'create', 'acme', '--serp-credits', '5', '--usd', '1');
});

const env = { PASSWORD: 'unused' };
const go = (...argv: string[]) => invoke(argv, { cwd: folder.path, env, now: Date.now(), openApp });

interface Served {
  readonly url: string;
  readonly out: TextStream;
  stop(): Promise<Outcome>;
}

async function served(...argv: string[]): Promise<Served> {
  const stdout = new TextStream();
  let interrupt = () => {};
  const ended = invoke(['serve', '--port', '0', ...argv], {
    cwd: folder.path,
    env,
    now: Date.now(),
    stdout,
    openApp,
    withSignal: (send) => {
      interrupt = send;
    },
  });
  while (!stdout.text.includes('\n')) await setImmediate();
  const url = /http:\/\/[\d.]+:\d+/.exec(stdout.text)?.[0] ?? '';
  return {
    url,
    out: stdout,
    async stop() {
      interrupt();
      return await ended;
    },
  };
}

/** Every password that was issued. */
const passwords: string[] = [];

async function clientOf(url: string, ...more: string[]): Promise<SearchDataClient> {
  const { out } = await go('api-user', 'add', '--account', 'acme', '--json', ...more);
  const { username: user, password } = JSON.parse(out) as { username: string; password: string };
  passwords.push(password);
  return new SearchDataClient({ retries: { attemptsMax: 1 }, baseUrl: url, user, password, clock: systemClock });
}

const balance = async () => JSON.parse((await go('account', 'show', 'acme', '--json')).out) as Record<string, unknown>;

describe('serve', () => {
  test('settles the charge of a client that hung up before it stops, and logs no failure', async () => {
    await go('account', 'credit', 'acme', '--serp-credits', '5');
    const { url, stop } = await served();
    const { out } = await go('api-user', 'add', '--account', 'acme', '--json');
    const { username, password } = JSON.parse(out) as { username: string; password: string };
    passwords.push(password);
    const body = JSON.stringify({ keyword: 'running shoes', end_page: 10 });
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.end(
      `POST /v1/serp HTTP/1.1\r\nHost: x\r\nService-Api-User: ${username}\r\nService-Api-Password: ${password}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await once(socket, 'finish');
    socket.destroy();
    expect((await fetch(`${url}/healthz`)).status).toBe(200); // the server has seen both
    const { err } = await stop();
    const lines = err.split('\n').filter((line) => line.includes('/v1/serp'));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 30, msg: 'client hung up', user: username }]);
    expect(lines[0]).not.toContain('status');
    expect(await balance()).toMatchObject({ serpCredits: 10 });
  });

  test('charges the account of its callers, stores no password, and exits with 0 on a signal', async () => {
    const { url, out, stop } = await served('--json');
    expect(out.text).toBe(`${JSON.stringify({ url })}\n`);
    const client = await clientOf(url);
    const { pages } = await client.serp({ keyword: 'running shoes', end_page: 2 });
    expect(pages.map(({ page }) => page)).toEqual([1, 2]);
    await client.keywordData({ keyword: 'running shoes', limit: 100 });
    expect(await balance()).toMatchObject({ serpCredits: 3, usd: 0.97 });
    await expect(client.serp({ keyword: 'running shoes', end_page: 4 })).rejects.toMatchObject({
      code: 'INSUFFICIENT_CREDITS',
      status: 402,
    });
    await client.close();
    const { exitCode, err } = await stop();
    expect(exitCode).toBe(0);
    const lines = err
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ path, status, code }) => [path, status, code])).toEqual([
      ['/v1/serp', 200, undefined],
      ['/v1/keyword-data', 200, undefined],
      ['/v1/serp', 402, 'INSUFFICIENT_CREDITS'],
    ]);
    expect(out.text.split('\n')).toHaveLength(2);
    const files = readdirSync(folder.path, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    expect(files.map(({ name }) => name)).toContain('rankledger.sqlite');
    const written = [err, ...files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))];
    expect(passwords.filter((password) => written.some((text) => text.includes(password)))).toEqual([]);
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  });

  test('lets a holder create an API user with --dashboard, and a session survives a restart', async () => {
    const first = await served('--dashboard');
    expect(first.out.text).toContain(`Account dashboard: ${first.url}/account`);
    const { out } = await go('account', 'invite', 'acme', '--url', first.url, '--json');
    const { url } = JSON.parse(out) as { url: string };
    const secrets = ['copper violin sandwich orbit', url.split('=')[1] ?? ''];
    const visitor = new DashboardVisitor(first.url);
    const welcome = await visitor.open(url.slice(first.url.length));
    const chosen = { new_password: secrets[0] ?? '', repeated: secrets[0] ?? '' };
    expect((await visitor.submit(welcome, '/account/invitation', chosen)).title).toBe('Overview');
    const { username: user, password } = await createApiUser(visitor, 'crawler');
    const client = new SearchDataClient({ baseUrl: first.url, user, password, clock: systemClock });
    expect((await client.serp({ keyword: 'running shoes' })).pages).toHaveLength(1);
    await client.close();
    const { err } = await first.stop();

    const second = await served('--dashboard');
    const returning = new DashboardVisitor(second.url);
    returning.cookie = visitor.cookie;
    const overview = await returning.open('/account');
    expect(tableRows(overview, 'Usage').map((row) => row.slice(1, 4))).toEqual([['acme.crawler', 'serp', '1']]);
    await second.stop();

    secrets.push(password, visitor.cookie?.split('=')[1] ?? '');
    const files = readdirSync(folder.path, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    const written = [err, ...files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))];
    expect(secrets.filter((secret) => secret === '' || written.some((text) => text.includes(secret)))).toEqual([]);
  });

  test('has no account pages without --dashboard', async () => {
    const { url, stop } = await served();
    expect((await fetch(`${url}/account/sign-in`)).status).toBe(404);
    await stop();
  });

  test.each([
    ['0.0.0.0', 1],
    ['127.0.0.1', 0],
    ['localhost', 0],
  ])('warns with --host %s %d times that passwords are not encrypted', async (host, warnings) => {
    const { stop } = await served('--json', '--host', host);
    const { exitCode, err } = await stop();
    const lines = err.split('\n').filter((line) => line.includes('passwords are not encrypted'));
    expect({ exitCode, warnings: lines.length }).toEqual({ exitCode: 0, warnings });
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ host });
    expect(err).not.toMatch(/"level":"error"/);
  });

  test('writes failed logins to the audit trail before it ends, and reports the usage to its client', async () => {
    const { url, stop } = await served();
    const client = await clientOf(url);
    await client.serp({ keyword: 'shoes' });
    const used = await client.usage({ days: 1 });
    expect(used.response).toMatchObject({
      account: 'acme',
      balance: { serp_credits: 4, usd: 1 },
      days: [{ requests: 1, serp_credits: 1, usd: 0 }],
    });
    expect(used.requestId).not.toBe('');
    await expect(client.usage({ days: 0 })).rejects.toMatchObject({ code: 'INVALID_REQUEST', charged: 'no' });
    const wrong = { 'service-api-user': 'eve', 'service-api-password': 'x' };
    for (let guess = 0; guess < 3; guess++) await fetch(`${url}/v1/usage`, { headers: wrong });
    await client.close();
    await stop();
    const entries = JSON.parse((await go('account', 'log', '--json')).out) as Record<string, unknown>[];
    expect(entries.filter(({ event }) => event === 'login-failed')).toMatchObject([
      { username: 'eve', address: '127.0.0.1', reason: 'unknown-user', count: 3, account: null },
    ]);
  });

  test('notices at once what another command has changed', async () => {
    const { url, stop } = await served();
    const client = await clientOf(url);
    await client.serp({ keyword: 'shoes' });
    await go('account', 'whitelist', 'acme', '203.0.113.7');
    await expect(client.keywordData({ keyword: 'shoes' })).rejects.toMatchObject({ code: 'IP_NOT_WHITELISTED' });
    await go('account', 'whitelist', 'acme', '--clear');
    await client.serp({ keyword: 'shoes' });
    const users = JSON.parse((await go('api-user', 'list', '--json')).out) as { username: string }[];
    for (const { username } of users) await go('api-user', 'revoke', username);
    await expect(client.serp({ keyword: 'shoes' })).rejects.toMatchObject({ code: 'INVALID_API_KEY' });
    await client.close();
    await stop();
  });

  test('applies the configured rate limit, and trusts the configured proxies', async () => {
    const { url, stop } = await served('--rate', '2', '--trusted-proxy', '127.0.0.1', '--service', 'own');
    await go('account', 'credit', 'acme', '--serp-credits', '100');
    await go('account', 'whitelist', 'acme', '203.0.113.7');
    const { username: user, password } = JSON.parse(
      (await go('api-user', 'add', '--account', 'acme', '--json')).out,
    ) as Record<'username' | 'password', string>;
    const ask = async () => {
      const headers = {
        'content-type': 'application/json',
        'service-api-user': user,
        'service-api-password': password,
        'x-forwarded-for': '203.0.113.7',
      };
      const answer = await fetch(`${url}/v1/serp`, { method: 'POST', headers, body: '{"keyword":"shoes"}' });
      await answer.text();
      return answer.status;
    };
    expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429]);
    await go('account', 'whitelist', 'acme', '--clear');
    await stop();
  });

  test.each([
    [['--service', 'vendor'], 2, 'services.vendor is remote and cannot be served'],
    [['--service', 'missing'], 2, 'there is no service "missing"'],
    [['--trusted-proxy', 'proxy'], 2, '--trusted-proxy: "proxy" is not'],
    [['--port', '65536'], 2, 'Write a whole number from 0 to 65535.'],
    [['--host', '203.0.113.9'], 1, 'this machine does not have that address'],
  ])('refuses %j', async (argv, code, message) => {
    const { exitCode, out, err } = await go('serve', '--port', '0', ...argv);
    expect({ exitCode, out }).toEqual({ exitCode: code, out: '' });
    expect(err).toContain(message);
  });

  test('names the port that is taken', async () => {
    const { url, stop } = await served();
    const { exitCode, err } = await go('serve', '--port', new URL(url).port);
    expect(exitCode).toBe(1);
    expect(err).toContain('another program uses it');
    expect(err).toContain('--port 0');
    await stop();
  });
});

test('the real program prints its address, and exits with 0 on SIGTERM', async () => {
  const folder = folderOf({ 'rankledger.yaml': 'projects: []\n' });
  const { child, ended } = folder.start('serve', '--port', '0', '--json');
  const line = await new Promise<string>((resolve) => child.stdout?.once('data', (text) => resolve(String(text))));
  const { url } = JSON.parse(line) as { url: string };
  expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: 'ok' });
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ exitCode: 0, signal: null, out: line });
  folder.remove();
});
