// A database that was restored or swapped under its witness: the gap is detected, counted once as unknown and reported.
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { backUp } from '../../../db/integrity/backup.ts';
import type { Caps } from '../../../db/ledger/budget-windows.ts';
import { countGap } from '../../../jobs/run/run-lease.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { JobClock } from '../../helpers/job-clock.ts';
import { keyword, project, World } from '../../helpers/jobs.ts';
import { type Provider, startProvider } from '../../helpers/provider.ts';

const at = Date.UTC(2026, 0, 15, 6);
const dayMs = 86_400_000;

function worldOf(provider: Provider, file: string, now: number, caps?: Caps): World {
  const keywords = Array.from({ length: 4 }, (_, index) => keyword(`k${index}`, { depth: 1 }));
  return new World({
    provider,
    projects: [project({ keywords })],
    file,
    clock: new JobClock(now),
    ...(caps && { caps }),
  });
}

/** Four pages on the 15th, then a backup, and four on the 16th; then a change to the file. */
async function faulted(fault: (file: string, backup: string) => void, caps?: Caps) {
  const provider = await startProvider();
  const file = join(temporaryFolder(), 'db.sqlite');
  const first = worldOf(provider, file, at);
  await first.runSlot(at);
  const backup = join(temporaryFolder(), 'copy.sqlite');
  await backUp(file, backup, { at, isRunning: () => true });
  first.clock.set(at + dayMs);
  await first.runSlot(at + dayMs);
  await first.close();
  fault(file, backup);
  return { provider, file, backup, world: worldOf(provider, file, at + dayMs, caps) };
}

const restore = (file: string, backup: string): void => copyFileSync(backup, file);

describe('a database whose witness saw more than it holds', () => {
  it('counts what was bought since its backup as unknown, on its day, and only once', async () => {
    const { world, provider } = await faulted(restore);
    expect(world.credits).toEqual({ spent: 4, unknown: 0, open: 0 });
    expect(world.store.witness.gap()?.days).toEqual([{ currency: 'serp_credit', day: '2026-01-16', spent: 4 }]);
    expect(countGap(world.context)).toHaveLength(1);
    expect(world.credits).toEqual({ spent: 4, unknown: 4, open: 0 });
    expect(world.value("SELECT spent FROM budget_windows WHERE scope = 'day' AND key = '2026-01-16'")).toBe(4);
    expect(world.rows("SELECT service, message FROM purchases WHERE error_code = 'LEDGER_GAP'")).toHaveLength(1);
    expect(world.store.audit.unknownPurchases()).toMatchObject([{ what: 'purchases of 2026-01-16', amount: 4 }]);
    expect(world.store.witness.gap()).toBe(null);
    expect(countGap(world.context)).toEqual([]);
    expect(world.credits.unknown).toBe(4);
    expect(world.broken()).toEqual([]);
    await world.close();
    await provider.close();
  });

  it('that is new counts everything that the witness saw', async () => {
    const { world, provider } = await faulted((file) => rmSync(file));
    expect(countGap(world.context).map(({ day, spent }) => `${day} ${spent}`)).toEqual([
      '2026-01-16 4',
      '2026-01-15 4',
    ]);
    expect(world.credits).toEqual({ spent: 0, unknown: 8, open: 0 });
    expect(world.broken()).toEqual([]);
    await world.close();
    await provider.close();
  });

  it('counts only as much of the gap as fits in the budget windows', async () => {
    const caps = { serp_credit: { perRun: 2, perDay: 3 }, micro_usd: {} };
    const { world, provider } = await faulted(restore, caps);
    countGap(world.context);
    expect(world.credits).toEqual({ spent: 4, unknown: 3, open: 0 });
    expect(world.broken()).toEqual([]);
    await world.close();
    await provider.close();
  });

  it('keeps its witness until the gap is counted, also when the database is written meanwhile', async () => {
    const { world, provider, file } = await faulted(restore);
    const before = readFileSync(`${file}.witness`, 'utf8');
    world.store.witness.write();
    expect(readFileSync(`${file}.witness`, 'utf8')).toBe(before);
    countGap(world.context);
    expect(readFileSync(`${file}.witness`, 'utf8')).not.toBe(before);
    await world.close();
    await provider.close();
  });
});

describe('a witness', () => {
  it('is written at the end of a run, and agrees with its own database', async () => {
    const { world, provider, file, backup } = await faulted(() => {});
    expect(existsSync(`${file}.witness`)).toBe(true);
    expect(existsSync(`${backup}.witness`)).toBe(true);
    expect(world.store.witness.gap()).toBe(null);
    expect(countGap(world.context)).toEqual([]);
    await world.close();
    await provider.close();
  });

  it('that is damaged or absent blocks nothing', async () => {
    for (const text of ['', '{', '{"hash":1}', 'null']) {
      const { world, provider, file } = await faulted((path) => writeFileSync(`${path}.witness`, text));
      expect(countGap(world.context)).toEqual([]);
      expect(JSON.parse(readFileSync(`${file}.witness`, 'utf8'))).toMatchObject({ days: [{ spent: 4 }, { spent: 4 }] });
      await world.close();
      await provider.close();
    }
  });
});
