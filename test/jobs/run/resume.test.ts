import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { planRun } from '../../../jobs/run/plan-run.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { dieAt } from '../../helpers/death.ts';
import { unexplainedSales } from '../../helpers/explained-sales.ts';
import { JobClock } from '../../helpers/job-clock.ts';
import {
  clientOf,
  deadOwner,
  keyword,
  livingOwner,
  ownerWithPid,
  project,
  resultsWith,
  service,
  World,
} from '../../helpers/jobs.ts';
import { type Provider, startProvider } from '../../helpers/provider.ts';

const at = Date.UTC(2026, 0, 15, 6);
const projects = [
  project({ keywords: [keyword('shoes', { depth: 2 }), keyword('boots', { depth: 2 })] }),
  project({ id: 'globex', keywords: [keyword('boots', { depth: 3 }), keyword('hats', { depth: 1 })] }),
];
/** shoes 2, boots 3, hats 1 */
const pagesOfRun = 6;

/** What must be true after everything has ended. */
function expectAllExplained(world: World, provider: Provider): void {
  expect(world.broken()).toEqual([]);
  expect(world.rows("SELECT * FROM runs WHERE state = 'open'")).toEqual([]);
  expect(world.rows("SELECT * FROM purchases WHERE state = 'open'")).toEqual([]);
  expect(
    unexplainedSales(
      world,
      provider.sales.map((sale) => sale.idempotencyKey ?? ''),
    ),
  ).toEqual([]);
  const { spent, unknown } = world.credits;
  expect(spent + unknown).toBeGreaterThanOrEqual(provider.sold.serpCredits);
}

describe('a process that dies at its nth transaction', () => {
  it.each(['before', 'after'] as const)('%s it is durable is followed by one that finishes the run', async (moment) => {
    const provider = await startProvider({ results: () => resultsWith('https://acme.example/', 12) });
    let deaths = 0;
    for (let n = 1; ; n += 3) {
      const salesBefore = provider.sales.length;
      const folder = temporaryFolder();
      const paths = {
        provider,
        projects,
        file: join(folder, 'db.sqlite'),
        reports: join(folder, 'reports'),
        concurrency: 2,
      };
      const first = new World({ ...paths, clock: new JobClock(at), owner: deadOwner });
      const facts = dieAt(first, n, moment);
      await first.runSlot(at).catch(() => undefined);
      await first.close();
      const soldToTheDead = provider.sales.length - salesBefore;

      const second = new World({ ...paths, clock: new JobClock(at + 60_000) });
      const known = Number(second.value("SELECT count(*) FROM purchases WHERE state = 'paid'"));
      const executed = await second.runSlot(at);
      const slice = {
        ...provider,
        sales: provider.sales.slice(salesBefore),
        sold: { serpCredits: provider.sales.length - salesBefore, microUsd: 0 },
      };
      expectAllExplained(second, slice);
      // recorded pages are not bought again; an unrecorded one is bought once more, and the first sale remains unknown
      expect(slice.sales.length - soldToTheDead).toBe(pagesOfRun - known);
      expect(second.checks()).toEqual(['shoes ok 2', 'boots ok 3', 'hats ok 1']);
      expect(second.value('SELECT count(*) FROM slots')).toBe(2);
      expect(second.value('SELECT count(*) FROM runs')).toBe(1);
      expect(second.credits.spent).toBe(pagesOfRun);
      expect(second.credits.unknown).toBeLessThanOrEqual(2);
      for (const id of ['acme', 'globex']) {
        const manifest = JSON.parse(readFileSync(join(paths.reports, id, 'latest', 'manifest.json'), 'utf8'));
        expect(manifest.run).toMatchObject({ id: 1, status: 'complete' });
      }
      // and once more: there is nothing left to do
      expect((await second.runSlot(at)).length).toBe(0);
      if (facts.died) expect(executed.length).toBeLessThanOrEqual(1);
      await second.close();
      if (!facts.died) break;
      deaths += 1;
    }
    await provider.close();
    expect(deaths).toBeGreaterThanOrEqual(4);
  });
});

