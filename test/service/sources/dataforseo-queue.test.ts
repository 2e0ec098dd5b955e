// DataForSEO queue: a task is posted once, polled, and found by the next process; its cost is known or unknown.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type AnswerRequest,
  type AnswerSource,
  answerFacts,
  type Clock,
  createAnswerSource,
  createSearchDataService,
  createSource,
  ProcessMemory,
  type SerpSource,
  ServiceError,
  type SourceMemory,
} from '../../../src/service/index.ts';
import { envelope, results } from '../../contract/sources/subjects/dataforseo.ts';
import { FakeClock, settled } from '../../helpers/fake-clock.ts';
import { memorySource } from '../../helpers/memory-source.ts';
import { postedReply, startTaskQueue, type TaskQueue, taskLinks, taskStatus } from '../../helpers/task-queue.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

let queue: TaskQueue;
let clock: FakeClock;
let memory: SourceMemory;
const opened: { close?(): Promise<void> }[] = [];

beforeEach(async () => {
  queue = await startTaskQueue();
  clock = new FakeClock();
  memory = new ProcessMemory(clock);
});
afterEach(async () => {
  for (const source of opened.splice(0)) await source.close?.();
});

/** Every wait advances the clock. */
const hurried: Clock = {
  now: () => clock.now(),
  async sleep(ms, signal) {
    await settled();
    signal?.throwIfAborted();
    await clock.advance(ms);
  },
};

const access = { login: 'me@agency.example', password: 'first-key-123' };

/** A new process: it has only the persistent memory of the one before. */
async function open(more: Record<string, unknown> = {}, time: Clock = hurried): Promise<SerpSource> {
  const options = { method: 'queued', baseUrl: queue.vendor.url, allowLoopback: true, requestsPerSecond: 1000 };
  const given = 'accounts' in more ? { ...options, ...more } : { ...options, ...access, ...more };
  const { serp } = await createSource('dataforseo' as string, given, { clock: time, memory });
  if (serp === undefined) expect.fail('it has no pages');
  opened.push(serp);
  return serp;
}

const shoes = { keyword: 'shoes', country: 'US', language: 'en', mobile: false, page: 1 };

function fetch(
  source: SerpSource,
  idempotencyKey = 'slot-1',
  { page = 1, signal = new AbortController().signal } = {},
) {
  return source.fetchPage({ ...shoes, page }, { signal, at: 0, idempotencyKey });
}

/** The links of several pages that are asked for at once, or why one was not sold. */
async function askAll(source: SerpSource, count: number): Promise<readonly (ServiceError | 'a page')[]> {
  const asked = Array.from({ length: count }, (_, index) => fetch(source, `slot-${index + 1}`));
  return await Promise.all(
    asked.map((each) =>
      each.then(
        () => 'a page' as const,
        (error: unknown) => error as ServiceError,
      ),
    ),
  );
}

const pages = (count: number) => Array.from({ length: count }, () => 'a page');

async function linksOf(source: SerpSource, key?: string): Promise<(string | undefined)[] | undefined> {
  const { body } = await fetch(source, key);
  return source.readPage(body, shoes).serp.organic?.map(({ link }) => link);
}

async function failure(work: Promise<unknown>): Promise<ServiceError> {
  return await work.then(
    () => expect.fail('the page was sold'),
    (error: unknown) => error as ServiceError,
  );
}

/** A process that dies before its post is answered, or while it waits for its tasks. */
async function die(when: 'before the answer' | 'while it waits', count = 1): Promise<void> {
  const source = await open({}, clock);
  const controller = new AbortController();
  const { signal } = controller;
  const lost = Array.from({ length: count }, (_, index) => failure(fetch(source, `slot-${index + 1}`, { signal })));
  while (queue.vendor.requests.length === 0) await clock.advance(100);
  const isWaiting = async () =>
    (await memory.get(`dataforseo:${queue.tasks[count - 1]?.tag}`))?.includes('"posted"') === true;
  while (when === 'while it waits' && !(await isWaiting())) await settled();
  controller.abort(new Error('killed'));
  await Promise.all(lost);
  await source.close?.();
}

