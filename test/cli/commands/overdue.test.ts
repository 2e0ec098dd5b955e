// Exit codes of overdue slots, for monitors, over a real database.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openApp } from '../../../src/app/app.ts';
import { invoke, type Outcome } from '../fake-host.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';

const hourMs = 3_600_000;
const firstRun = Date.UTC(2026, 0, 15, 6);
const nextSlot = Date.UTC(2026, 0, 16, 6);

let folder: ProjectFolder;
beforeEach(async () => {
  folder = projectFolder(
    'projects:\n  - { id: acme, timezone: UTC, schedule: "0 6 * * *", targets: [acme.com], keywords: [shoes] }\n',
  );
  expect((await at(firstRun, 'run')).exitCode).toBe(0);
});
afterEach(() => folder.remove());

function at(now: number, ...argv: string[]): Promise<Outcome> {
  return invoke(argv, {
    cwd: folder.path,
    now,
    openApp: (config, options) => openApp(config, { ...options, clock: { now: () => now, sleep: async () => {} } }),
  });
}

test.each([
  ['within the hour', nextSlot + hourMs, 0],
  ['after an hour', nextSlot + hourMs + 1, 3],
])('status and status --check with a slot that waits %s exit as monitors need it', async (_name, now, exitCode) => {
  for (const argv of [['status'], ['status', '--check'], ['status', '--check', '--json']])
    expect((await at(now, ...argv)).exitCode).toBe(exitCode);
  const { out } = await at(now, 'status', '--check');
  expect(out).toContain(exitCode === 0 ? 'Nothing is overdue.' : 'OVERDUE: ranks of acme since 2026-01-16T06:00');
});

test('a run of overdue slots exits with 0, and nothing is overdue afterwards', async () => {
  const late = nextSlot + 5 * hourMs;
  expect((await at(late, 'status', '--check')).exitCode).toBe(3);
  expect((await at(late, 'run')).exitCode).toBe(0);
  expect((await at(late, 'status', '--check')).exitCode).toBe(0);
});

test('a project that never ran is not overdue', async () => {
  folder.remove();
  folder = projectFolder(
    'projects:\n  - { id: acme, schedule: "0 6 * * *", targets: [acme.com], keywords: [shoes] }\n',
  );
  expect((await at(nextSlot + 5 * hourMs, 'status', '--check')).exitCode).toBe(0);
});
