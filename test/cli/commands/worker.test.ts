// `worker`: a real worker and a real `run` over Redis; the worker opens no database.
import { readdirSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openApp } from '../../../src/app/app.ts';
import { type Provider, startProvider } from '../../helpers/provider.ts';
import { describeWithRedis, RedisServer } from '../../helpers/redis.ts';
import { type Ended, type Folder, folderOf } from '../child.ts';
import { invoke } from '../fake-host.ts';
import { projectFolder } from '../project-folder.ts';

const embedded = `services: { default: { mode: embedded, source: sandbox } }
projects: []
`;
const queueOf = (url: string) => `queue: { driver: bullmq, redisUrl: "${url}", concurrency: 4 }`;
/** Nothing listens there. */
const nowhere = 'redis://127.0.0.1:1';

describe('worker', () => {
  test.each([
    ['the embedded driver', embedded, 'queue.driver is embedded', 'driver: bullmq'],
    [
      'an account',
      `services: { own: { mode: embedded, source: sandbox, account: acme } }\n${queueOf(nowhere)}\nprojects: []\n`,
      'services.own charges the account "acme"',
      'Remove its account',
    ],
  ])('refuses a config with %s, and says what to write', async (_, config, message, remedy) => {
    const folder = projectFolder(config);
    const { exitCode, out, err } = await invoke(['worker'], { cwd: folder.path });
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
    expect(err).toContain(message);
    expect(err).toContain(remedy);
  });
});

describe('a worker', () => {
  test('needs no keyword files, unlike other commands', async () => {
    const projects = 'projects: [{ id: acme, targets: [acme.example], keywordsFile: keywords/not-here.csv }]';
    const folder = projectFolder(`${queueOf(nowhere)}\n${projects}\n`);
    const [worker, check] = await Promise.all([
      invoke(['worker'], { cwd: folder.path }),
      invoke(['check'], { cwd: folder.path }),
    ]);
    expect(check.err).toContain('keywords/not-here.csv does not exist');
    expect(worker.err).not.toContain('not-here.csv');
    expect(worker.err).toContain('Redis');
  });
});

describe('run over Redis', () => {
  test('needs no Redis if nothing is due', async () => {
    const projects = 'projects: [{ id: acme, targets: [acme.example], keywords: [shoes] }]';
    const folder = projectFolder(`${queueOf(nowhere)}\n${projects}\n`);
    const { exitCode, out } = await invoke(['run'], { cwd: folder.path, now: Date.now(), openApp });
    expect({ exitCode, out }).toEqual({ exitCode: 0, out: expect.stringContaining('Nothing is due.') });
  });
});

describeWithRedis('worker over Redis', () => {
  let redis: RedisServer;
  let provider: Provider;
  const folders: Folder[] = [];
  beforeAll(async () => {
    redis = await RedisServer.start();
    provider = await startProvider();
  });
  afterAll(async () => {
    await provider.close();
    await redis.remove();
  });
  afterEach(() => {
    for (const folder of folders.splice(0)) folder.remove();
  });

  function folderWith(projects: string, url = redis.url): Folder {
    const folder = folderOf(
      {
        'rankledger.yaml': `services:
  default:
    mode: remote
    baseUrl: "${provider.url}"
    user: \${PROVIDER_USER}
    password: \${PROVIDER_PASSWORD}
    requestsPerSecond: 500
budget: { serpCredits: { perRun: 1000 } }
queue: { driver: bullmq, redisUrl: "\${REDIS_URL}", concurrency: 4 }
projects: ${projects}
`,
      },
      { PROVIDER_USER: provider.user, PROVIDER_PASSWORD: provider.password, REDIS_URL: url },
    );
    folders.push(folder);
    return folder;
  }

  const tracked = '[{ id: acme, targets: [acme.example], depth: 2, paging: full, keywords: [shoes, boots, hats] }]';

  test('buys what `run` requests, needs no database, and exits with 0 on a signal', async () => {
    const home = folderWith(tracked);
    const away = folderWith('[]');
    const { child, ended } = away.start('worker', '--json', '--concurrency', '3');
    const first = await new Promise<string>((resolve) => child.stdout?.once('data', resolve));
    expect(JSON.parse(first)).toEqual({
      redis: `127.0.0.1:${redis.port}/0`,
      services: ['default'],
      concurrency: 3,
    });
    const { exitCode, document } = await home.json('run', '--all');
    expect({ exitCode, runs: document['runs'] }).toMatchObject({
      exitCode: 0,
      runs: [{ state: 'complete', checks: { ok: 3 }, serpCredits: { spent: 6, unknown: 0 } }],
    });
    expect((await home.json('audit')).document['ok']).toBe(true);
    child.kill('SIGTERM');
    const worker: Ended = await ended;
    expect({ exitCode: worker.exitCode, err: worker.err }).toEqual({ exitCode: 0, err: '' });
    expect(worker.log.map(({ msg }) => msg)).toEqual(['worker ready', 'worker ended']);
    expect(JSON.stringify(worker.log)).not.toContain(provider.password);
    expect(readdirSync(away.path)).toEqual(['rankledger.yaml']);
    expect(provider.sold.serpCredits).toBe(6);
  });

  test('and run refuse a Redis that may evict jobs, with exit code 2 and the remedy', async () => {
    const evicting = await RedisServer.start('aof', '--maxmemory-policy', 'allkeys-lru');
    const folder = projectFolder(`${queueOf(evicting.url)}
projects: [{ id: acme, targets: [acme.example], keywords: [shoes] }]
`);
    try {
      for (const argv of [['worker'], ['run', '--all']]) {
        const { exitCode, err } = await invoke(argv, { cwd: folder.path, now: Date.now(), openApp });
        expect(exitCode).toBe(2);
        expect(err).toContain('maxmemory-policy is allkeys-lru');
        expect(err).toContain('config set maxmemory-policy noeviction');
      }
    } finally {
      await evicting.remove();
    }
  });
});
