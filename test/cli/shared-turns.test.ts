// An ad-hoc request while workers run: it shares their rate limit over Redis, and works without Redis, with a warning.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Provider, startProvider } from '../helpers/provider.ts';
import { describeWithRedis, RedisServer } from '../helpers/redis.ts';
import { type Folder, folderOf } from './child.ts';

let provider: Provider;
const folders: Folder[] = [];

/** One request in 100 s: a count stays for the duration of a test. */
function folderWith(redisUrl: string): Folder {
  const yaml = `services:
  web: { mode: remote, baseUrl: "${provider.url}", user: "\${U}", password: "\${P}", requestsPerSecond: 0.01 }
queue: { driver: bullmq, redisUrl: "\${REDIS_URL}" }
projects:
  - { id: acme, service: web, targets: [acme.com], keywords: [shoes], depth: 1 }
`;
  const env = { U: provider.user, P: provider.password, REDIS_URL: redisUrl };
  const folder = folderOf({ 'rankledger.yaml': yaml }, env);
  folders.push(folder);
  return folder;
}

beforeAll(async () => {
  provider = await startProvider();
});

afterAll(async () => {
  await provider.close();
  for (const folder of folders) folder.remove();
});

it('`serp` is answered without Redis, and its log says so', async () => {
  const folder = folderWith('redis://:canary-word@127.0.0.1:1');
  const before = provider.requests.length;
  const { exitCode, out, err, log } = await folder.run('serp', 'shoes', '--json', '--verbose');
  expect([exitCode, err]).toEqual([0, '']);
  expect(() => JSON.parse(out)).not.toThrow();
  expect(provider.requests.slice(before).map((request) => request.path.split('/').at(-1))).toEqual(['serp']);
  expect(log.filter(({ level }) => level === 40)).toMatchObject([
    {
      level: 40,
      msg: expect.stringMatching(/^Redis at 127\.0\.0\.1:1\/0 does not answer.*without the shared rate limit/),
    },
  ]);
  expect(JSON.stringify(log)).not.toContain('canary-word');
});

describeWithRedis('with Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterAll(() => redis.remove());

  it('an ad-hoc request counts in the rate limit of the workers', async () => {
    const folder = folderWith(redis.url);
    const worker = folder.start('worker');
    try {
      expect((await folder.run('run', '--all')).exitCode).toBe(0);
      const turns = await redis.ask((client) => client.keys('rankledger:turn:*'));
      expect(turns).toEqual([expect.stringMatching(/^rankledger:turn:web-[0-9a-f]{8}$/)]);
      await redis.ask((client) => client.del(turns));
      const { exitCode, log } = await folder.run('keywords', 'shoes');
      expect([exitCode, log]).toEqual([0, []]);
      expect(await redis.ask((client) => client.keys('rankledger:turn:*'))).toEqual(turns);
    } finally {
      worker.child.kill();
      await worker.ended;
    }
  });
});
