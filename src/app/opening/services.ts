// Opens the services that a config names: the embedded core over a source, or a client of a provider.
import type { ResolvedConfig, ServiceConfig } from '../../../config/resolve.ts';
import type { BestSources, JobContext } from '../../../jobs/context.ts';
import {
  type AccountStore,
  type CallOptions,
  type Clock,
  describeSource,
  type PageRange,
  ProcessMemory,
  type SearchDataService,
  sourceKindOf,
  sourceOptionsSchema,
  sourceRange,
} from '../../service/terms.ts';
import { rejectUnset, ServiceSetupError, type SetupFailures } from './failures.ts';
import { bestSources } from './list-prices.ts';
import type { EmbeddedConfig, ServicesHost } from './sources.ts';

export interface Services {
  /** Empty until `open`. */
  readonly byName: ReadonlyMap<string, SearchDataService>;
  /** By service, how often an unreadable page is bought again; empty until `open`. */
  readonly retryUnreadable: ReadonlyMap<string, number>;
  /** Services of `mode: best`, with those that could be opened; empty until `open`. */
  readonly best: ReadonlyMap<string, BestSources>;
  /** Opens each service once; returns those that cannot be opened. Throws UsageError if secrets are not set. */
  open(): Promise<SetupFailures>;
  close(): Promise<void>;
}

/** `ready`: services that are open already. */
export function openServices(
  config: ResolvedConfig,
  hostOf: () => ServicesHost,
  ready: ReadonlyMap<string, SearchDataService> = new Map(),
): Services {
  const byName = new Map(ready);
  const retryUnreadable = new Map<string, number>();
  const best = new Map<string, BestSources>();
  return {
    byName,
    retryUnreadable,
    best,
    async open() {
      rejectUnset(config);
      const host = hostOf();
      const failures = new Map<string, ServiceSetupError>();
      for (const [name, service] of config.services) {
        if (byName.has(name) || config.best.has(name)) continue;
        try {
          const opened = await openService(name, service, host);
          byName.set(name, host.wrap?.(name, opened) ?? opened);
          retryUnreadable.set(name, service.retryUnreadable ?? (await findRetries(service)));
        } catch (error) {
          if (!(error instanceof ServiceSetupError)) throw error;
          failures.set(name, error);
        }
      }
      for (const [name, sources] of await bestSources(config, (each) => byName.has(each))) {
        const [first = ''] = sources.of;
        const [service, failure] = [byName.get(first), failures.get(config.best.get(name)?.of[0] ?? '')];
        if (service !== undefined) byName.set(name, service);
        else if (failure !== undefined) failures.set(name, failure);
        best.set(name, sources);
        retryUnreadable.set(name, retryUnreadable.get(first) ?? 1);
      }
      return failures;
    },
    async close() {
      await Promise.all(new Set(byName.values()).values().map((service) => service.close()));
      byName.clear();
    },
  };
}

/** Services that cannot be opened here. Buys nothing, and skips services whose secrets are not set. */
export async function setupFailures(
  config: ResolvedConfig,
  accounts: () => AccountStore,
  clock: Clock,
): Promise<SetupFailures> {
  const judged: [string, ServiceConfig][] = [];
  for (const [name, service] of config.services)
    if (!config.best.has(name) && !config.unsetServices.has(name) && !(await opensAnywhere(service)))
      judged.push([name, service]);
  if (judged.length === 0) return new Map();
  const memory = new ProcessMemory(clock);
  const services = openServices({ ...config, services: new Map(judged), best: new Map(), unset: [] }, () => ({
    clock,
    accounts,
    memoryOf: () => memory,
  }));
  try {
    return await services.open();
  } finally {
    await services.close();
  }
}

/** Whether only its options could stop it, as is so of the sandbox, and they fit. Opening it to find out takes long. */
async function opensAnywhere(service: ServiceConfig): Promise<boolean> {
  if (service.mode === 'remote' || sourceKindOf(service.source) !== 'sandbox') return false;
  if (service.account !== undefined || service.metrics !== undefined || service.answers !== undefined) return false;
  return (await sourceOptionsSchema(service.source))?.safeParse(service.options).success === true;
}

/** Once if the cost of another page is known: from the specification of a provider, or from the facts of a source. */
async function findRetries(service: ServiceConfig): Promise<number> {
  if (service.mode === 'remote') return 1;
  const facts = (await describeSource(service.source))?.facts;
  return facts === undefined || facts.prices.length > 0 || facts.failureCharge === 'no' ? 1 : 0;
}

