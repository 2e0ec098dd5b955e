// A config that is broken for one project: the other one runs, every command that spends says so, and `check` stays strict.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openApp } from '../../src/app.ts';
import { SimulatedClock } from '../../src/cli/simulated-clock.ts';
import { invoke } from './fake-host.ts';
import { type ProjectFolder, projectFolder } from './project-folder.ts';

const now = Date.UTC(2026, 0, 15, 12);
const yaml = `projects:
  - id: broken
    targets: [acme.com]
    schedule: "0 6 * * *"
    keywordsFile: keywords.csv
  - id: sound
    targets: [acme.com]
    schedule: "0 6 * * *"
    keywords: [running shoes]
`;

let folder: ProjectFolder;
beforeAll(() => {
  folder = projectFolder(yaml);
});
afterAll(() => folder.remove());

const go = (...argv: string[]) =>
  invoke(argv, {
    cwd: folder.path,
    now,
    openApp: (config, options) => openApp(config, { clock: new SimulatedClock(now), ...options }),
  });

test('the sound project runs, the broken one is named with exit code 3, and catches up when it is repaired', async () => {
  const first = await go('run', '--json');
  expect(first.exitCode).toBe(3);
  const { runs, broken } = JSON.parse(first.out);
  expect(runs).toMatchObject([{ state: 'complete', reports: [{ project: 'sound' }] }]);
  expect(broken).toEqual({
    projects: ['broken'],
    problems: [expect.stringMatching(/^rankledger\.yaml:5:.* keywords\.csv does not exist/)],
  });

  const again = await go('run');
  expect(again.exitCode).toBe(3);
  expect(again.out).toContain('BROKEN CONFIG: broken cannot run until this is repaired; the other projects go on');

  const status = await go('status');
  expect(status.exitCode).toBe(3);
  expect(status.out).toMatch(/^BROKEN CONFIG: broken .*\n {2}rankledger\.yaml:5:/);
  expect((await go('status', '--check')).exitCode).toBe(3);

  const named = await go('run', '--project', 'broken');
  expect(named.exitCode).toBe(2);
  expect(named.err).toContain('keywords.csv does not exist');
  expect(await go('check')).toMatchObject({ exitCode: 2 });

  folder.write('keywords.csv', 'keyword\ntrail shoes\n');
  const repaired = await go('run', '--json');
  expect(repaired.exitCode).toBe(0);
  expect(JSON.parse(repaired.out)).toMatchObject({
    runs: [{ state: 'complete', reports: [{ project: 'broken' }] }],
    broken: { projects: [], problems: [] },
  });
});

test('the scheduler starts with the sound project, says what is broken, and ends with exit code 3', async () => {
  folder.write('keywords.csv', 'keyword\n');
  const { exitCode, out } = await invoke(['schedule', '--json'], {
    cwd: folder.path,
    app: { async schedule() {} },
  });
  expect(exitCode).toBe(3);
  expect(JSON.parse(out.split('\n')[0] ?? '')).toMatchObject({ event: 'error', code: 'CONFIG_INVALID' });
});
