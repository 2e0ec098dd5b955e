// A clock that jumped, or that other evidence contradicts: no slot is claimed until that is settled, or for ever.
import { describe, expect, it } from 'vitest';
import { Scheduler, type SchedulerEvent } from '../../../jobs/run/scheduler.ts';
import { WitnessedClock } from '../../../src/service/index.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { JumpClock } from '../../helpers/job-clock.ts';
import { keyword, project } from '../../helpers/jobs.ts';
import { RankedWorld } from '../../helpers/ranked-world.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const start = Date.UTC(2026, 0, 15, 6);
const daily = project({ schedule: '0 6 * * *', keywords: [keyword('shoes', { depth: 1 })] });

interface Subject {
  readonly ranked: RankedWorld;
  readonly clock: JumpClock;
  /** The runs of one call of `run`, in a new process. */
  readonly call: (at: number) => Promise<number>;
  readonly slots: () => string[];
}

function subject(projects: readonly Project[] = [daily], kind: 'live' | 'sandbox' = 'live'): Subject {
  const clock = new JumpClock(start);
  const ranked = new RankedWorld(projects, { clock, kind });
  const slots = (): string[] =>
    ranked.world
      .rows("SELECT slot || ' ' || state AS line FROM slots WHERE kind IN ('ranks', 'volumes') ORDER BY at")
      .map(({ line }) => String(line));
  const call = async (at: number): Promise<number> => {
    clock.passUntil(at);
    clock.restart();
    return (await ranked.world.run({ kind: 'due' })).length;
  };
  return { ranked, clock, call, slots };
}

describe('the clock of a process', () => {
  const clockOf = () => {
    let [wall, monotonic] = [start, 0];
    const clock = new WitnessedClock({ now: () => wall, sleep: () => new Promise(() => undefined) }, () => monotonic);
    const jump = (ms: number): void => {
      wall += ms;
    };
    const pass = (ms: number): void => {
      wall += ms;
      monotonic += ms;
    };
    return { clock, pass, jump, answer: (at: number) => clock.witness({ date: new Date(at).toUTCString() }) };
  };

  it.each([
    ['4 minutes ahead', 4 * minuteMs, null],
    ['30 days ahead', 30 * dayMs, 30 * dayMs],
    ['6 minutes back', -6 * minuteMs, -6 * minuteMs],
  ])('that is set %s is compared with the monotonic clock', (_name, ms, expected) => {
    const { clock, pass, jump } = clockOf();
    pass(dayMs);
    expect(clock.jumpMs).toBeNull();
    jump(ms);
    pass(hourMs);
    expect(clock.jumpMs).toBe(expected);
    clock.acceptLeap();
    expect([clock.jumpMs, clock.skewMs, clock.isConfirmed]).toEqual([null, null, false]);
  });

  it('after a suspend is confirmed by the next answer', () => {
    const { clock, pass, jump, answer } = clockOf();
    answer(start);
    expect(clock.isConfirmed).toBe(true);
    jump(8 * hourMs);
    expect([clock.isConfirmed, clock.jumpMs]).toEqual([false, 8 * hourMs]);
    pass(minuteMs);
    answer(start + 8 * hourMs + minuteMs);
    expect([clock.isConfirmed, clock.jumpMs]).toEqual([true, null]);
  });

  it('that is contradicted stays so until it is corrected or an answer agrees', () => {
    const { clock, pass, jump, answer } = clockOf();
    jump(30 * dayMs);
    answer(start);
    pass(10 * dayMs);
    expect([clock.skewMs, clock.jumpMs]).toEqual([30 * dayMs, null]);
    jump(-30 * dayMs);
    expect([clock.skewMs, clock.jumpMs, clock.isConfirmed]).toEqual([null, null, true]);
  });
});

