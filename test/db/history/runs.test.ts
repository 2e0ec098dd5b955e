// The database alone decides which process owns a run and a slot.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openConnection } from '../../../db/connection/client.ts';
import { Runs } from '../../../db/history/runs/runs.ts';
import { openStore, type Store } from '../../../db/store.ts';

let store: Store;
beforeEach(() => {
  store = openStore(':memory:');
});
afterEach(() => store.close());

const slot = (project: string, name = '2026-01-15T06:00', at = 5) => ({
  project,
  slot: name,
  at,
  timezone: 'UTC',
  localDate: '2026-01-15',
});
const missed = (key = '2026-01-15T06:00') => {
  const slot = { key, at: 5 };
  return { schedule: '0 6 * * *', timezone: 'UTC', first: slot, last: slot, count: 1 };
};
const open = (...projects: string[]) =>
  store.runs.open(
    { kind: 'ranks', moment: 5, owner: 'first', at: 5 },
    projects.map((project) => slot(project)),
  );

describe('a run', () => {
  it('claims the free slots, and is not opened if no slot is free', () => {
    expect(open('a', 'b')).toMatchObject({ id: 1, claimed: [{ project: 'a' }, { project: 'b' }] });
    expect(open('b', 'c')).toMatchObject({ id: 2, claimed: [{ project: 'c' }] });
    expect(open('a', 'c')).toBeNull();
    expect(store.runs.slotsOf(1).map((one) => one.project)).toEqual(['a', 'b']);
  });

  it('is taken over once, by the first process that names its epoch', () => {
    open('a');
    expect(store.runs.takeOver({ id: 1, epoch: 1 }, 'second', 6)).toBe(true);
    expect(store.runs.takeOver({ id: 1, epoch: 1 }, 'third', 6)).toBe(false);
    expect(store.runs.run(1)).toMatchObject({ owner: 'second', heartbeatAt: 6 });
    store.runs.abandon(1);
    expect(store.runs.takeOver({ id: 1, epoch: 2 }, 'third', 7)).toBe(true);
    expect(store.runs.takeOver({ id: 1, epoch: 2 }, 'fourth', 7)).toBe(false);
  });

  it('that is closed is not closed again, and is taken over only until it has its reports', () => {
    open('a');
    const end = { reason: null, suspectReason: null, at: 9 };
    store.runs.close(1, { ...end, state: 'complete' });
    store.runs.close(1, { ...end, state: 'halted' });
    expect(store.runs.run(1)).toMatchObject({ state: 'complete', closedAt: 9, owner: 'first' });
    expect(store.runs.unreportedRuns().map((run) => run.id)).toEqual([1]);
    expect(store.runs.takeOver({ id: 1, epoch: 1 }, 'second', 10)).toBe(true); // to write its reports
    store.runs.markReported(1, 11);
    expect(store.runs.takeOver({ id: 1, epoch: 2 }, 'third', 12)).toBe(false);
    expect(store.runs.unreportedRuns()).toEqual([]);
    expect(store.runs.run(1)?.owner).toBeNull();
  });
});

describe('a missed slot', () => {
  it('is recorded once, never over a claimed slot, and can be claimed', () => {
    open('a');
    store.runs.recordMissed('ranks', 'a', missed(), 'late', 1);
    store.runs.recordMissed('ranks', 'b', missed(), 'late', 1);
    store.runs.recordMissed('ranks', 'b', missed(), 'later', 1);
    expect([
      store.runs.slot('a', 'ranks', '2026-01-15T06:00')?.state,
      store.runs.slot('b', 'ranks', '2026-01-15T06:00')?.state,
    ]).toEqual(['claimed', 'missed']);
    expect(open('b')).toMatchObject({ claimed: [{ project: 'b' }] });
  });
});

describe('the last slot and the last run', () => {
  it('of a project are those of the latest moment, not of the latest insertion', () => {
    store.runs.open({ kind: 'ranks', moment: 20, owner: 'o', at: 20 }, [slot('a', 'late', 20)]);
    store.runs.open({ kind: 'ranks', moment: 10, owner: 'o', at: 30 }, [slot('a', 'early', 10)]);
    expect(store.runs.lastSlot('a', 'ranks')?.slot).toBe('late');
    expect(store.runs.lastClosedRun('a', 'ranks')).toBeNull();
    for (const id of [1, 2]) store.runs.close(id, { state: 'complete', reason: null, at: 40 });
    expect(store.runs.lastClosedRun('a', 'ranks')?.id).toBe(1);
    expect(store.runs.lastSlot('a', 'volumes')).toBeNull();
  });
});

it('the runs of a period are found by an index, however many ran before', () => {
  const connection = openConnection(':memory:');
  const runs = new Runs(connection);
  const asked = vi.spyOn(connection, 'sql');
  runs.openedWithin({ project: null, from: 0, until: 1 });
  const statement = asked.mock.calls.at(-1)?.[0] ?? '';
  const plan = connection.sql<{ detail: string }>(`EXPLAIN QUERY PLAN ${statement}`).all({ from: 0, until: 1 });
  expect(plan.map(({ detail }) => detail).join('; ')).toContain('INDEX runs_opened');
  connection.close();
});
