// A paced service: which of its requests take turns, and what is told of their failures.
import { beforeEach, expect, it } from 'vitest';
import { pacedService, type RateLimiter } from '../../../jobs/queue/paced-service.ts';
import { createSearchDataService, ServiceError, systemClock } from '../../../src/service/index.ts';
import { failureOf, type MemoryScript, memorySource, metricsOf, pageOf } from '../../helpers/memory-source.ts';

const seen: string[] = [];
beforeEach(() => void seen.splice(0));

const turns: RateLimiter = {
  acquire: async (service) => void seen.push(`turn of ${service}`),
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

it('asks for pages and keyword data in its turn', async () => {
  const service = pacedService('web', paced().service, turns);
  await service.serp({ keyword: 'shoes' });
  await service.keywordData({ keyword: 'shoes' });
  expect(seen).toEqual(['turn of web', 'page', 'turn of web', 'metrics']);
});

it('passes on what a failure says, and fails with it', async () => {
  const page = () => {
    throw new ServiceError('RATE_LIMIT_EXCEEDED', 'Too fast.', { retryAfterMs: 5 });
  };
  const service = pacedService('web', paced({ page }).service, turns);
  expect(await failureOf(service.serp({ keyword: 'shoes' }))).toMatchObject({ retryAfterMs: 5 });
  expect(seen).toEqual(['turn of web', 'web: RATE_LIMIT_EXCEEDED']);
});

it('sends nothing where its turn does not come', async () => {
  const refusing: RateLimiter = { ...turns, acquire: () => Promise.reject(new ServiceError('ABORTED', 'Given up.')) };
  const service = pacedService('web', paced().service, refusing);
  expect(await failureOf(service.keywordData({ keyword: 'shoes' }))).toMatchObject({ code: 'ABORTED' });
  expect(seen).toEqual([]);
});

it('lets keyword data of another source alone, and simulated services altogether', async () => {
  const { source } = paced();
  const metrics = { ...source.metrics!, name: 'planner' };
  const own = createSearchDataService({ source: { serp: source.serp!, metrics }, clock: systemClock });
  await pacedService('web', own, turns).keywordData({ keyword: 'shoes' });
  await pacedService('web', paced({ kind: 'sandbox' }).service, turns).serp({ keyword: 'shoes' });
  expect(seen).toEqual(['metrics', 'page']);
});

it('is otherwise the service that it paces', async () => {
  const { service, source } = paced();
  const one = pacedService('web', service, turns);
  expect([one.source, one.kind, one.keepsKeys, one.metrics]).toEqual(['memory', 'live', undefined, undefined]);
  await one.close();
  expect(source.closed.sort()).toEqual(['metrics', 'serp']);
});
