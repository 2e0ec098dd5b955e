// Who owns a run: a process of this machine that lives, or one elsewhere that sends heartbeats.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Store } from '../../db/store.ts';
import { isAlive, openOwner, processPart } from '../../jobs/ownership.ts';
import { takeOver } from '../../jobs/run/claim-runs.ts';
import { holdRun } from '../../jobs/run/run-lease.ts';
import { processName } from '../../src/service/index.ts';
import { JobClock } from '../helpers/job-clock.ts';
import { deadOwner, elsewhere, livingOwner, noCaps, project, World } from '../helpers/jobs.ts';

const now = Date.UTC(2026, 0, 15, 6);
const minuteMs = 60_000;

describe('an owner', () => {
  it('of this process lives until it is closed, and one owner does not affect another', () => {
    const [one, two] = [openOwner(), openOwner()];
    expect(one.name).not.toBe(two.name);
    expect([isAlive(one.name, null, now), isAlive(two.name, null, now)]).toEqual([true, true]);
    one.close();
    expect([isAlive(one.name, now, now), isAlive(two.name, null, now)]).toEqual([false, true]);
    two.close();
    // an earlier process had our number
    expect(isAlive(processName(), now, now)).toBe(false);
    expect(isAlive(`${processName()}|1000000`, now, now)).toBe(false);
  });

  it('of another process of this machine lives as long as that process, and sends heartbeats', () => {
    expect(isAlive(livingOwner, null, now)).toBe(true);
    expect(isAlive(livingOwner, now - 59_999, now)).toBe(true);
    expect(isAlive(livingOwner, now - 60_000, now)).toBe(false);
    expect(isAlive(`${livingOwner}|3`, null, now)).toBe(true);
    expect(isAlive(deadOwner, now, now)).toBe(false);
    expect(isAlive(null, now, now)).toBe(false);
    expect(processPart(livingOwner)).toBe(String(process.ppid));
  });

  it('of another container under the same host name lives as long as its heartbeats, even if a process here has its pid', () => {
    const [host, system = '', pid] = processName().split('|');
    const boot = system.split('~')[0];
    for (const number of [pid, process.ppid, 2 ** 22 + 1]) {
      const container = `${host}|${boot}~1|${number}|1`;
      expect(isAlive(container, now - 59_000, now)).toBe(true);
      expect(isAlive(container, now - 60_000, now)).toBe(false);
      expect(isAlive(container, null, now)).toBe(false);
    }
    // before a reboot, and by a version that named no container
    expect(isAlive(`${host}|earlier~1|${pid}|1`, now, now)).toBe(false);
    expect(isAlive(`${host}|${boot}|${process.ppid}|1`, null, now)).toBe(true);
  });

  it('of another machine lives as long as its heartbeats', () => {
    expect(isAlive(elsewhere, now - 9 * minuteMs, now)).toBe(true);
    expect(isAlive(elsewhere, now - 10 * minuteMs, now)).toBe(false);
    expect(isAlive(elsewhere, null, now)).toBe(false);
  });
});

