// The composition root: opens the store, the services and the queue for a resolved config, offers what the commands need, closes everything.
import { dirname } from 'node:path';
import type { ResolvedConfig } from '../config/resolve.ts';
import { freeBytesAt } from '../db/client.ts';
import { asStoreError } from '../db/errors.ts';
import type { Store } from '../db/store.ts';
import { askKeywords, askSerp } from '../jobs/ask-service.ts';
import type { JobContext, Log } from '../jobs/context.ts';
import { countGap } from '../jobs/count-gap.ts';
import { exportHistory } from '../jobs/export-history.ts';
import { duenessReport, planReport } from '../jobs/inspect.ts';
import { openOwner } from '../jobs/ownership.ts';
import { type PipelineSettings, type RunRequest, runPipeline } from '../jobs/pipeline.ts';
import { historyRows } from '../jobs/read-history.ts';
import { type AlertDesk, alertDesk, openCourier } from './app/alerts.ts';
import { auditReport, reconcile } from './app/audit.ts';
import { type Backfills, backfillsOf } from './app/backfill.ts';
import { importFile } from './app/backfill-import.ts';
import type {
  AdHocOptions,
  App,
  AppOptions,
  ImportOptions,
  ReconcileRequest,
  RunOptions,
  RunOutcome,
  RunResult,
  ScheduleOptions,
  ServeOptions,
  StatusReport,
} from './app/contract.ts';
import { openDatabase } from './app/database.ts';
import { graceAfter } from './app/grace.ts';
import { type Monitor, openMonitor } from './app/monitor.ts';
import { operatorName } from './app/operator.ts';
import { openQueue } from './app/queue.ts';
import { discardAndReport, noteDesk, reportOnProjects, reportSettingsOf } from './app/reports.ts';
import { planRequest, projectsNamed, refuseSlot, serviceNamed } from './app/requests.ts';
import { runResult } from './app/results.ts';
import { keepSchedule } from './app/schedule.ts';
import { serveService } from './app/server.ts';
import { openServices, type Services, servicesAtRest } from './app/services.ts';
import { statusReport } from './app/status.ts';
import { type SharedTurns, shareTurns } from './app/turns.ts';
import { unwrittenReports } from './app/unwritten.ts';
import { Accounts, refundAbandoned, systemClock, WitnessedClock } from './service/index.ts';

export type { AlertDesk, ChannelTrial, UnsentAlerts } from './app/alerts.ts';
export * from './app/contract.ts';
export { graceAfter } from './app/grace.ts';
export {
  datasetFilesOf,
  importKeywords,
  type KeywordFileReport,
  type KeywordImportOptions,
  type KeywordImportReport,
} from './app/keyword-import.ts';
export { checkOnline, type OnlineReport, type OnlineRequest } from './app/online.ts';
export * from './app/operations.ts';
export type { KeptNote } from './app/reports.ts';
export { sourceProblems } from './app/services.ts';
export type { Trial, TrialPrice, TrialProblem, TrialState } from './app/trial.ts';
export { type RunningWorker, startWorker } from './app/worker.ts';

/** Opens the product for a config. Services are opened when first needed. Throws StoreError where the database cannot be used. */
export async function openApp(config: ResolvedConfig, options: AppOptions = {}): Promise<App> {
  return new RankledgerApp(config, openDatabase(config, options), options);
}

class RankledgerApp implements App {
  readonly config: ResolvedConfig;
  readonly #store: Store;
  readonly #context: JobContext;
  readonly #services: Services;
  readonly #turns: SharedTurns;
  readonly #owner = openOwner();
  readonly #memoryOf = (service: string) => this.#store.sourceMemories.of(service, this.#context.clock);

  constructor(config: ResolvedConfig, store: Store, options: AppOptions) {
    this.config = config;
    this.#store = store;
    const clock = options.clock ?? new WitnessedClock(systemClock);
    // what workers on other machines buy is not for this database to remember
    const memory = config.queue.driver === 'embedded' ? { memoryOf: this.#memoryOf } : {};
    const log = options.log ?? silentLog;
    this.#turns = shareTurns(config, log);
    const { wrap } = this.#turns;
    this.#services = openServices(config, { clock, accounts: store.accounts, ...memory, ...(wrap && { wrap }) });
    this.#context = {
      store,
      services: this.#services.byName,
      retryUnreadable: this.#services.retryUnreadable,
      projects: new Map(config.projects.map((project) => [project.id, project])),
      clock,
      random: Math.random,
      log,
      timezone: config.timezone,
      isPartial: config.broken.problems.length > 0,
      owner: this.#owner.name,
      freeBytes: () => freeBytesAt(dirname(config.databaseFile)),
    };
  }

