// Pages through DataForSEO's queue: posting a task costs, fetching is free. Posted tasks survive a restart.

import { createHash, randomUUID } from 'node:crypto';
import { type PageBody, ServiceError } from '../../model/errors.ts';
import { limits } from '../../model/limits.ts';
import type { Clock } from '../../model/ports.ts';
import type { ReadPage } from '../../model/results/serp.ts';
import type {
  FetchedPage,
  PageRequest,
  SerpSource,
  SourceContext,
  SourceMemory,
  SourceProbe,
} from '../../model/source.ts';
import { untilAborted } from '../../model/time/deadline.ts';
import { boundedJson, Fields, ShapeError, vendorBounds } from '../../net/fields.ts';
import { basic, type VendorAnswer, type VendorCall, type VendorClient } from '../vendor-kit/client.ts';
import { judgeRefusal } from '../vendor-kit/refusals.ts';
import { numberAt, objectAt, objectsAt, wordsAt } from '../vendor-kit/values.ts';
import {
  complaint,
  findTask,
  isOfOtherTask,
  nothingFound,
  notReady,
  observedAt,
  readCharge,
  readCost,
  refusals,
  taskFor,
  taskGone,
} from './api.ts';

interface QueueChoices {
  readonly loadAiOverview: boolean;
  readonly priority: 'normal' | 'high';
  readonly waitMinutes: number;
}

interface QueuedOptions {
  readonly name: string;
  readonly line: VendorClient;
  readonly choices: QueueChoices;
  /** Reads pages and answers probes: the same source in its live method. */
  readonly reader: SerpSource;
  readonly clock: Clock;
  readonly memory?: SourceMemory;
}

/** Within this time a task that was created stands in the vendor's list; one that does not was never created. */
const listedAfterMs = 60_000;
/** When the list is looked at, after a post whose answer did not come. */
const recheckAfterMs = [10_000, 25_000, 25_000] as const;

export class QueuedSource implements SerpSource {
  readonly name: string;
  readonly kind = 'live';
  readonly bodyType = 'application/json';
  /** A task is found again under the purchase's key, and not posted twice. */
  readonly keepsKeys = true;
  readonly requestTimeoutMs: number;
  readonly probe?: (context: SourceContext) => Promise<SourceProbe>;
  readonly #options: QueuedOptions;
  readonly #memory: TaskMemory;
  readonly #lists: ReadonlyMap<string, TaskList>;
  readonly #collector: TaskCollector;

  /** Throws Error where there is nothing that remembers over a restart what is paid. */
  constructor(options: QueuedOptions) {
    const { name, line, choices, reader, clock, memory } = options;
    if (memory === undefined) {
      throw new Error(
        'method: queued must store the tasks that are paid, but this process has no database. Use queue: { driver: embedded }, or method: live.',
      );
    }
    this.name = name;
    this.#options = options;
    this.#memory = new TaskMemory(memory);
    this.#lists = new Map(line.keys.map((key) => [accountHash(key), new TaskList(line, key, clock)]));
    const waitMs = choices.waitMinutes * 60_000;
    this.#collector = new TaskCollector({ name, line, clock, waitMs, priority: choices.priority, lists: this.#lists });
    // the queue's own limit ends first, and says what became of the task
    this.requestTimeoutMs = waitMs + 120_000;
    if (reader.probe !== undefined) this.probe = reader.probe;
  }