describe('a run whose clock is days after the newest run', () => {
  it('claims and settles nothing if the free request of its source contradicts it, and runs once the clock is right', async () => {
    const { ranked, clock, call, slots } = subject();
    expect(await call(start)).toBe(1);
    ranked.onProbe = () => clock.answer();
    clock.jump(30 * dayMs);
    const words = expect.stringContaining('30 days ahead of the dates of its providers');
    await expect(call(start + dayMs)).rejects.toMatchObject({ code: 'CLOCK_IN_DOUBT', message: words });
    await expect(ranked.world.run()).rejects.toMatchObject({ code: 'CLOCK_IN_DOUBT' });
    expect(slots()).toEqual(['2026-01-15T06:00 claimed']);
    clock.jump(-30 * dayMs);
    expect(await call(start + dayMs)).toBe(1);
    expect(slots()).toEqual(['2026-01-15T06:00 claimed', '2026-01-16T06:00 claimed']);
  });

  it.each([
    ['the free request of its source', true],
    ['the dates of its pages', false],
  ])('runs without a remark if %s agrees', async (_name, isProbe) => {
    const { ranked, clock, call } = subject();
    await call(start);
    if (isProbe) ranked.onProbe = () => clock.answer();
    else ranked.onPage = () => clock.answer();
    expect(await call(start + 30 * dayMs)).toBe(1);
    expect(ranked.world.store.runs.run(2)?.remark).toBeNull();
  });

  it('runs with a remark if no answer has a date', async () => {
    const { ranked, call } = subject();
    await call(start);
    expect(await call(start + 30 * dayMs)).toBe(1);
    expect(ranked.world.store.runs.run(2)).toMatchObject({
      state: 'complete',
      remark:
        'no answer confirmed the clock of this machine, 30 days after the run before it; check the dates of this run',
    });
    expect(await call(start + 31 * dayMs)).toBe(1);
    expect(ranked.world.store.runs.run(3)?.remark).toBeNull();
  });

  it('sends no request if nothing is due, after a weekend, or for a simulated source', async () => {
    let asked = 0;
    const monthly = { ...daily, schedule: '0 6 15 * *' };
    const cases = [
      [monthly, 'live', 10],
      [daily, 'live', 3],
      [daily, 'sandbox', 30],
    ] as const;
    for (const [one, kind, days] of cases) {
      const { ranked, call } = subject([one], kind);
      ranked.onProbe = () => {
        asked += 1;
      };
      await call(start);
      await call(start + days * dayMs);
      expect(ranked.world.store.runs.run(2)?.remark ?? null).toBeNull();
    }
    expect(asked).toBe(0);
  });
});

it('a contradiction by the pages of the first run stops the next one of the same call before it opens', async () => {
  const later = { ...daily, id: 'globex', schedule: '5 6 * * *' };
  const { ranked, clock, slots } = subject([daily, later]);
  clock.passUntil(start + 10 * minuteMs);
  clock.jump(dayMs);
  clock.restart();
  ranked.onPage = () => clock.answer();
  const runs = await ranked.world.run({ kind: 'due' });
  expect(runs).toMatchObject([{ runId: 1, clock: expect.stringContaining('24 hours ahead') }]);
  expect(runs[0]?.problems.at(-1)).toContain('what else is due waits');
  expect(slots()).toEqual(['2026-01-16T06:00 claimed']);
});

it('a run of volumes whose answers contradict the clock has the remark, too', async () => {
  const { ranked, clock } = subject([{ ...daily, volumes: { schedule: '0 5 15 * *', limit: 1 } } as never]);
  ranked.volumes = new Proxy({}, { get: () => clock.answer() ?? 100 });
  clock.jump(2 * dayMs);
  clock.restart();
  const runs = await ranked.world.run({ kind: 'due' });
  const words = expect.stringContaining('2 days ahead of the dates');
  expect(ranked.world.store.runs.run(1)).toMatchObject({ kind: 'volumes', remark: words });
  expect(runs).toMatchObject([{ clock: words, problems: [words, expect.anything()] }]);
});

it('only a confirmed clock frees slots that a clock ahead claimed, so that none is run twice', async () => {
  const { ranked, clock, call, slots } = subject();
  for (let day = 0; day < 4; day += 1) await call(start + day * dayMs);
  clock.jump(-2 * dayMs);
  expect(await call(start + 3 * dayMs + hourMs)).toBe(0);
  clock.jump(2 * dayMs);
  expect(await call(start + 3 * dayMs + 2 * hourMs)).toBe(0);
  expect(slots()).toHaveLength(4);
  clock.jump(5 * dayMs);
  expect(await call(start + 4 * dayMs)).toBe(1);
  clock.jump(-5 * dayMs);
  ranked.onProbe = () => clock.answer();
  let runs = 0;
  for (let day = 4; day <= 10; day += 1) runs += await call(start + day * dayMs + minuteMs);
  expect(runs).toBe(7);
});

