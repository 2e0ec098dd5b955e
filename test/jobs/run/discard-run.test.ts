// `run discard` excludes a run from all that later runs and reports read, and `--undo` includes it again.
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import Papa from 'papaparse';
import { afterEach, describe, expect, it } from 'vitest';
import { exportHistory } from '../../../jobs/query/export-history.ts';
import { historyRows } from '../../../jobs/query/read-history.ts';
import { duenessReport } from '../../../jobs/query/status.ts';
import { discardAndReport } from '../../../src/app/runs/discard-run.ts';
import { jsonLines } from '../../../src/report/formats/export.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { keyword, livingOwner, project } from '../../helpers/jobs.ts';
import { RankedWorld } from '../../helpers/ranked-world.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 15, 6);
const daily = project({ schedule: '0 6 * * *', keywords: [keyword('shoes', { depth: 1 })] });

let ranked: RankedWorld;
afterEach(async () => {
  expect(ranked.world.broken()).toEqual([]);
});

async function begin(ranks: readonly number[], more: Partial<Project> = {}): Promise<void> {
  ranked = new RankedWorld([{ ...daily, ...more }], { reports: true });
  for (const [day, rank] of ranks.entries()) await rankOn(day, rank);
}

async function rankOn(day: number, rank: number): Promise<void> {
  ranked.scenes = { shoes: { at: { [rank]: 'https://acme.example/' } } };
  await ranked.run(start + day * dayMs);
}

const discard = (runId: number, more: { reason?: string; undo?: boolean } = {}) =>
  discardAndReport(ranked.world.context, ranked.world.settings().reports, { runId, ...more });
const folder = (): string => join(ranked.world.reports, 'acme');
const folders = (): string[] => readdirSync(folder()).filter((name) => name !== 'latest');
const latest = (): string => readlinkSync(join(folder(), 'latest'));
const read = (file: string): string => readFileSync(join(folder(), 'latest', file), 'utf8');
const row = (): Record<string, string> =>
  Papa.parse<Record<string, string>>(read('rank-changes.csv').replace(/^\uFEFF/, ''), { header: true }).data[0] ?? {};
const history = () => [...historyRows(ranked.world.context, ranked.world.projects, { keyword: 'shoes' })];

describe('a discarded run', () => {
  it('is excluded from baselines, best ranks and charts, and is included again once it counts', async () => {
    await begin([5, 1, 4]);
    const before = read('rank-changes.csv');
    expect(row()).toMatchObject({ rank: '4', previous_rank: '1', best_rank: '1' });
    discard(2, { reason: 'wrong country' });
    expect(row()).toMatchObject({ rank: '4', previous_rank: '5', best_rank: '4' });
    const { reportSeries, rankings } = ranked.world.store;
    const dates = () => reportSeries.dates('acme', start + 9 * dayMs, 99).map(({ date }) => date);
    expect(dates()).toEqual(['2026-01-15', '2026-01-17']);
    const [series] = reportSeries.of({
      target: 'domain:acme.example',
      market: { service: 'vendor', country: 'US', language: 'en', device: 'desktop' },
      keywords: ['shoes'],
      from: 0,
      until: start + 9 * dayMs,
    });
    expect(series?.rankings.map(({ rank }) => rank)).toEqual([5, 4]);
    expect(rankings.lastKnownPages(1, [1])).toEqual([1]);
    discard(2, { undo: true });
    expect(read('rank-changes.csv')).toBe(before);
    expect(dates()).toHaveLength(3);
  });

  it('gives `latest` to the newest run that counts, and its folder is renamed', async () => {
    await begin([5, 1]);
    discard(2);
    expect(latest()).toBe('2026-01-15T0600');
    expect(folders()).toEqual(['2026-01-15T0600', '2026-01-16T0600-discarded']);
    expect(row()).toMatchObject({ rank: '5' });
    discard(2, { undo: true });
    expect(latest()).toBe('2026-01-16T0600');
    expect(folders()).toEqual(['2026-01-15T0600', '2026-01-16T0600']);
  });

  it('leaves no `latest` if there is no other run', async () => {
    await begin([5]);
    discard(1);
    expect(existsSync(join(folder(), 'latest'))).toBe(false);
    discard(1, { undo: true });
    expect(latest()).toBe('2026-01-15T0600');
  });

  it('stays in history and exports, marked with the reason', async () => {
    await begin([5, 1]);
    discard(2, { reason: 'wrong  country' });
    expect(history().map(({ rank, discarded, note }) => ({ rank, discarded, note }))).toEqual([
      { rank: 5, discarded: false, note: null },
      { rank: 1, discarded: true, note: 'discarded run: wrong country' },
    ]);
    for (const what of ['rankings', 'checks', 'serps', 'ledger'] as const) {
      const lines = [...exportHistory(ranked.world.context, null, { what }).encoded(jsonLines)]
        .join('')
        .trim()
        .split('\n');
      const notes = lines.map((line) => JSON.parse(line)).map(({ run_id: run, note }) => `${run} ${note}`);
      expect([...new Set(notes)], what).toEqual(['1 null', '2 discarded run: wrong country']);
    }
  });

  it('stays in spend.csv of the report that has its slot next, marked', async () => {
    await begin([5, 1]);
    const spend = () =>
      Papa.parse<Record<string, string>>(read('spend.csv').replace(/^\uFEFF/, ''), {
        header: true,
        skipEmptyLines: true,
      })
        .data.filter(({ scope }) => scope === 'run')
        .map(({ run_id: run, spent, warning }) => `${run} ${spent} ${warning}`);
    discard(2, { reason: 'wrong country' });
    expect(spend()).toEqual(['1 1 ']);
    ranked.clock.advance(1_000);
    await ranked.world.run({ kind: 'due' });
    expect(spend()).toEqual(['3 1 ', '2 1 discarded run: wrong country']);
    await rankOn(2, 4);
    expect(spend()).toEqual(['4 1 ']);
  });

  it('keeps its spending', async () => {
    await begin([5, 1]);
    const { credits } = ranked.world;
    discard(2);
    expect(ranked.world.credits).toEqual(credits);
    expect(credits.spent).toBe(2);
  });

  it('is discarded only once: a second call writes the reports again', async () => {
    await begin([5, 1]);
    discard(2, { reason: 'first' });
    const { discardReason, reports } = discard(2, { reason: 'second' });
    expect(discardReason).toBe('first');
    expect(reports).toHaveLength(1);
    expect(latest()).toBe('2026-01-15T0600');
  });
});