const later = [
  { title: 'a project', config: projects.slice(1), reason: 'the config has no project "acme" any more' },
  {
    title: 'a keyword',
    config: [{ ...projects[0], keywords: [keyword('boots')] } as Project, projects[1] as Project],
    reason: 'project "acme" does not track this keyword in US en desktop any more',
  },
];

it.each(later)('a run buys nothing for $title that was removed from the config', async ({ config, reason }) => {
  const provider = await startProvider();
  const file = join(temporaryFolder(), 'db.sqlite');
  const first = new World({ provider, projects, file, clock: new JobClock(at), owner: deadOwner });
  const slot = { slot: '2026-01-15T06:00', at, timezone: 'UTC', localDate: '2026-01-15' };
  const slots = projects.map(({ id }) => ({ project: id, ...slot }));
  const run = first.store.transaction(() =>
    first.store.runs.open({ kind: 'ranks', moment: at, owner: deadOwner, at }, slots),
  );
  planRun(first.context, run?.id ?? 0, projects, () => undefined);
  await first.close();

  const second = new World({ provider, projects: config, file, clock: new JobClock(at + 60_000) });
  await second.runSlot(at);
  expect(second.checks()).toEqual(['shoes deferred 0', 'boots ok 3', 'hats ok 1']);
  expect(second.rows("SELECT reason, remedy FROM checks WHERE state = 'deferred'")).toEqual([
    { reason, remedy: 'It is checked when the config has it again.' },
  ]);
  expect(provider.sold.serpCredits).toBe(4);
  expectAllExplained(second, provider);
  await second.close();
  await provider.close();
});

