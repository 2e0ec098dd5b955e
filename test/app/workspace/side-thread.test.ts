// Answers of the side thread: the same as those of the server's own thread, for each scope, format and failure.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { App } from '../../../src/app/app.ts';
import { SimulatedClock } from '../../../src/app/runs/simulation.ts';
import { serveMcpHttp } from '../../../src/cli/commands/mcp.ts';
import { addReader } from '../../../src/cli/commands/reader.ts';
import { view } from '../../../src/cli/subcommands/open-workspace.ts';
import { endpoints } from '../../../src/read/endpoints.ts';
import type { HistoryServer } from '../../../src/workspace/listen.ts';
import { type ProjectFolder, projectFolder } from '../../cli/project-folder.ts';
import { readingApp, runSlots } from '../../cli/real-app.ts';

const now = Date.parse('2026-01-14T12:00:00Z');
const config = `budget: { serpCredits: { perMonth: 300 } }
projects:
  - id: acme
    targets: [acme.com]
    competitors: [globex.com]
    schedule: "0 6 * * *"
    market: { country: US, language: en, devices: [desktop, mobile] }
    depth: 2
    keywords: [running shoes, { keyword: trail shoes, tags: [trail] }, hats]
    views: [{ name: On phones, query: "device=mobile" }]
`;

let folder: ProjectFolder;
let writing: App;
let app: App;
const tokens: Record<string, string> = {};
const threads: unknown[] = [];
const noted = (thread: unknown) => void threads.push(thread);
beforeAll(async () => {
  folder = projectFolder(config);
  await runSlots(folder, ['2026-01-12T06:00:00Z', '2026-01-13T06:00:00Z', '2026-01-14T06:00:00Z']);
  app = await readingApp(folder.path, now);
  writing = new App(app.config, { clock: new SimulatedClock(now) });
  const scopes = { all: {}, project: { project: 'acme' }, tag: { project: 'acme', tag: 'trail' } };
  for (const [name, scope] of Object.entries({ other: {}, ...scopes, view: { project: 'acme', view: 'On phones' } }))
    tokens[name] = addReader(writing, name, scope).token;
  process.on('worker', noted);
}, 60_000);
afterAll(async () => {
  process.off('worker', noted);
  await app.close();
  await writing.close();
});

const headersOf = (reader: string) => ({ authorization: `Bearer ${tokens[reader]}` });

/** Paths of all endpoints that take long, and files. */
const paths = endpoints
  .map(({ path }) => path.replace('{project}', 'acme'))
  .filter((path) => !path.includes('{id}') && !path.includes('serp') && !path.startsWith('/v1/grid'))
  .flatMap((path) => [path, `${path}?format=csv`])
  .concat('/v1/projects/acme/keywords?format=xlsx')
  .concat('/v1/projects/acme/rankings?from=2026-01-12&format=ndjson', '/v1/projects/acme/competitors?share=true')
  .concat('/v1/projects/acme/why?compare=7d', '/v1/projects/acme/why?date=2026-1-1', '/v1/projects/acme/why?colour=red')
  .concat('/v1/projects/acme/causes?q=%2F(%2F', '/v1/projects/none/why');

async function answersOf({ url }: HistoryServer, reader: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const path of paths) {
    const response = await fetch(url + path, { headers: headersOf(reader) });
    const hash = Buffer.from(await crypto.subtle.digest('SHA-256', await response.arrayBuffer())).toString('hex');
    const { headers, status } = response;
    found.set(path, [status, headers.get('content-type'), headers.get('etag'), hash].join(' '));
  }
  return found;
}

it.each(['all', 'project', 'tag', 'view'])(
  'gives the reader of %s what its own thread gives',
  async (reader) => {
    const alone = await view(app, { port: 0, apiOnly: true });
    const own = await answersOf(alone, reader);
    await alone.close();
    const begun = threads.length;
    const shared = await view(app, { port: 0, apiOnly: true });
    try {
      await fetch(`${shared.url}/v1/notes`, { headers: headersOf('other') });
      const aside = await answersOf(shared, reader);
      expect(threads.length).toBe(begun + 1);
      for (const [path, answer] of own) expect([path, aside.get(path)]).toEqual([path, answer]);
    } finally {
      await shared.close();
    }
  },
  60_000,
);

