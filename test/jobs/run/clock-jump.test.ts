// Clock jumps: slots that a clock ahead settled are open again once it is right, and a clock behind undoes nothing.
import { describe, expect, it } from 'vitest';
import { duenessReport } from '../../../jobs/query/status.ts';
import { keyword, project } from '../../helpers/jobs.ts';
import { RankedWorld } from '../../helpers/ranked-world.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 15, 6);
const daily = project({ schedule: '0 6 * * *', keywords: [keyword('shoes', { depth: 1 })] });

let ranked: RankedWorld;
const begin = (): RankedWorld => {
  ranked = new RankedWorld([daily]);
  return ranked;
};

async function runsAt(at: number): Promise<number> {
  ranked.clock.set(at);
  return (await ranked.world.run({ kind: 'due' })).length;
}

const reason = (): string | undefined => duenessReport(ranked.world.context, [daily])[0]?.reason;

describe.each([1.5, 400])('one run with a clock %d days ahead', (days) => {
  it('silences no day: each slot is run at its time', async () => {
    begin();
    expect(await runsAt(start)).toBe(1);
    await runsAt(start + days * dayMs);
    expect(await runsAt(start + 3_600_000)).toBe(0);
    const back = Math.ceil(days);
    for (const day of new Set([1, 2, back - 1, back, back + 1, back + 2]))
      expect([day, await runsAt(start + day * dayMs + 60_000)]).toEqual([day, 1]);
    expect(ranked.world.broken()).toEqual([]);
    const last = ranked.world.store.reportRuns.latestReported('acme', ranked.clock.now());
    expect(last?.openedAt).toBe(ranked.clock.now());
  });
});

it('status does not claim that a missed slot was run', async () => {
  begin();
  const none = { ...daily, catchUp: 'none' as const };
  await ranked.world.close();
  ranked = new RankedWorld([none]);
  await runsAt(start);
  await runsAt(start + dayMs + 5 * 3_600_000);
  expect(reason()).toContain('missed 2026-01-16T06:00');
});

it('a slot that a clock ahead recorded as missed does not count as run once the clock is right', async () => {
  begin();
  await runsAt(start);
  await runsAt(start + 7 * dayMs);
  ranked.clock.set(start + 3_600_000);
  expect(reason()).toContain('ran for 2026-01-15T06:00, next at 2026-01-16T06:00');
});

it('a clock that is behind frees no slot of earlier runs', async () => {
  begin();
  for (let day = 0; day < 4; day += 1) expect(await runsAt(start + day * dayMs)).toBe(1);
  for (const hour of [0, 1, 2]) await runsAt(start - 400 * dayMs + hour * 3_600_000);
  expect(await runsAt(start + 3 * dayMs + 60_000)).toBe(0);
  expect(await runsAt(start + 4 * dayMs)).toBe(1);
});
