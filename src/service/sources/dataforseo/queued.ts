// Pages through DataForSEO's queue: posting a task costs, fetching is free. Posted tasks survive a restart.
import { type PageBody, ServiceError } from '../../model/errors.ts';
import type { Clock } from '../../model/ports.ts';
import type { ReadPage } from '../../model/results/serp.ts';
import type { FetchedPage, PageRequest, SerpSource, SourceContext, SourceProbe } from '../../model/source.ts';
import type { SourceMemory } from '../../model/source-memory.ts';
import type { VendorCall, VendorClient } from '../vendor-kit/client/vendor-client.ts';
import { wordsAt } from '../vendor-kit/values.ts';
import { findTask, isOfOtherTask } from './answer.ts';
import { TaskCollector } from './collect.ts';
import { authorization, type TaskChoices, taskFor } from './task.ts';
import { TaskList } from './task-list.ts';
import { accountHash, type KnownTask, type PostedTask, TaskMemory, taskTag } from './task-memory.ts';

interface QueueChoices extends TaskChoices {
  readonly priority: 'normal' | 'high';
  readonly waitMinutes: number;
}

export interface QueuedOptions {
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
        headers: authorization(key),
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
