// A request of a person beside workers whose Redis is away: it leaves all the same, once, and says what it does without.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Provider, startProvider } from '../helpers/provider.ts';
import { type Folder, folderOf } from './child.ts';

let provider: Provider;
let folder: Folder;

beforeAll(async () => {
  provider = await startProvider();
  const yaml = `services:
  web: { mode: remote, baseUrl: "${provider.url}", user: "\${U}", password: "\${P}" }
queue: { driver: bullmq, redisUrl: "\${REDIS_URL}" }
projects:
  - { id: acme, service: web, targets: [acme.com], keywords: [shoes] }
`;
  const env = { U: provider.user, P: provider.password, REDIS_URL: 'redis://:canary-word@127.0.0.1:1' };
  folder = folderOf({ 'rankledger.yaml': yaml }, env);
});

afterAll(async () => {
  await provider.close();
  folder.remove();
});

it.each([
  ['serp', 'serp'],
  ['keywords', 'keyword-data'],
])('`%s` is answered, and its log says so', async (command, path) => {
  const before = provider.requests.length;
  const { exitCode, out, err, log } = await folder.run(command, 'shoes');
  expect([exitCode, err]).toEqual([0, '']);
  expect(() => JSON.parse(out)).not.toThrow();
  expect(provider.requests.slice(before).map((request) => request.path.split('/').at(-1))).toEqual([path]);
  expect(log).toMatchObject([
    { level: 40, msg: expect.stringMatching(/^Redis at 127\.0\.0\.1:1\/0 does not answer.*without the limit/) },
  ]);
  expect(JSON.stringify(log)).not.toContain('canary-word');
});
