// Reports and alerts that cannot be written: due runs do not wait for them, and they are written later.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PipelineSettings } from '../../../jobs/run/run-request.ts';
import { Scheduler } from '../../../jobs/run/scheduler.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { deadOwner, keyword, project, resultsWith, World } from '../../helpers/jobs.ts';
import { type Provider, startProvider } from '../../helpers/provider.ts';

const start = Date.UTC(2026, 0, 15, 6);
const dayMs = 86_400_000;
const schedule = '0 6 * * *';

const one = (id: string): Project => project({ id, keywords: [keyword(`of ${id}`, { depth: 1 })] });
const three = [one('acme'), one('beta'), one('coda')];

async function worldWith(projects: readonly Project[] = three): Promise<{ world: World; provider: Provider }> {
  const provider = await startProvider({ pageSize: () => 10, results: () => resultsWith('https://acme.example/', 1) });
  const world = new World({ provider, projects, reports: temporaryFolder() });
  world.clock.set(start);
  return { world, provider };
}

const html = (world: World): Partial<PipelineSettings> => ({ reports: { ...world.settings().reports, html: true } });

describe('a report that cannot be written', () => {
  it('stops no project from being bought, reported and alerted, day after day', async () => {
    const { world, provider } = await worldWith();
    writeFileSync(join(world.reports, 'acme'), 'a file where the folder should be');
    for (const day of [0, 1, 2]) {
      world.clock.set(start + day * dayMs);
      const [run] = await world.run();
      expect(run?.reports.map((report) => report.project)).toEqual(['beta', 'coda']);
    }
    expect(provider.sold.serpCredits).toBe(9);
    expect(world.rows('SELECT count(*) AS n FROM runs WHERE reported_at IS NULL')).toEqual([{ n: 0 }]);
    const failures = world.store.reportFailures.all(10);
    expect(failures.map(({ runId, part, project: id }) => [runId, part, id])).toEqual([
      [3, 'report', 'acme'],
      [2, 'report', 'acme'],
      [1, 'report', 'acme'],
    ]);
    expect(failures[0]?.reason).toContain('acme');
    expect(failures.map(({ attempts }) => attempts)).toEqual([2, 3, 4]);
  });

  it('is written by the next run that can, and no warning remains', async () => {
    const { world } = await worldWith();
    const blocked = join(world.reports, 'acme');
    writeFileSync(blocked, '');
    await world.run();
    rmSync(blocked);
    await world.run({ kind: 'due' });
    expect(world.store.reportFailures.all(10)).toEqual([]);
    mkdirSync(blocked, { recursive: true });
    expect(world.store.reportRuns.latestReported('acme', world.clock.now())?.id).toBe(1);
  });

  it('is dropped once its project is no longer tracked', async () => {
    const { world } = await worldWith();
    writeFileSync(join(world.reports, 'acme'), '');
    await world.run();
    (world.context.projects as Map<string, Project>).delete('acme');
    await world.run({ kind: 'due' });
    expect(world.store.reportFailures.all(10)).toEqual([]);
  });

  it('may be the index of all reports: the reports themselves remain', async () => {
    const { world } = await worldWith([one('acme')]);
    mkdirSync(join(world.reports, 'index.html'));
    const [run] = await world.run(undefined, html(world));
    expect(run?.reports).toHaveLength(1);
    expect(world.store.reportFailures.all(10)).toMatchObject([{ runId: 1, part: 'index', project: null }]);
  });

  it('of a process that died is written after due slots were bought', async () => {
    const { world, provider } = await worldWith([one('acme')]);
    await world.run();
    world.db.sql('UPDATE runs SET reported_at = NULL, owner = ?').run(deadOwner);
    const order: string[] = [];
    world.clock.set(start + dayMs);
    await world.run(undefined, { onProgress: ({ phase, runId }) => void order.push(`${phase} ${runId}`) });
    expect(order.indexOf('checking 2')).toBeGreaterThanOrEqual(0);
    expect(order.indexOf('reporting 1')).toBeGreaterThan(order.indexOf('checking 2'));
    expect(provider.sold.serpCredits).toBe(2);
  });
});

describe('alerts that cannot be computed', () => {
  type Alerts = NonNullable<PipelineSettings['alerts']>;
  type Rules = ReturnType<Alerts['rulesOf']>;
  /** It is chosen, and fails when it is applied. */
  const broken = {
    get when(): string {
      throw new Error('a rule that cannot be applied');
    },
  } as unknown as Rules[number];
  const alertsWith = (ofAcme: Rules): Alerts => ({ channels: ['ops'], rulesOf: (id) => (id === 'acme' ? ofAcme : []) });

  it('of one project are kept for later, and no run stays unreported', async () => {
    const { world } = await worldWith();
    await world.run(undefined, { alerts: alertsWith([broken]) });
    expect(world.store.reportFailures.all(10)).toMatchObject([
      { part: 'alerts', project: 'acme', reason: 'a rule that cannot be applied' },
    ]);
    expect(world.rows('SELECT count(*) AS n FROM runs WHERE reported_at IS NULL')).toEqual([{ n: 0 }]);
    await world.run({ kind: 'due' }, { alerts: alertsWith([]) });
    expect(world.store.reportFailures.all(10)).toEqual([]);
  });
});

describe('a run that fails', () => {
  it('does not stop other runs, and is reported at the end', async () => {
    const { world, provider } = await worldWith([
      { ...one('acme'), timezone: 'UTC' },
      { ...one('beta'), timezone: 'UTC' },
    ]);
    const poisoned = world.store.runs.open({ kind: 'ranks', moment: 1, owner: deadOwner, at: 1 }, [
      { project: 'acme', slot: '1970-01-01T00:00', at: 1, timezone: 'UTC', localDate: '1970-01-01' },
    ]);
    const planned = world.store.checks.counts.bind(world.store.checks);
    world.store.checks.counts = (runId: number) => {
      if (runId === poisoned?.id) throw new Error('this run is poisoned');
      return planned(runId);
    };
    const beta = world.projects.filter(({ id }) => id === 'beta');
    await expect(world.run({ kind: 'now', projects: beta })).rejects.toThrow('this run is poisoned');
    expect(provider.sold.serpCredits).toBe(1);
    expect(world.store.reportRuns.latestReported('beta', world.clock.now())?.id).toBe(2);
  });
});

describe('the scheduler', () => {
  it('buys what is due even if reports fail, and retries the reports ever more rarely', async () => {
    const { world } = await worldWith([{ ...one('acme'), schedule }]);
    writeFileSync(join(world.reports, 'acme'), '');
    await world.run();
    const scheduler = new Scheduler(world.context, { ...world.settings(), onEvent: () => {} });
    for (let minute = 1; minute <= 16; minute += 1) {
      world.clock.advance(60_000);
      scheduler.tick();
      await scheduler.idle();
    }
    expect(world.store.reportFailures.all(1)[0]?.attempts).toBeLessThanOrEqual(7);
    expect(world.store.reportFailures.all(1)[0]?.attempts).toBeGreaterThanOrEqual(4);
  });
});
