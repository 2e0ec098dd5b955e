// Silence is an alarm: a slot that waited for more than an hour without a run is overdue.
import { expect, it } from 'vitest';
import { duenessReport } from '../../../jobs/query/status.ts';
import { keyword, livingOwner, project } from '../../helpers/jobs.ts';
import { RankedWorld } from '../../helpers/ranked-world.ts';

const hourMs = 3_600_000;
const start = Date.UTC(2026, 0, 15, 6);
const nextDay = start + 24 * hourMs;
const daily = project({ schedule: '0 6 * * *', keywords: [keyword('shoes', { depth: 1 })] });

let ranked: RankedWorld;

async function overdueAt(at: number, hasRun = true): Promise<string | null | undefined> {
  ranked = new RankedWorld([daily]);
  ranked.clock.set(start);
  if (hasRun) await ranked.world.run({ kind: 'due' });
  ranked.clock.set(at);
  return duenessReport(ranked.world.context, [daily])[0]?.overdueSince;
}

it.each([
  ['before it is due', nextDay - 1, null],
  ['within the hour', nextDay + hourMs, null],
  ['after an hour', nextDay + hourMs + 1, '2026-01-16T06:00 UTC'],
  ['two days later, since its oldest slot', nextDay + 48 * hourMs, '2026-01-16T06:00 UTC'],
])('a slot is overdue when it has waited for more than an hour: %s', async (_, at, expected) => {
  expect(await overdueAt(at)).toBe(expected);
});

it('a project that never ran is not overdue', async () => {
  expect(await overdueAt(nextDay + 5 * hourMs, false)).toBeNull();
});

it('a slot that waits for a run in progress is not overdue', async () => {
  await overdueAt(nextDay + 5 * hourMs);
  const { store } = ranked.world;
  const slot = {
    project: 'acme',
    slot: '2026-01-15T07:00',
    at: start + hourMs,
    timezone: 'UTC',
    localDate: '2026-01-15',
  };
  store.transaction(() =>
    store.runs.open({ kind: 'ranks', moment: start + hourMs, owner: livingOwner, at: start + hourMs }, [slot]),
  );
  expect(duenessReport(ranked.world.context, [daily])[0]?.overdueSince).toBeNull();
});
