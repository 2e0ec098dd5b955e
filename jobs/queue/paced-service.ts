// A service that shares its rate limit with workers on other machines. The queue's driver keeps the limit.
import type { CallOptions, SearchDataService } from '../../src/service/index.ts';

/** The turns of all who ask the services of a config. */
export interface RateLimiter {
  /** Resolves when a request may leave. Rejects with ABORTED, charged `no`, where the signal ended the wait. */
  acquire(service: string, signal?: AbortSignal): Promise<void>;
  /** What a failure says about waiting holds for all. */
  onFailure(service: string, error: unknown): Promise<void>;
  close(): void;
}

/**
 * Keyword metrics of a separate source, and AI answers, are another provider's and do not wait here. Simulated services
 * have no limits.
 */
export function pacedService(name: string, service: SearchDataService, limiter: RateLimiter): SearchDataService {
  if (service.kind !== 'live') return service;
  const paced = async <Answer>(options: CallOptions | undefined, call: () => Promise<Answer>): Promise<Answer> => {
    await limiter.acquire(name, options?.signal);
    try {
      return await call();
    } catch (error) {
      await limiter.onFailure(name, error);
      throw error;
    }
  };
  const { source, kind, metrics, answers, keepsKeys, probe } = service;
  return {
    source,
    kind,
    ...(metrics !== undefined && { metrics }),
    ...(answers !== undefined && { answers }),
    ...(keepsKeys !== undefined && { keepsKeys }),
    serp: (request, options) => paced(options, () => service.serp(request, options)),
    keywordData: (request, options) => {
      const call = () => service.keywordData(request, options);
      return metrics === undefined ? paced(options, call) : call();
    },
    readPage: (body, request, receivedAt) => service.readPage(body, request, receivedAt),
    ...(probe !== undefined && { probe: (signal) => probe.call(service, signal) }),
    close: () => service.close(),
  };
}
