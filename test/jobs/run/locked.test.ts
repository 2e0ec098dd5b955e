// Another program takes the write lock before any transaction of a run: the run waits, and does all of its work once.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { lockedMsMax } from '../../../db/connection/client.ts';
import { StoreError } from '../../../db/connection/errors.ts';
import { LockPatience } from '../../../db/connection/group-commit.ts';
import { openApp } from '../../../src/app/app.ts';
import { run } from '../../../src/app/runs/run.ts';
import { SimulatedClock } from '../../../src/app/runs/simulation.ts';
import { projectFolder } from '../../cli/project-folder.ts';
import { runSlots } from '../../cli/real-app.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { JobClock } from '../../helpers/job-clock.ts';
import { keyword, project, World } from '../../helpers/jobs.ts';
import { type Provider, startProvider } from '../../helpers/provider.ts';

const start = Date.UTC(2026, 0, 15, 6);
const helper = (name: string) => join(import.meta.dirname, '../../helpers', name);

async function begin(patience: LockPatience): Promise<{ world: World; provider: Provider; file: string }> {
  const provider = await startProvider();
  const file = join(temporaryFolder(), 'db.sqlite');
  const keywords = ['a', 'b', 'c'].map((text) => keyword(text, { depth: 1 }));
  const tracked = project({ schedule: '0 6 * * *', keywords, volumes: { schedule: '0 6 * * *', limit: 1 } });
  const world = new World({
    ...{ provider, file, patience, busyTimeoutMs: 1, concurrency: 2, reports: true as const },
    clock: new JobClock(start),
    projects: [tracked],
  });
  return { world, provider, file };
}

function isDone({ world, provider }: { readonly world: World; readonly provider: Provider }): void {
  expect(world.rows("SELECT kind, state, reported_at IS NOT NULL OR kind = 'volumes' AS reported FROM runs")).toEqual([
    { kind: 'volumes', state: 'complete', reported: 1 },
    { kind: 'ranks', state: 'complete', reported: 1 },
  ]);
  expect(world.store.checks.counts(2)).toMatchObject({ ok: 3 });
  expect(provider.sold).toEqual({ serpCredits: 3, microUsd: 30_000 });
  expect(world.table('rank-changes.csv').length).toBe(3);
  expect(world.broken()).toEqual([]);
}

it('each transaction of a run waits for a lock that is there before it begins', async () => {
  let total = Number.POSITIVE_INFINITY;
  let waited = 0;
  for (let nth = 1; nth <= total; nth += 1) {
    const all = await begin(new LockPatience(() => (waited += 1), { now: () => 0, pause: async () => {} }));
    const other = new Database(all.file);
    const transaction = all.world.db.transaction.bind(all.world.db);
    let begun = 0;
    all.world.db.transaction = (work) => {
      if (all.world.db.inTransaction) return transaction(work);
      begun += 1;
      if (begun === nth) other.exec('BEGIN IMMEDIATE');
      else if (other.inTransaction) other.exec('ROLLBACK');
      return transaction(work);
    };
    await all.world.run({ kind: 'due' });
    if (other.inTransaction) other.exec('ROLLBACK');
    isDone(all);
    other.close();
    await all.world.close();
    await all.provider.close();
    if (nth === 1) total = begun;
  }
  expect(total).toBeGreaterThan(20);
  expect(waited).toBeGreaterThan(5);
});

async function holds(file: string) {
  const child = spawn(process.execPath, [helper('holding-child.ts'), file], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

async function release(child: Awaited<ReturnType<typeof holds>>) {
  child.stdin.end('release\n');
  await once(child, 'close');
}

it('a run waits for a lock that another process holds, says so, and gives up after ten minutes', async () => {
  let child: Awaited<ReturnType<typeof holds>> | null = null;
  let pauses = 0;
  let said = 0;
  const patience = new LockPatience(() => (said += 1), {
    now: () => 0,
    pause: async () => {
      pauses += 1;
      if (pauses === 3 && child !== null) await release(child);
    },
  });
  const all = await begin(patience);
  child = await holds(all.file);
  await all.world.run({ kind: 'due' });
  expect(pauses).toBeGreaterThanOrEqual(3);
  expect(said).toBe(pauses);
  isDone(all);

  let now = 0;
  const impatient = await begin(
    new LockPatience(() => {}, {
      now: () => now,
      pause: async () => {
        now += lockedMsMax / 4;
      },
    }),
  );
  const other = await holds(impatient.file);
  await expect(impatient.world.run({ kind: 'due' })).rejects.toMatchObject({ code: 'DATABASE_LOCKED' });
  expect(now).toBe(lockedMsMax);
  await release(other);
});

it('the command waits at each transaction before its first run', async () => {
  for (let nth = 1, isBefore = true; isBefore; nth += 1) {
    const { path } = projectFolder();
    const config = await loadConfig({ file: join(path, 'rankledger.yaml'), env: {}, cwd: path });
    const app = await openApp(config, { clock: new SimulatedClock(start) });
    const { store } = app.context;
    const transaction = store.transaction.bind(store);
    let begun = 0;
    isBefore = false;
    store.transaction = (work) => {
      begun += 1;
      if (begun !== nth) return transaction(work);
      isBefore = store.runs.lastRuns(1).length === 0;
      throw new StoreError('DATABASE_LOCKED', 'locked by another program', 'Wait.');
    };
    try {
      expect((await run(app, {})).runs.map(({ state }) => state)).toEqual(['complete', 'complete']);
    } finally {
      await app.close();
    }
    if (nth === 1) expect(isBefore).toBe(true);
  }
});

describe('a command that writes at once', () => {
  /** The command waits for the lock that another process took after the database was opened. */
  async function blocked(...argv: readonly string[]) {
    const folder = projectFolder();
    await runSlots(folder, ['2026-01-14T05:00:00Z']);
    const child = spawn(process.execPath, [helper('paused-child.ts'), ...argv], { cwd: folder.path });
    await once(child.stdout, 'data');
    const holder = await holds(join(folder.path, 'data/rankledger.sqlite'));
    child.stdin.write('go on\n');
    const [said] = await once(child.stderr, 'data');
    expect(String(said)).toMatch(/locked by another program: waiting for it/);
    let out = '';
    child.stdout.on('data', (text) => (out += text));
    const ended = once(child, 'close').then(([exitCode, signal]) => ({ exitCode, signal, out }));
    return { child, holder, ended };
  }

  it.concurrent.each([
    ['adds its note', ['note', 'add', 'relaunch', '--date', '2026-01-14'], /^Note 1 of 2026-01-14/],
    ['discards its run', ['run', 'discard', '2'], /^Run 2 is discarded/],
  ])('%s when a lock that was held for long is gone', async (_, argv, done) => {
    const { holder, ended } = await blocked(...argv);
    await setTimeout(4_000); // longer than one more try of SQLite takes
    await release(holder);
    expect(await ended).toEqual({ exitCode: 0, signal: null, out: expect.stringMatching(done) });
  });

  it.concurrent('ends at a signal while it waits', async () => {
    const { child, holder, ended } = await blocked('note', 'add', 'relaunch');
    child.kill('SIGTERM');
    expect(await ended).toEqual({ exitCode: null, signal: 'SIGTERM', out: '' });
    await release(holder);
  });
});