  async fetchPage(request: PageRequest, { signal, idempotencyKey }: SourceContext): Promise<FetchedPage> {
    const tag = taskTag(idempotencyKey, request);
    const known = await this.#memory.recall(tag);
    const found = known?.state === 'posting' ? await this.#findLostTask(tag, known, signal) : known;
    const task = found ?? (await this.#post(tag, request, signal));
    const isNew = found === undefined;
    const outcome = await this.#collector.collect(task, tag, isNew, signal);
    if (outcome.kind === 'page') return outcome.page;
    await this.#memory.forget(tag);
    throw outcome.error;
  }

  /** A task may have ended long before its answer is collected: its page has the time of the task. */
  readPage(body: PageBody, request: PageRequest): ReadPage {
    return this.#options.reader.readPage(body, request);
  }

  async close(): Promise<void> {
    for (const list of this.#lists.values()) list.close();
    await Promise.all([this.#options.line.close(), this.#options.reader.close?.()]);
  }

  /** Writes down that a task is about to be posted, posts it, and writes down its number. */
  async #post(tag: string, request: PageRequest, signal: AbortSignal): Promise<PostedTask> {
    const { line, choices, clock } = this.#options;
    const body = { ...taskFor(request, choices), tag, priority: choices.priority === 'high' ? 2 : 1 };
    const intent: KnownTask = { state: 'posting', at: clock.now() };
    await this.#memory.keep(tag, intent);
    let account = '';
    const call = (key: string): VendorCall => {
      account = accountHash(key);
      return {
        method: 'POST',
        path: '/v3/serp/google/organic/task_post',
        headers: basic(key),
        json: [body],
      };
    };
    try {
      const { root } = await line.send(call, signal);
      const id = wordsAt(findTask(root), 'id');
      if (id === undefined || isOfOtherTask(root, tag))
        throw new ServiceError('UNREADABLE_RESPONSE', `${this.name} returned no number of this task.`);
      return await this.#keepPosted(tag, { state: 'posted', at: intent.at, id, account });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.charged === 'no') await this.#memory.forget(tag);
      if (error.charged === 'no' || signal.aborted) throw error;
      return await this.#afterLostAnswer(tag, intent.at, error, signal);
    }
  }

  async #keepPosted(tag: string, task: PostedTask): Promise<PostedTask> {
    await this.#memory.keep(tag, task);
    return task;
  }

  /**
   * The post may have been served: its task is looked for in the vendor's list. Throws the failure where it does not
   * appear there.
   */
  async #afterLostAnswer(tag: string, at: number, cause: ServiceError, signal: AbortSignal): Promise<PostedTask> {
    for (const pauseMs of recheckAfterMs) {
      await this.#options.clock.sleep(pauseMs, signal);
      const found = await this.#find(tag, at, signal).catch(() => undefined);
      if (typeof found === 'object') return found;
    }
    const message = `${this.name} did not answer when a task was posted, and does not list the task.`;
    throw new ServiceError('CONNECTION_LOST', message, { cause });
  }

  /** After a restart: whether a task that was about to be posted was. Undefined where it surely was not. */
  async #findLostTask(tag: string, { at }: KnownTask, signal: AbortSignal): Promise<PostedTask | undefined> {
    const { clock } = this.#options;
    let found = await this.#find(tag, at, signal);
    const youngMs = at + listedAfterMs - clock.now();
    if (found === 'absent' && youngMs > 0) {
      await clock.sleep(youngMs, signal);
      found = await this.#find(tag, at, signal);
    }
    if (typeof found === 'object') return found;
    if (found === 'absent') return undefined;
    throw new ServiceError(
      'SERP_FAILED',
      'It is unknown whether the task was posted: the account has too many tasks to search.',
      {
        charged: 'no',
        hint: `Look for the tag ${tag} in the dashboard of ${this.name}.`,
      },
    );
  }

  /** Looks for the tag in the lists of all accounts. Throws ServiceError, charged `no`, where a list cannot be had. */
  async #find(tag: string, at: number, signal: AbortSignal): Promise<PostedTask | 'absent' | 'unclear'> {
    const listings = await Promise.all(
      [...this.#lists].map(async ([account, list]) => ({ account, ...(await list.since(at, signal)) })),
    );
    for (const { account, tasks } of listings) {
      const listed = tasks.find((task) => task.tag === tag);
      if (listed !== undefined) return await this.#keepPosted(tag, { state: 'posted', at, id: listed.id, account });
    }
    return listings.every(({ isWhole }) => isWhole) ? 'absent' : 'unclear';
  }
}

interface CollectorOptions {
  readonly name: string;
  readonly line: VendorClient;
  readonly clock: Clock;
  readonly waitMs: number;
  readonly priority: 'normal' | 'high';
  /** By account. */
  readonly lists: ReadonlyMap<string, TaskList>;
}

/** `failed`: the task is over, and a new one may be posted. */
type Collected =
  | { readonly kind: 'page'; readonly page: FetchedPage }
  | { readonly kind: 'failed'; readonly error: ServiceError };

/** Pauses between polls, the last one repeated: tasks take about 5 minutes, those of high priority about 1. */
const pausesMs = {
  normal: [30_000, 60_000],
  high: [15_000, 15_000, 30_000, 60_000],
} as const;

/** A task that was just posted may not be known everywhere yet. */
const knownAfterMs = 300_000;
/** Answers in a row that cannot be read, after which the page is given up. */
const unreadableMax = 3;

class TaskCollector {
  readonly #options: CollectorOptions;

  constructor(options: CollectorOptions) {
    this.#options = options;
  }