describe('a page', () => {
  it('is posted once, with its tag and priority, and fetched when its task is done', async () => {
    queue.asksUntilDone = 4;
    expect(await linksOf(await open())).toEqual(taskLinks);
    expect(queue.posts).toBe(1);
    expect(queue.tasks[0]).toMatchObject({ asks: 4, asked: { keyword: 'shoes', priority: 1, depth: 10 } });
    expect(queue.tasks[0]?.tag).toMatch(/^rl-[0-9a-f]{40}$/);
    expect(queue.listings).toBe(0);
  });

  it('of high priority is posted with high priority', async () => {
    await linksOf(await open({ priority: 'high' }));
    expect(queue.tasks[0]?.asked).toMatchObject({ priority: 2 });
  });

  it('of another number, purchase or market is another task', async () => {
    const source = await open();
    await fetch(source, 'slot-1');
    await fetch(source, 'slot-1', { page: 2 });
    await fetch(source, 'slot-2');
    await source.fetchPage(
      { ...shoes, mobile: true },
      { ...{ signal: new AbortController().signal, at: 0 }, idempotencyKey: 'slot-1' },
    );
    expect(queue.posts).toBe(4);
    expect(new Set(queue.tasks.map(({ tag }) => tag)).size).toBe(4);
    expect(queue.tasks[1]?.asked).toMatchObject({ search_param: '&start=10' });
  });

  it('is not asked for alone where several are bought at once: they are one task, whichever is asked for first', async () => {
    const source = await open({ wholeDepth: true });
    expect(source.range?.credits(10)).toBe(8);
    const context = { signal: new AbortController().signal, at: 0, idempotencyKey: 'slot-1' };
    await source.fetchPage({ ...shoes, through: 10 }, context);
    await source.fetchPage({ ...shoes, page: 2, through: 10 }, context);
    await source.fetchPage(shoes, context);
    expect(queue.tasks.map(({ asked }) => asked['max_crawl_pages'])).toEqual([10, 1]);
  });

  it('without results is a page', async () => {
    queue.onPoll = () => taskStatus(40102, { cost: 0.0006 });
    const source = await open();
    const { body } = await fetch(source);
    expect(source.readPage(body, shoes).serp).toEqual({});
  });

  it('may take minutes: its request has a longer timeout', async () => {
    queue.onPost = (create) => {
      create();
      return 'hang';
    };
    const source = await open({}, clock);
    expect(source.requestTimeoutMs).toBe(17 * minuteMs);
    const service = createSearchDataService({ source: { serp: source }, clock });
    expect(service.keepsKeys).toBe('pages');
    const ends: string[] = [];
    const asking = failure(service.serp({ keyword: 'shoes' }, { idempotencyKey: 'slot-1' })).then((error) => {
      ends.push(error.code);
      expect(error.charged).toBe('unknown');
    });
    while (queue.posts === 0) await clock.advance(100);
    await clock.advance(16 * minuteMs - 2000);
    expect(ends).toEqual([]);
    await clock.advance(minuteMs + 2000);
    await asking;
    expect(ends).toEqual(['TIMEOUT']);
  });
});