describe('an open run', () => {
  const openRun = (world: World, owner: string): void => {
    world.store.transaction(() =>
      world.store.runs.open({ kind: 'ranks', moment: at, owner, at }, [
        { project: 'acme', slot: '2026-01-15T06:00', at, timezone: 'UTC', localDate: '2026-01-15' },
      ]),
    );
  };

  it('of a living process is refused to a run of its project by name, and left alone by a run of what is due', async () => {
    const provider = await startProvider();
    const world = new World({ provider, projects: [project({ schedule: '0 6 * * *' })], clock: new JobClock(at) });
    openRun(world, livingOwner);
    await expect(world.run()).rejects.toMatchObject({ code: 'RUN_IN_PROGRESS' });
    await expect(world.runSlot(at)).rejects.toMatchObject({ code: 'RUN_IN_PROGRESS' });
    expect(await world.run({ kind: 'due' })).toEqual([]);
    expect(provider.requests.length).toBe(0);
    await world.close();
    await provider.close();
  });

  it('of a dead process is taken over by one of two that try', async () => {
    const provider = await startProvider();
    const file = join(temporaryFolder(), 'db.sqlite');
    const options = { provider, projects: [project()], file, clock: new JobClock(at) };
    const [one, two] = [new World({ ...options, owner: livingOwner }), new World({ ...options })];
    openRun(one, deadOwner);
    const results = await Promise.allSettled([one.runSlot(at), two.runSlot(at)]);
    expect(results.map((result) => result.status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(provider.sold.serpCredits).toBe(3);
    expect(one.value('SELECT count(*) FROM runs')).toBe(1);
    expectAllExplained(one, provider);
    await Promise.all([one.close(), two.close()]);
    await provider.close();
  });

  it('of a process on another machine is taken over only after a long silence', async () => {
    const provider = await startProvider();
    const world = new World({ provider, projects: [project()], clock: new JobClock(at + 9 * 60_000) });
    openRun(world, 'another-machine|boot|1');
    await expect(world.runSlot(at)).rejects.toMatchObject({ code: 'RUN_IN_PROGRESS' });
    world.clock.advance(60_000);
    await world.runSlot(at);
    expect(world.checks()).toEqual(['running shoes ok 3']);
    await world.close();
    await provider.close();
  });

  it('of a service that the config no longer has ends: its checks are deferred, and say why', async () => {
    const provider = await startProvider();
    const file = join(temporaryFolder(), 'db.sqlite');
    const first = new World({ provider, projects: [project()], file, owner: deadOwner, clock: new JobClock(at) });
    dieAt(first, 4, 'before');
    await first.runSlot(at).catch(() => undefined);
    await first.close();
    const second = new World({ provider, projects: [], services: new Map(), file, clock: new JobClock(at) });
    const [run] = await second.run({ kind: 'due' });
    expect(run).toMatchObject({ resumed: true, interrupted: false });
    expect(second.checks()).toEqual(['running shoes deferred 0']);
    expect(second.value('SELECT reason FROM checks')).toContain('no service "vendor"');
    expectAllExplained(second, provider);
    await second.close();
    await provider.close();
  });
});

describe('a request that was in flight when its process died', () => {
  it('counts as spent, even if the config has another service by then, or none', async () => {
    let sold = 0;
    for (let n = 3; n < 12; n += 3) {
      const provider = await startProvider();
      const file = join(temporaryFolder(), 'db.sqlite');
      const paths = { provider, projects, file, concurrency: 3 };
      const first = new World({ ...paths, owner: deadOwner, clock: new JobClock(at) });
      dieAt(first, n, 'before');
      await first.runSlot(at).catch(() => undefined);
      await first.close();
      const second = new World({ ...paths, projects: [], services: new Map(), clock: new JobClock(at) });
      await second.run({ kind: 'due' });
      expectAllExplained(second, provider);
      sold += provider.sold.serpCredits;
      await second.close();
      await provider.close();
    }
    expect(sold).toBeGreaterThan(0);
  });
});

describe('two processes', () => {
  it('that get one slot at once make one run of it', async () => {
    const provider = await startProvider();
    const file = join(temporaryFolder(), 'db.sqlite');
    const owners = [livingOwner, ownerWithPid(1)];
    const worlds = owners.map(
      (owner) => new World({ provider, projects: [project()], file, clock: new JobClock(at), owner }),
    );
    const results = await Promise.allSettled(worlds.map((world) => world.runSlot(at)));
    expect(worlds[0]!.value('SELECT count(*) FROM runs')).toBe(1);
    expect(results.filter((result) => result.status === 'fulfilled').length).toBeGreaterThanOrEqual(1);
    expect(provider.sold.serpCredits).toBe(3);
    expectAllExplained(worlds[0]!, provider);
    await Promise.all(worlds.map((world) => world.close()));
    await provider.close();
  });

  it('that need the same page for one slot buy it once: the second waits for the purchase of the first', async () => {
    const provider = await startProvider({ results: () => resultsWith('https://acme.example/', 3) });
    const file = join(temporaryFolder(), 'db.sqlite');
    const both = { provider, file, clock: new JobClock(at) };
    // each believes that the other lives: one has the pid of our parent, the other that of init
    const acme = new World({ ...both, projects: [project()], owner: livingOwner });
    const globex = new World({ ...both, projects: [project({ id: 'globex' })], owner: ownerWithPid(1) });
    await Promise.all([acme.runSlot(at), globex.runSlot(at)]);
    expect(provider.sold.serpCredits).toBe(3);
    expect(acme.checks()).toEqual(['running shoes ok 3', 'running shoes ok 3']);
    expect(acme.rankings()).toEqual(['acme.example rank 3', 'acme.example rank 3']);
    expectAllExplained(acme, provider);
    await Promise.all([acme.close(), globex.close()]);
    await provider.close();
  });

  it('do not both write the reports of a run that one has just closed', async () => {
    const provider = await startProvider();
    const folder = temporaryFolder();
    const options = {
      provider,
      projects: [project()],
      file: join(folder, 'db.sqlite'),
      reports: join(folder, 'reports'),
    };
    const first = new World({ ...options, clock: new JobClock(at), owner: livingOwner });
    const hooked = first.store.runs;
    hooked.markReported = () => {
      throw new Error('not yet');
    };
    await first.runSlot(at).catch(() => undefined);
    rmSync(options.reports, { recursive: true });
    expect(first.rows("SELECT * FROM runs WHERE state <> 'open' AND reported_at IS NULL").length).toBe(1);
    const second = new World({ ...options, clock: new JobClock(at) });
    expect(await second.run({ kind: 'due' })).toEqual([]);
    expect(existsSync(join(options.reports, 'acme', 'latest'))).toBe(false);
    second.db.sql('UPDATE runs SET owner = ?').run(deadOwner);
    expect((await second.run({ kind: 'due' })).length).toBe(1);
    expect(existsSync(join(options.reports, 'acme', 'latest', 'manifest.json'))).toBe(true);
    await Promise.all([first.close(), second.close()]);
    await provider.close();
  });
});

describe('a stop signal', () => {
  it('finishes and keeps what is in flight, and leaves the rest to the next start', async () => {
    const provider = await startProvider({ results: () => resultsWith('https://acme.example/', 12) });
    const file = join(temporaryFolder(), 'db.sqlite');
    const keywords = Array.from({ length: 12 }, (_, index) => keyword(`k${index}`));
    const options = { provider, projects: [project({ keywords })], file, clock: new JobClock(at), concurrency: 3 };
    const first = new World({ ...options });
    const running = first.runSlot(at);
    await provider.untilRequests(8);
    first.stop();
    const [stopped] = await running;
    expect(stopped).toMatchObject({ interrupted: true });
    expect(first.credits).toEqual({ spent: provider.sold.serpCredits, unknown: 0, open: 0 });
    await first.close();

    const second = new World({ ...options });
    const [resumed] = await second.run({ kind: 'due' });
    expect(resumed).toMatchObject({ resumed: true, interrupted: false });
    expect(second.store.checks.counts(1).ok).toBe(12);
    expect(provider.sold.serpCredits).toBe(36);
    expectAllExplained(second, provider);
    await second.close();
    await provider.close();
  });
});

describe('a page during which the process died repeatedly', () => {
  for (const keepsKeys of [true, false]) {
    const ends = keepsKeys ? 'shoes ok 1' : 'shoes unknown_paid 0';
    it(`ends as "${ends}" where its provider ${keepsKeys ? 'keeps keys: a repeated request is free' : 'keeps no keys'}`, async () => {
      const provider = await startProvider({ isIdempotent: keepsKeys });
      const file = join(temporaryFolder(), 'db.sqlite');
      const start = (owner?: string): World => {
        const clock = new JobClock(at);
        const services = new Map([[service, clientOf(provider, clock, { keepsKeys })]]);
        const tracked = [project({ keywords: [keyword('shoes', { depth: 1 })] })];
        return new World({ services, projects: tracked, file, clock, ...(owner === undefined ? {} : { owner }) });
      };
      for (let deaths = 0; deaths < 3; deaths += 1) {
        const first = start(deadOwner);
        const grouped = first.store.grouped.bind(first.store);
        first.store.grouped = (work) =>
          first.value("SELECT count(*) FROM purchases WHERE state = 'open'") === 1
            ? Promise.reject(new Error('killed'))
            : grouped(work);
        await first.runSlot(at).catch(() => undefined);
        await first.close();
      }
      const last = start();
      await last.runSlot(at);
      expect(last.checks()).toEqual([ends]);
      expect(provider.sold.serpCredits).toBe(keepsKeys ? 1 : 3);
      expect(last.credits).toEqual(keepsKeys ? { spent: 1, unknown: 0, open: 0 } : { spent: 0, unknown: 3, open: 0 });
      expect(last.broken()).toEqual([]);
      await last.close();
      await provider.close();
    });
  }
});
