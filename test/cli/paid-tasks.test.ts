// A run that is killed while it waits for tasks at a provider: the next one fetches the paid tasks.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startTaskQueue, type TaskQueue } from '../helpers/task-queue.ts';
import type { Folder } from './child.ts';
import { folderHere } from './folder-here.ts';

const password = 'first-key-123';

const config = (url: string, driver = 'embedded', more = '') => `services:
  default:
    { mode: embedded, source: dataforseo, login: me@agency.example, password: "\${TASK_PASSWORD}", method: queued${more}, baseUrl: "${url}", allowLoopback: true, metrics: { source: dataforseo, login: me, password: "\${TASK_PASSWORD}" } }
queue: { driver: ${driver}${driver === 'bullmq' ? `, redisUrl: "redis://127.0.0.1:1"` : ''} }
budget: { serpCredits: { perMonth: 100 } }
projects:
  - { id: shop, targets: [acme.com], market: { country: US, language: en }, depth: ${more === '' ? 1 : 10}, paging: full, keywords: [running shoes, trail shoes, road shoes] }
`;

let queue: TaskQueue;
let folder: Folder;

beforeEach(async () => {
  queue = await startTaskQueue();
});
afterEach(async () => {
  folder.remove();
});

/** Kills the run as soon as the provider has done this. */
async function killWhen(done: () => boolean): Promise<void> {
  const { child, ended } = folder.start('run', '--all');
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  while (!done() && !isOver) await new Promise((resolve) => setTimeout(resolve, 5));
  child.kill('SIGKILL');
  expect((await ended).signal).toBe('SIGKILL');
}

interface Books {
  readonly runs: readonly {
    readonly serpCredits: { readonly spent: number };
    readonly checks: Record<string, number>;
  }[];
}

async function finish(): Promise<void> {
  const { document, exitCode } = await folder.json('run', '--all');
  expect(exitCode).toBe(0);
  const { runs } = document as unknown as Books;
  expect(runs.map(({ checks }) => checks['ok'])).toContain(3);
  const audit = await folder.json('audit');
  expect(audit.exitCode).toBe(0);
  const { document: history } = await folder.json('history', 'running shoes');
  expect(JSON.stringify(history)).toContain('https://acme.com/shoes');
}

it.each([
  ['its tasks were created and the answer was lost', 'hang'],
  ['it waits for its tasks', 'answer'],
] as const)('killed when %s, a run is finished by the next one: one post, one credit a page', async (_when, how) => {
  folder = folderHere({ 'rankledger.yaml': config(queue.vendor.url) }, { TASK_PASSWORD: password });
  const usual = queue.onPost;
  if (how === 'hang') {
    queue.onPost = (create) => {
      create();
      return 'hang';
    };
  }
  const remembered = how === 'hang' ? () => queue.posts === 1 : () => queue.posts === 1 && queue.tasks.length === 3;
  await killWhen(remembered);
  queue.onPost = usual;
  await finish();
  expect([queue.posts, queue.tasks.length]).toEqual([1, 3]);
  const { document: status } = await folder.json('status');
  expect(JSON.stringify(status)).toContain('"spent":3');
});

it('killed while it waits for ten pages in one task, a run is finished by the next one: eight credits a keyword', async () => {
  folder = folderHere(
    { 'rankledger.yaml': config(queue.vendor.url, 'embedded', ', wholeDepth: true') },
    { TASK_PASSWORD: password },
  );
  await killWhen(() => queue.tasks.length === 3);
  await finish();
  expect([queue.posts, queue.tasks.length]).toEqual([1, 3]);
  expect(queue.tasks.map(({ asked }) => asked['max_crawl_pages'])).toEqual([10, 10, 10]);
  const { document: status } = await folder.json('status');
  expect(JSON.stringify(status)).toContain('"spent":24');
});

it('the queue of a provider is refused over Redis before any request, with what to do', async () => {
  folder = folderHere({ 'rankledger.yaml': config(queue.vendor.url, 'bullmq') }, { TASK_PASSWORD: password });
  for (const command of [['check'], ['worker'], ['run', '--all']]) {
    const ended = await folder.run(...command);
    expect(ended.exitCode, command.join(' ')).not.toBe(0);
    expect(`${ended.out}${ended.err}`, command.join(' ')).toContain('method: queued must store');
  }
  expect(queue.posts).toBe(0);
});
