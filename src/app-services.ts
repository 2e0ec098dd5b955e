// Opens the services that a config names: the embedded core over a source, or a client of a provider.
import type { ResolvedConfig, ServiceConfig } from '../config/resolve.ts';
import {
  type Clock,
  createSearchDataService,
  createSource,
  SearchDataClient,
  type SearchDataService,
} from './service/index.ts';

export interface Services {
  /** Empty until `open`. */
  readonly byName: ReadonlyMap<string, SearchDataService>;
  /** Opens all of them, once. Throws Error that names the service and what its source said. */
  open(): Promise<void>;
  close(): Promise<void>;
}

export function openServices(config: ResolvedConfig, clock: Clock): Services {
  const byName = new Map<string, SearchDataService>();
  return {
    byName,
    async open() {
      for (const [name, service] of config.services) {
        if (!byName.has(name)) byName.set(name, await openService(name, service, clock));
      }
    },
    async close() {
      await Promise.all(byName.values().map((service) => service.close()));
      byName.clear();
    },
  };
}

/** A source that cannot be set up from here: a folder that is missing, options that do not fit. */
export class ServiceSetupError extends Error {
  override readonly name = 'ServiceSetupError';
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

async function openService(name: string, service: ServiceConfig, clock: Clock): Promise<SearchDataService> {
  if (service.mode === 'embedded') {
    if (service.account !== undefined) {
      throw new ServiceSetupError(
        `services.${name}: accounts are not in this version`,
        'Leave `account` out: the budget governs.',
      );
    }
    try {
      const source = await createSource(service.source, service.options, { clock });
      return createSearchDataService({ source, clock });
    } catch (error) {
      throw new ServiceSetupError(
        `services.${name}: ${error instanceof Error ? error.message : String(error)}`,
        undefined,
        error,
      );
    }
  }
  return new SearchDataClient({
    baseUrl: service.baseUrl,
    user: service.user.reveal(),
    password: service.password.reveal(),
    concurrency: service.concurrency,
    requestsPerSecond: service.requestsPerSecond,
    timeoutMs: service.timeoutMs,
    clock,
  });
}
