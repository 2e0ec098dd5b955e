// Which slots are run, once each: due, named, requested now, caught up or recorded as missed.
import { describe, expect, it } from 'vitest';
import { planReport } from '../../../jobs/query/planning.ts';
import { dueGroups } from '../../../jobs/run/claim-runs.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { type CatchUp, lookBackMax } from '../../../src/tracker/schedule/due-slots.ts';
import { createStretch } from '../../../src/tracker/schedule/schedule.ts';
import { keyword, livingOwner, project, World } from '../../helpers/jobs.ts';
import { startProvider } from '../../helpers/provider.ts';
import { slotRows } from '../../helpers/slot-rows.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 15, 6);

const daily = (more: Partial<Project> = {}): Project =>
  project({ schedule: '0 6 * * *', keywords: [keyword('a', { depth: 1 })], ...more });

async function begin(...projects: Project[]): Promise<World> {
  const provider = await startProvider();
  const world = new World({ provider, projects });
  world.clock.set(start);
  return world;
}

const slots = (world: World): string[] =>
  slotRows(
    world.rows('SELECT s.*, p.name FROM slots s JOIN projects p ON p.id = s.project_id ORDER BY s.at, p.name'),
  ).map((row) => `${row['name']} ${row['slot']} ${row['state']}`);

