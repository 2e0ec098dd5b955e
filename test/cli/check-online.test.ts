// `check --online` as an operator sees it: good and bad services over real connections, and no purchase.
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openConnection } from '../../db/connection/client.ts';
import { openStore } from '../../db/store.ts';
import { openApp } from '../../src/app/app.ts';
import type { PreflightCheck } from '../../src/app/preflight/online-checks.ts';
import type { OnlineCost } from '../../src/cli/subcommands/check-online.ts';
import { Accounts, startServer, systemClock } from '../../src/service/index.ts';
import { type Reply, startVendorServer, type VendorServer } from '../contract/sources/vendor-server.ts';
import { setUpCustomers } from '../helpers/customers.ts';
import { describeWithRedis, RedisServer } from '../helpers/redis.ts';
import { folderOf } from './child.ts';
import { invoke } from './fake-host.ts';
import { type ProjectFolder, projectFolder } from './project-folder.ts';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const env = {
  GOOD: 'canary-good-key',
  BAD: 'canary-bad-key',
  EMPTY: 'canary-empty-key',
  HTML: 'canary-html-key',
  SILENT: 'canary-silent-key',
  API_USER: 'ann',
  API_PASSWORD: 'canary-password',
  PROXY: 'http://ann:canary-proxy@127.0.0.1:1',
  REDIS: 'redis://:canary-redis@127.0.0.1:1',
};

interface Document {
  readonly online: { ok: boolean; trials: PreflightCheck[]; costs: OnlineCost[]; warnings: string[] };
}

const projects = (service: string, more = '') =>
  `projects: [{ id: acme, service: ${service}, targets: [acme.com], keywords: [shoes, boots], depth: 3, schedule: "0 6 * * *"${more} }]\n`;

function folder(yaml: string): ProjectFolder {
  return projectFolder(`timezone: UTC\nbudget: { serpCredits: { perRun: 50 } }\n${yaml}`);
}

async function check(yaml: string | ProjectFolder, ...argv: string[]) {
  const { path } = typeof yaml === 'string' ? folder(yaml) : yaml;
  const invocation = { cwd: path, env, openApp };
  const text = await invoke(['check', '--online', ...argv], invocation);
  const json = await invoke(['check', '--online', '--json', ...argv], invocation);
  for (const each of [text.out, text.err, json.out, json.err]) expect(each).not.toContain('canary');
  expect(json.exitCode).toBe(text.exitCode);
  const { online } = JSON.parse(json.out) as Document;
  const trialOf = (service: string, what = 'pages') =>
    online.trials.find((trial) => trial.service === service && trial.what === what);
  return { ...text, online, trialOf, path };
}

/** A vendor whose answers depend on the key. */
async function vendor(): Promise<VendorServer> {
  const server = await startVendorServer();
  const replies: Record<string, Reply | 'hang'> = {
    [env.GOOD]: { body: { balance: 1200 } },
    [env.BAD]: { status: 403, body: { message: 'Unauthorized.', statusCode: 403 } },
    [env.EMPTY]: { body: { balance: 0 } },
    [env.HTML]: { headers: { 'content-type': 'text/html' }, body: '<html>Welcome</html>' },
    [env.SILENT]: 'hang',
  };
  server.script = ({ headers }) => replies[String(headers['x-api-key'])] ?? { status: 500 };
  open.push(() => server.close());
  return server;
}

const serper = (key: string, { url }: VendorServer) =>
  `{ mode: embedded, source: serper, apiKey: "\${${key}}", baseUrl: "${url}", allowLoopback: true }`;

