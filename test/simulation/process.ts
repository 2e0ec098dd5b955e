// One process of the operator: the product's store, client, queue and pipeline, which can be stopped or killed.
import { type Connection, openConnection } from '../../db/connection/client.ts';
import { GroupCommit } from '../../db/connection/group-commit.ts';
import type { Row } from '../../db/connection/statement.ts';
import type { Caps } from '../../db/ledger/budget-windows.ts';
import { Store } from '../../db/store.ts';
import type { JobContext } from '../../jobs/context.ts';
import { askKeywords, askSerp } from '../../jobs/query/ask-service.ts';
import { askAgain, takeWord } from '../../jobs/query/reconcile.ts';
import { createEmbeddedQueue } from '../../jobs/queue/queue.ts';
import { runPipeline } from '../../jobs/run/pipeline.ts';
import type { PipelineSettings, RunRequest } from '../../jobs/run/run-request.ts';
import { Scheduler, type SchedulerEvent } from '../../jobs/run/scheduler.ts';
import { SearchDataClient } from '../../src/service/client/client.ts';
import type { Project } from '../../src/tracker/project.ts';
import type { VirtualClock } from './clock.ts';
import { type Crash, type SeedOptions, serviceName } from './options.ts';
import type { Provider } from './provider.ts';
import type { Random } from './random.ts';
import type { Sometimes } from './sometimes.ts';

/** State that all processes of a simulated month share. */
export interface World {
  readonly options: SeedOptions;
  readonly clock: VirtualClock;
  readonly provider: Provider;
  readonly random: Random;
  readonly sometimes: Sometimes;
  /** The database. */
  readonly file: string;
  readonly reports: string;
  readonly freeBytes: () => number;
  /** As the config has them now. */
  readonly projects: () => readonly Project[];
  readonly caps: () => SeedOptions['caps'];
  /** UTC milliseconds; infinite before. */
  readonly faultsEndAt: () => number;
}

/** Thrown wherever a dead process would continue. */
export class Death extends Error {}

/** After this many commits the fuse fires; `act` may throw to kill at that very point. */
interface Fuse {
  commits: number;
  readonly moment: Crash['moment'];
  readonly act: () => void;
}

export class OperatorProcess {
  readonly context: JobContext;
  readonly world: World;
  readonly #db: Connection;
  readonly #client: SearchDataClient;
  readonly #stop = new AbortController();
  readonly #giveUp = new AbortController();
  readonly #dead = Promise.withResolvers<'dead'>();
  #isDead = false;
  #scheduler: Scheduler | null = null;
  #failures: unknown[] = [];
  #fuse: Fuse | null = null;

