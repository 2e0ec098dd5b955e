// The scheduler through the app: its events, how it is stopped and retired, and two apps in one process.
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { openApp } from '../../../src/app/app.ts';
import { audit } from '../../../src/app/audit.ts';
import { run } from '../../../src/app/runs/run.ts';
import { runSchedule, type ScheduleEvent } from '../../../src/cli/commands/schedule.ts';
import { type Clock, systemClock } from '../../../src/service/index.ts';
import { commandAt } from '../../cli/real-app.ts';

const config = `
projects:
  - id: acme
    targets: [acme.example]
    schedule: "0 6 * * *"
    depth: 2
    keywords: [${Array.from({ length: 30 }, (_, index) => `shoes ${index}`).join(', ')}]
`;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rankledger-schedule-'));
  writeFileSync(join(folder, 'rankledger.yaml'), config);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** It is noon: no slot is due while a test runs. */
const clock: Clock = { now: () => Date.UTC(2026, 0, 15, 12), sleep: (ms, signal) => systemClock.sleep(ms, signal) };
const status = async () => JSON.parse((await commandAt({ path: folder }, clock.now(), 'status', '--json')).out);
const open = async () => openApp(await loadConfig({ cwd: folder, env: {} }), { clock });

it('the scheduler finishes what is in flight when it is stopped, and the next one continues the run', async () => {
  const first = await open();
  const stop = new AbortController();
  const events: ScheduleEvent[] = [];
  await runSchedule(first, {
    signal: stop.signal,
    onEvent(event) {
      events.push(event);
      if (event.event === 'claimed') setImmediate(() => stop.abort());
    },
  });
  await first.close();
  expect(events.map(({ event }) => event)).toEqual(['started', 'claimed', 'ended', 'stopped']);
  expect(events[2]).toMatchObject({ run: { runId: 1, state: 'interrupted' } });
  const second = await open();
  const { underWay, budget } = await status();
  expect(underWay).toMatchObject([{ runId: 1, isAlive: false }]);
  // a run that is not finished must not show a cost of 0 after it has spent
  const credits = budget.filter(({ currency }: { currency: string }) => currency === 'serp_credit');
  expect(credits.map(({ scope }: { scope: string }) => scope)).toEqual(['run', 'day', 'month']);
  expect(credits[0]).toMatchObject({ key: '1', spent: credits[1]?.spent });
  const { runs } = await run(second, {});
  expect(runs).toMatchObject([{ runId: 1, state: 'complete', resumed: true, checks: { ok: 30 } }]);
  await second.close();
});

it('a rename waits for the run under way, and the run that goes on belongs to the new names', async () => {
  const first = await open();
  const stop = new AbortController();
  let meanwhile: Promise<unknown> | undefined;
  const renamed = async () => {
    const services = 'services: { other: { mode: embedded, source: sandbox, formerly: [default] } }';
    const journal = config.replace('id: acme', 'id: journal\n    formerly: [acme]\n    service: other');
    writeFileSync(join(folder, 'rankledger.yaml'), `${services}\n${journal}`);
    const second = await open();
    try {
      expect(second.context.store.renames.has('acme')).toBe(true);
      await expect(run(second, {})).rejects.toMatchObject({ code: 'RUN_IN_PROGRESS' });
    } finally {
      await second.close();
      stop.abort();
    }
  };
  await runSchedule(first, {
    signal: stop.signal,
    onEvent(event) {
      if (event.event === 'claimed') meanwhile = renamed();
    },
  });
  await meanwhile;
  await first.close();
  const third = await open();
  expect(third.context.store.renames.has('acme')).toBe(false);
  const { runs } = await run(third, {});
  expect(runs).toMatchObject([
    { runId: 1, state: 'complete', resumed: true, slots: [{ project: 'journal' }], checks: { ok: 30 } },
  ]);
  expect(audit(third)).toMatchObject({ ok: true });
  await third.close();
});

it('the scheduler ends its runs and starts no more when it is retired', async () => {
  const app = await open();
  const retire = new AbortController();
  const events: ScheduleEvent[] = [];
  await runSchedule(app, {
    signal: new AbortController().signal,
    retired: retire.signal,
    onEvent(event) {
      events.push(event);
      if (event.event === 'claimed') setImmediate(() => retire.abort());
    },
  });
  expect(events[2]).toMatchObject({ event: 'ended', run: { state: 'complete', checks: { ok: 30 } } });
  expect(await status()).toMatchObject({ underWay: [], missed: [], paused: [] });
  await app.close();
});

it('the scheduler fails if its database is renamed while it runs, and no new database is created next to the log', async () => {
  const app = await open();
  const file = join(folder, 'data', 'rankledger.sqlite');
  const events: ScheduleEvent[] = [];
  const running = runSchedule(app, {
    signal: new AbortController().signal,
    onEvent(event) {
      events.push(event);
      if (event.event === 'claimed') renameSync(file, `${file}.old`);
    },
  });
  await expect(running).rejects.toMatchObject({ name: 'StoreError', code: 'DATABASE_REPLACED' });
  expect(events.map(({ event }) => event)).toEqual(['started', 'claimed', 'error', 'stopped']);
  expect(audit(app).totals.serp_credit).toMatchObject({ spent: 0, unknown: 0 });
  await expect(open()).rejects.toMatchObject({ code: 'DATABASE_MISSING' });
  expect(existsSync(file)).toBe(false);
  await app.close();
});

it('the scheduler has its own owner: a second app of the process does not take its runs for those of a dead one', async () => {
  const [first, second] = [await open(), await open()];
  const both = await Promise.allSettled([run(first, { all: true }), run(second, { all: true })]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'RUN_IN_PROGRESS' } });
  expect(audit(first).ok).toBe(true);
  await first.close();
  await second.close();
});
