// The context of every job: store, services, clock, randomness, log and projects.
import type { PlannedCheck } from '../db/history/checks/checks.ts';
import type { Currency } from '../db/ledger/budget-windows.ts';
import type { SourceSales } from '../db/ledger/purchases.ts';
import type { Store } from '../db/store.ts';
import type { AnsweredPage, Clock, SearchDataService } from '../src/service/index.ts';
import { sourceEngine } from '../src/service/terms.ts';
import type { AlertRule } from '../src/tracker/changes/alerts.ts';
import { type PagesAtOnce, pagesAtOnce } from '../src/tracker/paging.ts';
import type { Project } from '../src/tracker/project.ts';

/** Structured logging in the form of pino; jobs do not name the logger. */
export interface Log {
  debug(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** A service that buys each search from the cheapest of several services that is believed. */
export interface BestSources {
  /** Their names; the first is believed until others have proved to agree with it. */
  readonly of: readonly string[];
  /** Least agreement of a source that is used, 0 to 1. */
  readonly agreement: number;
  /** Price of a credit, by name. */
  readonly microUsd: ReadonlyMap<string, number>;
}

/** `stop`: begin nothing new. `giveUp`: drop what is in flight, too. */
export interface StopSignals {
  readonly stop: AbortSignal;
  readonly giveUp: AbortSignal;
}

export interface JobContext {
  readonly store: Store;
  /** By name in the config. */
  readonly services: ReadonlyMap<string, SearchDataService>;
  readonly projects: ReadonlyMap<string, Project>;
  /** The config is broken and some projects are missing: their unfinished work waits. Default: false. */
  readonly isPartial?: boolean;
  readonly clock: Clock;
  /** Evenly spread, 0 to 1: for the jitter of retries. */
  readonly random: () => number;
  readonly log: Log;
  /** The time zone of the budget's days and months. */
  readonly timezone: string;
  /** The last millisecond that the budget of a month is for, UTC: of a simulation. Default: the end of the month. */
  readonly budgetEndsAt?: number;
  /** What makes a change worth finding, for adaptive plans. Default: the usual click-through curve, no alert rules. */
  readonly worth?: {
    readonly ctrCurve: string;
    /** The alert rules of a project, by its id. */
    readonly rulesOf: (project: string) => readonly AlertRule[];
  };
  /** The owner of this app's runs (`openOwner`). */
  readonly owner: string;
  /** By service: how often a run buys a page again if its answer cannot be read or is not trusted. Default: once. */
  readonly retryUnreadable?: ReadonlyMap<string, number>;
  /** The circuit breaker of each service in the newest run that asked it, for monitoring. Absent: nothing monitors. */
  readonly breakers?: Map<string, { stateAt(now: number): string }>;
  /** Services that buy from several others. */
  readonly best?: ReadonlyMap<string, BestSources>;
  /** By service, the search engine of its pages. Default: Google. */
  readonly engines?: ReadonlyMap<string, string>;
  /** Free bytes on the disk of the database. */
  readonly freeBytes: () => number;
}

/** The service that a market names. Throws if the config has none of that name. */
export function findService(context: JobContext, name: string): SearchDataService {
  const service = context.services.get(name);
  if (service === undefined) throw new Error(`the config has no service "${name}"`);
  return service;
}

/** The pages of a check down to its depth, as a service sells them at once; null: it sells single pages only. */
export function soldAtOnce(
  { services }: Pick<JobContext, 'services'>,
  name: string,
  depth: number,
): PagesAtOnce | null {
  return pagesAtOnce(services.get(name)?.range, depth);
}

/** The most credits that page 1 of a service costs; each other page costs one. */
export function firstPageCredits({ services }: Pick<JobContext, 'services'>, name: string): number {
  return services.get(name)?.firstPageCredits ?? 1;
}

/**
 * The label of a service's pages wherever they are stored or shown. A renamed service keeps its first name in it. Of a
 * source that may have pages of any engine, it ends with that engine: ranks of two engines never compare.
 */
export function sourceLabel(
  { store, engines }: Pick<JobContext, 'store' | 'engines'>,
  name: string,
  service: SearchDataService,
): string {
  const label = `${store.firstServiceName(name)}/${service.source}`;
  const engine = engines?.get(name);
  return engine === undefined || engine === sourceEngine(service.source) ? label : `${label}-${engine}`;
}

/**
 * The label of a check. A source that agrees with another one has that one's label first, so that their checks compare
 * (`comparableSource`): `first/serper=second/dataforseo`. So has each of several sources, which is used only while it
 * agrees with the first of them, and one that a bridge leads from.
 */
export function checkSource(context: JobContext, { market, seller }: Pick<PlannedCheck, 'market' | 'seller'>): string {
  const label = memberLabel(context, seller);
  const [first = seller] = context.best?.get(market.service)?.of ?? [];
  const comparable = context.store.bridges.firstOf(memberLabel(context, first));
  return comparable === label ? label : `${comparable}=${label}`;
}

/** The label of a service that others may buy from. */
export function memberLabel(context: JobContext, name: string): string {
  return sourceLabel(context, name, findService(context, name));
}

/** The label of a service's keyword metrics: by their own source, if pages come from another one. */
export function metricsLabel({ store }: Pick<JobContext, 'store'>, name: string, service: SearchDataService): string {
  return `${store.firstServiceName(name)}/${service.metrics?.source ?? service.source}`;
}

/** The label of one page: if the source has others behind it, the one that answered follows after a colon. */
export function pageLabel(label: string, { source }: Pick<AnsweredPage, 'source'>): string {
  return source === undefined ? label : `${label}:${source}`;
}

/** The label of a source's sales, equal to that of its pages. Without a check's label it names the service. */
export function salesLabel({ service, label, part }: Pick<SourceSales, 'service' | 'label' | 'part'>): string {
  return pageLabel(label ?? service, part === null ? {} : { source: part });
}

/**
 * The label of a check, from that of a page. It omits the source that answered, so that a check stays comparable with
 * the previous one.
 */
export function checkLabel(label: string): string {
  return label.replace(/:.*$/s, '');
}

/** Whether purchases from a service in this currency are only simulated and cost nothing. */
export function isSimulated({ services }: Pick<JobContext, 'services'>, name: string, currency: Currency): boolean {
  const service = services.get(name);
  const asked = currency === 'micro_usd' ? (service?.metrics ?? service) : service;
  return asked !== undefined && asked.kind !== 'live'; // an unknown service may be live
}

/**
 * The moment that a service shows: a simulated one follows the run's slot, a live one shows the present. For keyword
 * metrics, `service` is their separate source, if there is one.
 */
export function shownMoment(context: JobContext, service: Pick<SearchDataService, 'kind'>, slotAt: number): number {
  return service.kind === 'live' ? context.clock.now() : slotAt;
}