  async run(options: RunOptions): Promise<RunOutcome> {
    const request = planRequest(this.config, options);
    refuseSlot(this.#context, this.config, request, options.late ?? false);
    const runs = await this.#carryOut(request, options);
    const dueness = duenessReport(this.#context, [...this.#context.projects.values()]);
    const overdue = request.kind === 'due' ? dueness.filter(({ overdueSince }) => overdueSince !== null) : [];
    return {
      runs,
      notDue: runs.length > 0 ? [] : dueness,
      overdue,
      unwritten: unwrittenReports(this.#context),
      broken: this.config.broken,
    };
  }

  get backfill(): Backfills {
    return backfillsOf(this.#context, {
      projects: (ids) => projectsNamed(this.config, ids),
      openServices: () => this.#services.open(),
      carryOut: (request, options) => this.#carryOut(request, options),
    });
  }

  async #carryOut(
    request: RunRequest,
    { signal = new AbortController().signal, onProgress }: Pick<RunOptions, 'signal' | 'onProgress'>,
  ): Promise<RunResult[]> {
    const executed = await this.#atWork(signal, async (settings, monitor) => {
      const runs = await runPipeline(
        this.#context,
        {
          ...settings,
          onProgress: ({ runId, ...state }) =>
            onProgress?.({ ...state, creditsSpent: this.#store.ledger.spentBy(runId, 'serp_credit') }),
        },
        request,
      );
      if (runs.length === 0) monitor.idle();
      return runs;
    });
    return executed.map((run) => runResult(this.#context, run));
  }

  async schedule(options: ScheduleOptions): Promise<void> {
    await this.#atWork(options.signal, async (settings, monitor) => {
      await settings.queue.prepare(); // what cannot work is said at once, not when the first slot is due
      await keepSchedule(this.#context, settings, monitor, options);
    });
  }

  /** Opens what runs need, and closes it when `work` is done. What is in flight is given up a while after `stop`. */
  async #atWork<Result>(
    stop: AbortSignal,
    work: (settings: Omit<PipelineSettings, 'onProgress'>, monitor: Monitor) => Promise<Result>,
  ): Promise<Result> {
    await this.#services.open();
    const giveUp = graceAfter(stop);
    const monitor = openMonitor(this.config.heartbeat, this.#context);
    const { services, log } = this.#context;
    const courier = openCourier(this.config, this.#context, giveUp.signal);
    const payer = (): string => this.#store.ledger.identity();
    const queue = openQueue(this.config, { services, payer, log });
    try {
      countGap(this.#context);
      const settings = { queue, signals: { stop, giveUp: giveUp.signal }, reports: reportSettingsOf(this.config) };
      courier.look();
      const onRunEnded = (): void => {
        monitor.runEnded();
        courier.look();
      };
      const looked = (): void => {
        monitor.looked();
        courier.look();
      };
      return await work({ ...settings, alerts: courier.settings, onRunEnded }, { ...monitor, looked });
    } catch (error) {
      monitor.failed(error);
      throw this.named(error);
    } finally {
      await courier.close();
      giveUp.end();
      await monitor.close();
      await queue.close();
    }
  }

  plan(options: { readonly projects?: readonly string[]; readonly all?: boolean; readonly slot?: number }) {
    return planReport(this.#context, planRequest(this.config, options));
  }

  status(): StatusReport {
    return statusReport(this.#context, this.config);
  }

  async report(options: Parameters<App['report']>[0]) {
    const projects = projectsNamed(this.config, options.projects);
    const settings = reportSettingsOf(this.config, options);
    return reportOnProjects({ ...this.#context, services: servicesAtRest(this.config) }, settings, projects);
  }

  async discardRun(options: Parameters<App['discardRun']>[0]) {
    const context = { ...this.#context, services: servicesAtRest(this.config) };
    return discardAndReport(context, reportSettingsOf(this.config), options);
  }

  get alerts(): AlertDesk {
    return alertDesk(this.config, this.#context);
  }

  get notes() {
    return noteDesk(this.config, this.#context);
  }

  history(query: Parameters<App['history']>[0]) {
    return historyRows(
      this.#context,
      projectsNamed(this.config, query.project === undefined ? undefined : [query.project]),
      query,
    );
  }

  export({ project, ...query }: Parameters<App['export']>[0]) {
    const [only = null] = project === undefined ? [] : projectsNamed(this.config, [project]);
    return exportHistory(this.#context, only, query);
  }

  importHistory(options: ImportOptions) {
    const named = options.project === undefined ? undefined : [options.project];
    return importFile(this.#context, projectsNamed(this.config, named), options);
  }

  audit() {
    return auditReport(this.#context);
  }

  async reconcile(request: ReconcileRequest, signal = new AbortController().signal) {
    await this.#services.open();
    return reconcile(this.#context, request, signal);
  }

  async serp(...[request, options = {}]: Parameters<App['serp']>) {
    return await this.#adHoc(options, (service) => askSerp(this.#context, service, request, options.signal));
  }

  async keywords(...[request, options = {}]: Parameters<App['keywords']>) {
    return await this.#adHoc(options, (service) => askKeywords(this.#context, service, request, options.signal));
  }

  async #adHoc<Answer>(options: AdHocOptions, ask: (service: string) => Promise<Answer>): Promise<Answer> {
    await this.#services.open();
    return await this.#turns.during(options.onNotice, () => ask(serviceNamed(this.config, options.service)));
  }

  async accounts() {
    const { clock, store } = this.#context;
    await refundAbandoned(store.accounts, clock.now());
    return new Accounts(store.accounts, clock, undefined, operatorName());
  }

  async serve(options: ServeOptions) {
    const { clock, log, store } = this.#context;
    const name = serviceNamed(this.config, options.service ?? 'default');
    const host = { clock, log, accounts: store.accounts, memoryOf: this.#memoryOf };
    this.#store.accounts.waitBriefly();
    return await serveService(this.config, name, host, options);
  }

  named(error: unknown): unknown {
    return asStoreError(error, this.config.databaseFile);
  }

  async close(): Promise<void> {
    await this.#services.close();
    this.#turns.close();
    this.#store.close();
    this.#owner.close();
  }
}

const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
