// The list of projects compares like with like, as reports do.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { historyReader } from '../../../src/app/workspace/view.ts';
import { type ProjectFolder, projectFolder } from '../../cli/project-folder.ts';
import { commandAt, readingApp, runSlots } from '../../cli/real-app.ts';

const now = Date.parse('2026-01-14T12:00:00Z');
let folder: ProjectFolder;
beforeAll(async () => {
  folder = projectFolder();
  await runSlots(folder, ['2026-01-13T05:00:00Z', '2026-01-14T05:00:00Z']);
  const file = folder.write('ranks.csv', 'keyword,date,rank\nrunning shoes,2025-12-15,1\nrunning shoes,2026-01-07,1\n');
  const of = [
    '--project',
    'acme',
    '--target',
    'acme.com',
    '--device',
    'desktop',
    '--country',
    'US',
    '--language',
    'en',
  ];
  const { exitCode, err } = await commandAt(folder, now, 'backfill', 'import', file, ...of);
  expect([exitCode, err]).toEqual([0, '']);
});
afterAll(() => folder.remove());

it('gives no change of visibility from the ranks of another source', async () => {
  const app = await readingApp(folder.path, now);
  try {
    const reader = historyReader(app);
    const overview = reader.projects().find(({ project }) => project === 'acme');
    expect(overview?.sparkline).toHaveLength(4);
    expect(overview?.visibilityChange).toEqual({ day: expect.any(Number), week: null, month: null });
  } finally {
    await app.close();
  }
});
