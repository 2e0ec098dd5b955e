// DataForSEO's queue: posting a task costs, collecting it is free. Posted tasks survive a restart.

import { createHash, randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { Charged } from '../../model/charged.ts';
import { ServiceError } from '../../model/errors.ts';
import { limits } from '../../model/limits.ts';
import type { Clock } from '../../model/ports.ts';
import type { SourceMemory } from '../../model/source.ts';
import { dayMs } from '../../model/time/clock.ts';
import { untilAborted } from '../../model/time/deadline.ts';
import type { Fields } from '../../net/fields.ts';
import type { VendorAnswer, VendorClient } from '../vendor-kit/client.ts';
import { judgeRefusal } from '../vendor-kit/refusals.ts';
import { observedAt } from '../vendor-kit/validator.ts';
import { numberAt, objectsAt, wordsAt } from '../vendor-kit/values.ts';
import {
  complaint,
  findTask,
  findTaskOf,
  isOfOtherTask,
  nothingFound,
  notReady,
  readCharge,
  readCost,
  refusals,
  taskComplaint,
  taskGone,
} from './api.ts';

interface QueueOptions {
  readonly name: string;
  /** Of the product whose tasks these are: `/v3/serp/google/organic`. */
  readonly path: string;
  readonly line: VendorClient;
  readonly priority: 'normal' | 'high';
  readonly waitMinutes: number;
  readonly clock: Clock;
  readonly memory?: SourceMemory;
}

/** The most tasks of one post: the vendor's documentation of `task_post`, page of 2026-06-06, read 2026-11. */
const postTasksMax = 100;
/**
 * A batch leaves when it is full, when no task joined it for a second, or after five: pages are asked for as fast as
 * others arrive, 33 a second at the usual rate, and each takes minutes.
 */
const [gatherMs, gatherMsMax] = [1000, 5000];

/** Within this time a task that was created stands in the vendor's list; one that does not was never created. */
const listedAfterMs = 60_000;
/** When the list is first looked at, after a post whose answer did not come. */
const firstLookAfterMs = 10_000;

/**
 * How often an account is asked which of its tasks are ready. The vendor takes 20 of these calls a minute, and lists up
 * to 1,000 tasks that ended within three days, each until it is collected (its pages `tasks_ready` and
 * help-center/completed-tasks, read 2026-11). Tasks take about 5 minutes, those of high priority about 1.
 */
const readyPauseMs = { normal: 30_000, high: 15_000 } as const;
/**
 * After this time a task that is not listed is polled: its answer may have been lost on the way, or other programs
 * leave 1,000 tasks of the account uncollected, which hide it.
 */
const unlistedMs = { normal: 600_000, high: 180_000 } as const;

/** Time limit of that call: all tasks of the account wait for it. */
const readyMsMax = 60_000;

/** A task that was just posted may not be known everywhere yet. */
const knownAfterMs = 300_000;
/** Answers in a row that cannot be read, after which the page is given up. */
const unreadableMax = 3;

/** The vendor takes 10 calls for the list a minute, of 1,000 tasks each. Batches create many tasks within `skewMs`. */
const listPauseMs = 7000;
const listTasksMax = 1000;
const listCallsMax = 20;
/** How far the clocks may differ, ours and the vendor's. */
const skewMs = 300_000;

/** Longer than a purchase is tried, and shorter than the vendor keeps results (30 days). */
const keptMs = 3 * dayMs;

const posting = z.object({ state: z.literal('posting'), at: z.int() });
const posted = z.object({ state: z.literal('posted'), at: z.int(), id: z.string(), account: z.string() });
/** A task as it is remembered. `posting`: its request may have left, and its number is unknown. */
const knownTask = z.discriminatedUnion('state', [posting, posted]);

type PostedTask = z.output<typeof posted>;

interface ListedTask {
  readonly id: string;
  readonly tag: string | undefined;
  /** Micro-USD. */
  readonly cost: number | undefined;
}

/** The tasks of an account from some moment on. `isWhole`: none is missing. */
interface Listing {
  readonly tasks: readonly ListedTask[];
  readonly isWhole: boolean;
}

/** A task is polled when it is ready, and at `pollAt` at the latest. */
interface Waiting {
  readonly pollAt: number;
  readonly poll: () => void;
}

/** An account, and the listing of its tasks that others may still join: it has not been asked for yet. */
interface Account {
  /** `login:password` */
  readonly key: string;
  /** Tasks that are waited for, by number. */
  readonly waiting: Map<string, Waiting>;
  isWatched: boolean;
  coming?: { from: number; readonly listing: Promise<Listing> } | undefined;
  lastListedAt: number;
}

/** A task that waits for the next post. */
interface Unposted {
  readonly tag: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly posted: PromiseWithResolvers<PostedTask>;
}

/** The answer of a task that is done. */
export interface CollectedTask extends Pick<VendorAnswer, 'root' | 'body'> {
  /** When the task ended, which may be long before it is collected; UTC milliseconds. */
  readonly observedAt: number;
}

/** A task is unknown, posting (written down before the request leaves), posted, and then done or failed. */
export class TaskQueue {
  /** The queue's own limit ends first, and says what became of the task. */
  readonly requestTimeoutMs: number;
  readonly #options: QueueOptions;
  readonly #memory: SourceMemory;
  readonly #accounts: ReadonlyMap<string, Account>;
  readonly #closed = new AbortController();
  readonly #waitMs: number;
  readonly #unposted: Unposted[] = [];
  #isGathering = false;

  /** Throws Error where there is nothing that remembers over a restart what is paid. */
  constructor(options: QueueOptions) {
    const { line, waitMinutes, memory } = options;
    if (memory === undefined) {
      throw new Error(
        'method: queued must store the tasks that are paid, but this process has no database. Use queue: { driver: embedded }, or method: live.',
      );
    }
    this.#options = options;
    this.#memory = memory;
    this.#accounts = new Map(
      line.keys.map((key) => [
        accountHash(key),
        { key, waiting: new Map(), isWatched: false, lastListedAt: Number.NEGATIVE_INFINITY },
      ]),
    );
    this.#waitMs = waitMinutes * 60_000;
    this.requestTimeoutMs = this.#waitMs + 120_000;
  }

  /** Posts the task of that tag unless it was posted before, and waits until it is done. Throws ServiceError. */
  async fetch(tag: string, body: Unposted['body'], signal: AbortSignal): Promise<CollectedTask> {
    const known = await this.#recall(tag);
    const old = known?.state === 'posting' ? await this.#findLostTask(tag, known.at, signal) : known;
    return await this.#collect(old ?? (await this.#post(tag, body, signal)), tag, old === undefined, signal);
  }

  async close(): Promise<void> {
    this.#closed.abort(new ServiceError('ABORTED', 'The source was closed.', { charged: 'no' }));
    await this.#options.line.close();
  }

  /** Undefined for what no version of this file has written. */
  async #recall(tag: string): Promise<z.output<typeof knownTask> | undefined> {
    const text = await this.#memory.get(memoryKey(tag));
    return text === undefined ? undefined : knownTask.safeParse(JSON.parse(text)).data;
  }

  /** Durable when it resolves: only then may the request leave, and only then is its task waited for. */
  async #keep<Task extends z.output<typeof knownTask>>(tag: string, task: Task): Promise<Task> {
    await this.#memory.put(memoryKey(tag), JSON.stringify(task), task.at + keptMs);
    return task;
  }

  /** Posts a task with those that are asked for at about the same time. */
  async #post(tag: string, body: Unposted['body'], signal: AbortSignal): Promise<PostedTask> {
    const { clock, name } = this.#options;
    const task: Unposted = { tag, body, signal, posted: Promise.withResolvers() };
    try {
      this.#unposted.push(task);
      if (!this.#isGathering) void this.#postAll();
      return await untilAborted(task.posted.promise, signal);
    } catch (cause) {
      if (!(cause instanceof ServiceError)) throw cause;
      if (this.#unposted.includes(task)) throw cause.with({ charged: 'no' });
      if (cause.charged === 'no' || signal.aborted) throw cause;
      // the post may have been served
      const at = clock.now();
      await clock.sleep(firstLookAfterMs, signal);
      const found = await this.#findLostTask(tag, at, signal).catch(() => undefined);
      if (found !== undefined) return found;
      const message = `${name} did not answer when a task was posted, and does not list the task.`;
      throw new ServiceError('CONNECTION_LOST', message, { cause });
    }
  }

  /** Posts batches as they gather, until no task is left. Never rejects. */
  async #postAll(): Promise<void> {
    this.#isGathering = true;
    try {
      while (this.#unposted.length > 0) {
        await this.#gather();
        void this.#postBatch(this.#unposted.splice(0, postTasksMax).filter(({ signal }) => !signal.aborted));
      }
    } catch (error) {
      for (const { posted } of this.#unposted.splice(0)) posted.reject(error);
    } finally {
      this.#isGathering = false;
    }
  }

  async #gather(): Promise<void> {
    const { clock } = this.#options;
    const until = clock.now() + gatherMsMax;
    let seen = 0;
    while (this.#unposted.length > seen && this.#unposted.length < postTasksMax && clock.now() < until) {
      seen = this.#unposted.length;
      await clock.sleep(gatherMs, this.#closed.signal);
    }
  }

  /** Writes down that tasks are about to be posted, posts them, and writes down their numbers. Never rejects. */
  async #postBatch(batch: readonly Unposted[]): Promise<void> {
    if (batch.length === 0) return;
    const { line, path, priority, clock } = this.#options;
    const json = batch.map(({ tag, body }) => ({ ...body, tag, priority: priority === 'high' ? 2 : 1 }));
    const at = clock.now();
    const signal = AbortSignal.any([this.#closed.signal, whenAllAborted(batch.map((task) => task.signal))]);
    try {
      await Promise.all(batch.map(({ tag }) => this.#keep(tag, { state: 'posting', at })));
      const { root, key } = await line.send({ path: `${path}/task_post`, json }, signal);
      await Promise.all(
        batch.map(async (task, nth) => {
          const id = this.#numberIn(root, task.tag, nth);
          if (id instanceof ServiceError) return await this.#reject(task, id);
          task.posted.resolve(await this.#keep(task.tag, { state: 'posted', at, id, account: accountHash(key) }));
        }),
      );
    } catch (error) {
      await Promise.all(batch.map((task) => this.#reject(task, error)));
    }
  }

  /** A task that surely was not created is forgotten. */
  async #reject({ tag, posted }: Unposted, error: unknown): Promise<void> {
    if (error instanceof ServiceError && error.charged === 'no') await this.#memory.delete(memoryKey(tag));
    posted.reject(error);
  }

  /** The number of a task that was created; an error for one that was refused, or that is not there. */
  #numberIn(root: Fields, tag: string, nth: number): string | ServiceError {
    const task = findTaskOf(root, tag, nth);
    const words = taskComplaint(task);
    const cost = readCost(task);
    if (words !== undefined) return this.#refusal(words, cost === undefined || cost > 0 ? 'unknown' : 'no');
    const message = `${this.#options.name} returned no number of this task.`;
    return wordsAt(task, 'id') ?? new ServiceError('UNREADABLE_RESPONSE', message);
  }

  #refusal(words: string, charged: Charged): ServiceError {
    const refusal = { status: 200, words, retryAfter: undefined, charged };
    return judgeRefusal(this.#options.name, refusals, 'unknown', refusal, this.#options.clock.now()).error;
  }

  /**
   * The task that was about to be posted at that moment, as the lists of all accounts have it. Undefined where it
   * surely was not posted. Throws ServiceError, charged `no`, where that cannot be found out.
   */
  async #findLostTask(tag: string, at: number, signal: AbortSignal): Promise<PostedTask | undefined> {
    for (;;) {
      const youngMs = at + listedAfterMs - this.#options.clock.now();
      const listings = await Promise.all(
        [...this.#accounts].map(async ([account, each]) => ({ account, ...(await this.#list(each, at, signal)) })),
      );
      for (const { account, tasks } of listings) {
        const listed = tasks.find((task) => task.tag === tag);
        if (listed !== undefined) return await this.#keep(tag, { state: 'posted', at, id: listed.id, account });
      }
      if (listings.some(({ isWhole }) => !isWhole)) {
        const message = 'It is unknown whether the task was posted: the account has too many tasks to search.';
        const hint = `Look for the tag ${tag} in the dashboard of ${this.#options.name}.`;
        throw new ServiceError('SERP_FAILED', message, { charged: 'no', hint });
      }
      if (youngMs <= 0) return undefined;
      await this.#options.clock.sleep(youngMs, signal);
    }
  }

  /**
   * Waits until the task is done, and gives its answer. Throws ServiceError. A task that failed or is gone is
   * forgotten, and a new one may be posted; any other may be waited for again, such as after TIMEOUT.
   */
  async #collect(task: PostedTask, tag: string, isNew: boolean, signal: AbortSignal): Promise<CollectedTask> {
    const { clock, priority } = this.#options;
    const account = this.#accounts.get(task.account);
    if (account === undefined)
      return await this.#fail(tag, this.#gone(`the account that posted the task ${task.id} is not in the config`));
    const until = clock.now() + this.#waitMs;
    let pollAt = isNew ? clock.now() + unlistedMs[priority] : clock.now();
    let unreadable = 0;
    for (let isFirst = true; ; isFirst = false) {
      if (isNew || !isFirst) await this.#untilReady(account, task.id, Math.min(pollAt, until), signal);
      const answer = await this.#poll(task, tag, account, signal);
      pollAt = clock.now();
      if (!(answer instanceof ServiceError)) {
        const state = await this.#judge(task, account, answer, signal);
        if (state instanceof ServiceError) return await this.#fail(tag, state);
        if (state !== undefined) return state;
        pollAt += unlistedMs[priority];
      } else if (answer.code === 'UNREADABLE_RESPONSE' && ++unreadable === unreadableMax) {
        throw answer.with({ charged: 'yes' });
      } else if (answer.retryAfterMs !== undefined) {
        await clock.sleep(answer.retryAfterMs, signal);
      }
      if (clock.now() >= until) throw this.#tooLong(task, answer instanceof ServiceError ? answer : undefined);
    }
  }

  /** Waits until the account lists the task as ready, or until `pollAt`. */
  async #untilReady(account: Account, id: string, pollAt: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    account.waiting.set(id, { pollAt, poll: resolve });
    if (!account.isWatched) void this.#watch(account);
    try {
      await untilAborted(promise, AbortSignal.any([signal, this.#closed.signal]));
    } finally {
      account.waiting.delete(id);
    }
  }

  /** Asks for the ready tasks of an account while any is waited for. Never rejects. */
  async #watch(account: Account): Promise<void> {
    const { clock, priority } = this.#options;
    account.isWatched = true;
    while (account.waiting.size > 0 && !this.#closed.signal.aborted) {
      await clock.sleep(readyPauseMs[priority], this.#closed.signal).catch(() => undefined);
      const isReady = account.waiting.size === 0 ? () => false : await this.#listReady(account);
      for (const [id, { pollAt, poll }] of account.waiting) {
        if (!isReady(id) && pollAt > clock.now()) continue;
        account.waiting.delete(id);
        poll();
      }
    }
    account.isWatched = false;
  }

  /** If access is refused, each task counts as ready: its poll finds out why. */
  async #listReady({ key }: Account): Promise<(id: string) => boolean> {
    const { line, path } = this.#options;
    try {
      const signal = AbortSignal.any([this.#closed.signal, AbortSignal.timeout(readyMsMax)]);
      const { root } = await line.ask({ path: `${path}/tasks_ready` }, key, signal);
      const ids = new Set(objectsAt(findTask(root), 'result').map((entry) => wordsAt(entry, 'id')));
      return (id) => ids.has(id);
    } catch (error) {
      return () => error instanceof ServiceError && error.disposition === 'halt';
    }
  }

  async #fail(tag: string, error: ServiceError): Promise<never> {
    await this.#memory.delete(memoryKey(tag));
    throw error;
  }

  /** What was answered, or a failure of the asking, which may be repeated. Throws what halts. */
  async #poll(
    task: PostedTask,
    tag: string,
    { key }: Account,
    signal: AbortSignal,
  ): Promise<VendorAnswer | ServiceError> {
    const path = `${this.#options.path}/task_get/advanced/${encodeURIComponent(task.id)}`;
    try {
      const answer = await this.#options.line.ask({ path }, key, signal);
      if (!isOfOtherTask(answer.root, tag)) return answer;
      const message = `${this.#options.name} answered for another task than ${task.id}.`;
      return new ServiceError('UNREADABLE_RESPONSE', message, { body: answer.body });
    } catch (error) {
      if (!(error instanceof ServiceError) || signal.aborted) throw error;
      // the task is paid, and what is missing is only its result
      if (error.disposition === 'halt') throw error.with({ charged: 'unknown' });
      return error;
    }
  }

  /** The answer, or why the task is over without one; undefined where it is still under way. */
  async #judge(
    task: PostedTask,
    account: Account,
    { root, body }: VendorAnswer,
    signal: AbortSignal,
  ): Promise<CollectedTask | ServiceError | undefined> {
    const now = this.#options.clock.now();
    const words = complaint(root);
    if (words === undefined || nothingFound.test(words))
      return { root, body, observedAt: observedAt(root, now, keptMs) };
    if (notReady.test(words)) return undefined;
    if (taskGone.test(words))
      return now < task.at + knownAfterMs ? undefined : this.#gone(`the task ${task.id} is gone: ${words}`);
    return this.#refusal(words, readCharge(root) === 'yes' ? 'yes' : await this.#chargeInList(task, account, signal));
  }

  /** What a failed task has cost in the end, as the list of the account has it. */
  async #chargeInList({ id, at }: PostedTask, account: Account, signal: AbortSignal): Promise<Charged> {
    const listing = await this.#list(account, at, signal).catch(() => undefined);
    const cost = listing?.tasks.find((task) => task.id === id)?.cost;
    if (cost === undefined) return 'unknown';
    return cost > 0 ? 'yes' : 'no';
  }

  #gone(why: string): ServiceError {
    return new ServiceError('SERP_FAILED', `${this.#options.name}: ${why}.`, { disposition: 'retry' });
  }

  #tooLong({ id }: PostedTask, cause: ServiceError | undefined): ServiceError {
    const message = `${this.#options.name} has not completed the task ${id} within ${this.#waitMs / 60_000} minutes.`;
    const said = cause === undefined ? '' : ` The last poll failed: ${cause.message}`;
    return new ServiceError('TIMEOUT', `${message}${said}`.slice(0, limits.errorMessageCharsMax), {
      disposition: 'retry',
      hint: 'The task is paid and stays valid: the next attempt finds it. waitMinutes sets the maximum wait.',
      ...(cause !== undefined && { cause }),
    });
  }

  /**
   * Tasks that the account posted since that moment, as the vendor lists them after this call. Callers that wait for
   * their turn share one listing. Throws ServiceError, charged `no`.
   */
  async #list(account: Account, since: number, signal: AbortSignal): Promise<Listing> {
    const from = since - skewMs;
    if (account.coming === undefined) account.coming = { from, listing: this.#listNext(account) };
    else account.coming.from = Math.min(account.coming.from, from);
    return await untilAborted(account.coming.listing, signal);
  }

  async #listNext(account: Account): Promise<Listing> {
    const { clock } = this.#options;
    const { signal } = this.#closed;
    let from: number;
    try {
      await clock.sleep(Math.max(0, account.lastListedAt + listPauseMs - clock.now()), signal);
    } finally {
      from = account.coming?.from ?? clock.now();
      account.coming = undefined;
    }
    const tasks: ListedTask[] = [];
    for (let calls = 0; calls < listCallsMax; calls++) {
      if (calls > 0) await clock.sleep(listPauseMs, signal);
      const page = await this.#listPage(account, from, calls * listTasksMax);
      tasks.push(...page);
      if (page.length < listTasksMax) return { tasks, isWhole: true };
    }
    return { tasks, isWhole: false };
  }

  async #listPage(account: Account, from: number, offset: number): Promise<ListedTask[]> {
    account.lastListedAt = this.#options.clock.now();
    const json = {
      datetime_from: written(from),
      datetime_to: written(account.lastListedAt),
      limit: listTasksMax,
      offset,
      sort: 'desc',
      include_metadata: true,
    };
    const call = { path: '/v3/serp/id_list', json: [json] };
    const { root } = await this.#options.line.ask(call, account.key, this.#closed.signal).catch((error: unknown) => {
      if (!(error instanceof ServiceError)) throw error;
      // a refusal of this request says nothing about the page
      throw error.disposition === 'abandon' ? noList(error) : error.with({ charged: 'no' });
    });
    const task = findTask(root);
    if (task === undefined || numberAt(task, 'status_code') !== 20_000) throw noList(undefined);
    return objectsAt(task, 'result').flatMap((entry) => {
      const id = wordsAt(entry, 'id');
      return id === undefined ? [] : [{ id, tag: wordsAt(entry, 'metadata.tag'), cost: readCost(entry) }];
    });
  }
}