describe('a run that has an owner', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function open() {
    const world = new World({
      projects: [],
      services: new Map(),
      clock: new JobClock(now),
      owner: 'ours',
    });
    world.store.transaction(() =>
      world.store.runs.open({ kind: 'ranks', moment: now, owner: 'ours', at: now }, [
        { project: 'acme', slot: '2026-01-15T06:00', at: now, timezone: 'UTC', localDate: '2026-01-15' },
      ]),
    );
    return world;
  }

  it('sends a heartbeat every five seconds until it is released, also while it writes reports', async () => {
    const world = open();
    const heartbeat = () => world.value('SELECT heartbeat_at FROM runs');
    const lease = holdRun(world.context, 1);
    world.clock.advance(10 * minuteMs);
    vi.advanceTimersByTime(5_000);
    expect(heartbeat()).toBe(now + 10 * minuteMs);
    world.store.runs.close(1, { state: 'complete', reason: null, at: now });
    world.clock.advance(minuteMs);
    vi.advanceTimersByTime(5_000);
    expect(heartbeat()).toBe(now + 11 * minuteMs);
    world.store.runs.markReported(1, now);
    vi.advanceTimersByTime(5_000);
    expect(lease.lost.aborted).toBe(false);
    lease.end();
    world.clock.advance(minuteMs);
    vi.advanceTimersByTime(60_000);
    expect(heartbeat()).toBe(now + 11 * minuteMs);
    await world.close();
  });

  it('records what the run waits for, until the wait or the run is over', async () => {
    const world = open();
    const { runs } = world.store;
    const remark = () => world.value('SELECT remark FROM runs');
    const lease = holdRun(world.context, 1);
    const wait = (...waits: Parameters<typeof lease.noteWaits>[0]) => {
      lease.noteWaits(waits);
      vi.advanceTimersByTime(5_000);
    };
    const asked = { service: 'vendor', until: now + 60 * minuteMs, why: 'asked' } as const;
    wait(asked, { service: 'own', until: now + minuteMs, why: 'failing' });
    expect(remark()).toBe(
      'service vendor requires a wait until 2026-01-15T07:00:00.000Z, service own is failing, next try at 2026-01-15T06:01:00.000Z',
    );
    wait();
    expect(remark()).toBeNull();
    wait({ ...asked, why: 'cut' });
    expect(remark()).toBe('service vendor requires a long wait, next try at 2026-01-15T07:00:00.000Z');
    wait(asked);
    world.store.transaction(() => runs.abandon(1));
    expect(remark()).toBeNull();
    wait();
    wait(asked);
    runs.close(1, { state: 'complete', reason: null, remark: 'the clock is in doubt', at: now });
    wait();
    expect(remark()).toBe('the clock is in doubt');
    lease.end();
    await world.close();
  });

  it('is lost when another process takes it over', async () => {
    const world = open();
    const lease = holdRun(world.context, 1);
    vi.advanceTimersByTime(5_000);
    expect(lease.lost.aborted).toBe(false);
    const other = new Store(world.db, noCaps);
    expect(other.runs.takeOver({ id: 1, epoch: 1 }, elsewhere, now)).toBe(true);
    vi.advanceTimersByTime(5_000);
    expect(lease.lost.aborted).toBe(true);
    expect(lease.lost.reason).toMatchObject({ code: 'RUN_TAKEN_OVER' });
    other.runs.heartbeat(1, now + 1);
    expect(world.value('SELECT heartbeat_at FROM runs')).toBe(now + 1);
    lease.end();
    await world.close();
  });

  it('is not lost when the database cannot be written for a moment', async () => {
    const world = open();
    const lease = holdRun(world.context, 1);
    const transaction = world.store.transaction.bind(world.store);
    world.store.transaction = () => {
      throw new Error('the database is locked');
    };
    vi.advanceTimersByTime(20_000);
    world.store.transaction = transaction;
    expect(lease.lost.aborted).toBe(false);
    lease.end();
    await world.close();
  });
});

it('an unfinished run with a project that is broken in the config waits until the config is repaired', async () => {
  const world = new World({ clock: new JobClock(now), projects: [project({ id: 'sound' })] });
  const slot = { slot: '2026-01-15T06:00', at: now, timezone: 'UTC', localDate: '2026-01-15' };
  const opened = world.store.runs.open({ kind: 'ranks', moment: now, owner: deadOwner, at: now }, [
    { project: 'sound', ...slot },
    { project: 'broken', ...slot },
  ]);
  const run = world.store.runs.run(opened?.id ?? 0);
  if (run === null) throw new Error('the run could not be opened');
  expect(takeOver({ ...world.context, isPartial: true }, run)).toBe(false);
  expect(takeOver(world.context, run)).toBe(true);
  await world.close();
});
