// What a run left undone is done later: a slot that is named again is finished, and metrics are requested the next day.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ranksBackfill } from '../../../jobs/backfill/backfill.ts';
import { openOwner } from '../../../jobs/ownership.ts';
import { duenessReport } from '../../../jobs/query/status.ts';
import { triesAfterMs } from '../../../jobs/retry.ts';
import { closeLater, temporaryFolder } from '../../helpers/closing.ts';
import { JobClock } from '../../helpers/job-clock.ts';
import { keyword, project, World, type WorldOptions } from '../../helpers/jobs.ts';
import { type Fault, type Provider, startProvider } from '../../helpers/provider.ts';

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

const minuteMs = 60_000;
const start = Date.UTC(2026, 0, 15, 6);
const due = { kind: 'due' } as const;

describe('what a slot left undone', () => {
  /** Six searches at 06:00, at a provider with `trouble`. */
  async function daily(
    more: Partial<WorldOptions> & { readonly retryFailed?: boolean; readonly schedule?: string } = {},
  ) {
    let trouble: (keyword: string) => Fault = () => 'ok';
    const provider = await startProvider({ fault: (_, body) => trouble(String(body['keyword'])) });
    const clock = new JobClock(start);
    const keywords = Array.from({ length: 6 }, (_, index) => keyword(`k${index}`, { depth: 1 }));
    const { retryFailed, schedule = '0 6 * * *', ...options } = more;
    const world = new World({
      ...{ clock, provider, concurrency: 1, reports: true as const },
      projects: [project({ schedule, keywords, ...(retryFailed === undefined ? {} : { retryFailed }) })],
      ...options,
    });
    return {
      world,
      get asked() {
        return provider.requests.length;
      },
      set trouble(next: (keyword: string) => Fault) {
        trouble = next;
      },
      async at(minutes: number) {
        clock.set(start + minutes * minuteMs);
        return await world.run(due);
      },
      get counts() {
        return world.store.checks.counts(1);
      },
      get dueness() {
        return duenessReport(world.context, world.projects)[0];
      },
    };
  }

  const down: Fault = { status: 500, code: 'SERP_FAILED' };
  const dead: Fault = { status: 401, code: 'INVALID_API_KEY' };

  it('is tried again by the next run of the day, in the same run, whose report is written again', async () => {
    const one = await daily();
    one.trouble = (text) => (text === 'k1' || text === 'k4' ? down : 'ok');
    await one.at(0);
    expect(one.counts).toMatchObject({ ok: 4, unknown_paid: 2 });
    expect(one.dueness?.unfinished).toMatchObject({
      failed: 2,
      outlook: 'the next `rankledger run` tries them again, and `schedule` from 2026-01-15T06:15',
      repair: 'rankledger backfill ranks --failed --project acme',
    });
    one.trouble = () => 'ok';
    expect(await one.at(5)).toMatchObject([{ runId: 1, resumed: true }]);
    expect(one.counts).toMatchObject({ ok: 6, unknown_paid: 0 });
    expect(one.world.value('SELECT state FROM runs')).toBe('complete');
    expect(one.world.value('SELECT count(suspect_reason) FROM slots')).toBe(0);
    expect(one.world.table('rank-changes.csv').map((row) => row['status'])).toEqual(Array(6).fill('not_found'));
    expect(one.dueness?.unfinished).toBeNull();
    expect(await one.at(10)).toEqual([]);
    expect(one.world.broken()).toEqual([]);
  });

  it('is tried again at growing intervals, however often `run` is called', async () => {
    const one = await daily();
    one.trouble = () => dead;
    const tries: number[] = [];
    for (let minutes = 0; minutes < 24 * 60; minutes += 5) {
      const before = one.asked;
      await one.at(minutes);
      if (one.asked > before) tries.push(minutes);
    }
    expect(tries).toEqual([0, 5, ...triesAfterMs.map((ms) => ms / minuteMs)]);
    expect(one.asked).toBe(tries.length);
    expect(one.world.broken()).toEqual([]);
  });

  it('costs a page that is never answered one more attempt with each try', async () => {
    const one = await daily();
    one.trouble = (text) => (text === 'k3' ? down : 'ok');
    for (let minutes = 0; minutes < 24 * 60; minutes += 5) await one.at(minutes);
    expect(one.counts).toMatchObject({ ok: 5, unknown_paid: 1 });
    expect(one.world.credits).toEqual({ spent: 5, unknown: 3 + 1 + triesAfterMs.length, open: 0 });
    expect(one.world.broken()).toEqual([]);
  });

  it('is not tried again on another day than its own, nor where the project says so', async () => {
    const one = await daily({ schedule: '0 6 * * 4' });
    one.trouble = (text) => (text === 'k3' ? down : 'ok');
    await one.at(0);
    one.trouble = () => 'ok';
    expect(await one.at(24 * 60)).toEqual([]);
    expect(one.counts).toMatchObject({ ok: 5, unknown_paid: 1 });
    expect(one.dueness?.unfinished).toMatchObject({ retryAt: null, outlook: 'the next slot checks them' });
    const off = await daily({ retryFailed: false });
    off.trouble = (text) => (text === 'k3' ? down : 'ok');
    await off.at(0);
    off.trouble = () => 'ok';
    expect(await off.at(30)).toEqual([]);
    expect(off.dueness?.unfinished).toMatchObject({ retryAt: null, outlook: 'the next slot checks them' });
  });

  it('for want of budget is bought at once where the budget is raised, and not before', async () => {
    const file = join(temporaryFolder(), 'db.sqlite');
    const poor = await daily({ file, caps: { serp_credit: { perDay: 4 }, micro_usd: {} } });
    await poor.at(0);
    expect(poor.counts).toMatchObject({ ok: 4, deferred: 2 });
    expect(await poor.at(20)).toEqual([]);
    expect(poor.dueness?.unfinished?.outlook).toBe('tried again when the budget has room, at once if it is raised');
    await poor.world.close();
    const rich = await daily({ file, caps: { serp_credit: { perDay: 5 }, micro_usd: {} } });
    expect(await rich.at(21)).toMatchObject([{ runId: 1 }]);
    expect(rich.counts).toMatchObject({ ok: 5, deferred: 1 });
    expect(await rich.at(22)).toEqual([]);
    expect(rich.world.broken()).toEqual([]);
  });

  it('and a backfill has bought since is neither reported as undone nor bought again', async () => {
    const one = await daily();
    one.trouble = () => dead;
    await one.at(0);
    expect(one.dueness).toMatchObject({ nothingChecked: { runId: 1 }, unfinished: { deferred: 6 } });
    one.trouble = () => 'ok';
    one.world.clock.set(start + minuteMs);
    const options = { keywords: [], tags: [], pages: null, missing: false, failed: true };
    await one.world.run(ranksBackfill(one.world.context, one.world.projects, options));
    expect(one.dueness).toMatchObject({ nothingChecked: null, unfinished: null });
    const before = one.asked;
    expect(await one.at(20)).toEqual([]);
    expect(one.asked).toBe(before);
    expect(one.world.broken()).toEqual([]);
  });

  it('makes its slot suspect no longer once a backfill has bought it', async () => {
    const one = await daily();
    one.trouble = () => down;
    await one.at(0);
    expect(one.world.value('SELECT count(suspect_reason) FROM slots')).toBe(1);
    one.trouble = () => 'ok';
    one.world.clock.set(start + 20 * minuteMs);
    const options = { keywords: [], tags: [], pages: null, missing: false, failed: true };
    await one.world.run(ranksBackfill(one.world.context, one.world.projects, options));
    expect(one.world.value('SELECT count(suspect_reason) FROM slots')).toBe(0);
    expect(JSON.parse(one.world.report('manifest.json'))).toMatchObject({ run: { status: 'complete' } });
  });

  it('is opened again by one of two processes, and the other buys nothing', async () => {
    const file = join(temporaryFolder(), 'db.sqlite');
    const owners = [openOwner(), openOwner()] as const;
    for (const owner of owners) closeLater(owner);
    const one = await daily({ file, owner: owners[0].name });
    one.trouble = (text) => (text === 'k3' ? down : 'ok');
    await one.at(0);
    one.trouble = () => 'ok';
    const other = await daily({ file, owner: owners[1].name });
    await Promise.all([one.at(5), other.at(5)]);
    expect(one.counts).toMatchObject({ ok: 6 });
    expect(one.world.credits).toEqual({ spent: 6, unknown: 3, open: 0 });
    expect(one.world.broken()).toEqual([]);
  });

  it('is bought again where its paid answer was of no use, once with each try', async () => {
    const one = await daily();
    one.trouble = (text) => (text === 'k2' ? 'html' : 'ok');
    await one.at(0);
    const asked = one.asked;
    await one.at(5);
    expect(one.asked).toBe(asked + 1);
    one.trouble = () => 'ok';
    await one.at(20);
    expect(one.counts).toMatchObject({ ok: 6 });
    expect(one.world.broken()).toEqual([]);
  });

  it('goes on where the process that tried it again was stopped', async () => {
    const one = await daily();
    one.trouble = () => dead;
    await one.at(0);
    one.trouble = () => 'ok';
    const stop = new AbortController();
    const signals = { stop: stop.signal, giveUp: new AbortController().signal };
    await one.world.run(due, { signals, onProgress: ({ done }) => (done === 3 ? stop.abort() : undefined) });
    expect(one.world.value('SELECT state FROM runs')).toBe('open');
    expect(await one.at(1)).toMatchObject([{ runId: 1, resumed: true }]);
    expect(one.counts).toMatchObject({ ok: 6 });
    expect(one.world.credits).toEqual({ spent: 6, unknown: 0, open: 0 });
  });
});
