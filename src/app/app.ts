// Opens and closes what use cases share: the database, the services and the rate limiter of a resolved config.
import { dirname } from 'node:path';
import { alertRulesOf, type ResolvedConfig } from '../../config/resolve.ts';
import { freeBytesAt } from '../../db/connection/disk.ts';
import { asStoreError } from '../../db/connection/errors.ts';
import { LockPatience } from '../../db/connection/group-commit.ts';
import type { JobContext, Log } from '../../jobs/context.ts';
import { openOwner } from '../../jobs/ownership.ts';
import { type Clock, type SearchDataService, systemClock, WitnessedClock } from '../service/terms.ts';
import type { Project } from '../tracker/project.ts';
import { openDatabase } from './opening/database.ts';
import { type SetupFailures, throwFailures, withoutServices } from './opening/failures.ts';
import { projectsById } from './opening/named-projects.ts';
import { openServices, type Services } from './opening/services.ts';
import { type SharedRateLimit, shareRateLimit } from './opening/shared-rate-limiter.ts';
import type { ServicesHost } from './opening/sources.ts';

export interface AppOptions {
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Default: silent. */
  readonly log?: Log;
  /**
   * The database is opened for reading, and one of an older schema is refused. A missing one is not created: history is
   * empty.
   */
  readonly isReading?: boolean;
  /** The same, except that the caller may write: what it rolls back, or repairs of what a dead process left. */
  readonly keepsSchema?: boolean;
  /** The database may be lost: nothing waits for the disk. */
  readonly isScratch?: boolean;
  /** The database is opened although its history is lost: for what proves or accepts the loss. */
  readonly allowsLoss?: boolean;
  /** Open services by name, in place of those that the config describes: for a simulation. */
  readonly services?: ReadonlyMap<string, SearchDataService>;
  /** As in the context of jobs. */
  readonly budgetEndsAt?: number;
  /** Another program's lock is waited for, as long as in the middle of a run. Default: some seconds. */
  readonly lock?: LockWait;
}

/** How a command waits for another program's lock. */
export interface LockWait {
  readonly stop: AbortSignal;
  readonly onLocked: () => void;
  /** As of a connection. Absent: others are served meanwhile, so that only what can be tried again waits. */
  readonly onBlocked?: () => () => void;
}

/** Services are opened when first needed. Throws StoreError if the database cannot be used. */
export async function openApp(config: ResolvedConfig, { lock, ...options }: AppOptions = {}): Promise<App> {
  if (lock === undefined) return new App(config, options);
  const { stop, onLocked, onBlocked = null } = lock;
  const app = await new LockPatience(onLocked).until(() => new App(config, options), stop);
  const { store } = app.context;
  store.patience.onLocked = onLocked;
  try {
    // in write-ahead log mode only a writer finds the lock
    await store.whenUnlocked(() => store.transaction(() => undefined), stop);
    store.onBlocked = onBlocked;
    return app;
  } catch (error) {
    await app.close();
    throw app.asStoreError(error);
  }
}

/**
 * The product for one config. What works with it throws StoreError if the database fails, and UsageError for an id or
 * date that the config does not know.
 */
export class App {
  readonly #givenConfig: ResolvedConfig;
  #config: ResolvedConfig;
  #context: JobContext;
  readonly #services: Services;
  readonly #owner = openOwner();
  readonly sharedRateLimit: SharedRateLimit;

  constructor(
    config: ResolvedConfig,
    {
      clock = new WitnessedClock(systemClock),
      log = silentLog,
      services,
      budgetEndsAt,
      ...options
    }: Omit<AppOptions, 'lock'>,
  ) {
    const store = openDatabase(config, log, clock.now(), options);
    this.#givenConfig = config;
    this.#config = config;
    this.sharedRateLimit = shareRateLimit(config, log);
    this.#services = openServices(config, () => this.#hostOfOwn(), services);
    this.#context = {
      store,
      services: this.#services.byName,
      retryUnreadable: this.#services.retryUnreadable,
      best: this.#services.best,
      engines: config.engines,
      projects: projectsById(config),
      clock,
      random: Math.random,
      log,
      timezone: config.timezone,
      budgetEndsAt,
      worth: { ctrCurve: config.reports.ctrCurve, rulesOf: (project) => alertRulesOf(config.alerts, project) },
      isPartial: config.broken.problems.length > 0,
      owner: this.#owner.name,
      breakers: new Map(),
      freeBytes: () => freeBytesAt(dirname(config.databaseFile)),
    };
  }

  /** Lacks the services that could not be opened, and their projects. */
  get config(): ResolvedConfig {
    return this.#config;
  }

  get context(): JobContext {
    return this.#context;
  }

  /** For services that a command opens itself. */
  get servicesHost(): ServicesHost {
    const { clock, store } = this.#context;
    return { clock, accounts: () => store.accounts, memoryOf: (service) => store.sourceMemories.of(service, clock) };
  }

  #hostOfOwn(): ServicesHost {
    const { memoryOf, ...host } = this.servicesHost;
    // with workers on other machines, this database does not see what they buy
    const isAlone = this.#givenConfig.queue.driver === 'embedded';
    return { ...host, memoryOf: isAlone ? memoryOf : undefined, wrap: this.sharedRateLimit.wrap };
  }

  /** Opens all services; returns those that cannot be opened. */
  openServices(): Promise<SetupFailures> {
    return this.#services.open();
  }

  /** Opens all services. `config` and `context` lack those that cannot be opened, and their projects, from now on. */
  async openUsableServices(): Promise<SetupFailures> {
    const failures = await this.#services.open();
    for (const [service, { message }] of failures)
      this.#context.log.error({ service, error: message }, 'service left out');
    this.#config = withoutServices(this.#givenConfig, failures);
    const isPartial = this.#config.broken.problems.length > 0;
    this.#context = { ...this.#context, projects: projectsById(this.#config), isPartial };
    return failures;
  }

  /** The same, but throws ServiceSetupError if a service of these projects cannot be opened. */
  async openServicesOf(projects: readonly Project[]): Promise<void> {
    const failures = await this.openUsableServices();
    throwFailures(new Map([...failures].filter(([name]) => projects.some(({ service }) => service === name))));
  }

  /** Turns an error of SQLite into a StoreError that names the database; returns other errors as they are. */
  asStoreError(error: unknown): unknown {
    return asStoreError(error, this.#config.databaseFile);
  }

  async close(): Promise<void> {
    await this.#services.close();
    this.sharedRateLimit.close();
    this.#context.store.close();
    this.#owner.close();
  }
}

const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
