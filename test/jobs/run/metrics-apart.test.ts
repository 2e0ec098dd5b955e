// A service whose keyword metrics and pages have different sources: each has its own label, clock, breaker and past.
import { describe, expect, it } from 'vitest';
import { isSimulated } from '../../../jobs/context.ts';
import { createBreaker } from '../../../jobs/purchase/service-states.ts';
import { recoverRun } from '../../../jobs/run/execute-run.ts';
import {
  createSearchDataService,
  type MetricsSource,
  ServiceError,
  type SourceKind,
} from '../../../src/service/index.ts';
import { JobClock } from '../../helpers/job-clock.ts';
import { keyword, project, service, World } from '../../helpers/jobs.ts';
import { type MemoryScript, memorySource, metricsOf } from '../../helpers/memory-source.ts';

const start = Date.UTC(2026, 0, 15, 6);

let world: World | undefined;

function begin(pages: SourceKind, metrics: SourceKind, script: MemoryScript = {}) {
  const clock = new JobClock();
  clock.set(start);
  const { serp } = memorySource({ kind: pages, ...script });
  const { metrics: apart } = memorySource({ kind: metrics, ...script });
  if (serp === undefined || apart === undefined) throw new Error('the memory source has both halves');
  const named = createSearchDataService({ source: { serp, metrics: { ...apart, name: 'planner' } }, clock });
  const tracked = project({
    keywords: [keyword('shoes', { depth: 1 }), keyword('hats', { depth: 1 })],
    volumes: { schedule: '0 4 * * *', limit: 1 },
    schedule: '0 5 * * *',
  });
  world = new World({ projects: [tracked], services: new Map([[service, named]]), clock });
  return world;
}

const failing = () => {
  throw new ServiceError('WORKER_FAILED', 'The planner is down.', { charged: 'unknown' });
};

