// A service that refuses us: its checks are deferred and come first next time, and other services continue.
import { describe, expect, it } from 'vitest';
import { JobClock } from '../../helpers/job-clock.ts';
import { clientOf, keyword, project, resultsWith, World } from '../../helpers/jobs.ts';
import { type Provider, type ProviderOptions, startProvider } from '../../helpers/provider.ts';

const at = Date.UTC(2026, 0, 15, 6);
const dayMs = 86_400_000;
async function provide(fault: ProviderOptions['fault'] = () => 'ok'): Promise<Provider> {
  const provider = await startProvider({ fault, results: () => resultsWith('https://acme.example/', 1) });
  return provider;
}

const keywords = (count: number, name = 'k') =>
  Array.from({ length: count }, (_, index) => keyword(`${name}${index}`, { depth: 1 }));
const volumes = { schedule: '0 4 2 * *', limit: 1 };

/** Two projects, `first` at one service and `second` at the other. */
function twoServices(first: Provider, second: Provider, more: { volumes?: typeof volumes } = {}): World {
  const clock = new JobClock(at);
  const world = new World({
    clock,
    services: new Map([
      ['first', clientOf(first, clock)],
      ['second', clientOf(second, clock)],
    ]),
    projects: [
      project({ id: 'acme', service: 'first', keywords: keywords(8, 'a'), ...more }),
      project({ id: 'globex', service: 'second', keywords: keywords(8, 'b'), ...more }),
    ],
    concurrency: 1,
  });
  return world;
}

/** One call in which volumes and ranks of a project are due. */
async function dueAt(provider: Provider) {
  const clock = new JobClock(at);
  const world = new World({
    provider,
    clock,
    projects: [project({ schedule: '0 6 * * *', keywords: keywords(3), volumes })],
    concurrency: 1,
  });
  world.clock.set(Date.UTC(2026, 1, 3, 7));
  return { world, runs: await world.run({ kind: 'due' }) };
}

const refusals = [
  [402, 'INSUFFICIENT_CREDITS'],
  [401, 'INVALID_API_KEY'],
  [403, 'IP_NOT_WHITELISTED'],
] as const;

describe('a service that refuses us', () => {
  it.each(refusals)(
    'with %i gets no further request, and the other service of the run continues',
    async (status, code) => {
      const [first, second] = [await provide((nth) => (nth > 3 && nth < 5 ? { status } : 'ok')), await provide()];
      const world = twoServices(first, second);
      const [run] = await world.runSlot(at);
      expect(run).toMatchObject({ interrupted: false });
      expect(first.requests.length).toBe(4);
      expect(second.sold.serpCredits).toBe(8);
      expect(world.store.runs.run(1)).toMatchObject({ state: 'halted', reason: expect.stringContaining(code) });
      expect(world.store.checks.counts(1)).toMatchObject({ ok: 11, deferred: 5, planned: 0, running: 0 });
      expect(world.value("SELECT reason FROM checks WHERE state = 'deferred'")).toContain(code);
      expect(world.credits).toEqual({ spent: 11, unknown: 0, open: 0 });
      // the next day begins with what was deferred
      world.clock.set(at + dayMs);
      await world.runSlot(at + dayMs);
      expect(first.requests.slice(4, 9).map(({ body }) => body['keyword'])).toEqual(['a3', 'a4', 'a5', 'a6', 'a7']);
      expect(world.store.checks.counts(2)).toMatchObject({ ok: 16, deferred: 0 });
      expect(world.broken()).toEqual([]);
    },
  );

  it('ends requests that wait to be sent, and a check keeps the pages that it has', async () => {
    const provider = await provide((nth) => (nth > 10 ? { status: 402 } : 'ok'));
    const world = new World({
      provider,
      clock: new JobClock(at),
      projects: [project({ keywords: Array.from({ length: 12 }, (_, index) => keyword(`k${index}`, { depth: 3 })) })],
      concurrency: 6,
    });
    await world.runSlot(at);
    expect(provider.requests.length).toBeLessThanOrEqual(10 + 6);
    expect(world.credits).toEqual({ spent: 10, unknown: 0, open: 0 });
    expect(world.value('SELECT count(*) FROM pages')).toBe(10);
    expect(world.broken()).toEqual([]);
  });

  it('gets no keyword data request either, while the other service does', async () => {
    const [first, second] = [await provide(() => ({ status: 402 })), await provide()];
    const world = twoServices(first, second, { volumes });
    world.clock.set(Date.UTC(2026, 1, 3));
    const runs = await world.run({ kind: 'due' });
    expect(first.requests.length).toBe(1);
    expect(second.requests.length).toBe(8);
    expect(world.store.runs.run(runs[0]?.runId ?? 0)).toMatchObject({
      kind: 'volumes',
      state: 'halted',
      reason: expect.stringContaining('INSUFFICIENT_CREDITS'),
    });
    expect(world.broken()).toEqual([]);
  });

  it('for lack of dollars still sells pages: the rank run of the same call is executed', async () => {
    const provider = await provide((_nth, body) => ('limit' in body ? { status: 402 } : 'ok'));
    const { world, runs } = await dueAt(provider);
    expect(runs.map(({ runId }) => world.store.runs.run(runId))).toMatchObject([
      { kind: 'volumes', state: 'halted' },
      { kind: 'ranks', state: 'complete' },
    ]);
    expect(provider.sold.serpCredits).toBe(3);
    expect(world.broken()).toEqual([]);
  });

  it('for bad credentials gets no more requests in the call: the ranks stay due, and the call says so', async () => {
    const provider = await provide(() => ({ status: 401 }));
    const { world, runs } = await dueAt(provider);
    expect(provider.requests.length).toBe(1);
    expect(runs).toMatchObject([
      { problems: expect.arrayContaining(['ranks of acme wait: service "vendor" is halted']) },
    ]);
    expect(world.rows('SELECT kind FROM slots WHERE run_id IS NOT NULL')).toEqual([{ kind: 'volumes' }]);
    expect(world.broken()).toEqual([]);
  });

  it('in a run that is stopped leaves the run to the next start, which finishes what is possible', async () => {
    const [first, second] = [await provide((nth) => (nth === 1 ? { status: 402 } : 'ok')), await provide()];
    const world = twoServices(first, second);
    const running = world.runSlot(at);
    await second.untilRequests(2);
    world.stop();
    expect(await running).toMatchObject([{ interrupted: true }]);
    expect(world.store.runs.run(1)?.state).toBe('open');
    expect(world.credits.open).toBe(0);
    expect(world.broken()).toEqual([]);
  });
});
