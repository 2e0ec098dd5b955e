// What a run left undone is done later: a slot that is named again is finished, and metrics are requested the next day.
import { expect, it } from 'vitest';
import { keyword, project, World, type WorldOptions } from '../../helpers/jobs.ts';
import { type Provider, startProvider } from '../../helpers/provider.ts';

const dayMs = 86_400_000;

async function begin(more: Partial<WorldOptions> = {}): Promise<{ world: World; provider: Provider }> {
  const provider = await startProvider();
  const keywords = Array.from({ length: 6 }, (_, index) => keyword(`k${index}`, { depth: 1 }));
  const world = new World({ provider, projects: [project({ keywords })], concurrency: 1, ...more });
  return { world, provider };
}

it('a halted slot that is run again is finished, and pays only for what was left', async () => {
  const { world, provider } = await begin();
  const at = world.clock.now();
  provider.next('ok', 'ok', { status: 402, code: 'INSUFFICIENT_CREDITS' });
  await world.runSlot(at);
  expect(world.store.checks.counts(1)).toMatchObject({ ok: 2, deferred: 4 });
  const [finished] = await world.runSlot(at);
  expect(finished).toMatchObject({ runId: 1, resumed: true });
  expect(world.store.checks.counts(1)).toMatchObject({ ok: 6, deferred: 0 });
  expect(world.value('SELECT state FROM runs')).toBe('complete');
  expect(provider.sold.serpCredits).toBe(6);
  expect(world.broken()).toEqual([]);
});

it('a slot whose process was killed on a short budget is deferred when it is run again, and is not left open', async () => {
  const { world } = await begin({ caps: { serp_credit: { perRun: 3 }, micro_usd: {} } });
  const at = world.clock.now();
  const stop = new AbortController();
  await world.run(
    { kind: 'slot', projects: world.projects, at },
    {
      signals: { stop: stop.signal, giveUp: new AbortController().signal },
      onProgress: ({ done }) => (done === 2 ? stop.abort() : undefined),
    },
  );
  expect(world.value('SELECT state FROM runs')).toBe('open');
  for (let times = 0; times < 2; times += 1) {
    const runs = await world.runSlot(at);
    expect(runs).toMatchObject([{ runId: 1, interrupted: false }]);
    expect(world.value('SELECT state FROM runs')).toBe('partial');
  }
  expect(world.store.checks.counts(1).deferred).toBeGreaterThan(0);
  expect(world.broken()).toEqual([]);
});

it('a complete slot that is run again does nothing', async () => {
  const { world, provider } = await begin();
  const at = world.clock.now();
  await world.runSlot(at);
  expect(await world.runSlot(at)).toEqual([]);
  expect(provider.sold.serpCredits).toBe(6);
});

it('metrics that the budget could not pay are bought the next day, and existing ones are not bought again', async () => {
  const volumes = { schedule: '0 4 2 * *', limit: 1 };
  const keywords = Array.from({ length: 3 }, (_, index) => keyword(`k${index}`, { depth: 1 }));
  const caps = { serp_credit: {}, micro_usd: { perDay: 20_000 } };
  const { world, provider } = await begin({ caps, projects: [project({ keywords, volumes })] });
  await world.run({ kind: 'due' });
  expect(world.value('SELECT count(*) FROM volumes')).toBe(2);
  await world.run({ kind: 'due' });
  expect(world.value('SELECT count(*) FROM volumes')).toBe(2);
  world.clock.advance(dayMs);
  await world.run({ kind: 'due' });
  expect(world.value('SELECT count(*) FROM volumes')).toBe(3);
  world.clock.advance(dayMs);
  await world.run({ kind: 'due' });
  expect(provider.sold.microUsd).toBe(30_000);
  expect(world.broken()).toEqual([]);
});
