// A ranking belongs to the day on which it was seen: which slots a source may fill, and their dates.
import { readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JobContext } from '../../jobs/context.ts';
import { exportHistory } from '../../jobs/query/export-history.ts';
import { historyRows } from '../../jobs/query/read-history.ts';
import { findSlotRejection } from '../../jobs/slot-day.ts';
import { jsonLines } from '../../src/report/formats/export.ts';
import type { Project } from '../../src/tracker/project.ts';
import { keyword, project } from '../helpers/jobs.ts';
import { RankedWorld } from '../helpers/ranked-world.ts';
import { heldData } from '../report/html/built-page.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const start = Date.UTC(2026, 0, 15, 6);
const daily = (more: Partial<Project> = {}): Project =>
  project({ schedule: '0 6 * * *', keywords: [keyword('shoes', { depth: 1 })], ...more });

function begin(kind: 'live' | 'sandbox', ...projects: Project[]): RankedWorld {
  const ranked = new RankedWorld(projects, { kind, reports: true });
  return ranked;
}

/** Runs the slot of `at` at `now`, with acme.example at `rank`. */
async function runFor(ranked: RankedWorld, at: number, now: number, rank: number): Promise<number> {
  ranked.scenes = { shoes: { at: { [rank]: 'https://acme.example/' } } };
  ranked.clock.set(now);
  const { world } = ranked;
  const [run] = await world.run({ kind: 'slot', projects: world.projects, at }, settingsOf(ranked));
  expect(world.broken()).toEqual([]);
  return run?.runId ?? 0;
}

const settingsOf = ({ world }: RankedWorld) => ({
  reports: { ...world.settings().reports, html: true, agencyDays: 30 },
});

function exportedLines(context: JobContext): unknown[] {
  const text = [...exportHistory(context, null, { what: 'rankings' }).encoded(jsonLines)].join('').trim();
  return text.split('\n').map((line) => JSON.parse(line));
}

const refusal = ({ world }: RankedWorld, at: number, late = false) =>
  findSlotRejection(world.context, world.projects[0] as Project, at, late);

describe('a slot that is filled late by a live source', () => {
  const now = start + 21 * dayMs + 2 * hourMs;
  const seenOn = '2026-02-05';
  const note = `late run: seen on ${seenOn}, for the slot of 2026-01-15T06:00`;

  it('shows the day on which it was seen in every table, in history and in exports', async () => {
    const ranked = begin('live', daily());
    await runFor(ranked, start - dayMs, start - dayMs, 3);
    await runFor(ranked, start, now, 7);
    const { world } = ranked;
    const [, late] = [...historyRows(world.context, world.projects, { keyword: 'shoes' })];
    expect(late).toMatchObject({ slot: '2026-01-15T06:00', localDate: seenOn, rank: 7, note });
    expect(late?.checkedAt?.slice(0, 10)).toBe(seenOn);
    const exported = exportedLines(world.context);
    expect(exported).toMatchObject([{ local_date: '2026-01-14' }, { local_date: seenOn, note }]);
    expect(ranked.world.table('all-projects-long.csv', 'agency')).toMatchObject([
      { date: '2026-01-14', rank: '3', warning: '' },
      { date: seenOn, rank: '7', warning: note },
    ]);
    const [wide] = ranked.world.table('all-projects-wide.csv', 'agency');
    expect(wide).toMatchObject({ [seenOn]: '7' });
    expect(wide).not.toHaveProperty('2026-01-15');
    expect(ranked.world.table('rank-changes.csv', 'acme', '2026-01-15T0600')).toMatchObject([{ rank: '7', note }]);
    expect(ranked.world.table('summary.csv', 'acme', '2026-01-15T0600')[0]).toMatchObject({ warning: note });
    const { project: shown } = heldData(readFileSync(join(world.reports, 'acme/2026-01-15T0600/report.html'), 'utf8'));
    expect(shown).toMatchObject({ timezone: 'UTC', date: seenOn });
    expect(world.store.reportSeries.dates('acme', now, 90).map(({ date }) => date)).toEqual(['2026-01-14', seenOn]);
  });

  it('on its own day is listed under its slot', async () => {
    const ranked = begin('live', daily());
    await runFor(ranked, start, start + 5 * hourMs, 3);
    const [row] = [...historyRows(ranked.world.context, ranked.world.projects, { keyword: 'shoes' })];
    expect(row).toMatchObject({ localDate: '2026-01-15', note: null });
    expect(ranked.world.store.runs.run(1)?.moment).toBe(start);
  });

  it('is listed after a later slot of the same day', async () => {
    const ranked = begin('live', daily({ schedule: '0 * * * *' }));
    const [nine, six] = [start + 3 * hourMs, start];
    await runFor(ranked, nine, nine, 3);
    const run = await runFor(ranked, six, nine + 60_000, 4);
    expect(ranked.world.store.runs.run(run)?.moment).toBe(nine + 60_000);
  });

  it('is caught up on if it is the newest of its schedule, and is dated by the day of the run', async () => {
    const ranked = begin('live', daily({ schedule: '0 6 * * 1' }));
    await runFor(ranked, Date.UTC(2026, 0, 12, 6), Date.UTC(2026, 0, 12, 6), 3);
    ranked.clock.set(Date.UTC(2026, 0, 21, 9)); // Wednesday after the missed Monday
    const runs = await ranked.world.run({ kind: 'due' });
    expect(ranked.world.store.runs.slotsOf(runs[0]?.runId ?? 0)).toMatchObject([
      { slot: '2026-01-19T06:00', localDate: '2026-01-21' },
    ]);
  });

  it('is not filled by `catchUp: all`, unlike with a simulated source', async () => {
    for (const [kind, expected] of [
      ['live', ['2026-01-15', '2026-01-18']],
      ['sandbox', ['2026-01-15', '2026-01-16', '2026-01-17', '2026-01-18']],
    ] as const) {
      const ranked = begin(kind, daily({ catchUp: 'all' }));
      await runFor(ranked, start, start, 3);
      ranked.clock.set(start + 3 * dayMs);
      await ranked.world.run({ kind: 'due' });
      const rows = [...historyRows(ranked.world.context, ranked.world.projects, { keyword: 'shoes' })];
      expect(rows.map(({ localDate }) => localDate)).toEqual(expected);
      const missed = ranked.world.store.runs.missedSlots(10);
      expect(missed.reduce((sum, { count }) => sum + count, 0)).toBe(4 - expected.length);
      for (const { reason } of missed) expect(reason).toContain('has only current pages');
    }
  });
});

