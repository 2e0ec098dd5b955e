// `report`: folders and files.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Invocation, invoke } from '../fake-host.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';
import { mover } from '../samples.ts';

let folder: ProjectFolder;
beforeAll(() => {
  folder = projectFolder();
});
afterAll(() => folder.remove());

const inFolder = (argv: readonly string[], invocation: Invocation = {}) =>
  invoke(argv, { cwd: folder.path, ...invocation });

test('report names the folders and the files', async () => {
  const directory = join(folder.path, 'reports/acme/2026-01-15T0600');
  const report = {
    project: 'acme',
    directory,
    files: ['rank-changes.csv', 'summary.csv'],
    rows: 3,
    movers: [mover],
    headline: null,
  };
  let asked: unknown;
  const fakes = {
    reportWithPdf: async (options: unknown) => {
      asked = options;
      return [report];
    },
  };
  const { exitCode, out } = await inFolder(['report', '--compare', '7d', '-p', 'acme'], { fakes });
  expect(exitCode).toBe(0);
  expect(asked).toEqual({ compare: '7d', projects: ['acme'] });
  await inFolder(['report', '--xlsx'], { fakes });
  expect(asked).toEqual({ xlsx: true });
  expect(out).toContain('acme: reports/acme/2026-01-15T0600 (3 rows)\n  rank-changes.csv\n  summary.csv\n');
});

test.each([
  [['--as-of', '2026-01-10', '--out', 'delivery'], { asOf: '2026-01-10', out: 'delivery' }],
  [['--from', '2026-01-01', '--to', '2026-01-31'], { period: { from: '2026-01-01', to: '2026-01-31' } }],
])('report %j names the days and the folder', async (argv, expected) => {
  let asked: Record<string, unknown> = {};
  const fakes = {
    reportWithPdf: async (options: unknown) => {
      asked = options as Record<string, unknown>;
      return [];
    },
  };
  const { out } = await inFolder(['report', ...argv], { fakes });
  const resolved = 'out' in expected ? { ...expected, out: join(folder.path, 'delivery') } : expected;
  expect(asked).toEqual(resolved);
  expect(out).toMatch(
    /^No reports: no run (by 2026-01-10|from 2026-01-01 to 2026-01-31)\. A report is of a run: imported ranks are in/,
  );
});

test('report says that no project has a report where only the files of all projects were written', async () => {
  const directory = join(folder.path, 'reports/agency/2026-01-15');
  const agency = {
    project: 'agency',
    directory,
    files: ['all-projects-long.csv'],
    rows: 3,
    movers: [],
    headline: null,
  };
  const { out } = await inFolder(['report', '--agency'], { fakes: { reportWithPdf: async () => [agency] } });
  expect(out).toContain('No reports: no run yet.');
  expect(out).toContain('agency: reports/agency/2026-01-15 (3 rows)');
  expect(out).not.toContain('Biggest movers');
});

test.each([
  [['--from', '2026-01-01'], '--from and --to name a period together.'],
  [['--from', '2026-01-02', '--to', '2026-01-01'], '--from 2026-01-02 is after --to 2026-01-01'],
  [['--from', '2026-01-01', '--to', '2026-01-02', '--as-of', '2026-01-02'], '--as-of names a day'],
  [['--from', '2026-01-01', '--to', '2026-01-02', '--compare', '7d'], '--compare does not go with --from and --to'],
])('report %j is refused', async (argv, words) => {
  const { exitCode, err } = await inFolder(['report', ...argv]);
  expect(exitCode).toBe(2);
  expect(err).toContain(words);
});
