// Which slots are run, once each: due, named, asked for now, caught up or recorded as missed.
import { afterEach, describe, expect, it } from 'vitest';
import { planReport } from '../../jobs/inspect.ts';
import type { CatchUp, Project } from '../../src/tracker/project.ts';
import { lookBackMax } from '../../src/tracker/schedule.ts';
import { keyword, livingOwner, project, World } from '../helpers/jobs.ts';
import { type Provider, startProvider } from '../helpers/provider.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 15, 6);

let open: { world: World; provider: Provider } | undefined;
afterEach(async () => {
  await open?.world.close();
  await open?.provider.close();
  open = undefined;
});

const daily = (more: Partial<Project> = {}): Project =>
  project({ schedule: '0 6 * * *', keywords: [keyword('a', { depth: 1 })], ...more });

async function begin(...projects: Project[]): Promise<World> {
  const provider = await startProvider();
  open = { provider, world: new World({ provider, projects }) };
  open.world.clock.set(start);
  return open.world;
}

const slots = (world: World): string[] =>
  world
    .rows(
      "SELECT p.name || ' ' || s.slot || ' ' || s.state AS line FROM slots s JOIN projects p ON p.id = s.project_id ORDER BY s.at, p.name",
    )
    .map((row) => String(row['line']));

describe('what is due', () => {
  it('runs once, however often one looks', async () => {
    const world = await begin(daily());
    world.clock.set(start + 60_000);
    expect((await world.run({ kind: 'due' })).length).toBe(1);
    expect((await world.run({ kind: 'due' })).length).toBe(0);
    world.clock.set(start + dayMs - 1);
    expect((await world.run({ kind: 'due' })).length).toBe(0);
    world.clock.set(start + dayMs);
    expect((await world.run({ kind: 'due' })).length).toBe(1);
    expect(slots(world)).toEqual(['acme 2026-01-15T06:00 claimed', 'acme 2026-01-16T06:00 claimed']);
  });

  it('of several projects at one moment is one run', async () => {
    const world = await begin(
      daily(),
      daily({ id: 'globex' }),
      daily({ id: 'later', schedule: '0 7 * * *' }),
      project({ id: 'unscheduled' }),
    );
    const runs = await world.run({ kind: 'due' });
    // the first run of `later` is for yesterday's slot, and the older moment goes first
    expect(runs.map((run) => world.store.runs.slotsOf(run.runId).map((slot) => slot.project))).toEqual([
      ['later'],
      ['acme', 'globex'],
    ]);
  });

  const missed: readonly (readonly [CatchUp, number, readonly string[]])[] = [
    ['latest', 1, ['15 claimed', '16 missed', '17 missed', '18 claimed']],
    // the pages of today are no rankings of the days before
    ['all', 1, ['15 claimed', '16 missed', '17 missed', '18 claimed']],
    ['none', 0, ['15 claimed', '16 missed', '17 missed', '18 missed']],
  ];
  it.each(missed)('after three days of downtime follows catchUp: %s', async (catchUp, runs, expected) => {
    const world = await begin(daily({ catchUp }));
    await world.run({ kind: 'due' });
    world.clock.set(start + 3 * dayMs + 4 * 3_600_000);
    expect((await world.run({ kind: 'due' })).length).toBe(runs);
    expect(slots(world).map((line) => line.replace(/^acme 2026-01-(\d\d)T06:00/, '$1'))).toEqual(expected);
    for (const row of world.rows("SELECT reason FROM slots WHERE state = 'missed'"))
      expect(row['reason']).not.toBe(null);
    expect((await world.run({ kind: 'due' })).length).toBe(0);
  });

  it('of one project is run while another project is busy elsewhere', async () => {
    const world = await begin(daily(), daily({ id: 'globex' }));
    world.store.transaction(() =>
      world.store.runs.open({ kind: 'ranks', moment: start - 60_000, owner: livingOwner, at: start }, [
        { project: 'acme', slot: '2026-01-15T05:59', at: start - 60_000, timezone: 'UTC', localDate: '2026-01-15' },
      ]),
    );
    await world.run({ kind: 'due' });
    expect(slots(world)).toEqual(['acme 2026-01-15T05:59 claimed', 'globex 2026-01-15T06:00 claimed']);
  });
});

describe('a named slot', () => {
  it('that is complete is not run again, and the plan says so', async () => {
    const world = await begin(daily());
    expect((await world.runSlot(start - dayMs)).length).toBe(1);
    const sold = open?.provider.sold.serpCredits;
    expect((await world.runSlot(start - dayMs)).length).toBe(0);
    expect(open?.provider.sold.serpCredits).toBe(sold);
    const plan = planReport(world.context, { kind: 'slot', projects: world.projects, at: start - dayMs });
    expect(plan.projects).toMatchObject([{ due: false, reason: 'this slot has run' }]);
    expect(plan.searches).toBe(0);
  });

  it('that was missed can be run after all', async () => {
    const world = await begin(daily());
    await world.run({ kind: 'due' });
    world.clock.set(start + 2 * dayMs);
    await world.run({ kind: 'due' });
    expect(slots(world)[1]).toBe('acme 2026-01-16T06:00 missed');
    await world.runSlot(start + dayMs);
    expect(slots(world)[1]).toBe('acme 2026-01-16T06:00 claimed');
    expect(world.broken()).toEqual([]);
  });

  it('runs only for the projects that have not had it', async () => {
    const world = await begin(daily(), daily({ id: 'globex' }));
    await world.runSlot(start, [world.projects[0]!]);
    const [run] = await world.runSlot(start);
    expect(world.store.runs.slotsOf(run?.runId ?? 0).map((slot) => slot.project)).toEqual(['globex']);
  });
});