/**
 * The same services without keyword metrics and AI answers: workers only fetch pages, and need no other files or
 * credentials.
 */
export function withoutMetrics(config: ResolvedConfig): ResolvedConfig {
  const services = [...config.services].map(([name, service]): [string, ServiceConfig] => {
    if (service.mode === 'remote') return [name, service];
    const { metrics, answers, ...pages } = service;
    return [name, pages];
  });
  return { ...config, services: new Map(services) };
}

async function openService(name: string, service: ServiceConfig, host: ServicesHost): Promise<SearchDataService> {
  if (service.mode === 'embedded') return await openOwn(name, service, host);
  const { SearchDataClient } = await import('../../service/client/client.ts');
  return new SearchDataClient({
    baseUrl: service.baseUrl,
    user: service.user.reveal(),
    password: service.password.reveal(),
    concurrency: service.concurrency,
    requestsPerSecond: service.requestsPerSecond,
    timeoutMs: service.timeoutMs,
    keepsKeys: service.keepsKeys,
    // the queue retries, and records each attempt
    retries: { attemptsMax: 1 },
    clock: host.clock,
  });
}

/** An embedded service for this process: metered if the config names an account, free of charge otherwise. */
async function openOwn(
  name: string,
  config: EmbeddedConfig,
  { accounts: openAccounts, ...host }: ServicesHost,
): Promise<SearchDataService> {
  const { account } = config;
  // offline commands open no service, and start faster without
  const { openEmbedded } = await import('./sources.ts');
  if (account === undefined) return await openEmbedded(name, config, host);
  const accounts = openAccounts?.();
  if ((await accounts?.findAccount(account)) === undefined) {
    throw new ServiceSetupError(
      `services.${name}: there is no account "${account}"`,
      `Create it: rankledger account create ${account} --serp-credits 1000 --usd 10`,
    );
  }
  // accounts have no price for AI answers: none leaves uncharged
  const { answers: _, ...service } = await openEmbedded(name, config, { ...host, accounts });
  const metered = (options: CallOptions = {}): CallOptions => ({ caller: { kind: 'trusted', account }, ...options });
  return {
    ...service,
    serp: (request, options) => service.serp(request, metered(options)),
    keywordData: (request, options) => service.keywordData(request, metered(options)),
  };
}

/** For offline commands: services that only say what they are, with the prices that the config names. */
export function atRest(config: ResolvedConfig, context: JobContext): JobContext {
  const best = new Map<string, BestSources>();
  for (const [name, sources] of config.best) {
    const microUsd = new Map<string, number>();
    for (const each of sources.of) {
      const price = config.services.get(each)?.microUsdPerCredit;
      if (price !== undefined) microUsd.set(each, price);
    }
    best.set(name, { ...sources, microUsd });
  }
  return { ...context, services: servicesAtRest(config), best };
}

/** Needs no secrets. */
export function servicesAtRest({ services, projects }: ResolvedConfig): ReadonlyMap<string, SearchDataService> {
  const refuse = (): never => {
    throw new Error('a service was called in an offline command');
  };
  // the config lacks a service if its environment variables are not set; it was a live one
  const names = new Set([...services.keys(), ...projects.map(({ service }) => service)]);
  return new Map(
    [...names].map((name) => {
      const service = services.get(name);
      const source = service?.mode === 'embedded' ? service.source : 'remote';
      const asking = { serp: async () => refuse(), keywordData: async () => refuse(), readPage: refuse };
      return [name, { source, kind: sourceKindOf(source) ?? 'live', ...asking, close: async () => {} }];
    }),
  );
}

/** The same, with what they sell besides single pages: for prices. */
export async function servicesForSale(config: ResolvedConfig): Promise<ReadonlyMap<string, SearchDataService>> {
  const ranges = await pageRanges(config);
  return new Map([...servicesAtRest(config)].map(([name, service]) => [name, { ...service, range: ranges.get(name) }]));
}

/** What services sell besides single pages, by name. */
export async function pageRanges({ services }: Pick<ResolvedConfig, 'services'>): Promise<Map<string, PageRange>> {
  const found = new Map<string, PageRange>();
  for (const [name, service] of services) {
    const range = service.mode === 'embedded' ? await sourceRange(service.source, service.options) : undefined;
    if (range !== undefined) found.set(name, range);
  }
  return found;
}