describe('a slot that is requested by name', () => {
  it('may be filled by a live source while it is the newest of its schedule', () => {
    const ranked = begin('live', daily());
    ranked.clock.set(start + 20 * hourMs);
    expect(refusal(ranked, start)).toBeNull();
    expect(refusal(ranked, start + hourMs)).toBeNull();
    expect(refusal(ranked, start - dayMs)).toMatchObject({
      message: expect.stringContaining('2026-01-15T06:00 has passed since'),
      hint: expect.stringContaining('--late'),
    });
    expect(refusal(ranked, start - dayMs, true)).toBeNull();
  });

  it('is refused to a live source without a schedule once its day is over', () => {
    const ranked = begin('live', project());
    ranked.clock.set(start + 20 * hourMs);
    expect(refusal(ranked, start)?.message).toContain('its day is over');
    expect(refusal(ranked, start + 18 * hourMs)).toBeNull();
  });

  it('is not late if it has run already', async () => {
    const ranked = begin('live', daily());
    await runFor(ranked, start, start, 3);
    ranked.clock.set(start + 3 * dayMs);
    expect(refusal(ranked, start)).toBeNull();
  });

  it.each([
    ['2027-01-14T06:00Z', '2026-01-14T06:00'],
    ['2026-12-24T06:00Z', '2025-12-24T06:00'],
    ['2027-01-20T06:00Z', '2025-01-20T06:00'],
    ['2028-02-29T06:00Z', '2024-02-29T06:00'],
  ])('of %s in the future is refused to a live source, with or without --late, with %s', (slot, meant) => {
    const ranked = begin('live', daily());
    ranked.clock.set(start + hourMs);
    for (const late of [false, true]) {
      expect(refusal(ranked, Date.parse(slot), late)).toMatchObject({
        message: expect.stringContaining('is in the future'),
        hint: expect.stringContaining(`Did you mean ${meant}?`),
      });
    }
  });

  it('is never refused to a simulated source, at any time', () => {
    const ranked = begin('sandbox', daily());
    for (const days of [-400, 0, 400]) expect(refusal(ranked, start + days * dayMs)).toBeNull();
  });
});

describe('a simulated source', () => {
  it('fills an old slot under its own date', async () => {
    const ranked = begin('sandbox', daily());
    await runFor(ranked, start, start + 9 * dayMs, 3);
    const rows = [...historyRows(ranked.world.context, ranked.world.projects, { keyword: 'shoes' })];
    expect(rows).toMatchObject([{ localDate: '2026-01-15', checkedAt: '2026-01-15T06:00:00.000Z', note: null }]);
  });

  it('that runs a future slot orders `latest`, reports and baselines by the time of the run', async () => {
    const ranked = begin('sandbox', daily());
    const { world } = ranked;
    await runFor(ranked, start, start, 9);
    await runFor(ranked, start + 365 * dayMs, start + hourMs, 8);
    expect(readlinkSync(join(world.reports, 'acme', 'latest'))).toBe('2027-01-15T0600');
    const [future] = ranked.world.table('rank-changes.csv');
    expect(future).toMatchObject({ rank: '8', previous_rank: '9' });
    const last = await runFor(ranked, start + dayMs, start + dayMs, 7);
    expect(readlinkSync(join(world.reports, 'acme', 'latest'))).toBe('2026-01-16T0600');
    expect(world.store.reportRuns.latestReported('acme', start + dayMs)?.id).toBe(last);
    expect(ranked.world.table('rank-changes.csv')).toMatchObject([{ rank: '7', previous_rank: '8' }]);
  });
});