  /**
   * Waits until the task is done, and gives its page. Throws ServiceError where the task is not over: TIMEOUT when the
   * time is, and what the vendor says of keys and credits; the task may be waited for again.
   */
  async collect(task: PostedTask, tag: string, isNew: boolean, signal: AbortSignal): Promise<Collected> {
    const { clock, line, waitMs, priority } = this.#options;
    const key = line.keys.find((each) => accountHash(each) === task.account);
    if (key === undefined) return this.#gone(`the account that posted the task ${task.id} is not in the config`);
    const pauses = pausesMs[priority];
    const until = clock.now() + waitMs;
    let unreadable = 0;
    for (let polls = isNew ? 0 : -1; ; polls++) {
      if (polls >= 0) await clock.sleep(pauses[Math.min(polls, pauses.length - 1)] ?? 0, signal);
      const answer = await this.#ask(task, tag, key, signal);
      if (!(answer instanceof ServiceError)) {
        const collected = await this.#judge(task, answer, signal);
        if (collected !== undefined) return collected;
      } else if (answer.code === 'UNREADABLE_RESPONSE' && ++unreadable === unreadableMax) {
        throw answer.with({ charged: 'yes' });
      } else if (answer.retryAfterMs !== undefined) {
        await clock.sleep(answer.retryAfterMs, signal);
      }
      if (clock.now() >= until) throw this.#tooLong(task, answer instanceof ServiceError ? answer : undefined);
    }
  }

  /** What was answered, or a failure of the asking, which may be repeated. Throws what halts. */
  async #ask(task: PostedTask, tag: string, key: string, signal: AbortSignal): Promise<VendorAnswer | ServiceError> {
    const path = `/v3/serp/google/organic/task_get/advanced/${encodeURIComponent(task.id)}`;
    try {
      const answer = await this.#options.line.ask({ method: 'GET', path, headers: basic(key) }, signal);
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

  /** Undefined where the task is still under way. */
  async #judge(task: PostedTask, { root, body }: VendorAnswer, signal: AbortSignal): Promise<Collected | undefined> {
    const { clock, name } = this.#options;
    const words = complaint(root);
    if (words === undefined || nothingFound.test(words)) {
      return { kind: 'page', page: { body, observedAt: this.#momentOf(root) } };
    }
    if (notReady.test(words)) return undefined;
    if (taskGone.test(words)) {
      return clock.now() < task.at + knownAfterMs ? undefined : this.#gone(`the task ${task.id} is gone: ${words}`);
    }
    const charged = readCharge(root) === 'yes' ? 'yes' : await this.#chargeInList(task, signal);
    const refusal = { status: 200, words, retryAfter: undefined, charged };
    return { kind: 'failed', error: judgeRefusal(name, refusals, 'unknown', refusal, clock.now()).error };
  }

  /** What a failed task has cost in the end, as the list of the account has it. */
  async #chargeInList({ id, at, account }: PostedTask, signal: AbortSignal): Promise<'yes' | 'no' | 'unknown'> {
    const listing = await this.#options.lists
      .get(account)
      ?.since(at, signal)
      .catch(() => undefined);
    const cost = listing?.tasks.find((task) => task.id === id)?.cost;
    if (cost === undefined) return 'unknown';
    return cost > 0 ? 'yes' : 'no';
  }

  #momentOf(root: Fields): number {
    const now = this.#options.clock.now();
    const stated = observedAt(root);
    return stated !== undefined && stated <= now ? stated : now;
  }

  #gone(why: string): Collected {
    const message = `${this.#options.name}: ${why}.`;
    return { kind: 'failed', error: new ServiceError('SERP_FAILED', message, { disposition: 'retry' }) };
  }

  #tooLong({ id }: PostedTask, cause: ServiceError | undefined): ServiceError {
    const { name, waitMs } = this.#options;
    const message = `${name} has not completed the task ${id} within ${waitMs / 60_000} minutes.`;
    const said = cause === undefined ? '' : ` The last poll failed: ${cause.message}`;
    return new ServiceError('TIMEOUT', `${message}${said}`.slice(0, limits.errorMessageCharsMax), {
      disposition: 'retry',
      hint: 'The task is paid and stays valid: the next attempt finds it. waitMinutes sets the maximum wait.',
      ...(cause !== undefined && { cause }),
    });
  }
}

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

/** The vendor takes 10 calls a minute here, of 1,000 tasks each. */
const pauseMs = 7000;
const tasksMax = 1000;
const callsMax = 5;
/** How far the clocks may differ, ours and the vendor's. */
const skewMs = 300_000;

class TaskList {
  readonly #line: VendorClient;
  readonly #key: string;
  readonly #clock: Clock;
  readonly #closed = new AbortController();
  /** A listing that others may still join: it has not been asked for yet. */
  #coming: { from: number; readonly listing: Promise<Listing> } | undefined;
  #lastAskedAt = Number.NEGATIVE_INFINITY;

  /** `key` is `login:password`. */
  constructor(line: VendorClient, key: string, clock: Clock) {
    this.#line = line;
    this.#key = key;
    this.#clock = clock;
  }

