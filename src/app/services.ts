// Opens the services that a config names: the embedded core over a source, or a client of a provider.
import type { ResolvedConfig, ServiceConfig } from '../../config/resolve.ts';
import { keywordDatasets } from '../../db/keyword-dataset.ts';
import {
  type AccountStore,
  type CallOptions,
  type Clock,
  createMetricsSource,
  createSearchDataService,
  createSource,
  describeSource,
  ProcessMemory,
  SearchDataClient,
  type SearchDataService,
  type ServiceHost,
  type Source,
  type SourceDependencies,
  type SourceMemory,
  sourceKindOf,
  systemClock,
} from '../service/index.ts';
import { refuseUnset } from './contract.ts';

type EmbeddedConfig = Extract<ServiceConfig, { mode: 'embedded' }>;

/** What this process gives every service that it runs itself. */
export interface ServicesHost {
  readonly clock: Clock;
  readonly accounts: AccountStore;
  /** What the source of a service may remember over restarts; absent where this process has no database for it. */
  readonly memoryOf?: (service: string) => SourceMemory;
  /** What calls of a service go through in this process; absent: nothing. */
  readonly wrap?: (name: string, service: SearchDataService) => SearchDataService;
}

export interface Services {
  /** Empty until `open`. */
  readonly byName: ReadonlyMap<string, SearchDataService>;
  /** How often a page of a service is bought once more whose answer is of no use; empty until `open`. */
  readonly retryUnreadable: ReadonlyMap<string, number>;
  /** Opens all of them, once. Throws ServiceSetupError that names each service that cannot be had and what its source said, UsageError without its secrets. */
  open(): Promise<void>;
  close(): Promise<void>;
}

export function openServices(config: ResolvedConfig, host: ServicesHost): Services {
  const byName = new Map<string, SearchDataService>();
  const retryUnreadable = new Map<string, number>();
  return {
    byName,
    retryUnreadable,
    async open() {
      refuseUnset(config);
      const failures: ServiceSetupError[] = [];
      for (const [name, service] of config.services) {
        if (byName.has(name)) continue;
        try {
          const opened = await openService(name, service, host);
          byName.set(name, host.wrap?.(name, opened) ?? opened);
          retryUnreadable.set(name, service.retryUnreadable ?? (await retriesOf(service)));
        } catch (error) {
          if (!(error instanceof ServiceSetupError)) throw error;
          failures.push(error);
        }
      }
      const [first] = failures;
      if (first === undefined) return;
      throw failures.length === 1 ? first : new ServiceSetupError(failures.map(({ message }) => message).join('\n'));
    },
    async close() {
      await Promise.all(byName.values().map((service) => service.close()));
      byName.clear();
    },
  };
}

/** Once, where it is known what another page costs: by the specification of a provider, or by the facts of a source. */
async function retriesOf(service: ServiceConfig): Promise<number> {
  if (service.mode === 'remote') return 1;
  const facts = (await describeSource(service.source))?.facts;
  return facts === undefined || facts.prices.length > 0 || facts.failureCharge === 'no' ? 1 : 0;
}

