// One broken project or service: the others run, commands that spend report it, and `check` stays strict.
import { beforeAll, describe, expect, test } from 'vitest';
import { openApp } from '../../src/app/app.ts';
import { SimulatedClock } from '../../src/app/runs/simulation.ts';
import { invoke, TextStream } from './fake-host.ts';
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

const go = (...argv: string[]) =>
  invoke(argv, {
    cwd: folder.path,
    now,
    openApp: (config, options) => openApp(config, { clock: new SimulatedClock(now), ...options }),
  });

test('the valid project runs, the broken one is named with exit code 3, and catches up when it is repaired', async () => {
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
  expect(again.out).toContain('BROKEN CONFIG: broken cannot run until this is repaired; other projects continue');

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

test('the scheduler starts with the valid project, names the broken one, and ends with exit code 3', async () => {
  folder.write('keywords.csv', 'keyword\n');
  const { exitCode, out } = await invoke(['schedule', '--json'], {
    cwd: folder.path,
    withSignal: (interrupt) => interrupt(),
  });
  expect(exitCode).toBe(3);
  expect(JSON.parse(out.split('\n')[0] ?? '')).toMatchObject({ event: 'error', code: 'CONFIG_INVALID' });
});

describe('a service that cannot be opened', () => {
  const services = `services:
  default: { mode: embedded, source: sandbox }
  recorded: { mode: embedded, source: replay, dir: recordings }
  secret: { mode: remote, baseUrl: https://provider.example, user: "\${VENDOR_USER}", password: "\${VENDOR_PASSWORD}" }
`;
  const projectOf = (id: string, service: string) =>
    `  - { id: ${id}, service: ${service}, targets: [acme.com], schedule: "0 6 * * *", keywords: [running shoes] }\n`;
  const env = { VENDOR_USER: 'user-of-vendor', VENDOR_PASSWORD: 'password-of-vendor' };
  let second: ProjectFolder;
  beforeAll(() => {
    second = projectFolder(`${services}projects:\n${projectOf('lost', 'recorded')}${projectOf('sound', 'default')}`);
  });
  const goSecond = (argv: readonly string[], variables: Readonly<Record<string, string>> = env) =>
    invoke(argv, {
      cwd: second.path,
      now,
      env: variables,
      openApp: (config, options) => openApp(config, { clock: new SimulatedClock(now), ...options }),
    });
  const broken = {
    projects: ['lost'],
    problems: [expect.stringMatching(/^services\.recorded: .*recordings.*rankledger check/)],
  };

  test('stops only its own projects, and `run` names it with exit code 3', async () => {
    const { exitCode, out } = await goSecond(['run', '--json']);
    expect(exitCode).toBe(3);
    expect(JSON.parse(out)).toMatchObject({ runs: [{ state: 'complete', reports: [{ project: 'sound' }] }], broken });
    const named = await goSecond(['run', '--project', 'lost']);
    expect(named).toMatchObject({ exitCode: 2, err: expect.stringContaining('services.recorded: ') });
  });

  test('is named by `status` with exit code 3, and so is each secret that the environment lacks', async () => {
    const { exitCode, out } = await goSecond(['status', '--json'], {});
    expect(exitCode).toBe(3);
    expect(JSON.parse(out)).toMatchObject({
      broken,
      unset: [expect.stringContaining('VENDOR_USER'), expect.stringContaining('VENDOR_PASSWORD')],
    });
    expect((await goSecond(['status', '--check'])).exitCode).toBe(3);
  });

  test('is named by the scheduler, which runs the other project and ends with exit code 3', async () => {
    second.write(
      'rankledger.yaml',
      `${services}projects:\n${projectOf('lost', 'recorded')}${projectOf('other', 'default')}`,
    );
    const lines: string[] = [];
    const stdout = new TextStream();
    const stop = Promise.withResolvers<() => void>();
    stdout._write = (chunk: string, _encoding: string, done: () => void) => {
      lines.push(...chunk.split('\n').filter((line) => line !== ''));
      if (chunk.includes('"ended"')) void stop.promise.then((interrupt) => interrupt());
      done();
    };
    const { exitCode } = await invoke(['schedule', '--json'], {
      cwd: second.path,
      now,
      env,
      stdout,
      withSignal: stop.resolve,
      openApp: (config, options) => openApp(config, { clock: new SimulatedClock(now), ...options }),
    });
    expect(exitCode).toBe(3);
    const events = lines.map((line) => JSON.parse(line));
    expect(events[0]).toMatchObject({ event: 'error', message: expect.stringContaining('services.recorded: ') });
    const ended = events.filter(({ event }) => event === 'ended');
    expect(ended).toMatchObject([{ state: 'complete', slots: [{ project: 'other' }] }]);
  });

  test('stops backfills only for its projects', async () => {
    const ofOther = await goSecond(['backfill', 'ranks', '--project', 'other']);
    expect(ofOther.exitCode).toBe(0);
    const ofLost = await goSecond(['backfill', 'ranks', '--project', 'lost']);
    expect(ofLost).toMatchObject({ exitCode: 2, err: expect.stringContaining('services.recorded: ') });
    const asked = await goSecond(['serp', 'running shoes', '--service', 'default']);
    expect(asked.exitCode).toBe(0);
  });
});