describe('a due slot', () => {
  it('is run once, however often the scheduler ticks', async () => {
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

  it('of several projects at one moment makes one run', async () => {
    const world = await begin(
      daily(),
      daily({ id: 'globex' }),
      daily({ id: 'later', schedule: '0 7 * * *' }),
      project({ id: 'unscheduled' }),
    );
    const runs = await world.run({ kind: 'due' });
    // the first run of `later` is for yesterday's slot, and the older moment comes first
    expect(runs.map((run) => world.store.runs.slotsOf(run.runId).map((slot) => slot.project))).toEqual([
      ['later'],
      ['acme', 'globex'],
    ]);
  });

  const missed: readonly (readonly [CatchUp, number, readonly string[]])[] = [
    ['latest', 1, ['15 claimed', '16 missed', '17 missed', '18 claimed']],
    // today's pages are no rankings of the days before
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

  it('of one project is run while a run of another project is in progress', async () => {
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

describe('a slot in the future that a fast clock ran', () => {
  it.each([0, 2 * dayMs])('is bought again on its day, with pages that stay fresh for %i ms', async (freshForMs) => {
    const world = await begin(daily({ freshForMs }));
    const soldOn = async (day: number): Promise<number> => {
      const before = world.provider.sold.serpCredits;
      world.clock.set(start + day * dayMs);
      await world.run({ kind: 'due' });
      return world.provider.sold.serpCredits - before;
    };
    expect([await soldOn(0), await soldOn(10), await soldOn(3), await soldOn(10)]).toEqual([1, 1, 1, 1]);
    expect(slots(world)).toContain('acme 2026-01-25T06:00 claimed');
    expect(world.broken()).toEqual([]);
  });
});

describe('a named slot', () => {
  it('that is complete is not run again, and the plan says so', async () => {
    const world = await begin(daily());
    expect((await world.runSlot(start - dayMs)).length).toBe(1);
    const sold = world.provider.sold.serpCredits;
    expect((await world.runSlot(start - dayMs)).length).toBe(0);
    expect(world.provider.sold.serpCredits).toBe(sold);
    const plan = planReport(world.context, { kind: 'slot', projects: world.projects, at: start - dayMs });
    expect(plan.projects).toMatchObject([{ due: false, reason: 'this slot has already run' }]);
    expect(plan.searches).toBe(0);
  });

  it('that was missed can still be run', async () => {
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
    slotRows(world.rows("SELECT * FROM slots WHERE state = 'missed' ORDER BY at")).map(
      (row) => `${row['slot']}: ${row['reason']}`,
    );

  it('if a later one is run by name first', async () => {
    const world = await begin(daily({ catchUp: 'all' }));
    await world.run({ kind: 'due' });
    world.clock.set(start + 4 * dayMs);
    await world.runSlot(start + 3 * dayMs);
    expect(missed(world)).toEqual([
      '2026-01-16T06:00: a later slot was run with --slot',
      '2026-01-17T06:00: a later slot was run with --slot',
    ]);
    await world.run({ kind: 'due' });
    expect(slots(world).length).toBe(5);
    expect(slots(world).at(-1)).toBe('acme 2026-01-19T06:00 claimed');
  });

  it('if a past or future slot is run by name: what is due stays due', async () => {
    const world = await begin(daily());
    await world.run({ kind: 'due' });
    await world.runSlot(start - 3 * dayMs);
    await world.runSlot(start + 30 * dayMs);
    expect(missed(world)).toEqual([]);
    world.clock.set(start + dayMs);
    expect((await world.run({ kind: 'due' })).length).toBe(1);
    expect(slots(world)).toContain('acme 2026-01-16T06:00 claimed');
  });

  it('after a downtime that is too long to catch up', async () => {
    const world = await begin(daily({ schedule: '* * * * *' }));
    await world.run({ kind: 'due' });
    const minutes = lookBackMax + 500;
    world.clock.set(start + minutes * 60_000);
    await world.run({ kind: 'due' });
    expect(slots(world).length).toBe(minutes + 1);
    expect(world.store.runs.missedSlots(9)).toMatchObject([
      { reason: expect.stringContaining('was run for it (catchUp: latest)'), count: lookBackMax - 1 },
      { reason: `more than ${lookBackMax} slots back`, count: minutes - lookBackMax },
    ]);
  });

  it('after a long downtime and a later slot that is run by name', async () => {
    const world = await begin(daily({ schedule: '* * * * *' }));
    await world.run({ kind: 'due' });
    world.clock.set(start + dayMs);
    await world.runSlot(start + dayMs);
    expect(slots(world).length).toBe(24 * 60 + 1);
    expect(world.value('SELECT count(DISTINCT reason) FROM slots')).toBe(1);
  });

  it('after the schedule was changed while no scheduler ran', async () => {
    const world = await begin(daily());
    await world.run({ kind: 'due' });
    const { provider } = world;
    const changed = new World({ provider, projects: [daily({ schedule: '0 */8 * * *' })] });
    for (const row of world.rows('SELECT slot, at FROM slots')) {
      const slot = { key: String(row['slot']), at: Number(row['at']) };
      const stretch = createStretch('0 6 * * *', 'UTC', slot, slot);
      changed.store.transaction(() => changed.store.runs.recordMissed('ranks', 'acme', stretch, 'ran before', 0));
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

describe('a stretch of missed slots', () => {
  const missed = (world: World) =>
    world.store.runs
      .missedSlots(9)
      .map(({ slot, lastSlot, count }) => `${slot.slice(8, 10)}-${lastSlot.slice(8, 10)} ${count}`);

  async function downUntil(day: number): Promise<World> {
    const world = await begin(daily());
    await world.run({ kind: 'due' });
    world.clock.set(start + day * dayMs);
    await world.run({ kind: 'due' });
    return world;
  }

  it('is one row, one log message and one event', async () => {
    const world = await begin(daily());
    await world.run({ kind: 'due' });
    world.clock.set(start + 9 * dayMs);
    const logged: unknown[] = [];
    const log = {
      debug() {},
      info() {},
      error() {},
      warn: (facts: object, message: string) => logged.push({ message, ...facts }),
    };
    const events: unknown[] = [];
    const onMissed = (event: unknown) => events.push(event);
    dueGroups({ ...world.context, log }, world.projects, { now: world.clock.now(), jitter: false, onMissed });
    const [first, lastSlot] = ['2026-01-16T06:00', '2026-01-23T06:00'];
    const reason = '2026-01-24T06:00 was run for it (catchUp: latest)';
    const what = { project: 'acme', kind: 'ranks', reason };
    expect(logged).toEqual([{ message: 'slots missed', ...what, slots: 8, first, last: lastSlot }]);
    expect(events).toEqual([{ ...what, slot: first, lastSlot, count: 8, timezone: 'UTC' }]);
    expect(missed(world)).toEqual(['16-23 8']);
  });

  it.each([
    [1, ['17-23 7']],
    [4, ['20-23 4', '16-18 3']],
    [8, ['16-22 7']],
  ])('is split by a late run of day %i', async (day, left) => {
    const world = await downUntil(9);
    await world.runSlot(start + day * dayMs);
    expect(missed(world)).toEqual(left);
    expect(slots(world).length).toBe(10);
    expect(world.broken()).toEqual([]);
    expect(await world.run({ kind: 'due' })).toEqual([]);
  });

  it('stays whole if a slot outside the schedule is run by name', async () => {
    const world = await downUntil(9);
    await world.runSlot(start + 4 * dayMs + 60_000);
    expect(missed(world)).toEqual(['16-23 8']);
    expect(slots(world)).toContain('acme 2026-01-19T06:01 claimed');
  });

  it('recorded by a fast clock is split where the right clock misses some of it', async () => {
    const world = await downUntil(9);
    world.clock.set(start + 40 * dayMs);
    await world.run({ kind: 'due' });
    expect(missed(world)).toEqual(['25-23 30', '16-23 8']);
    world.clock.set(start + 12 * dayMs);
    await world.run({ kind: 'due' });
    expect(missed(world)).toEqual(['28-23 27', '25-26 2', '16-23 8']);
    expect(world.store.runs.isSettled('acme', 'ranks', '2026-01-25T06:00', world.clock.now())).toBe(true);
    expect(slots(world)).toContain('acme 2026-01-27T06:00 claimed');
    expect(slots(world).length).toBe(41);
    world.clock.set(start + 13 * dayMs);
    expect((await world.run({ kind: 'due' })).length).toBe(1);
    expect(missed(world)[0]).toBe('29-23 26');
  });

  it('is recorded once by two processes, around what one of them has run', async () => {
    const world = await begin(daily());
    await world.run({ kind: 'due' });
    const at = start + 9 * dayMs;
    const day = (days: number) => ({ key: `2026-01-${15 + days}T06:00`, at: start + days * dayMs });
    const stretch = createStretch('0 6 * * *', 'UTC', day(1), day(8));
    await world.runSlot(start + 3 * dayMs);
    const record = () =>
      world.store.transaction(() => world.store.runs.recordMissed('ranks', 'acme', stretch, 'down', at));
    expect(record().map(({ count }) => count)).toEqual([2, 5]);
    expect(record()).toEqual([]);
    expect(missed(world)).toEqual(['19-23 5', '16-17 2']);
  });

  it('of an earlier version, with one row per slot, counts as before', async () => {
    const world = await downUntil(2);
    expect(world.rows("SELECT first_slot, slot_count, schedule FROM slots WHERE state = 'missed'")).toEqual([
      { first_slot: null, slot_count: null, schedule: null },
    ]);
    world.db.sql("UPDATE slots SET recorded_at = NULL WHERE state = 'missed'").run();
    expect(missed(world)).toEqual(['16-16 1']);
    expect(world.store.runs.isSettled('acme', 'ranks', '2026-01-16T06:00', 0)).toBe(true);
    await world.runSlot(start + dayMs);
    expect(missed(world)).toEqual([]);
  });

  it('settles each of its slots, and no other', async () => {
    const { store } = (await downUntil(9)).context;
    const isSettled = (key: string, now = start + 9 * dayMs) => store.runs.isSettled('acme', 'ranks', key, now);
    expect(['16', '19', '23'].map((day) => isSettled(`2026-01-${day}T06:00`))).toEqual([true, true, true]);
    expect([isSettled('2026-01-14T06:00'), isSettled('2026-01-25T06:00')]).toEqual([false, false]);
    expect(isSettled('2026-01-19T06:00', start + 9 * dayMs - 1)).toBe(false);
  });
});

describe('a run that is requested now', () => {
  it('takes the slot that is due', async () => {
    const world = await begin(daily());
    world.clock.set(start + 7 * 60_000);
    await world.run();
    expect(slots(world)).toEqual(['acme 2026-01-15T06:00 claimed']);
    expect((await world.run({ kind: 'due' })).length).toBe(0);
  });

  it('is a separate run each time if nothing is due', async () => {
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
  it('of a zone with daylight saving is run once on each day', async () => {
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