/** Services as reports know them: each is of a kind, and nobody is there to be asked. Their secrets need not be at hand. */
export function servicesAtRest({ services, projects }: ResolvedConfig): ReadonlyMap<string, SearchDataService> {
  const refuse = (): never => {
    throw new Error('a service at rest was asked');
  };
  // one whose numbers the environment lacks is none of the config's, and was live
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

/** The same services without keyword metrics: who fetches pages only need not have at hand what those come from. */
export function withoutMetrics(config: ResolvedConfig): ResolvedConfig {
  const services = [...config.services].map(([name, service]): [string, ServiceConfig] => {
    if (service.mode === 'remote') return [name, service];
    const { metrics, ...pages } = service;
    return [name, pages];
  });
  return { ...config, services: new Map(services) };
}

/** A service that cannot be had as the config says: a folder or an account is missing, options do not go together. */
export class ServiceSetupError extends Error {
  override readonly name = 'ServiceSetupError';
  readonly code = 'CONFIG_INVALID';
  readonly hint: string;

  constructor(
    message: string,
    hint = 'Correct the service in the config; `rankledger check` shows it.',
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.hint = hint;
  }
}

/**
 * An embedded service as it is, for callers of its own: whoever calls it says who pays. Throws ServiceSetupError that names the service and what its
 * source said.
 */
export async function openEmbedded(
  name: string,
  config: EmbeddedConfig,
  host: ServicesHost & Pick<ServiceHost, 'requestRate'>,
): Promise<SearchDataService> {
  try {
    const memory = host.memoryOf?.(name);
    const source = await makeSource(config, { clock: host.clock, ...(memory !== undefined && { memory }) });
    return createSearchDataService({ ...host, source, inFlight: await inFlightOf(config) });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new ServiceSetupError(`services.${name}: ${message}`, undefined, error);
  }
}

/** What API users share is what the source is asked at once: more would wait in its own queue, first come, first served. */
async function inFlightOf({ source, options }: EmbeddedConfig): Promise<NonNullable<ServiceHost['inFlight']>> {
  if (sourceKindOf(source) !== 'live') return {};
  const { concurrency } = options as { readonly concurrency?: unknown };
  const total = typeof concurrency === 'number' ? concurrency : (await describeSource(source))?.facts.rate.concurrency;
  return total === undefined ? {} : { serp: { total } };
}

/** The source of the pages, with the metrics of another one where the config names one. */
export async function makeSource(
  { source: name, options, metrics: own }: EmbeddedConfig,
  given: Omit<SourceDependencies, 'datasets'>,
): Promise<Source> {
  const dependencies: SourceDependencies = { ...given, datasets: keywordDatasets };
  const source = await createSource(name, options, dependencies);
  if (own === undefined) return source;
  const { metrics: replaced, ...pages } = source;
  await replaced?.close?.();
  try {
    return { ...pages, metrics: await createMetricsSource(own.source, own.options, dependencies) };
  } catch (error) {
    await closeSource(pages);
    throw error;
  }
}

/** Closes both halves; what is both is closed once. */
export async function closeSource({ serp, metrics }: Source): Promise<void> {
  await Promise.all(new Set([serp, metrics]).values().map((part) => part?.close?.()));
}

/** What keeps embedded services of a config from being opened or used, each with what its source said; empty is right. It opens no database and asks nobody. */
export async function sourceProblems(config: ResolvedConfig, clock: Clock = systemClock): Promise<string[]> {
  // what works on pages over Redis are workers, and they have no database
  const memory = config.queue.driver === 'bullmq' ? {} : { memory: new ProcessMemory(clock) };
  const problems = [...config.services].map(async ([name, service]) => {
    if (service.mode !== 'embedded') return [];
    try {
      const source = await makeSource(service, { clock, ...memory });
      await closeSource(source);
      const lacking = source.metrics === undefined ? missingMetrics(config, name, service.source) : [];
      return [...(await missingDevices(config, name, service.source)), ...lacking];
    } catch (error) {
      return [`services.${name}: ${error instanceof Error ? error.message : String(error)}`];
    }
  });
  return (await Promise.all(problems)).flat();
}

/** Search volumes that nobody would sell. */
function missingMetrics({ projects }: ResolvedConfig, service: string, source: string): string[] {
  return projects
    .filter((project) => project.service === service && project.volumes !== undefined)
    .map(
      ({ id }) =>
        `services.${service}: "${source}" has no keyword data, and project "${id}" has volumes: name a source under metrics, or leave volumes out`,
    );
}

/** Searches that the source would refuse in every run. */
async function missingDevices({ projects }: ResolvedConfig, service: string, source: string): Promise<string[]> {
  const devices = (await describeSource(source))?.facts.devices;
  if (devices === undefined) return [];
  return projects.flatMap((project) => {
    const lacking = project.keywords.flatMap((keyword) =>
      keyword.devices.filter((device) => !devices.includes(device)),
    );
    const [device] = lacking;
    if (project.service !== service || device === undefined) return [];
    const searches = lacking.length === 1 ? 'one search' : `${lacking.length} searches`;
    return [
      `services.${service}: "${source}" has no ${device} pages, and project "${project.id}" has ${searches} there`,
    ];
  });
}

async function openService(name: string, service: ServiceConfig, host: ServicesHost): Promise<SearchDataService> {
  if (service.mode === 'embedded') return await openOwn(name, service, host);
  return new SearchDataClient({
    baseUrl: service.baseUrl,
    user: service.user.reveal(),
    password: service.password.reveal(),
    concurrency: service.concurrency,
    requestsPerSecond: service.requestsPerSecond,
    timeoutMs: service.timeoutMs,
    keepsKeys: service.keepsKeys,
    // the queue tries again, and writes each try down
    retries: { attemptsMax: 1 },
    clock: host.clock,
  });
}

/** An embedded service for this process itself: metered where the config names an account, free of charge otherwise. */
async function openOwn(name: string, config: EmbeddedConfig, host: ServicesHost): Promise<SearchDataService> {
  const { account } = config;
  if (account === undefined) return await openEmbedded(name, config, host);
  if ((await host.accounts.findAccount(account)) === undefined) {
    throw new ServiceSetupError(
      `services.${name}: there is no account "${account}"`,
      `Create it: rankledger account create ${account} --serp-credits 1000 --usd 10`,
    );
  }
  const service = await openEmbedded(name, config, host);
  const metered = (options: CallOptions = {}): CallOptions => ({ caller: { kind: 'trusted', account }, ...options });
  return {
    ...service,
    serp: (request, options) => service.serp(request, metered(options)),
    keywordData: (request, options) => service.keywordData(request, metered(options)),
  };
}
