// A paced service: which requests wait for the rate limiter, and what it learns of their failures.
import { beforeEach, expect, it } from 'vitest';
import { pacedService, type RateLimiter } from '../../../jobs/queue/queue.ts';
import { createSearchDataService, ServiceError, systemClock } from '../../../src/service/index.ts';
import { failureOf, type MemoryScript, memorySource, metricsOf, pageOf } from '../../helpers/memory-source.ts';

const seen: string[] = [];
beforeEach(() => void seen.splice(0));

const limiter: RateLimiter = {
  acquire: async (service) => void seen.push(`acquired ${service}`),
  onFailure: async (service, error) => void seen.push(`${service}: ${(error as ServiceError).code}`),
  close() {},
};

function paced(script: MemoryScript = {}) {
  const source = memorySource({
    kind: 'live',
    page: (request) => {
      seen.push('page');
      return pageOf(request);
    },
    metrics: ({ keyword }) => {
      seen.push('metrics');
      return [metricsOf(keyword, 10)];
    },
    ...script,
  });
  return { source, service: createSearchDataService({ source, clock: systemClock }) };
}

it('a paced service waits for the rate limiter before each page and each keyword data request', async () => {
  const service = pacedService('web', paced().service, limiter);
  await service.serp({ keyword: 'shoes' });
  await service.keywordData({ keyword: 'shoes' });
  expect(seen).toEqual(['acquired web', 'page', 'acquired web', 'metrics']);
});

it('a paced service reports a failure to the rate limiter, and fails with it', async () => {
  const page = () => {
    throw new ServiceError('RATE_LIMIT_EXCEEDED', 'Too fast.', { retryAfterMs: 5 });
  };
  const service = pacedService('web', paced({ page }).service, limiter);
  expect(await failureOf(service.serp({ keyword: 'shoes' }))).toMatchObject({ retryAfterMs: 5 });
  expect(seen).toEqual(['acquired web', 'web: RATE_LIMIT_EXCEEDED']);
});

it('a paced service sends nothing if the rate limiter refuses', async () => {
  const refusing: RateLimiter = { ...limiter, acquire: () => Promise.reject(new ServiceError('ABORTED', 'Given up.')) };
  const service = pacedService('web', paced().service, refusing);
  expect(await failureOf(service.keywordData({ keyword: 'shoes' }))).toMatchObject({ code: 'ABORTED' });
  expect(seen).toEqual([]);
});

it('a paced service neither paces keyword data of another source nor simulated services', async () => {
  const { source } = paced();
  const metrics = { ...source.metrics!, name: 'planner' };
  const own = createSearchDataService({ source: { serp: source.serp!, metrics }, clock: systemClock });
  await pacedService('web', own, limiter).keywordData({ keyword: 'shoes' });
  await pacedService('web', paced({ kind: 'sandbox' }).service, limiter).serp({ keyword: 'shoes' });
  expect(seen).toEqual(['metrics', 'page']);
});

it('a paced service otherwise behaves like the service that it wraps', async () => {
  const { service, source } = paced();
  const one = pacedService('web', service, limiter);
  expect([one.source, one.kind, one.keepsKeys, one.metrics]).toEqual(['memory', 'live', undefined, undefined]);
  await one.close();
  expect(source.closed.sort()).toEqual(['metrics', 'serp']);
});