describe('after a restart', () => {
  it('a posted task is fetched at once and not posted again', async () => {
    queue.asksUntilDone = 2;
    await die('while it waits');
    const before = clock.now();
    queue.asksUntilDone = 1;
    expect(await linksOf(await open())).toEqual(taskLinks);
    expect([queue.posts, queue.listings]).toEqual([1, 0]);
    expect(clock.now() - before).toBeLessThan(1000);
  });

  it('a task whose answer was lost is found by its tag', async () => {
    queue.onPost = (create) => {
      create();
      return 'hang';
    };
    await die('before the answer');
    expect(await linksOf(await open())).toEqual(taskLinks);
    expect([queue.posts, queue.listings]).toEqual([1, 1]);
    expect(await linksOf(await open())).toEqual(taskLinks);
    expect([queue.posts, queue.listings]).toEqual([1, 1]);
  });

  it('a task that was never created is posted, but only after it would have been listed', async () => {
    let hangs = true;
    queue.onPost = (create) => (hangs ? 'hang' : postedReply(create()));
    await die('before the answer');
    hangs = false;
    const before = clock.now();
    expect(await linksOf(await open())).toEqual(taskLinks);
    expect([queue.posts, queue.tasks.length]).toEqual([2, 1]);
    expect(clock.now() - before).toBeGreaterThanOrEqual(minuteMs);
    expect(queue.listings).toBe(2);
  });

  it('nothing is posted if the list is unavailable or incomplete', async () => {
    queue.onPost = (create) => {
      create();
      return 'hang';
    };
    await die('before the answer');
    queue.onList = () => ({ status: 500, body: {} });
    expect(await failure(fetch(await open()))).toMatchObject({ code: 'SERP_FAILED', charged: 'no' });
    queue.onList = () => taskStatus(40501, { cost: 0 });
    expect(await failure(fetch(await open()))).toMatchObject({
      code: 'SERP_FAILED',
      charged: 'no',
      disposition: 'retry',
    });
    const otherTasks = Array.from({ length: 1000 }, (_, index) => ({ id: `other-${index}`, cost: 0.0006 }));
    queue.onList = () => ({ body: envelope({ cost: 0, result: otherTasks }) });
    expect(await failure(fetch(await open()))).toMatchObject({
      code: 'SERP_FAILED',
      charged: 'no',
      disposition: 'retry',
    });
    expect(queue.posts).toBe(1);
  });

  it('a delivered page is returned again for free, until its record expires', async () => {
    await linksOf(await open());
    await clock.advance(dayMs);
    expect(await linksOf(await open())).toEqual(taskLinks);
    expect(queue.posts).toBe(1);
    await clock.advance(2 * dayMs);
    await linksOf(await open());
    expect(queue.posts).toBe(2);
  });

  it('nothing can be fetched from an account that left the config: the next attempt posts again', async () => {
    queue.asksUntilDone = 2;
    await die('while it waits');
    const other = { accounts: [{ login: 'other@agency.example', password: 'other-key-123' }] };
    expect(await failure(fetch(await open(other)))).toMatchObject({ code: 'SERP_FAILED', charged: 'unknown' });
    queue.asksUntilDone = 1;
    expect(await linksOf(await open(other))).toEqual(taskLinks);
    expect(queue.tasks.map(({ account }) => account)).toEqual(['first-key-123', 'other-key-123']);
  });
});

describe('a post', () => {
  it.each(['reset', 'nonsense', 'server error'] as const)('whose answer is a %s is found by its tag', async (how) => {
    queue.onPost = (create) => {
      create();
      if (how === 'reset') return 'reset';
      return how === 'nonsense' ? { body: '<html>' } : { status: 502, body: 'Bad Gateway' };
    };
    expect(await linksOf(await open())).toEqual(taskLinks);
    expect(queue.posts).toBe(1);
    expect(queue.listings).toBe(1);
  });

  it('that broke and is not listed within a minute may have been charged, and the next attempt posts again', async () => {
    let breaks = true;
    queue.onPost = (create) => (breaks ? 'reset' : postedReply(create()));
    const before = clock.now();
    const error = await failure(fetch(await open()));
    expect(error).toMatchObject({ code: 'CONNECTION_LOST', charged: 'unknown', disposition: 'retry' });
    expect(error.body).toBeUndefined();
    expect(clock.now() - before).toBeGreaterThanOrEqual(minuteMs);
    expect([queue.posts, queue.listings]).toEqual([1, 2]);
    breaks = false;
    expect(await linksOf(await open())).toEqual(taskLinks);
    expect([queue.posts, queue.tasks.length]).toEqual([2, 1]);
  });

  it('that is answered with the number of another task is found by its tag', async () => {
    queue.onPost = (create) => {
      create();
      return { body: envelope({ id: 'task-9', status_code: 20100, data: { tag: 'rl-other' }, result: null }) };
    };
    expect(await linksOf(await open())).toEqual(taskLinks);
    expect(queue).toMatchObject({ posts: 1, listings: 1 });
  });

  it('that is refused costs nothing and leaves no record', async () => {
    queue.onPost = () => taskStatus(40210, { cost: 0 });
    const error = await failure(fetch(await open()));
    expect(error).toMatchObject({ code: 'INSUFFICIENT_CREDITS', charged: 'no', disposition: 'halt' });
    queue.onPost = (create) => postedReply(create());
    await linksOf(await open());
    expect(queue.listings).toBe(0);
  });

  it('with a field that the vendor refuses is abandoned, and costs nothing', async () => {
    queue.onPost = () => taskStatus(40501, { cost: 0 });
    expect(await failure(fetch(await open()))).toMatchObject({ code: 'INVALID_REQUEST', charged: 'no' });
  });

  it('of several accounts is fetched by the one that posted it', async () => {
    const accounts = [1, 2].map((nth) => ({ login: `user-${nth}`, password: `key-number-${nth}` }));
    const source = await open({ accounts });
    await fetch(source, 'slot-1');
    await fetch(source, 'slot-2');
    expect(queue.tasks.map(({ account, asks }) => [account, asks])).toEqual([
      ['key-number-1', 1],
      ['key-number-2', 1],
    ]);
  });
});

