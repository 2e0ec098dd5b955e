// Two schedulers on one database, and clocks that jump: every slot has one row, and one run at most.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openOwner } from '../../../jobs/ownership.ts';
import { Scheduler } from '../../../jobs/run/scheduler.ts';
import { createSearchDataService } from '../../../src/service/index.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { localDateTimeKey } from '../../../src/tracker/schedule/local-time.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { JobClock } from '../../helpers/job-clock.ts';
import { keyword, project, service, World } from '../../helpers/jobs.ts';
import { memorySource } from '../../helpers/memory-source.ts';
import { slotRows } from '../../helpers/slot-rows.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const start = Date.UTC(2026, 0, 15, 6);

function process(file: string, clock: JobClock, projects: readonly Project[]) {
  const owner = openOwner();
  const services = new Map([[service, createSearchDataService({ source: memorySource(), clock })]]);
  const world = new World({ projects, services, clock, owner: owner.name, file });
  const failures: unknown[] = [];
  const scheduler = new Scheduler(world.context, {
    ...world.settings(),
    onEvent: (event) => {
      if (event.kind === 'failed') failures.push(event.error);
    },
  });
  const close = async (): Promise<void> => {
    await world.close();
    owner.close();
  };
  return { world, scheduler, failures, close };
}

describe('two schedulers on one database', () => {
  const wanted = 60;
  it(`make ${wanted} runs of ${wanted} slots, of ranks and of volumes`, async () => {
    const file = join(temporaryFolder(), 'db.sqlite');
    const clock = new JobClock(start);
    const projects = ['acme', 'globex'].map((id, index) =>
      project({
        id,
        schedule: `${7 + 31 * index} * * * *`,
        catchUp: 'all',
        keywords: [keyword('a', { depth: 1 })],
        volumes: { schedule: `${index}-59/2 * * * *`, limit: 33 },
      }),
    );
    const [one, two] = [process(file, clock, projects), process(file, clock, projects)];
    const { world } = one;
    const slots = (): number => Number(world.value('SELECT count(*) FROM slots'));
    for (let minute = 0; slots() < wanted; minute += 1) {
      clock.set(start + minute * minuteMs);
      // which scheduler ticks first, and how often, differs from minute to minute
      const [first, second] = minute % 2 === 0 ? [one, two] : [two, one];
      first.scheduler.tick();
      if (minute % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
      second.scheduler.tick();
      if (minute % 5 === 0) first.scheduler.tick();
      await Promise.all([one.scheduler.idle(), two.scheduler.idle()]);
    }
    const runs = Number(world.value("SELECT count(*) FROM runs WHERE state = 'complete'"));
    const kinds = world.rows('SELECT kind, count(*) AS n FROM runs GROUP BY kind ORDER BY kind');
    console.info(
      `two schedulers, ${slots()} slots: ${runs} runs (${kinds.map(({ kind, n }) => `${n} of ${kind}`).join(', ')})`,
    );
    expect([slots(), one.failures, two.failures]).toEqual([wanted, [], []]);
    expect([runs, Number(world.value('SELECT count(DISTINCT run_id) FROM slots'))]).toEqual([wanted, wanted]);
    expect(world.value("SELECT count(*) FROM checks c JOIN runs r ON r.id = c.run_id WHERE r.kind = 'ranks'")).toBe(
      world.value("SELECT count(*) FROM runs WHERE kind = 'ranks'"),
    );
    expect(world.broken()).toEqual([]);
    await one.close();
    await two.close();
  });
});

describe('a clock that jumps by 25 hours', () => {
  it.each([
    ['latest', -1],
    ['none', 1],
  ] as const)('leaves neither a double run nor an unrecorded gap, catchUp %s, direction %i', async (catchUp, sign) => {
    const clock = new JobClock(start);
    const zone = 'Europe/Berlin';
    const schedule = '30 2,14 * * *';
    const daily = project({ schedule, timezone: zone, catchUp, keywords: [keyword('a', { depth: 1 })] });
    const one = process(':memory:', clock, [daily]);
    const days = 6;
    const jumps = [3].map((day) => start + day * dayMs + 9 * hourMs);
    let error = 0;
    // the clock of the machine is wrong by `error` for a day and a half after each jump
    for (let now = start; now < start + days * dayMs; now += 50 * minuteMs) {
      const since = now - (jumps.findLast((jump) => jump <= now) ?? Number.NEGATIVE_INFINITY);
      error = since < 1.5 * dayMs ? sign * 25 * hourMs : 0;
      clock.set(now + error);
      one.scheduler.tick();
      await one.scheduler.idle();
    }
    const { world } = one;
    const rows = slotRows(world.rows('SELECT * FROM slots ORDER BY slot'));
    const expected: string[] = [];
    for (let at = start; at < start + (days - 0.5) * dayMs; at += 10 * minuteMs) {
      const key = localDateTimeKey(at, zone);
      if (/T(02|14):30$/.test(key)) expected.push(key);
    }
    const held = new Set(rows.map((row) => row['slot']));
    const claimed = rows.filter((row) => row['state'] === 'claimed').length;
    console.info(
      `jumps of ${sign * 25} h, catchUp ${catchUp}: ${expected.length} slots, ${claimed} run, ${rows.length - claimed} missed`,
    );
    expect(expected.filter((key) => !held.has(key))).toEqual([]);
    expect(rows.filter((row) => row['state'] === 'missed' && row['reason'] === null)).toEqual([]);
    // one run per slot, and no run without one
    expect(world.value('SELECT count(*) FROM runs')).toBe(claimed);
    expect(world.broken()).toEqual([]);
    await one.close();
  });
});
