// `report`: folders and files.
import { beforeAll, expect, test } from 'vitest';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';
import { commandAt, runSlots } from '../real-app.ts';

let folder: ProjectFolder;
beforeAll(async () => {
  folder = projectFolder();
  await runSlots(folder, ['2026-01-14T06:00+01:00', '2026-01-15T06:00+01:00']);
});

const report = (...argv: string[]) => commandAt(folder, Date.UTC(2026, 0, 15, 12), 'report', ...argv);

test('report names the folders and the files, and the biggest movers', async () => {
  const { exitCode, out } = await report('-p', 'acme');
  expect(exitCode).toBe(0);
  expect(out).toMatch(/^acme: reports\/acme\/2026-01-15T0600 \(3 rows\)\n {2}rank-changes\.csv\n/);
  expect(out).toContain('Biggest movers against previous\n');
  const compared = await report('--compare', '7d', '--out', 'delivery');
  expect(compared.out).toMatch(/^acme: delivery\/acme\/2026-01-15T0600-compare-7d \(3 rows\)\n/);
  expect(compared.out).toContain('Biggest movers against 7d\n');
});

test.each([
  [['--as-of', '2026-01-10', '--out', 'delivery'], 'by 2026-01-10'],
  [['--from', '2026-01-01', '--to', '2026-01-10'], 'from 2026-01-01 to 2026-01-10'],
])('report %j says that there was no run', async (argv, when) => {
  const { out } = await report(...argv);
  expect(out).toBe(
    `No reports: no run ${when}. A report is of a run: imported ranks are in \`history\` and \`export\`.\n`,
  );
});

test.each([
  [['--from', '2026-01-01'], '--from and --to name a period together.'],
  [['--from', '2026-01-02', '--to', '2026-01-01'], '--from 2026-01-02 is after --to 2026-01-01'],
  [['--from', '2026-01-01', '--to', '2026-01-02', '--as-of', '2026-01-02'], '--as-of names a day'],
  [['--from', '2026-01-01', '--to', '2026-01-02', '--compare', '7d'], '--compare does not go with --from and --to'],
])('report %j is refused', async (argv, words) => {
  const { exitCode, err } = await report(...argv);
  expect(exitCode).toBe(2);
  expect(err).toContain(words);
});