describe('tasks that are asked for together', () => {
  it('are posted together, up to 100 in a post, each with its tag', async () => {
    expect(await askAll(await open(), 250)).toEqual(pages(250));
    const sizes = queue.vendor.requests.flatMap(({ json }) => (Array.isArray(json) ? [json.length] : []));
    expect(sizes.toSorted((one, other) => one - other)).toEqual([50, 100, 100]);
    expect(new Set(queue.tasks.map(({ tag }) => tag)).size).toBe(250);
  });

  // page by page it was a post and, in five minutes, six polls each: 1,400
  it('take 212 requests for 200 pages, where each is done after five minutes', async () => {
    queue.asksUntilDone = 10;
    expect(await askAll(await open(), 200)).toEqual(pages(200));
    const count = (end: string) => queue.vendor.requests.filter(({ path }) => path.includes(end)).length;
    expect([queue.posts, count('/tasks_ready'), count('/task_get/')]).toEqual([2, 10, 200]);
    expect(queue.vendor.requests).toHaveLength(212);
  });

  it('need a hundred posts for ten thousand pages', async () => {
    const source = await open({}, clock);
    const callers = Array.from({ length: 10_000 }, () => new AbortController());
    const ends = callers.map(({ signal }, index) => failure(fetch(source, `slot-${index}`, { signal })));
    await clock.untilSleeping();
    await clock.advance(1000);
    while (queue.tasks.length < 10_000) await clock.advance(2);
    expect(queue.posts).toBe(100);
    expect(new Set(queue.tasks.map(({ tag }) => tag)).size).toBe(10_000);
    for (const caller of callers) caller.abort(new Error('enough'));
    await Promise.all(ends);
  });

  it('wait for each other five seconds at most', async () => {
    const source = await open({}, clock);
    const controller = new AbortController();
    const { signal } = controller;
    const ends: Promise<ServiceError>[] = [];
    for (let nth = 0; queue.posts === 0 && nth < 20; nth++) {
      ends.push(failure(fetch(source, `slot-${nth}`, { signal })));
      await settled();
      await clock.advance(600);
    }
    expect(ends.length).toBeGreaterThan(6);
    expect(ends.length).toBeLessThan(11);
    controller.abort(new Error('enough'));
    await Promise.all(ends);
  });

  it('are judged one by one: one that is refused does not fail the others', async () => {
    queue.onPost = (create, { json }) => {
      // in another order than they were sent in
      const last = (json as { tag: string }[]).at(-1);
      const refused = { status_code: 40501, status_message: "Invalid Field: 'keyword'.", cost: 0, result: null };
      return postedReply(create(2), [{ ...refused, data: { tag: last?.tag } }]);
    };
    const ends = await askAll(await open(), 3);
    expect(ends.slice(0, 2)).toEqual(pages(2));
    expect(ends[2]).toMatchObject({ code: 'INVALID_REQUEST', charged: 'no', disposition: 'abandon' });
    expect([queue.posts, queue.listings]).toEqual([1, 0]);
  });

  it('are refused as they are where all are refused for different reasons', async () => {
    const codes = [40501, 40210];
    queue.onPost = () =>
      postedReply(
        [],
        codes.map((status_code) => ({ status_code, status_message: 'No.', cost: 0 })),
      );
    expect(await askAll(await open(), 2)).toMatchObject([
      { code: 'INVALID_REQUEST' },
      { code: 'INSUFFICIENT_CREDITS' },
    ]);
  });

  it('are found by their tags after the answer to their post was lost, and those that were not created are posted', async () => {
    queue.onPost = (create) => {
      create(2);
      return 'reset';
    };
    const source = await open();
    const ends = await askAll(source, 4);
    expect(ends.slice(0, 2)).toEqual(pages(2));
    expect(ends.slice(2)).toMatchObject([{ code: 'CONNECTION_LOST' }, { code: 'CONNECTION_LOST' }]);
    queue.onPost = (create) => postedReply(create());
    expect(await askAll(source, 4)).toEqual(pages(4));
    expect([queue.posts, queue.tasks.length]).toEqual([2, 4]);
    expect(new Set(queue.tasks.map(({ tag }) => tag)).size).toBe(4);
  });

  it.each(['before the answer', 'while it waits'] as const)(
    'are bought once although their process is killed %s',
    async (when) => {
      queue.asksUntilDone = 2;
      if (when === 'before the answer') {
        queue.onPost = (create) => {
          create();
          return 'hang';
        };
      }
      await die(when, 5);
      queue.asksUntilDone = 1;
      expect(await askAll(await open(), 5)).toEqual(pages(5));
      expect([queue.posts, queue.tasks.length]).toEqual([1, 5]);
    },
  );

  it('cost nothing where the caller gives up before they leave, and leave no record', async () => {
    const source = await open({}, clock);
    const controller = new AbortController();
    const lost = failure(fetch(source, 'slot-1', { signal: controller.signal }));
    const kept = fetch(source, 'slot-2');
    await clock.untilSleeping();
    controller.abort(new ServiceError('ABORTED', 'No more.'));
    expect(await lost).toMatchObject({ code: 'ABORTED', charged: 'no' });
    while (queue.tasks[0]?.isCollected !== true) await clock.advance(100);
    await kept;
    expect(await askAll(await open(), 2)).toEqual(pages(2));
    expect([queue.posts, queue.listings, queue.tasks.length]).toEqual([2, 0, 2]);
  });
});

