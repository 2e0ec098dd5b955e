// The requests that a coordinator has handed to workers, followed until each has an end, whatever happens to Redis or to a worker.
import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Clock } from '../src/service/index.ts';
import { type JobData, packJob } from './bullmq-job.ts';
import { droppedOutcome, ForgedOutcome, failed, gaveUp, outcomeOf, stranded } from './bullmq-outcome.ts';
import { durability, jobKey, type QueuedService, type QueueTimings } from './bullmq-redis.ts';
import type { MessageSeal } from './bullmq-seal.ts';
import { announcementKey, type Tries, type TryEnd, type TryState, tryKey } from './bullmq-tries.ts';
import type { Log } from './context.ts';
import type { PageJob, PageOutcome } from './queue.ts';

/** How a try has ended for this coordinator. `given-up`: it did not wait for the end. */
export interface Ending {
  readonly kind: TryEnd['kind'] | 'given-up';
  readonly outcome: PageOutcome;
}

/** A try without an end. */
export interface Followed {
  readonly service: QueuedService;
  readonly jobId: string;
  readonly key: string;
  readonly announcement: string;
  readonly page: PageJob;
  readonly payer: string;
  readonly ended: PromiseWithResolvers<Ending>;
  /** A worker may have it: where Redis has forgotten it, nobody knows what came of it. */
  isHanded: boolean;
  /** Wanted no more, unless a worker has begun it. */
  isUnwanted: boolean;
  /** Since when it looks as if something had gone wrong. */
  doubt: { readonly state: TryState; readonly since: number } | null;
}

export interface WatchOptions {
  readonly redis: Redis;
  readonly tries: Tries;
  /** By the name of the service. */
  readonly queues: ReadonlyMap<string, Queue<JobData>>;
  /** Whether Redis knows after a restart what it knew before. */
  readonly isDurable: boolean;
  readonly seal: MessageSeal;
  readonly clock: Clock;
  readonly log: Log;
  readonly timings: QueueTimings;
}

/** Tries that are looked after in one command. */
const looksMax = 200;
/** Of priorities, the last; 0 would go before all others. */
const priorityMax = 2_097_151;
/** Nothing moved for this long: somebody should know whether there are workers at all. */
const quietMaxMs = 30_000;

