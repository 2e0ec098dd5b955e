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
  };
  let asked: unknown;
  const fakes = {
    report: async (options: unknown) => {
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