  constructor(world: World, owner: string) {
    const { options, clock } = world;
    this.world = world;
    this.#db = openConnection(world.file, { busyTimeoutMs: 0 });
    this.#guard();
    const store = storeOver(this.#db, world.caps());
    this.#client = new SearchDataClient({
      retries: { attemptsMax: 1 },
      baseUrl: 'http://provider.example',
      user: 'user',
      password: 'password',
      clock,
      concurrency: options.concurrency,
      requestsPerSecond: options.requestsPerSecond,
      timeoutMs: 60_000,
      keepsKeys: options.provider.keepsKeys,
      dispatcher: world.provider.connections(() => this.#isDead),
    });
    this.context = {
      store,
      services: new Map([[serviceName, this.#client]]),
      projects: new Map(world.projects().map((project) => [project.id, project])),
      clock,
      random: () => world.random.next(),
      log: { debug() {}, info() {}, warn() {}, error() {} },
      timezone: 'UTC',
      owner,
      freeBytes: world.freeBytes,
    };
  }

  /** Rows of the file as it is, for verification. */
  rows(query: string): Row[] {
    return this.#db.sql(query).all();
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  get isStopping(): boolean {
    return this.#stop.signal.aborted;
  }

  get stopSignal(): AbortSignal {
    return this.#stop.signal;
  }

  get death(): Promise<'dead'> {
    return this.#dead.promise;
  }

  /** Ticks as the scheduler does each minute. Rejects with the failure of the tick or of a run, and with Death. */
  async tick(): Promise<void> {
    this.#scheduler ??= new Scheduler(this.context, { ...this.#settings(), onEvent: (event) => this.#note(event) });
    this.#failures = [];
    this.#scheduler.tick();
    await this.#orDeath(this.#scheduler.idle());
    for (const error of this.#failures) throw error;
  }

  /** Runs what is requested, as `run` does. Rejects if the store or a report cannot be written, and with Death. */
  async run(request: RunRequest): Promise<void> {
    const settings = { ...this.#settings(), onProgress() {} };
    const executed = await this.#orDeath(runPipeline(this.context, settings, request));
    this.world.sometimes.count('runs resumed', executed.filter(({ resumed }) => resumed).length);
  }

  /** Queries unknown pages again if the provider keeps keys, as `audit --reconcile` does. */
  async reconcile(): Promise<void> {
    const { settled } = await this.#orDeath(askAgain(this.context, this.#stop.signal));
    this.world.sometimes.count('reconciled by asking again', settled.length);
  }

  /** Settles unknown purchases by the provider's bill, as `audit --reconcile charged` and `free` do. */
  settleBy(bill: ReadonlySet<number>): void {
    for (const as of ['charged', 'free'] as const) {
      const outcome = takeWord(this.context, as, ({ purchaseId }) => as === 'free' || bill.has(purchaseId));
      this.world.sometimes.count('reconciled by the bill', outcome.settled.length);
    }
  }

  ask(what: 'serp' | 'keywords', keyword: string): Promise<unknown> {
    const work =
      what === 'serp'
        ? askSerp(this.context, serviceName, { keyword, country: 'US', language: 'en', start_page: 1, end_page: 1 })
        : askKeywords(this.context, serviceName, { keyword, country: 'US', language: 'en', limit: 10 });
    return this.#orDeath<unknown>(work);
  }

  /** As a signal does; the second one aborts what is in flight. */
  stop(twice: boolean): void {
    this.#stop.abort();
    if (twice) this.#giveUp.abort();
  }

  /** Dies at its nth commit from now. */
  dieAt({ commits, moment }: Pick<Crash, 'commits' | 'moment'>): void {
    this.#light({
      commits,
      moment,
      act: () => {
        this.die();
        const where = {
          before: 'crash before a commit',
          inside: 'crash inside a transaction',
          after: 'crash after a commit',
        };
        this.world.sometimes.count(where[moment] as 'crash after a commit');
        throw new Death('killed');
      },
    });
  }

  /** Is signalled right after its nth commit from now. */
  stopAt(commits: number, twice: boolean): void {
    this.#light({ commits, moment: 'after', act: () => this.stop(twice) });
  }

  die(): void {
    this.#isDead = true;
    this.#dead.resolve('dead');
  }

  /** Closes the file. Pending work of a dead process finds nothing to continue with. */
  async close(): Promise<void> {
    this.#isDead = true;
    this.#db.close();
    await this.#client.close();
  }

  #settings(): Omit<PipelineSettings, 'onProgress'> {
    return {
      queue: createEmbeddedQueue(this.context.services, this.world.options.concurrency),
      signals: { stop: this.#stop.signal, giveUp: this.#giveUp.signal },
      reports: {
        directory: this.world.reports,
        csv: { bom: true, delimiter: ',', safe: true },
        ctrCurve: 'sistrix-2020',
        comparison: { kind: 'previous' },
      },
    };
  }

  #note(event: SchedulerEvent): void {
    if (event.kind === 'failed') this.#failures.push(event.error);
    if (event.kind === 'claimed' && event.resumed) this.world.sometimes.count('runs resumed');
  }

  #light(fuse: Fuse): void {
    this.#fuse ??= fuse;
  }

  /** A dead process does not continue: its pending work never resolves. */
  async #orDeath<T>(work: Promise<T>): Promise<T> {
    work.catch(() => undefined);
    await Promise.race([work, this.death]).catch(() => undefined);
    if (this.#isDead) throw new Death('killed');
    return work;
  }

  /** Puts the fuse at the commits of the connection, and makes every call of a dead process fail. */
  #guard(): void {
    const db = this.#db;
    const sql = db.sql.bind(db);
    const transaction = db.transaction.bind(db);
    db.sql = (text) => {
      this.#mustLive();
      return sql(text);
    };
    db.transaction = (work) => {
      this.#mustLive();
      if (db.inTransaction) return transaction(work);
      const fuse = this.#fuse;
      if (fuse === null || --fuse.commits > 0) return transaction(work);
      this.#fuse = null;
      if (fuse.moment === 'before') fuse.act();
      const result = transaction(() => {
        const done = work();
        if (fuse.moment === 'inside') fuse.act();
        return done;
      });
      if (fuse.moment === 'after') fuse.act();
      return result;
    };
  }

  #mustLive(): void {
    if (this.#isDead) throw new Death('a dead process does nothing');
  }
}

/** Group commits wait for turns of the event loop instead of milliseconds: a seed has one course on any machine. */
function storeOver(db: Connection, caps: Caps): Store {
  const store = new Store(db, caps);
  let turns = 0;
  const group = new GroupCommit(db, () => turns++);
  store.grouped = (work) => group.run(work);
  return store;
}
