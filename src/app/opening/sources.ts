// Opens the sources behind embedded services.

import type { ServiceConfig } from '../../../config/resolve.ts';
import { keywordDatasets } from '../../../db/dataset/keyword-dataset.ts';
import {
  type AccountStore,
  type Clock,
  createAnswerSource,
  createMetricsSource,
  createSearchDataService,
  createSource,
  describeSource,
  errorText,
  type SearchDataService,
  type ServiceHost,
  type Source,
  type SourceDependencies,
  type SourceMemory,
  sourceKindOf,
} from '../../service/index.ts';
import { ServiceSetupError } from './failures.ts';

export type EmbeddedConfig = Extract<ServiceConfig, { mode: 'embedded' }>;

export interface ServicesHost {
  readonly clock: Clock;
  /** Opens the accounts, for services that charge one. Absent in workers: they serve none of these. */
  readonly accounts?: () => AccountStore;
  /** What the source of a service remembers across restarts; absent if this process has no database for it. */
  readonly memoryOf?: (service: string) => SourceMemory;
  /** Wraps each service, such as with a rate limiter. */
  readonly wrap?: (name: string, service: SearchDataService) => SearchDataService;
}

/**
 * Opens an embedded service whose callers say which account pays. Throws ServiceSetupError that names the service and
 * the error of its source.
 */
export async function openEmbedded(
  name: string,
  config: EmbeddedConfig,
  host: Omit<ServicesHost, 'accounts'> & Pick<ServiceHost, 'accounts' | 'requestRate'>,
): Promise<SearchDataService> {
  try {
    const source = await makeSource(config, { clock: host.clock, memory: host.memoryOf?.(name) });
    return createSearchDataService({ ...host, source, inFlight: await findInFlightLimits(config) });
  } catch (error) {
    const message = errorText(error);
    throw new ServiceSetupError(`services.${name}: ${message}`, undefined, error);
  }
}

/**
 * API users share the concurrency of the source. More requests would wait in the source's queue, first come, first
 * served.
 */
async function findInFlightLimits({ source, options }: EmbeddedConfig): Promise<NonNullable<ServiceHost['inFlight']>> {
  if (sourceKindOf(source) !== 'live') return {};
  const { concurrency } = options as { readonly concurrency?: unknown };
  const total = typeof concurrency === 'number' ? concurrency : (await describeSource(source))?.facts.rate.concurrency;
  return total === undefined ? {} : { serp: { total } };
}

/** The source of the pages, with the metrics and AI answers of others where the config names them. */
export async function makeSource(
  { source: name, options, metrics, answers }: EmbeddedConfig,
  given: Omit<SourceDependencies, 'datasets'>,
): Promise<Source> {
  const dependencies: SourceDependencies = { ...given, datasets: keywordDatasets };
  let source = await createSource(name, options, dependencies);
  try {
    if (metrics !== undefined) {
      await source.metrics?.close?.();
      source = { ...source, metrics: await createMetricsSource(metrics.source, metrics.options, dependencies) };
    }
    if (answers !== undefined) {
      await source.answers?.close?.();
      source = { ...source, answers: await createAnswerSource(answers.source, answers.options, dependencies) };
    }
    return source;
  } catch (error) {
    await closeSource(source);
    throw error;
  }
}

/** Closes all parts; one that serves as several is closed once. */
export async function closeSource({ serp, metrics, answers }: Source): Promise<void> {
  await Promise.all(new Set([serp, metrics, answers]).values().map((part) => part?.close?.()));
}