describe('the slot of a discarded run', () => {
  it('is due again, and is bought again although the discarded pages are fresh', async () => {
    await begin([5, 1], { freshForMs: 9 * dayMs });
    discard(1);
    discard(2);
    const [due] = duenessReport(ranked.world.context, ranked.world.projects);
    expect(due).toMatchObject({ due: true });
    ranked.scenes = { shoes: { at: { 3: 'https://acme.example/' } } };
    const runs = await ranked.world.run({ kind: 'due' });
    expect(runs).toHaveLength(1);
    expect(row()).toMatchObject({ rank: '3', previous_rank: '', best_rank: '3' });
    expect(folders()).toContain('2026-01-16T0600-run3');
  });

  it('is not returned while another run has it; discarding that one frees it first', async () => {
    await begin([5, 1]);
    discard(2);
    await ranked.world.run({ kind: 'due' });
    expect(() => discard(2, { undo: true })).toThrow('run 3 now has the slot 2026-01-16T06:00 of project acme');
    discard(3);
    discard(2, { undo: true });
    expect(row()).toMatchObject({ rank: '1', previous_rank: '5' });
    expect(latest()).toBe('2026-01-16T0600');
  });

  it('is returned if it was recorded as missed meanwhile', async () => {
    await begin([5, 1]);
    discard(2);
    ranked.clock.set(start + 3 * dayMs + 3_600_000);
    await ranked.world.run({ kind: 'due' });
    expect(ranked.world.store.runs.missedSlots(9).map(({ slot }) => slot)).toContain('2026-01-16T06:00');
    discard(2, { undo: true });
    expect(ranked.world.store.runs.slot('acme', 'ranks', '2026-01-16T06:00')).toMatchObject({ runId: 2 });
    expect(ranked.world.store.runs.missedSlots(9)).toMatchObject([{ slot: '2026-01-17T06:00', count: 1 }]);
  });

  it('no longer hides later slots if it lies in the future', async () => {
    ranked = new RankedWorld([daily], { kind: 'sandbox' });
    await rankOn(0, 5);
    ranked.clock.set(start + 3_600_000);
    await ranked.world.runSlot(start + 300 * dayMs);
    discard(2);
    ranked.clock.set(start + dayMs + 60_000);
    expect(await ranked.world.run({ kind: 'due' })).toHaveLength(1);
    discard(3);
    discard(2, { undo: true });
    expect(latest()).toBe('2026-11-11T0600');
  });
});

it('alerts of a discarded run wait until it counts again', async () => {
  await begin([]);
  await rankOn(0, 1);
  const { alertDeliveries } = ranked.world.store;
  alertDeliveries.add([{ runId: 1, project: 'acme', rule: 'r', subject: 's', channel: 'ops', payload: '{}' }], start);
  discard(1);
  expect(alertDeliveries.countByState().pending).toBe(0);
  expect(alertDeliveries.take(start, start + 1000, 9)).toEqual([]);
  expect(alertDeliveries.nextTryAt()).toBeNull();
  discard(1, { undo: true });
  expect(alertDeliveries.take(start, start + 1000, 9)).toHaveLength(1);
});

describe('discarding is refused, with what to do, for', () => {
  it.each([
    ['a run that is not there', '', 9, 'there is no run 9'],
    ['a run under way', "UPDATE runs SET state = 'open', closed_at = NULL", 1, 'run 1 is in progress'],
    ['a run on demand', "UPDATE runs SET kind = 'adhoc'", 1, 'reports exclude it already'],
    ['keyword data', "UPDATE runs SET kind = 'volumes'", 1, 'only runs of ranks'],
    [
      'a run whose reports are being written',
      `UPDATE runs SET reported_at = NULL, owner = '${livingOwner}', heartbeat_at = ${start}`,
      1,
      'are being written',
    ],
  ])('%s', async (_name, change, runId, message) => {
    await begin([5]);
    if (change !== '') ranked.world.db.sql(change).run();
    expect(() => discard(runId)).toThrow(message);
    expect(() => discard(runId, { undo: true })).toThrow(message);
    ranked.world.db.sql("UPDATE runs SET state = 'complete', closed_at = opened_at, kind = 'ranks'").run();
  });
});