describe('a task', () => {
  it('that failed and cost nothing in the end is free, and the next attempt posts a new one', async () => {
    queue.onPoll = (task) => {
      if (task?.id !== 'task-1') return undefined;
      task.cost = 0;
      return taskStatus(40103, { cost: 0 });
    };
    const source = await open();
    expect(await failure(fetch(source))).toMatchObject({ code: 'SERP_FAILED', charged: 'no', disposition: 'retry' });
    expect(await linksOf(source)).toEqual(taskLinks);
    expect(queue.posts).toBe(2);
  });

  it('that failed and was charged is reported as charged; if the list does not contain it, the charge is unknown', async () => {
    queue.onPoll = () => taskStatus(40101, { cost: 0 });
    expect(await failure(fetch(await open()))).toMatchObject({ code: 'SERP_FAILED', charged: 'yes' });
    queue.onList = () => ({ body: envelope({ cost: 0, result: null }) });
    expect(await failure(fetch(await open()))).toMatchObject({ code: 'SERP_FAILED', charged: 'unknown' });
  });

  it('that is not done in time is not given up: it may have been charged, and the next attempt finds it', async () => {
    queue.asksUntilDone = 1000;
    const before = clock.now();
    const error = await failure(fetch(await open({ waitMinutes: 5 })));
    expect(error).toMatchObject({ code: 'TIMEOUT', charged: 'unknown', disposition: 'retry' });
    expect(error.message).toContain('within 5 minutes');
    expect(clock.now() - before).toBeLessThan(7 * minuteMs);
    queue.asksUntilDone = 1;
    expect(await linksOf(await open())).toEqual(taskLinks);
    expect(queue.posts).toBe(1);
  });

  it('that is not listed yet is waited for, and one that is gone is posted again', async () => {
    queue.onPoll = () => taskStatus(40401);
    const error = await failure(fetch(await open()));
    expect(error).toMatchObject({ code: 'SERP_FAILED', charged: 'unknown', disposition: 'retry' });
    expect(queue.vendor.requests.length).toBeGreaterThan(4);
    queue.onPoll = () => undefined;
    expect(await linksOf(await open())).toEqual(taskLinks);
    expect(queue.posts).toBe(2);
  });

  it('is polled although it was never listed as ready, or the list is unavailable', async () => {
    for (const onReady of [() => ({ body: envelope({ cost: 0, result: null }) }), () => 'reset' as const]) {
      queue.onReady = onReady;
      const before = clock.now();
      expect(await linksOf(await open(), `slot-${before}`)).toEqual(taskLinks);
      expect(clock.now() - before).toBeGreaterThanOrEqual(10 * minuteMs);
      expect(clock.now() - before).toBeLessThan(12 * minuteMs);
    }
  });

  it('whose account is refused when it lists its ready tasks is polled at once, and halts', async () => {
    const refused = { status: 401, body: { status_code: 40100, status_message: 'No.' } };
    queue.onReady = () => refused;
    queue.onPoll = () => refused;
    const before = clock.now();
    expect(await failure(fetch(await open()))).toMatchObject({ code: 'INVALID_API_KEY', charged: 'unknown' });
    expect(clock.now() - before).toBeLessThan(minuteMs);
  });

  it('is polled again after a poll was throttled, failed or was unreadable', async () => {
    const replies = [taskStatus(40202), 'reset' as const, { status: 500, body: {} }, { body: '<html>' }];
    queue.onPoll = () => replies.shift();
    expect(await linksOf(await open())).toEqual(taskLinks);
    expect(queue.posts).toBe(1);
  });

  it('whose result can never be read is paid, kept and given up', async () => {
    queue.onPoll = () => ({ body: '{"tasks": [' });
    const error = await failure(fetch(await open()));
    expect(error).toMatchObject({ code: 'UNREADABLE_RESPONSE', charged: 'yes', disposition: 'abandon' });
    expect(error.body?.text).toContain('tasks');
  });

  it('is polled again after an answer of another task, whose page may be of the same keyword', async () => {
    const result = [{ keyword: 'shoes', items: results(['https://other.example/']) }];
    const other = { body: envelope({ data: { tag: 'rl-other' }, result }) };
    queue.onPoll = () => other;
    expect(await failure(fetch(await open()))).toMatchObject({ code: 'UNREADABLE_RESPONSE', charged: 'yes' });
    const replies = [other];
    queue.onPoll = () => replies.shift();
    expect(await linksOf(await open())).toEqual(taskLinks);
    expect(queue.posts).toBe(1);
  });

  it('whose account is refused halts, and may be fetched after that is corrected', async () => {
    queue.onPoll = () => ({ status: 401, body: { status_code: 40100, status_message: 'No.' } });
    expect(await failure(fetch(await open()))).toMatchObject({ code: 'INVALID_API_KEY', charged: 'unknown' });
    queue.onPoll = () => undefined;
    expect(await linksOf(await open())).toEqual(taskLinks);
    expect(queue.posts).toBe(1);
  });
});

