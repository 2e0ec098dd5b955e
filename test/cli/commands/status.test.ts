// `status`: one screen.
import { beforeAll, expect, test } from 'vitest';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';
import { commandAt, runSlots } from '../real-app.ts';

const now = Date.UTC(2026, 0, 15, 12);

let folder: ProjectFolder;
beforeAll(() => {
  folder = projectFolder();
});

test('status shows runs, dueness, missed slots and budget', async () => {
  expect((await commandAt(folder, now, 'status')).out).toContain('none yet: start with `rankledger run`');
  await runSlots(folder, ['2026-01-12T06:00+01:00', '2026-01-15T06:00+01:00']);
  const { exitCode, out } = await commandAt(folder, now, 'status');
  expect(exitCode).toBe(0);
  expect(out).toMatch(/3 +ranks +2026-01-15T06:00 +acme +complete +3 ok$/m);
  expect(out).toMatch(/acme +ranks +no +2026-01-16T06:00 Europe\/Berlin +ran for 2026-01-15T06:00/);
  expect(out).toMatch(/acme +ranks +2 slots missed, 13 to 14 Jan +/);
  expect(out).toMatch(/SERP credits +month 2026-01 +100 +14 +0 +86$/m);
  expect(out).toMatch(/keyword data +month 2026-01 +no cap +\$0\.02 +\$0\.00 +no cap/);
  expect(out).toContain('Database: data/rankledger.sqlite');
});