  /**
   * Tasks that were posted since that moment, as the vendor lists them after this call. Throws ServiceError, charged
   * `no`.
   */
  async since(moment: number, signal: AbortSignal): Promise<Listing> {
    const from = moment - skewMs;
    if (this.#coming === undefined) this.#coming = { from, listing: this.#ask() };
    else this.#coming.from = Math.min(this.#coming.from, from);
    return await untilAborted(this.#coming.listing, signal);
  }

  /** Ends what is asked, for everybody. */
  close(): void {
    this.#closed.abort(new ServiceError('ABORTED', 'The source was closed.', { charged: 'no' }));
  }

  async #ask(): Promise<Listing> {
    const { signal } = this.#closed;
    let from: number;
    try {
      await this.#clock.sleep(Math.max(0, this.#lastAskedAt + pauseMs - this.#clock.now()), signal);
    } finally {
      from = this.#coming?.from ?? this.#clock.now();
      this.#coming = undefined;
    }
    const tasks: ListedTask[] = [];
    for (let calls = 0; calls < callsMax; calls++) {
      if (calls > 0) await this.#clock.sleep(pauseMs, signal);
      const page = await this.#askPage(from, calls * tasksMax, signal);
      tasks.push(...page);
      if (page.length < tasksMax) return { tasks, isWhole: true };
    }
    return { tasks, isWhole: false };
  }

  async #askPage(from: number, offset: number, signal: AbortSignal): Promise<ListedTask[]> {
    this.#lastAskedAt = this.#clock.now();
    const json = {
      datetime_from: written(from),
      datetime_to: written(this.#lastAskedAt),
      limit: tasksMax,
      offset,
      sort: 'desc',
      include_metadata: true,
    };
    const call = { method: 'POST', path: '/v3/serp/id_list', headers: basic(this.#key), json: [json] } as const;
    const { root } = await this.#line.ask(call, signal).catch((error: unknown) => {
      if (!(error instanceof ServiceError)) throw error;
      // a refusal of this request says nothing about the page
      throw error.disposition === 'abandon' ? noList(error) : error.with({ charged: 'no' });
    });
    const task = findTask(root);
    if (task === undefined || numberAt(task, 'status_code') !== 20_000) throw noList(undefined);
    return objectsAt(task, 'result').flatMap((entry) => {
      const id = wordsAt(entry, 'id');
      const tag = wordsAt(objectAt(entry, 'metadata'), 'tag');
      return id === undefined ? [] : [{ id, tag, cost: readCost(entry) }];
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

/** A task as it is remembered. `posting`: its request may have left, and its number is unknown. */
type KnownTask =
  | { readonly state: 'posting'; readonly at: number }
  | { readonly state: 'posted'; readonly at: number; readonly id: string; readonly account: string };

type PostedTask = Extract<KnownTask, { state: 'posted' }>;

/** Longer than a purchase is tried, and shorter than the vendor keeps results (30 days). */
const keptMs = 3 * 86_400_000;

/**
 * Names the task of a page: the same on every try of one purchase, over restarts too, and another one for every other
 * purchase, such as that of the next slot. Without a key it cannot be requested again, and its name is random. It is
 * sent as the task's `tag`.
 */
function taskTag(
  purchaseKey: string | undefined,
  { keyword, country, language, mobile, page, location }: PageRequest,
): string {
  const where = location === undefined ? [] : [location];
  const parts = [purchaseKey ?? randomUUID(), keyword, country, language, mobile, page, ...where];
  return `rl-${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40)}`;
}

/** Names an account without its login: results are given only to the account that posted their task. */
function accountHash(key: string): string {
  const login = key.slice(0, key.indexOf(':'));
  return createHash('sha256').update(login).digest('hex').slice(0, 16);
}

class TaskMemory {
  readonly #memory: SourceMemory;

  constructor(memory: SourceMemory) {
    this.#memory = memory;
  }

  async recall(tag: string): Promise<KnownTask | undefined> {
    const text = await this.#memory.get(memoryKey(tag));
    return text === undefined ? undefined : readTask(text);
  }

  /** Durable when it resolves: only then may the request leave, and only then is its task waited for. */
  async keep(tag: string, task: KnownTask): Promise<void> {
    await this.#memory.put(memoryKey(tag), JSON.stringify(task), task.at + keptMs);
  }

  async forget(tag: string): Promise<void> {
    await this.#memory.delete(memoryKey(tag));
  }
}

function memoryKey(tag: string): string {
  return `dataforseo:${tag}`;
}

/** Undefined for what no version of this file has written. */
function readTask(text: string): KnownTask | undefined {
  try {
    const fields = new Fields(boundedJson(text, vendorBounds), 'task');
    const at = fields.integer('at');
    const id = fields.text('id');
    const account = fields.text('account');
    if (at === undefined) return undefined;
    if (fields.text('state') === 'posting') return { state: 'posting', at };
    return id === undefined || account === undefined ? undefined : { state: 'posted', at, id, account };
  } catch (error) {
    if (error instanceof ShapeError) return undefined;
    throw error;
  }
}