describe('an answer of AI Mode', () => {
  const request = { engine: 'ai-mode', prompt: 'best shoes', country: 'US', language: 'en' } as const;
  const openAnswers = async (more: Record<string, unknown> = { method: 'queued' }, time: Clock = hurried) => {
    const options = { ...access, baseUrl: queue.vendor.url, allowLoopback: true, requestsPerSecond: 1000, ...more };
    const source = await createAnswerSource('dataforseo', options, { clock: time, memory });
    opened.push(source);
    return source;
  };
  const ask = async (source: AnswerSource, sample = 1, engine: AnswerRequest['engine'] = 'ai-mode') => {
    const { answers } = createSearchDataService({ source: { serp: memorySource().serp, answers: source }, clock });
    if (answers === undefined) expect.fail('it has no answers');
    return await answers.ask({ ...request, engine, sample }, { idempotencyKey: `answer-${sample}` });
  };
  const overview = {
    type: 'ai_overview',
    markdown: 'Acme.',
    references: [{ url: 'https://acme.com/', title: 'Acme' }],
  };
  const answered = { body: envelope({ cost: 0, result: [{ keyword: 'best shoes', items: [overview] }] }) };

  beforeEach(() => {
    queue.onPoll = (task) => {
      if (task !== undefined) task.isCollected = true;
      return answered;
    };
  });

  it('is bought through the queue, together with its other samples, at the price of the queue', async () => {
    const source = await openAnswers();
    expect([source.priceMicroUsd('ai-mode'), source.priceMicroUsd('chatgpt')]).toEqual([1_200, 10_000]);
    const [first, ...others] = await Promise.all([1, 2, 3].map((sample) => ask(source, sample)));
    expect(first).toMatchObject({ text: 'Acme.', citations: [{ url: 'https://acme.com/', title: 'Acme' }] });
    // that collecting costs nothing is not the price of the answer
    expect(first?.microUsdStated).toBeUndefined();
    expect(others).toHaveLength(2);
    expect([queue.posts, queue.tasks.length]).toEqual([1, 3]);
    expect(queue.tasks[0]?.asked).toMatchObject({ keyword: 'best shoes', device: 'desktop', priority: 1 });
    const paths = queue.vendor.requests.map(({ path }) => path.replace(/task-\d/, 'N'));
    const base = '/v3/serp/google/ai_mode';
    expect(new Set(paths)).toEqual(
      new Set([`${base}/task_post`, `${base}/tasks_ready`, `${base}/task_get/advanced/N`]),
    );
  });

  it('of high priority costs twice as much, and a live one what the vendor asks for it', async () => {
    const high = await openAnswers({ method: 'queued', priority: 'high' });
    await ask(high);
    expect(queue.tasks[0]?.asked).toMatchObject({ priority: 2 });
    const prices = [high, await openAnswers({})].map((source) => source.priceMicroUsd('ai-mode'));
    expect(prices).toEqual([2_400, 4_000]);
    for (const [options, price] of [
      [{ method: 'queued', priority: 'high' }, 2_400],
      [{}, 4_000],
    ] as const) {
      const facts = await answerFacts('dataforseo', { ...access, ...options });
      expect(facts?.engines[0]).toMatchObject({ engine: 'ai-mode', microUsdMax: price });
    }
  });

  it('is found by the next process, and not bought again', async () => {
    queue.onPost = (create) => {
      create();
      return 'hang';
    };
    const killed = await openAnswers({ method: 'queued' }, clock);
    const caller = new AbortController();
    const context = { signal: caller.signal, at: 0, idempotencyKey: 'answer-1' };
    const lost = failure(killed.fetchAnswer({ ...request, sample: 1 }, context));
    while (queue.posts === 0) await clock.advance(100);
    caller.abort(new Error('killed'));
    await lost;
    await killed.close?.();
    expect((await ask(await openAnswers())).text).toBe('Acme.');
    expect([queue.posts, queue.listings]).toEqual([1, 1]);
  });

  it('may take as long as its queue, and those of other engines are bought live', async () => {
    const source = await openAnswers();
    expect(source).toMatchObject({ requestTimeoutMs: 17 * minuteMs, concurrency: 100 });
    await failure(ask(source, 1, 'chatgpt'));
    expect(queue.vendor.requests.map(({ path }) => path)).toEqual([
      '/v3/ai_optimization/chat_gpt/llm_scraper/live/advanced',
    ]);
  });

  it('that has no text is a failure that is paid', async () => {
    queue.onPoll = () => taskStatus(40102, { cost: 0.0012 });
    expect(await failure(ask(await openAnswers()))).toMatchObject({ code: 'WORKER_FAILED', charged: 'yes' });
  });
});

it('a task in a chain has its own timeout and its record', async () => {
  const part = { ...access, source: 'dataforseo', method: 'queued', baseUrl: queue.vendor.url, allowLoopback: true };
  const sources = [part, { source: 'serper', apiKey: 'second-key-123' }];
  const { serp } = await createSource('chain', { sources }, { clock: hurried, memory });
  if (serp === undefined) expect.fail('it has no pages');
  opened.push(serp);
  expect(serp.requestTimeoutMs).toBe(18 * minuteMs);
  expect(serp.keepsKeys).toBe(false);
  await fetch(serp);
  await fetch(serp);
  expect(queue.posts).toBe(1);
});

it('without persistent storage the queue is refused with a remedy', async () => {
  const options = { ...access, method: 'queued' } as const;
  await expect(createSource('dataforseo', options, { clock })).rejects.toThrow(
    /^Source "dataforseo": method: queued must store .*queue: \{ driver: embedded \}, or method: live\.$/,
  );
});
