// History as `view` and `mcp` serve it.

import { openStoreForReading } from '../../../db/store.ts';
import type { JobContext, Log } from '../../../jobs/context.ts';
import { StoredHistory } from '../../../jobs/workspace/history-reader.ts';
import type { HistorySettings } from '../../../jobs/workspace/settings.ts';
import { type Clock, type SearchDataService, sourceKindOf } from '../../service/terms.ts';
import type { DollarRange } from '../../tracker/page-price.ts';
import type { HistoryReader } from '../../workspace/contract.ts';
import type { SavedView } from '../../workspace/records.ts';
import { isPart, type ReaderScope, ScopedReader } from '../../workspace/scoped-reader.ts';
import type { App } from '../app.ts';
import { pagePrices } from '../opening/list-prices.ts';
import { servicesForSale } from '../opening/services.ts';

/** What a history is read from, as plain data: other threads open the same one. */
export interface HistorySource {
  readonly databaseFile: string;
  readonly firstServiceNames: ReadonlyMap<string, string>;
  readonly projects: JobContext['projects'];
  readonly services: ReadonlyMap<string, Pick<SearchDataService, 'source' | 'kind'>>;
  readonly engines: JobContext['engines'];
  readonly timezone: string;
  readonly settings: Omit<HistorySettings, 'viewsOf' | 'isSimulated'> & {
    readonly views: ReadonlyMap<string, readonly SavedView[]>;
    /** Services whose pages are only simulated. */
    readonly simulated: ReadonlySet<string>;
  };
}

function sourceOf({ config, context }: App, pagePrices?: ReadonlyMap<string, DollarRange>): HistorySource {
  const { reports, notes, formerly, views, databaseFile } = config;
  const { ctrCurve, compare: comparison, toleranceMs } = reports;
  const simulated = [...config.services].flatMap(([name, service]) =>
    service.mode === 'embedded' && sourceKindOf(service.source) !== 'live' ? [name] : [],
  );
  const { projects, services, engines, timezone } = context;
  return {
    ...{ databaseFile, firstServiceNames: formerly.firstServiceNames, projects, engines, timezone },
    services: new Map([...services].map(([name, { source, kind }]) => [name, { source, kind }])),
    settings: {
      ...{ ctrCurve, comparison, toleranceMs, notes, formerProjects: formerly.projects, pagePrices },
      ...{ views, simulated: new Set(simulated) },
    },
  };
}

function settingsOf({ settings: { views, simulated, ...settings } }: HistorySource): HistorySettings {
  return {
    ...settings,
    viewsOf: (project) => views.get(project) ?? [],
    isSimulated: (name) => simulated.has(name),
  };
}

/** A history, and what another thread opens it from. */
export interface SourcedHistory {
  readonly source: HistorySource;
  readonly reader: StoredHistory;
}

/** History as the read API gives it, with what its pages cost. */
export async function pricedHistory(app: App): Promise<SourcedHistory> {
  const source = sourceOf(app, await pagePrices(app.config));
  const context = { ...app.context, services: await servicesForSale(app.config) };
  return { source, reader: new StoredHistory(context, settingsOf(source)) };
}

export async function pricedReader(app: App): Promise<StoredHistory> {
  return (await pricedHistory(app)).reader;
}

/** The same with other prices, or none. */
export function historyReader(app: App, pagePrices?: ReadonlyMap<string, DollarRange>): StoredHistory {
  return new StoredHistory(app.context, settingsOf(sourceOf(app, pagePrices)));
}

/** The same history in another thread. What it asks of services are facts alone. */
export function openHistory(source: HistorySource, clock: Clock): SourcedHistory {
  const { databaseFile, firstServiceNames, projects, engines, timezone } = source;
  const unasked = (): never => {
    throw new Error('history asks no service');
  };
  const services = [...source.services].map(([name, facts]): [string, SearchDataService] => [
    name,
    { ...facts, serp: unasked, keywordData: unasked, readPage: unasked, close: async () => {} },
  ]);
  const context: JobContext = {
    store: openStoreForReading(databaseFile, { isCurrent: true, firstServiceNames }),
    services: new Map(services),
    ...{ projects, engines, timezone, clock, log: silentLog, owner: '' },
    random: Math.random,
    freeBytes: () => 0,
  };
  return { source, reader: new StoredHistory(context, settingsOf(source)) };
}

const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** History for the scope of a reader; null: `everything`, perhaps also of other databases. */
export function readerFor(
  history: StoredHistory,
  everything: HistoryReader = history,
): (scope: ReaderScope | null) => HistoryReader {
  return (scope) => {
    if (scope === null) return everything;
    const project = history.projectNamed(scope.project);
    const seen = isPart(scope) ? history.part(scope) : history;
    return new ScopedReader(seen, { ...scope, project }, (name) => history.isNameOf(name, project));
  };
}
