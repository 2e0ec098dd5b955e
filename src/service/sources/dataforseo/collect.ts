// Waits for a posted task and fetches its result. Fetching is free.
import { ServiceError } from '../../model/errors.ts';
import { limits } from '../../model/limits.ts';
import type { Clock } from '../../model/ports.ts';
import type { FetchedPage } from '../../model/source.ts';
import type { Fields } from '../../net/fields.ts';
import { judgeRefusal } from '../vendor-kit/client/refusals.ts';
import type { VendorAnswer, VendorClient } from '../vendor-kit/client/vendor-client.ts';
import {
  complaint,
  isOfOtherTask,
  nothingFound,
  notReady,
  observedAt,
  readCharge,
  refusals,
  taskGone,
} from './answer.ts';
import { authorization } from './task.ts';
import type { TaskList } from './task-list.ts';
import { accountHash, type PostedTask } from './task-memory.ts';

export interface CollectorOptions {
  readonly name: string;
  readonly line: VendorClient;
  readonly clock: Clock;
  readonly waitMs: number;
  readonly priority: 'normal' | 'high';
  /** By account. */
  readonly lists: ReadonlyMap<string, TaskList>;
}

/** `failed`: the task is over, and a new one may be posted. */
export type Collected =
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

export class TaskCollector {
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
      const answer = await this.#options.line.ask({ method: 'GET', path, headers: authorization(key) }, signal);
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
