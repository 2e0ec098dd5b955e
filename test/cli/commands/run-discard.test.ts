// `run discard`: its arguments, output and refusals, over a real database.
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { openApp } from '../../../src/app/app.ts';
import { invoke } from '../fake-host.ts';
import { copyOf, type ProjectFolder, projectFolder } from '../project-folder.ts';

let folder: ProjectFolder;
let recorded: ProjectFolder;
beforeAll(async () => {
  folder = projectFolder('projects:\n  - { id: acme, targets: [acme.com], keywords: [shoes] }\n');
  expect((await run('--all')).exitCode).toBe(0);
  recorded = folder;
});
beforeEach(() => {
  folder = copyOf(recorded);
});

const command = (...argv: string[]) => invoke(argv, { cwd: folder.path, openApp });
const run = (...argv: string[]) => command('run', ...argv);

test('a run is discarded and made to count again, and status and history say so', async () => {
  const { exitCode, out } = await run('discard', '1', '--reason', 'wrong country');
  expect(exitCode).toBe(0);
  expect(out).toContain('Run 1 is discarded');
  expect(out).toContain('rankledger run discard 1 --undo');
  expect((await command('status')).out).toMatch(/complete, discarded .*wrong country/);
  expect((await command('history', 'shoes')).out).toContain('discarded run: wrong country');
  expect((await command('history', 'shoes')).out).toContain('; 0 checks');
  expect((await command('audit')).exitCode).toBe(0);
  expect((await command('verify')).exitCode).toBe(0);
  const undone = JSON.parse((await run('discard', '1', '--undo', '--json')).out);
  expect(undone).toMatchObject({ runId: 1, discardedAt: null, reports: [{ project: 'acme' }] });
  expect((await command('status')).out).not.toContain('discarded');
  expect((await command('history', 'shoes')).out).toContain('; 1 check');
});

test.each([
  [['discard'], 'missing'],
  [['discard', 'x'], 'whole number'],
  [['discard', '9'], 'there is no run 9'],
  [['discard', '1', '--undo', '--reason', 'x'], 'exclude each other'],
  [['discard', '1', '--all'], 'takes the number of a run'],
  [['discard', '1', '--reason', ' '], 'empty'],
  [['discrad', '1'], 'discrad'],
])('run %j is refused', async (argv, message) => {
  const { exitCode, err } = await run(...argv);
  expect(exitCode).toBe(2);
  expect(err.toLowerCase()).toContain(message);
});