describe('metrics of another source than the pages', () => {
  it('have their own label, and the month of their own clock', async () => {
    const world = begin('sandbox', 'live');
    await world.run({ kind: 'slot', projects: world.projects, at: start - 40 * 86_400_000 });
    const volumes = world.rows('SELECT DISTINCT month, source FROM volumes');
    expect(volumes.map((row) => [row['month'], row['source']])).toEqual([['2026-01', 'vendor/planner']]);
    const checks = world.rows('SELECT DISTINCT source FROM checks WHERE source IS NOT NULL');
    expect(checks.map((row) => row['source'])).toEqual(['vendor/memory']);
  });

  it('follow the slot if they are simulated, with any source of pages', async () => {
    const world = begin('live', 'sandbox');
    // of ranks; that of volumes is at 04:00
    const slot = start - 40 * 86_400_000;
    await world.run({ kind: 'slot', projects: world.projects, at: slot });
    const volumes = world.rows('SELECT DISTINCT month, observed_at, source FROM volumes');
    expect(volumes).toEqual([{ month: '2025-12', observed_at: slot - 2 * 3_600_000, source: 'vendor/planner' }]);
  });

  it('that fail stop no pages, and failing pages stop no metrics', async () => {
    const world = begin('live', 'live', { metrics: failing });
    await world.run({ kind: 'due' });
    expect(world.store.purchaseAttempts.failuresInARow(service, 'micro_usd')).toBeGreaterThan(0);
    expect(world.store.purchaseAttempts.failuresInARow(service, 'serp_credit')).toBe(0);
    const room = (currency: 'serp_credit' | 'micro_usd') =>
      createBreaker(world.context, service, currency)?.room(start);
    expect(room('serp_credit')).toBe(Number.POSITIVE_INFINITY);
    expect(room('micro_usd')).toBeLessThan(10);
  });

  it('have a circuit breaker if they are live, with any source of pages', () => {
    const live = begin('sandbox', 'live');
    expect(createBreaker(live.context, service)).toBeNull();
    expect(createBreaker(live.context, service, 'micro_usd')).not.toBeNull();
    live.close();
    const simulated = begin('live', 'sandbox');
    expect(createBreaker(simulated.context, service)).not.toBeNull();
    expect(createBreaker(simulated.context, service, 'micro_usd')).toBeNull();
  });

  it('are simulated only if their source says so', () => {
    const { context } = begin('sandbox', 'live');
    expect(isSimulated(context, service, 'serp_credit')).toBe(true);
    expect(isSimulated(context, service, 'micro_usd')).toBe(false);
    for (const currency of ['serp_credit', 'micro_usd'] as const)
      expect(isSimulated(context, 'gone', currency)).toBe(false);
  });

  it('without a recorded answer count as spent after a crash, and simulated pages do not', async () => {
    const world = begin('sandbox', 'live');
    const { store, clock, owner } = world.context;
    const run = store.transaction(() => store.runs.open({ kind: 'adhoc', moment: start, owner, at: start }, []));
    if (run === null) throw new Error('no run');
    const keys = { day: '2026-01-15', month: '2026-01' };
    store.transaction(() => {
      for (const currency of ['serp_credit', 'micro_usd'] as const) {
        const ask = { runId: run.id, checkId: null, currency, amount: 1, at: start, keys };
        const reserved = store.ledger.reserve(ask);
        if (!reserved.ok) throw new Error('no room');
        const purchase = { reservationId: reserved.id, service, requestKey: currency, searchId: null, page: null };
        const simulated = isSimulated(world.context, service, currency);
        store.ledger.open({ ...purchase, moment: start, price: 1, isSimulated: simulated, at: clock.now() });
      }
    });
    await recoverRun(world.context, world.queue, run.id, new AbortController().signal);
    const states = world.rows('SELECT request_key, state FROM purchases ORDER BY request_key');
    expect(states.map((row) => [row['request_key'], row['state']])).toEqual([
      ['micro_usd', 'unknown'],
      ['serp_credit', 'free'],
    ]);
  });

  it('are requested together up to the limit, without close variants', async () => {
    const texts = Array.from({ length: 100 }, (_, nth) =>
      nth === 50 ? 'shoe 1' : nth === 1 ? 'shoes 1' : `shoe ${nth}`,
    );
    const calls: (readonly string[])[] = [];
    const clock = new JobClock();
    clock.set(start);
    const { serp } = memorySource();
    const metrics: MetricsSource = {
      name: 'planner',
      kind: 'live',
      async fetchMetrics({ keyword: asked }, { wanted = [] }) {
        calls.push([asked, ...wanted]);
        return [asked, ...wanted].map((text) => metricsOf(text, text === 'shoe 7' ? null : 10));
      },
    };
    if (serp === undefined) throw new Error('the memory source has pages');
    const named = createSearchDataService({ source: { serp, metrics }, clock });
    const keywords = texts.map((text) => keyword(text, { depth: 1 }));
    const tracked = project({ keywords, volumes: { schedule: '0 4 * * *', limit: 33 } });
    world = new World({ projects: [tracked], services: new Map([[service, named]]), clock });
    await world.run({ kind: 'due' });
    expect(calls.map((call) => call.length)).toEqual([33, 33, 33, 1]);
    expect(new Set(calls.flat()).size).toBe(100);
    expect(calls.findIndex((call) => call.includes('shoe 1'))).not.toBe(
      calls.findIndex((call) => call.includes('shoes 1')),
    );
    expect(world.value('SELECT count(*) FROM volumes')).toBe(100);
    expect(world.value('SELECT count(*) FROM volumes WHERE search_volume IS NULL')).toBe(1);
    expect(world.store.audit.totals('micro_usd')).toMatchObject({ spent: 40_000, unknown: 0, open: 0 });
    expect(world.broken()).toEqual([]);
  });

  it('are requested once per month and keyword, as all metrics are', async () => {
    let asked = 0;
    const world = begin('sandbox', 'live', { metrics: ({ keyword: text }) => [metricsOf(text, ++asked)] });
    await world.run({ kind: 'due' });
    world.clock.set(start + 86_400_000);
    await world.run({ kind: 'due' });
    expect(asked).toBe(2);
  });
});
