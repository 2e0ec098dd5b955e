// Simulated days: their moments, their order, and when they stop.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import type { ResolvedConfig } from '../../../config/resolve.ts';
import type { RunResult } from '../../../src/app/runs/run.ts';
import { daysBefore, SimulatedClock, simulate } from '../../../src/app/runs/simulation.ts';
import { type ProjectFolder, projectFolder } from '../../cli/project-folder.ts';
import { runResult } from '../../cli/samples.ts';

let folder: ProjectFolder;
let config: ResolvedConfig;
beforeAll(async () => {
  folder = projectFolder();
  config = await loadConfig({ cwd: folder.path, env: {} });
});
afterAll(() => folder.remove());

const noon = Date.UTC(2026, 2, 30, 12);

test('the last days have every slot up to now, across a daylight saving change', () => {
  const { moments, baselineDate } = daysBefore(config, noon, 3);
  // 06:00 in Berlin: 05:00 UTC in winter, 04:00 from 29 March 2026 on.
  expect(moments.map((at) => new Date(at).toISOString())).toEqual([
    '2026-03-28T05:00:00.000Z',
    '2026-03-29T04:00:00.000Z',
    '2026-03-30T04:00:00.000Z',
  ]);
  expect(baselineDate).toBe('2026-03-29');
});

const simulated = async (result: (at: number) => RunResult) => {
  const { moments } = daysBefore(config, noon, 3);
  const clock = new SimulatedClock(moments[0] ?? 0);
  const times: number[] = [];
  const run = async () => {
    times.push(clock.now());
    await clock.sleep(60_000);
    return {
      runs: [result(times.length)],
      notDue: [],
      overdue: [],
      missed: [],
      unwritten: [],
      broken: { projects: [], problems: [] },
    };
  };
  const runs = await simulate({
    run,
    clock,
    moments,
    signal: new AbortController().signal,
    onMoment: () => {},
  });
  return { runs, lateMs: times.map((time, at) => time - (moments[at] ?? 0)) };
};

test('each slot is run a second after its moment, on the simulated clock', async () => {
  const { runs, lateMs } = await simulated(() => runResult());
  expect(runs).toHaveLength(3);
  expect(lateMs).toEqual([1_000, 1_000, 1_000]);
});

test('a halted run ends the simulation', async () => {
  const { runs } = await simulated((at) => runResult(at === 2 ? { state: 'halted' } : {}));
  expect(runs.map(({ state }) => state)).toEqual(['complete', 'halted']);
});

test('the simulated clock never goes back, and an aborted sleep ends at once', async () => {
  const clock = new SimulatedClock(1_000);
  clock.goTo(500);
  expect(clock.now()).toBe(1_000);
  await Promise.all([clock.sleep(10_000), clock.sleep(5_000)]);
  expect(clock.now()).toBe(11_000);
  await expect(clock.sleep(1, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
});