describe('no slot is without a row', () => {
  const missed = (world: World): string[] =>
    world
      .rows("SELECT slot || ': ' || reason AS line FROM slots WHERE state = 'missed' ORDER BY at")
      .map((row) => String(row['line']));

  it('where a later one is run by name first', async () => {
    const world = await begin(daily({ catchUp: 'all' }));
    await world.run({ kind: 'due' });
    world.clock.set(start + 4 * dayMs);
    await world.runSlot(start + 3 * dayMs);
    expect(missed(world)).toEqual([
      '2026-01-16T06:00: a later slot was run by name',
      '2026-01-17T06:00: a later slot was run by name',
    ]);
    await world.run({ kind: 'due' });
    expect(slots(world).length).toBe(5);
    expect(slots(world).at(-1)).toBe('acme 2026-01-19T06:00 claimed');
  });

  it('where a slot of the past or of the future is run by name, what is due stays due', async () => {
    const world = await begin(daily());
    await world.run({ kind: 'due' });
    await world.runSlot(start - 3 * dayMs);
    await world.runSlot(start + 30 * dayMs);
    expect(missed(world)).toEqual([]);
    world.clock.set(start + dayMs);
    expect((await world.run({ kind: 'due' })).length).toBe(1);
    expect(slots(world)).toContain('acme 2026-01-16T06:00 claimed');
  });

  it('after a downtime that is too long to be caught up with', async () => {
    const world = await begin(daily({ schedule: '* * * * *' }));
    await world.run({ kind: 'due' });
    const minutes = lookBackMax + 500;
    world.clock.set(start + minutes * 60_000);
    await world.run({ kind: 'due' });
    expect(world.value('SELECT count(*) FROM slots')).toBe(minutes + 1);
    expect(
      world.rows("SELECT reason, count(*) AS n FROM slots WHERE state = 'missed' GROUP BY 1 ORDER BY 2 DESC"),
    ).toEqual([
      { reason: expect.stringContaining('was run for it (catchUp: latest)'), n: lookBackMax - 1 },
      { reason: `more than ${lookBackMax} slots back`, n: minutes - lookBackMax },
    ]);
  });

  it('after the schedule was changed while nobody was there', async () => {
    const world = await begin(daily());
    await world.run({ kind: 'due' });
    const { provider } = open!;
    const changed = new World({ provider, projects: [daily({ schedule: '0 */8 * * *' })] });
    for (const row of world.rows('SELECT slot, at FROM slots')) {
      const slot = { project: 'acme', slot: String(row['slot']), at: Number(row['at']) };
      changed.store.transaction(() =>
        changed.store.runs.recordMissed(
          'ranks',
          { ...slot, timezone: 'UTC', localDate: '2026-01-15' },
          'ran before',
          0,
        ),
      );
    }
    changed.clock.set(start + dayMs);
    await changed.run({ kind: 'due' });
    expect(slots(changed)).toEqual([
      'acme 2026-01-15T06:00 missed',
      'acme 2026-01-15T08:00 missed',
      'acme 2026-01-15T16:00 missed',
      'acme 2026-01-16T00:00 claimed',
    ]);
    await changed.close();
  });
});

describe('a run that is asked for now', () => {
  it('takes the slot that is due', async () => {
    const world = await begin(daily());
    world.clock.set(start + 7 * 60_000);
    await world.run();
    expect(slots(world)).toEqual(['acme 2026-01-15T06:00 claimed']);
    expect((await world.run({ kind: 'due' })).length).toBe(0);
  });

  it('is a run of its own where nothing is due, each time', async () => {
    const world = await begin(daily());
    await world.run();
    world.clock.set(start + 1_500);
    await world.run();
    world.clock.set(start + 2_500);
    await world.run();
    expect(slots(world)).toEqual([
      'acme 2026-01-15T06:00 claimed',
      'acme 2026-01-15T06:00:01.500 claimed',
      'acme 2026-01-15T06:00:02.500 claimed',
    ]);
    world.clock.set(start + dayMs);
    expect((await world.run({ kind: 'due' })).length).toBe(1);
  });
});

describe('a local slot', () => {
  it('of a zone with clock changes is run once on each day', async () => {
    const world = await begin(daily({ timezone: 'Europe/Berlin', schedule: '30 2 * * *', catchUp: 'all' }));
    world.clock.set(Date.UTC(2026, 2, 28, 12));
    await world.run({ kind: 'due' });
    world.clock.set(Date.UTC(2026, 2, 31, 12));
    await world.run({ kind: 'due' });
    expect(slots(world).map((line) => line.split(' ')[1])).toEqual([
      '2026-03-28T02:30',
      '2026-03-29T03:00',
      '2026-03-30T02:30',
      '2026-03-31T02:30',
    ]);
    world.clock.set(Date.UTC(2026, 9, 24, 12));
    await world.runSlot(Date.UTC(2026, 9, 24, 0, 30));
    for (const hour of [0, 1, 2]) {
      world.clock.set(Date.UTC(2026, 9, 25, hour, 30));
      await world.run({ kind: 'due' });
    }
    expect(slots(world).filter((line) => line.includes('2026-10-25')).length).toBe(1);
  });
});