it('gives assistants the same, and takes batches up to their limit', async () => {
  const call = (id: number, more = {}) => ({
    ...{ jsonrpc: '2.0', id, method: 'tools/call' },
    params: { name: 'explain_change', arguments: { project: 'acme', ...more } },
  });
  const ask = async ({ url }: HistoryServer, reader: string, body: object) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const sent = { method: 'POST', headers: { ...headers, ...headersOf(reader) }, body: JSON.stringify(body) };
    const response = await fetch(url, sent);
    return `${response.status} ${await response.text()}`;
  };
  const signal = new AbortController().signal;
  const alone = await serveMcpHttp(app, { port: 0, signal });
  const own = [await ask(alone, 'project', call(1)), await ask(alone, 'project', call(2, { from: '2026-99-99' }))];
  await alone.close();
  const begun = threads.length;
  const shared = await serveMcpHttp(app, { port: 0, signal });
  try {
    await ask(shared, 'other', call(0));
    const aside = [
      await ask(shared, 'project', call(1)),
      await ask(shared, 'project', call(2, { from: '2026-99-99' })),
    ];
    expect(aside).toEqual(own);
    expect(threads.length).toBe(begun + 1);
    const batch = Array.from({ length: 100 }, (_, id) => call(id + 1));
    const answered = await ask(shared, 'project', batch);
    expect(answered.match(/"jsonrpc"/g)).toHaveLength(100);
    expect(await ask(shared, 'project', [...batch, call(101)])).toMatch(
      /^413 .*at most 100 messages; this one has 101/,
    );
  } finally {
    await shared.close();
  }
}, 60_000);

it('goes on after a client has hung up, and ends with the server', async () => {
  const shared = await view(app, { port: 0, apiOnly: true });
  await fetch(`${shared.url}/v1/notes`, { headers: headersOf('other') });
  const gone = new AbortController();
  const path = '/v1/projects/acme/rankings?from=2026-01-12&format=csv';
  const left = fetch(shared.url + path, { headers: headersOf('project'), signal: gone.signal });
  gone.abort();
  await expect(left).rejects.toThrow();
  const again = await fetch(shared.url + path, { headers: headersOf('project') });
  expect([again.status, (await again.text()).split('\n').length]).toEqual([200, expect.toSatisfy((of) => of > 10)]);
  await shared.close();
}, 60_000);

it('opens the database of a config with live services, without their secrets', async () => {
  const live = projectFolder(`database: x.sqlite
budget: { serpCredits: { perMonth: 100 } }
queue: { driver: bullmq, redisUrl: "\${REDIS}" }
heartbeat: { url: "\${HOOK}" }
services:
  default: { mode: embedded, source: serper, apiKey: "\${KEY}", requestsPerSecond: 5 }
  away: { mode: remote, baseUrl: "https://a.example", user: ann, password: "\${PASSWORD}", usdPerThousand: 1 }
  best: { mode: best, of: [default, away] }
alerts: { channels: { hook: { type: webhook, url: "\${HOOK}" } }, rules: [{ when: moved, by: 3, channels: [hook] }] }
projects: [{ id: acme, service: best, targets: [acme.com], market: { country: US, language: en }, keywords: [hats] }]
`);
  const secrets = {
    KEY: 'k'.repeat(20),
    PASSWORD: 'secret-pass-1',
    REDIS: 'redis://127.0.0.1:1',
    HOOK: 'https://h.example/x',
  };
  const file = join(live.path, 'rankledger.yaml');
  const resolved = await loadConfig({ file, env: secrets, cwd: live.path });
  const owner = new App(resolved, { clock: new SimulatedClock(now) });
  const [one, two] = ['one', 'two'].map((name) => addReader(owner, name).token);
  const reading = new App(resolved, { clock: new SimulatedClock(now), isReading: true });
  expect(JSON.stringify(structuredClone(resolved))).not.toMatch(/kkkk|secret-pass/);
  const begun = threads.length;
  const shared = await view(reading, { port: 0, apiOnly: true });
  try {
    const ask = (token = '', path: string) =>
      fetch(shared.url + path, { headers: { authorization: `Bearer ${token}` } });
    await ask(one, '/v1/notes');
    const answered = await ask(two, '/v1/projects/acme/why');
    expect([answered.status, threads.length]).toEqual([200, begun + 1]);
  } finally {
    await shared.close();
    await Promise.all([reading.close(), owner.close()]);
  }
}, 60_000);