describe('a scheduler whose clock jumps', () => {
  function scheduled(projects: readonly Project[] = [daily], kind: 'live' | 'sandbox' = 'live') {
    const { ranked, clock, slots } = subject(projects, kind);
    const events: SchedulerEvent[] = [];
    const scheduler = new Scheduler(ranked.world.context, {
      ...ranked.world.settings(),
      onEvent: (event) => events.push(event),
    });
    const tick = async (): Promise<void> => {
      scheduler.tick();
      // the free request takes some turns of the event loop
      for (let turn = 0; turn < 20; turn += 1) await new Promise((next) => setImmediate(next));
      await scheduler.idle();
    };
    const failures = () => events.flatMap((event) => (event.kind === 'failed' ? [String(event.error)] : []));
    return { ranked, clock, slots, scheduler, tick, failures };
  }

  it('claims nothing for ten minutes of a steady clock, and then continues', async () => {
    const { clock, slots, tick, failures } = scheduled();
    await tick();
    clock.jump(30 * dayMs);
    await tick();
    await tick();
    expect(slots()).toEqual(['2026-01-15T06:00 claimed']);
    expect(failures()).toEqual([
      expect.stringContaining('jumped ahead by 30 days, and no answer has confirmed it yet'),
    ]);
    clock.expire();
    await tick();
    expect(slots().at(-1)).toBe('2026-02-14T06:00 claimed');
  });

  it('claims nothing while the clock continues to jump', async () => {
    const { clock, slots, tick } = scheduled();
    await tick();
    clock.jump(2 * dayMs);
    await tick();
    clock.jump(2 * dayMs);
    clock.expire();
    await tick();
    await tick();
    expect(slots()).toEqual(['2026-01-15T06:00 claimed']);
    clock.expire();
    await tick();
    expect(slots().at(-1)).toBe('2026-01-19T06:00 claimed');
  });

  it('continues at once if an answer confirms the clock, as after a suspend', async () => {
    const { ranked, clock, slots, tick, failures } = scheduled();
    await tick();
    ranked.onProbe = () => clock.witness({ date: new Date(clock.now()).toUTCString() });
    clock.jump(dayMs);
    await tick();
    expect(slots()).toEqual(['2026-01-15T06:00 claimed', '2026-01-16T06:00 claimed']);
    expect(failures()).toEqual([]);
  });

  it('claims nothing while an answer contradicts it, and every slot once the clock is corrected', async () => {
    const { ranked, clock, slots, tick, failures } = scheduled();
    await tick();
    ranked.onProbe = () => clock.answer();
    clock.jump(30 * dayMs);
    for (let hour = 0; hour < 3; hour += 1) {
      await tick();
      clock.expire();
      await tick();
    }
    expect(slots()).toEqual(['2026-01-15T06:00 claimed']);
    expect(failures()).toHaveLength(3);
    clock.jump(-30 * dayMs);
    clock.passUntil(start + dayMs);
    await tick();
    expect(slots()).toEqual(['2026-01-15T06:00 claimed', '2026-01-16T06:00 claimed']);
  });

  it('runs no slot twice if the clock is set back and returns', async () => {
    const { clock, slots, tick } = scheduled();
    for (let day = 0; day < 4; day += 1) {
      clock.passUntil(start + day * dayMs);
      await tick();
    }
    clock.jump(-3 * dayMs);
    for (let nth = 0; nth < 3; nth += 1) {
      await tick();
      clock.expire();
    }
    clock.jump(3 * dayMs);
    for (let nth = 0; nth < 3; nth += 1) {
      await tick();
      clock.expire();
    }
    expect(slots()).toHaveLength(4);
  });

  it('is not held if all sources are simulated', async () => {
    const { clock, slots, tick } = scheduled([daily], 'sandbox');
    await tick();
    clock.jump(dayMs);
    await tick();
    expect(slots()).toHaveLength(2);
  });

  it('requests the date before its first slot if the newest run is days away', async () => {
    const { ranked, clock, slots, scheduler, tick } = scheduled();
    await tick();
    clock.passUntil(start + 30 * dayMs);
    clock.restart();
    clock.jump(dayMs);
    clock.restart();
    scheduler.retire();
    ranked.onProbe = () => clock.answer();
    const next = new Scheduler(ranked.world.context, { ...ranked.world.settings(), onEvent() {} });
    next.tick();
    for (let turn = 0; turn < 20; turn += 1) await new Promise((each) => setImmediate(each));
    next.tick();
    expect(slots()).toEqual(['2026-01-15T06:00 claimed']);
    next.retire();
  });
});