/** A server that never answers. */
async function silentServer(): Promise<string> {
  const server: Server = createServer((socket) => open.push(() => socket.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(() => server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('services', () => {
  it('that work are listed with what is left and what a run costs there, with exit code 0', async () => {
    const seller = await vendor();
    const { exitCode, out, online, trialOf } = await check(
      `services:\n  web: ${serper('GOOD', seller)}\n  own: { mode: embedded, source: sandbox }\n${projects('web')}`,
    );
    expect([exitCode, online.ok]).toEqual([0, true]);
    expect(trialOf('web')).toMatchObject({ state: 'ok', creditsLeft: 1200, unit: 'credit', problems: [] });
    expect(online.trials.filter(({ state }) => state !== 'ok')).toEqual([]);
    expect(out).toContain('serper answers. 1,200 credits left.');
    expect(online.costs).toHaveLength(1);
    expect(online.costs[0]).toMatchObject({
      project: 'acme',
      perRun: { worst: 6 },
      perMonth: { worst: 186 },
      amountPerRun: { units: { worst: 6 }, microUsdLeast: { worst: 1800 }, microUsdMost: { worst: 6000 } },
      amountPerMonth: { microUsdLeast: { worst: 55_800 }, microUsdMost: { worst: 186_000 } },
    });
    expect(new Set(seller.requests.map(({ method, path }) => `${method} ${path}`))).toEqual(new Set(['GET /account']));
  });

  it('that refuse us are listed with their remedies, hide no other service, and give exit code 4', async () => {
    const seller = await vendor();
    const services = ['GOOD', 'BAD', 'EMPTY', 'HTML'].map((key) => `  ${key.toLowerCase()}: ${serper(key, seller)}\n`);
    const { exitCode, out, trialOf } = await check(`services:\n${services.join('')}${projects('good')}`);
    expect(exitCode).toBe(4);
    const found = ['good', 'bad', 'empty', 'html'].map((name) => [
      trialOf(name)?.state,
      trialOf(name)?.problems.map(({ code }) => code),
    ]);
    expect(found).toEqual([
      ['ok', []],
      ['refused', ['INVALID_API_KEY']],
      ['refused', ['INSUFFICIENT_CREDITS']],
      ['failed', ['UNREADABLE_RESPONSE']],
    ]);
    for (const remedy of ['Check the key of serper.', 'Top up the account at serper.', 'Check baseUrl'])
      expect(out).toContain(remedy);
  });

  it('that are unreachable, or answer with a web page, give exit code 1', async () => {
    const { exitCode, trialOf } = await check(
      `services:\n  html: ${serper('HTML', await vendor())}\n  away: { mode: embedded, source: bing, proxies: ["\${PROXY}"] }\n${projects('html')}`,
    );
    expect(exitCode).toBe(1);
    expect(trialOf('html')).toMatchObject({ state: 'failed', problems: [{ code: 'UNREADABLE_RESPONSE' }] });
    expect(trialOf('away')).toMatchObject({ state: 'failed', problems: [{ code: 'CONNECTION_FAILED' }] });
  });

  it('that never answer time out, and give exit code 1', async () => {
    const yaml = `services:\n  silent: ${serper('SILENT', await vendor())}\n${projects('silent')}`;
    const { exitCode, out, trialOf } = await check(yaml, '--timeout', '0.3');
    expect(exitCode).toBe(1);
    expect(trialOf('silent')).toMatchObject({ state: 'failed', problems: [{ code: 'TIMEOUT' }] });
    expect(out).toContain('There was no answer within 0.3 s.');
  });

  it('of one vendor with several keys state the problem of each', async () => {
    const seller = await vendor();
    const keys = `[${['GOOD', 'BAD', 'GOOD'].map((key) => `"\${${key}}"`).join(', ')}]`;
    const { exitCode, trialOf } = await check(
      `services:\n  web: { mode: embedded, source: serper, apiKey: ${keys}, baseUrl: "${seller.url}", allowLoopback: true }\n${projects('web')}`,
    );
    expect(exitCode).toBe(4);
    expect(trialOf('web')).toMatchObject({ creditsLeft: 2400, problems: [{ code: 'INVALID_API_KEY' }] });
    expect(trialOf('web')?.says).toContain('answers with 2 keys. key 2: ');
  });

  it('with keyword data from another source are listed as two halves, with the cost of its data', async () => {
    const seller = await vendor();
    seller.script = ({ path }) => (path === '/account' ? { body: { balance: 1200 } } : { body: '5000' });
    const metrics = `{ source: semrush, apiKey: "\${BAD}", baseUrl: "${seller.url}", allowLoopback: true }`;
    const yaml = `services:\n  web: ${serper('GOOD', seller).replace(' }', `, metrics: ${metrics} }`)}\n${projects(
      'web',
      ', volumes: { schedule: "0 4 2 * *", limit: 1 }',
    )}`;
    const good = await check(yaml);
    expect(good.exitCode).toBe(0);
    expect(good.trialOf('web', 'keyword-data')).toMatchObject({ source: 'semrush', state: 'ok', creditsLeft: 5000 });
    const cost = good.online.costs.find(({ what }) => what === 'keyword-data');
    expect(cost).toMatchObject({ source: 'semrush', perRun: { worst: 2 }, amountPerRun: { units: { worst: 20 } } });
    seller.script = ({ path }) => (path === '/account' ? { body: { balance: 1200 } } : { body: '0' });
    const empty = await check(yaml);
    expect([empty.exitCode, empty.trialOf('web')?.state, empty.trialOf('web', 'keyword-data')?.state]).toEqual([
      4,
      'ok',
      'refused',
    ]);
    expect(seller.requests.every(({ method }) => method === 'GET')).toBe(true);
  });

  it('with several price plans have the price of the one in the config', async () => {
    const seller = await vendor();
    const wayOf = (way: string) =>
      `{ mode: embedded, source: dataforseo, login: "\${API_USER}", password: "\${API_PASSWORD}", baseUrl: "${seller.url}", allowLoopback: true${way} }`;
    const ways = ['', ', method: live', ', method: queued', ', method: queued, priority: high', ', priority: high'];
    const services = ways.map((way, at) => `  way${at}: ${wayOf(way)}\n`).join('');
    const { online } = await check(`services:\n${services}${projects('way0')}`);
    const prices = online.trials.filter(({ what }) => what === 'pages').map(({ price }) => price?.first);
    expect(prices.slice(-5)).toEqual([2000, 2000, 600, 1200, 2000]);
  });

  it('that are a chain are listed source by source, each with its own price', async () => {
    const seller = await vendor();
    const part = (key: string, url = seller.url) =>
      `{ source: serper, apiKey: "\${${key}}", baseUrl: "${url}", allowLoopback: true }`;
    const parts = [part('GOOD'), part('BAD'), `{ source: google, proxies: ["\${PROXY}"] }`];
    const { exitCode, out, online, trialOf } = await check(
      `services:\n  both: { mode: embedded, source: chain, sources: [${parts.join(', ')}] }\n${projects('both')}`,
    );
    expect(exitCode).toBe(4);
    expect(trialOf('both')).toMatchObject({ state: 'ok', says: '1 of 3 sources are ready.' });
    expect(trialOf('both')?.parts.map(({ source, state }) => [source, state])).toEqual([
      ['serper', 'ok'],
      ['serper', 'refused'],
      ['google', 'failed'],
    ]);
    expect(online.costs.map(({ source, price }) => [source, price?.unit])).toEqual([
      ['serper', 'credit'],
      ['serper', 'credit'],
      ['google', undefined],
    ]);
    expect(out).toContain('both, 2 (serper)');
  });

  it('over HTTP are asked whether they accept the credentials, and sell nothing', async () => {
    const { service, clock, store, accounts, source } = await setUpCustomers();
    const user = await accounts.addUser('acme', { username: 'crawler' });
    const server = await startServer({ service, clock, accounts: store });
    open.push(() => server.close());
    const yaml = `services:
  good: { mode: remote, baseUrl: "${server.url}", user: "\${NAME}", password: "\${WORD}" }
  bad: { mode: remote, baseUrl: "${server.url}", user: "\${NAME}", password: "\${API_PASSWORD}" }
${projects('good')}`;
    const { path } = folder(yaml);
    const secrets = { ...env, NAME: user.username, WORD: user.password };
    const { exitCode, out } = await invoke(['check', '--online', '--json'], { cwd: path, env: secrets, openApp });
    expect(exitCode).toBe(4);
    expect(out).not.toContain(user.password);
    const { trials } = (JSON.parse(out) as Document).online;
    expect(trials.slice(3).map(({ service: name, state, says }) => [name, state, says])).toEqual([
      ['good', 'ok', 'It answers, and accepts the credentials.'],
      ['bad', 'refused', expect.stringContaining('INVALID_CREDENTIALS')],
    ]);
    expect([source.asked, (await accounts.find('acme')).serpCredits]).toEqual([[], 100]);
  });

  it('that charge an account are listed with its balance, and a warning if it may be too low', async () => {
    const yaml = `services:\n  own: { mode: embedded, source: sandbox, account: acme }\n${projects('own')}`;
    const made = folder(yaml);
    const missing = await check(made);
    expect(missing.exitCode).toBe(1);
    const store = openStore(join(made.path, 'data/rankledger.sqlite'));
    const accounts = new Accounts(store.accounts, systemClock);
    await accounts.create('acme', { serpCredits: 4, microUsd: 0 });
    const short = await check(made);
    expect([short.exitCode, short.trialOf('own', 'account')?.creditsLeft]).toEqual([0, 4]);
    expect(short.online.warnings).toEqual([
      'own (account acme) has 4 credits left, and the next run of everything may take 6 credits.',
    ]);
    await accounts.credit('acme', { serpCredits: -4, microUsd: 0 });
    store.close();
    const empty = await check(made);
    expect(empty.exitCode).toBe(4);
    expect(empty.out).toContain('rankledger account credit acme');
  });

  it('with less left than a run may cost cause a warning', async () => {
    const seller = await vendor();
    seller.script = () => ({ body: { balance: 5 } });
    const { exitCode, out } = await check(`services:\n  web: ${serper('GOOD', seller)}\n${projects('web')}`);
    expect(exitCode).toBe(0);
    expect(out).toContain('web (serper) has 5 credits left, and the next run of everything may take 6 credits.');
  });
});

describe('the database', () => {
  const sandbox = `services:\n  own: { mode: embedded, source: sandbox }\n${projects('own')}`;

  it('that is unusable fails, the other checks are still reported, and the exit code is 1', async () => {
    const made = folder(sandbox.replace('services:', 'database: broken.sqlite\nservices:'));
    writeFileSync(join(made.path, 'broken.sqlite'), 'no database');
    const { exitCode, out, online } = await check(made);
    expect(exitCode).toBe(1);
    expect(online.trials.map(({ what, state }) => [what, state])).toContainEqual(['database', 'failed']);
    expect(online.trials.at(-1)).toMatchObject({ service: 'own', state: 'ok' });
    expect(out).toContain('is not a SQLite database');
    expect(online.costs[0]?.perRun).toEqual({ expected: 6, worst: 6 });
    expect(readFileSync(join(made.path, 'broken.sqlite'), 'utf8')).toBe('no database');
  });

  it('of an older version is not changed', async () => {
    const made = folder(sandbox.replace('services:', 'database: old.sqlite\nservices:'));
    const file = join(made.path, 'old.sqlite');
    const db = openConnection(file);
    db.pragma('user_version = 1');
    db.close();
    const before = readFileSync(file);
    const { exitCode, out } = await check(made);
    expect([exitCode, readFileSync(file).equals(before)]).toEqual([0, true]);
    expect(out).toContain('schema 1, which will be migrated to');
  });
});

describe('the queue', () => {
  const over = (url: string) =>
    `services:\n  own: { mode: embedded, source: sandbox }\nqueue: { driver: bullmq, redisUrl: "${url}" }\n${projects('own')}`;
  const queueOf = ({ online }: { online: Document['online'] }) => online.trials.find(({ what }) => what === 'queue');

  it('without its Redis fails, says what to do, and exits with 1', async () => {
    const result = await check(over(`\${REDIS}`));
    expect([result.exitCode, queueOf(result)?.state]).toEqual([1, 'failed']);
    expect(result.out).toContain('Start it, or correct queue.redisUrl.');
  });

  it('whose Redis never answers times out', async () => {
    const result = await check(over(`redis://${await silentServer()}`), '--timeout', '0.3');
    expect([result.exitCode, queueOf(result)?.problems.map(({ code }) => code)]).toEqual([1, ['TIMEOUT']]);
  });

  it('that no worker could serve is a config error, and exits with 2', async () => {
    const made = folder(over(`\${REDIS}`).replace('source: sandbox', 'source: sandbox, account: acme'));
    const { exitCode, err } = await invoke(['check', '--online'], { cwd: made.path, env, openApp });
    expect(exitCode).toBe(2);
    expect(err).toContain('charges the account "acme"');
  });

  describeWithRedis('over Redis', () => {
    it('reports its persistence and eviction, and that no worker is running', async () => {
      const redis = await RedisServer.start('aof');
      open.push(() => redis.remove());
      const result = await check(over(redis.url));
      expect([result.exitCode, queueOf(result)?.state]).toEqual([0, 'ok']);
      expect(queueOf(result)?.says).toContain('maxmemory-policy noeviction, it persists every write');
      expect(result.out).toContain('No worker is running');
    });

    it('that may evict jobs fails', async () => {
      const redis = await RedisServer.start('none', '--maxmemory', '50mb', '--maxmemory-policy', 'allkeys-lru');
      open.push(() => redis.remove());
      const result = await check(over(redis.url));
      expect([result.exitCode, queueOf(result)?.problems.map(({ code }) => code)]).toEqual([1, ['REDIS_EVICTS']]);
      expect(result.out).toContain('noeviction');
      expect(result.out).toContain('set appendonly yes');
    });
  });
});

it('--timeout belongs to --online, and takes seconds', async () => {
  const { path } = folder(`services:\n  own: { mode: embedded, source: sandbox }\n${projects('own')}`);
  for (const argv of [
    ['--timeout', '5'],
    ['--online', '--timeout', 'soon'],
    ['--online', '--timeout', '0'],
  ])
    expect((await invoke(['check', ...argv], { cwd: path, openApp })).exitCode).toBe(2);
});

it('the real program prints all of it, and ends without a signal', async () => {
  const seller = await vendor();
  const yaml = `services:\n  web: ${serper('BAD', seller)}\nbudget: { serpCredits: { perRun: 50 } }\n${projects('web')}`;
  const outside = folderOf({ 'rankledger.yaml': yaml }, env);
  open.push(() => outside.remove());
  const { exitCode, out, err } = await outside.run('check', '--online');
  expect([exitCode, err]).toEqual([4, '']);
  expect(out).toContain('Check the key of serper.');
  expect(out).not.toContain('canary');
});
