// The context of every job: store, services, clock, randomness, log and projects.
import type { Currency } from '../db/ledger/ledger.ts';
import type { SourceSales } from '../db/ledger/purchase-sources.ts';
import type { Store } from '../db/store.ts';
import type { AnsweredPage, Clock, SearchDataService } from '../src/service/index.ts';
import type { Project } from '../src/tracker/project.ts';

/** Structured logging as pino offers it; jobs name no logger. */
export interface Log {
  debug(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

export interface JobContext {
  readonly store: Store;
  /** By the name that the config gives them. */
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
  /** `host:boot:pid` of this process: who works on a run. */
  readonly owner: string;
  /**
   * By service: how often a page is bought once more in a run whose answer cannot be read or is not believed. Default:
   * once.
   */
  readonly retryUnreadable?: ReadonlyMap<string, number>;
  /** Bytes free where the database lies. */
  readonly freeBytes: () => number;
}

/** The service that a market names. Throws where the config has none of that name. */
export function findService(context: JobContext, name: string): SearchDataService {
  const service = context.services.get(name);
  if (service === undefined) throw new Error(`the config has no service "${name}"`);
  return service;
}

/** How pages of a service are labelled wherever they are stored or shown. */
export function sourceLabel(name: string, service: SearchDataService): string {
  return `${name}/${service.source}`;
}

/** How keyword metrics of a service are labelled: by their own source, where the pages come from another one. */
export function metricsLabel(name: string, service: SearchDataService): string {
  return `${name}/${service.metrics?.source ?? service.source}`;
}

/** The label of one page: where the source had others behind it, the one that answered stands behind a colon. */
export function pageLabel(label: string, { source }: Pick<AnsweredPage, 'source'>): string {
  return source === undefined ? label : `${label}:${source}`;
}

/** The label of what a source sold, as its pages are labelled. Without a label of a check it names the service. */
export function salesLabel({ service, label, part }: Pick<SourceSales, 'service' | 'label' | 'part'>): string {
  return pageLabel(label ?? service, part === null ? {} : { source: part });
}

/**
 * The label of a check by that of a page: whichever of the sources behind the service answered, a check is comparable
 * with the one before.
 */
export function checkLabel(label: string): string {
  return label.replace(/:.*$/s, '');
}

/** Whether purchases from a service in this currency are only simulated: they cost nothing. */
export function isSimulated({ services }: Pick<JobContext, 'services'>, name: string, currency: Currency): boolean {
  const service = services.get(name);
  const asked = currency === 'micro_usd' ? (service?.metrics ?? service) : service;
  return asked !== undefined && asked.kind !== 'live'; // an unknown service may be live
}

/**
 * The moment that a service shows: a simulated one follows the run's slot, a live one shows the present. For keyword
 * metrics `service` is their separate source, if there is one.
 */
export function shownMoment(context: JobContext, service: Pick<SearchDataService, 'kind'>, slotAt: number): number {
  return service.kind === 'live' ? context.clock.now() : slotAt;
}