export class Watch {
  readonly #options: WatchOptions;
  readonly #queues: ReadonlyMap<string, Queue<JobData>>;
  readonly #followed = new Map<string, Followed>();
  readonly #closing = new AbortController();
  #isDurable: boolean;
  #awaySince: number | null = null;
  #lastMoveAt: number;
  #lastComplaint = '';

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#queues = options.queues;
    this.#isDurable = options.isDurable;
    this.#lastMoveAt = options.clock.now();
  }

  /** How many tries are followed. */
  get size(): number {
    return this.#followed.size;
  }

  /** Looks after everything until it is closed. */
  start(): void {
    const { clock, timings } = this.#options;
    void (async () => {
      while (!this.#closing.signal.aborted) {
        await clock.sleep(timings.sweepMs, this.#closing.signal).catch(() => undefined);
        if (!this.#closing.signal.aborted) await this.#sweep().catch((error: unknown) => this.#complain(error));
      }
    })();
  }

  /** Says what is about to be bought; the function takes it back. Null where Redis cannot be told. */
  async announce(service: QueuedService, { requestKey }: PageJob, payer: string): Promise<(() => void) | null> {
    const { tries } = this.#options;
    const announcement = announcementKey(service, requestKey, payer);
    try {
      await tries.announce(announcement);
      return () => void tries.retract(announcement).catch(() => undefined);
    } catch (error) {
      this.#complain(error);
      return null;
    }
  }

  /** Follows a try; the same one twice has one outcome. */
  follow(service: QueuedService, page: PageJob, attempt: number, payer: string): Followed {
    const jobId = `${page.requestKey}-${attempt}`;
    const key = tryKey(service, jobId);
    const known = this.#followed.get(key);
    if (known !== undefined) return known;
    const followed: Followed = {
      service,
      jobId,
      key,
      announcement: announcementKey(service, page.requestKey, payer),
      page,
      payer,
      ended: Promise.withResolvers<Ending>(),
      isHanded: false,
      isUnwanted: false,
      doubt: null,
    };
    if (this.#followed.size === 0) this.#lastMoveAt = this.#options.clock.now();
    this.#followed.set(key, followed);
    return followed;
  }

  /** Gives it to the workers. Doing so again changes nothing. Where Redis fails, the next sweep does it again. */
  async hand(followed: Followed): Promise<void> {
    const { tries } = this.#options;
    const { service, jobId, key, announcement, page, payer } = followed;
    const queue = this.#queues.get(service.name);
    if (queue === undefined) throw new Error(`there is no queue for the service "${service.name}"`);
    const priority = Math.min(page.order + 1, priorityMax);
    try {
      const opened = await tries.open(key, announcement, payer);
      // Redis may take the job, give it to a worker and forget both before its answer is here
      followed.isHanded = true;
      if (opened === 'open') {
        const data = packJob(jobId, page, payer, this.#options.seal);
        await queue.add('page', data, { jobId, priority, removeOnComplete: true, removeOnFail: true });
      }
      if (opened === 'ended') await this.#finish(followed);
    } catch (error) {
      this.#complain(error);
    }
  }

  /** Calls it back where no worker has begun it. True where it has ended by now. */
  async withdraw(followed: Followed): Promise<boolean> {
    followed.isUnwanted = true;
    try {
      const state = await this.#options.tries.conclude(followed, 'withdrawn', this.#isDurable);
      if (state !== 'ended') return false;
      await this.#finish(followed);
      await this.#queues.get(followed.service.name)?.remove(followed.jobId);
      return true;
    } catch (error) {
      this.#complain(error);
      return !this.#followed.has(followed.key);
    }
  }

  /** Follows it no longer, whatever becomes of it. */
  giveUp(followed: Followed, outcome: PageOutcome): void {
    this.#end(followed, { kind: 'given-up', outcome });
  }

  /** A try of ours has ended, or one of somebody else's. */
  async hear(key: string): Promise<void> {
    const followed = this.#followed.get(key);
    if (followed !== undefined) await this.#finish(followed).catch((error: unknown) => this.#complain(error));
  }

  /** Since when Redis is away; null while it is there. */
  get awayMs(): number | null {
    return this.#awaySince === null ? null : this.#options.clock.now() - this.#awaySince;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const followed of this.#followed.values()) this.giveUp(followed, gaveUp('unknown'));
    await Promise.all([...this.#queues.values()].map((queue) => queue.close().catch(() => undefined)));
  }

  async #finish(followed: Followed): Promise<void> {
    const end = await this.#options.tries.read(followed.key);
    if (end === null) return;
    this.#lastMoveAt = this.#options.clock.now();
    this.#end(followed, { kind: end.kind, outcome: await this.#outcomeOf(end, followed) });
  }

  /** What is in Redis is foreign input: an outcome that cannot be ours is dropped, and its request counts as spent. */
  async #outcomeOf(end: TryEnd, { key, payer, isUnwanted }: Followed): Promise<PageOutcome> {
    const { seal, tries, log } = this.#options;
    try {
      return outcomeOf(end, payer, isUnwanted, { key, seal });
    } catch (error) {
      if (!(error instanceof ForgedOutcome)) throw error;
      log.warn({ try: key, reason: error.message }, 'an outcome in Redis was refused and dropped');
      await tries.drop(key).catch(() => undefined);
      return droppedOutcome(error);
    }
  }

  #end(followed: Followed, ending: Ending): void {
    this.#followed.delete(followed.key);
    followed.ended.resolve(ending);
  }

  async #sweep(): Promise<void> {
    const { redis, clock, timings, tries } = this.#options;
    if (redis.status !== 'ready') {
      this.#awaySince ??= clock.now();
      if (clock.now() - this.#awaySince >= timings.awayMaxMs) this.#abandon();
      return;
    }
    if (this.#awaySince !== null) {
      // what was lost before stays lost, however well Redis syncs from now on
      this.#isDurable &&= (await durability(redis)).isDurable;
      this.#awaySince = null;
    }
    const all = [...this.#followed.values()];
    for (let from = 0; from < all.length; from += looksMax) {
      const some = all.slice(from, from + looksMax);
      const places = some.map(({ service, jobId, key }) => ({ key, jobKey: jobKey(service, jobId) }));
      const states = await tries.look(places);
      await Promise.all(some.map((followed, index) => this.#attend(followed, states[index] ?? 'waiting')));
    }
    await this.#missWorkers();
  }

  async #attend(followed: Followed, state: TryState): Promise<void> {
    const { clock, timings } = this.#options;
    if (!this.#followed.has(followed.key)) return;
    switch (state) {
      case 'ended':
        return await this.#finish(followed);
      case 'begun':
        followed.doubt = null;
        return;
      case 'waiting':
      case 'absent':
        followed.doubt = null;
        if (followed.isUnwanted) await this.withdraw(followed);
        else if (state === 'absent') await this.hand(followed);
        return;
      case 'missing':
      case 'orphaned':
      case 'stale': {
        const now = clock.now();
        if (followed.doubt?.state !== state) followed.doubt = { state, since: now };
        else if (now - followed.doubt.since >= timings.settleMs) await this.#resolveDoubt(followed, state);
        return;
      }
    }
  }

  /** Everybody who could have known better has had the time to say so. */
  async #resolveDoubt(followed: Followed, state: 'missing' | 'orphaned' | 'stale'): Promise<void> {
    const { tries } = this.#options;
    followed.doubt = null;
    if (state === 'missing' && !followed.isHanded) return await this.hand(followed);
    if (state === 'stale' && this.#isDurable) {
      if (followed.isUnwanted) await this.withdraw(followed);
      else await tries.confirm(followed.key);
      return;
    }
    await tries.conclude(followed, 'lost', this.#isDurable);
    await this.#finish(followed);
  }

  #abandon(): void {
    const awayMs = this.awayMs ?? 0;
    for (const followed of this.#followed.values()) this.giveUp(followed, failed(stranded(awayMs, 'unknown')));
  }

  /** Work that nobody takes looks like work that takes long: it is said once in a while. */
  async #missWorkers(): Promise<void> {
    const { clock, log } = this.#options;
    const now = clock.now();
    if (this.#followed.size === 0 || now - this.#lastMoveAt < quietMaxMs) return;
    this.#lastMoveAt = now;
    for (const name of new Set([...this.#followed.values()].map(({ service }) => service.name))) {
      const workers = (await this.#queues.get(name)?.getWorkersCount()) ?? 0;
      if (workers === 0)
        log.warn({ service: name }, 'no worker takes requests of this service: start `rankledger worker`');
    }
  }

  /** While Redis is away its connection has said so; anything else is said once. */
  #complain(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (this.#options.redis.status !== 'ready' || message === this.#lastComplaint) return;
    this.#lastComplaint = message;
    this.#options.log.warn({ error: message }, 'the queue failed; trying again');
  }
}