function noList(cause: ServiceError | undefined): ServiceError {
  const why = cause === undefined ? '' : `: ${cause.message}`;
  return new ServiceError('SERP_FAILED', `The list of tasks could not be retrieved${why}.`, {
    charged: 'no',
    hint: 'Try again later, and check that the clock of this machine is right.',
    ...(cause !== undefined && { cause }),
  });
}

/** `2026-01-15 06:00:00 +00:00` */
function written(moment: number): string {
  return `${new Date(moment).toISOString().slice(0, 19).replace('T', ' ')} +00:00`;
}

/**
 * Names a task, as its `tag`: the same on every try of one purchase, over restarts too, and another one for every other
 * purchase, such as that of the next slot. Without a key it cannot be requested again, and its name is random.
 */
export function taskTag(purchaseKey: string | undefined, asked: readonly unknown[]): string {
  const parts = [purchaseKey ?? randomUUID(), ...asked];
  return `rl-${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40)}`;
}

/** A post goes on while anyone waits for one of its tasks. */
function whenAllAborted(signals: readonly AbortSignal[]): AbortSignal {
  const controller = new AbortController();
  let left = signals.length;
  for (const signal of signals) {
    const count = () => {
      left -= 1;
      if (left === 0) controller.abort(signal.reason);
    };
    signal.addEventListener('abort', count, { once: true });
  }
  return controller.signal;
}

/** Names an account without its login: results are given only to the account that posted their task. */
function accountHash(key: string): string {
  const login = key.slice(0, key.indexOf(':'));
  return createHash('sha256').update(login).digest('hex').slice(0, 16);
}

function memoryKey(tag: string): string {
  return `dataforseo:${tag}`;
}
