// The queue of DataForSEO on loopback: tasks are posted, are listed when they are ready, and are collected.
import { done, envelope, passwordIn, results } from '../contract/sources/subjects/dataforseo.ts';
import {
  type Reply,
  type SeenRequest,
  startVendorServer,
  type VendorServer,
} from '../contract/sources/vendor-server.ts';

export interface QueuedTask {
  readonly id: string;
  readonly tag: string;
  readonly account: string;
  readonly asked: Readonly<Record<string, unknown>>;
  /** How often it was asked for: in the list of ready tasks, or alone. */
  asks: number;
  /** Its answer was sent. */
  isCollected: boolean;
  /** In USD, as the list of the account states it. */
  cost: number;
}

export interface TaskQueue {
  readonly vendor: VendorServer;
  readonly tasks: readonly QueuedTask[];
  /** How many requests to post tasks arrived, with any result. */
  readonly posts: number;
  /** How often the list of an account was requested. */
  readonly listings: number;
  /** A task is done when it was asked for so often. */
  asksUntilDone: number;
  /** The result of a post: by default its tasks are created and returned. */
  onPost: (create: (count?: number) => readonly QueuedTask[], request: SeenRequest) => Reply | 'hang' | 'reset';
  /** The result of a poll, in place of waiting and its page; undefined: as usual. */
  onPoll: (task: QueuedTask | undefined) => Reply | 'hang' | 'reset' | undefined;
  /** The ready tasks of an account; undefined: those that are done and not collected. */
  onReady: () => Reply | 'reset' | undefined;
  /** The list of an account; undefined: its tasks. */
  onList: () => Reply | undefined;
  close(): Promise<void>;
}

/** How many tasks the vendor lists as ready. */
const readyMax = 1000;

export const taskLinks = ['https://acme.com/shoes', 'https://b.example/'];

/** `code` in the task of an answer. */
export function taskStatus(code: number, more: Record<string, unknown> = {}): Reply {
  return { body: envelope({ status_code: code, status_message: 'Words.', result: null, ...more }) };
}

export async function startTaskQueue(): Promise<TaskQueue> {
  const vendor = await startVendorServer();
  const tasks: QueuedTask[] = [];
  const counts = { posts: 0, listings: 0 };
  const create = (request: SeenRequest, count?: number): readonly QueuedTask[] =>
    (request.json as Record<string, unknown>[]).slice(0, count).map((asked) => {
      const id = `task-${tasks.length + 1}`;
      const task = {
        id,
        tag: String(asked['tag']),
        account: passwordIn(request),
        asked,
        asks: 0,
        isCollected: false,
        cost: 0.0006,
      };
      tasks.push(task);
      return task;
    });
  const queue: TaskQueue = {
    vendor,
    tasks,
    get posts() {
      return counts.posts;
    },
    get listings() {
      return counts.listings;
    },
    asksUntilDone: 1,
    onPost: (make) => postedReply(make()),
    onPoll: () => undefined,
    onReady: () => undefined,
    onList: () => undefined,
    close: () => vendor.close(),
  };
  vendor.script = (request) => {
    const { path } = request;
    if (path.endsWith('/task_post')) {
      counts.posts += 1;
      return queue.onPost((count) => create(request, count), request);
    }
    if (path.endsWith('/id_list')) {
      counts.listings += 1;
      const own = tasks.filter(({ account }) => account === passwordIn(request));
      const listed = own.map(({ id, tag, cost }) => ({ id, cost, metadata: { tag } }));
      return queue.onList() ?? { body: envelope({ cost: 0, result: listed.length === 0 ? null : listed }) };
    }
    if (path.endsWith('/tasks_ready')) {
      const own = tasks.filter(({ account, isCollected }) => account === passwordIn(request) && !isCollected);
      for (const task of own) task.asks += 1;
      const ready = own.filter(({ asks }) => asks >= queue.asksUntilDone).slice(0, readyMax);
      const result = ready.map(({ id, tag }) => ({ id, tag, se: 'google', se_type: 'organic' }));
      return queue.onReady() ?? { body: envelope({ cost: 0, result: result.length === 0 ? null : result }) };
    }
    const task = tasks.find(({ id, account }) => path.endsWith(`/${id}`) && account === passwordIn(request));
    return queue.onPoll(task) ?? pollReply(task, queue.asksUntilDone);
  };
  return queue;
}

export function postedReply(created: readonly QueuedTask[], refused: readonly Record<string, unknown>[] = []): Reply {
  const made = { status_code: 20100, status_message: 'Task Created.', result: null };
  const tasks = created.map(({ id, cost, tag }) => ({ ...made, id, cost, data: { tag } }));
  return { body: { ...envelope({}), tasks: [...refused, ...tasks] } };
}

function pollReply(task: QueuedTask | undefined, asksUntilDone: number): Reply {
  if (task === undefined) return taskStatus(40401);
  if (task.asks < asksUntilDone) task.asks += 1;
  if (task.asks < asksUntilDone) return taskStatus(40602);
  task.isCollected = true;
  const answer = done(String(task.asked['keyword']), pagesOf(Number(task.asked['max_crawl_pages'])));
  const [first] = answer['tasks'] as object[];
  // it repeats what was asked for
  return { body: { ...answer, tasks: [{ ...first, data: task.asked }] } };
}

/** Two results a page; those of page 1 are `taskLinks`. */
function pagesOf(count: number): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, index) => index + 1).flatMap((page) => {
    const links = page === 1 ? taskLinks : [1, 2].map((nth) => `https://site${nth}.example/${page}`);
    return results(links).map((result) => ({ ...result, page, rank_group: undefined }));
  });
}
