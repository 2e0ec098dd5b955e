// `run`: its output, its log and its progress, on the sandbox.
import { beforeAll, expect, test } from 'vitest';
import { App } from '../../../src/app/app.ts';
import { type Invocation, invoke } from '../fake-host.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';

let folder: ProjectFolder;
beforeAll(() => {
  folder = projectFolder();
});

const run = (argv: readonly string[] = [], invocation: Invocation = {}) =>
  invoke(['run', ...argv], { cwd: folder.path, ...invocation });

test('run of a slot takes its moment in any zone, and runs it once', async () => {
  const slot = ['--all', '--slot', '2026-01-15T06:00:00+01:00'];
  expect((await run(slot)).out).toMatch(/^Ranks, run \d+: acme 2026-01-15T06:00\n/m);
  expect((await run(slot)).out).toBe(
    'Nothing to do: that slot has run. `rankledger report` writes its reports again.\n',
  );
});

test('run shows progress only on a terminal, and removes it', async () => {
  const terminal = await run(['--project', 'acme'], { isTerminal: true });
  expect(terminal.exitCode).toBe(0);
  const drawn = terminal.err.split('\r\u001B[2K');
  expect(drawn).toContainEqual(expect.stringMatching(/^Checking searches \d of 3 \|/));
  expect([drawn[0], drawn.at(-1)]).toEqual(['', '']);
  expect((await run(['--project', 'acme'])).err).toBe('');
});

test('run says why nothing is due, and when it will be', async () => {
  await run();
  const { exitCode, out } = await run();
  expect(exitCode).toBe(0);
  expect(out).toMatch(/^Nothing is due\.\n/);
  expect(out).toMatch(/acme +ranks +no +2026-01-16T06:00 Europe\/Berlin +ran for 2026-01-15T/);
  expect(out).toContain('To run now anyway: rankledger run --all');
  expect(JSON.parse((await run(['--json'])).out)).toMatchObject({
    ...{ runs: [], overdue: [], missed: [], unwritten: [], broken: { projects: [], problems: [] } },
    notDue: [{ kind: 'volumes' }, { kind: 'ranks', due: false }],
  });
});

test('run of a config without projects says that nothing is tracked, not how to run it', async () => {
  const empty = projectFolder('projects: []\n');
  const { exitCode, out } = await run(['--all'], { cwd: empty.path });
  expect([exitCode, out]).toEqual([0, 'The config tracks nothing: it has no projects.\n']);
});

test('run prints the warnings of its config', async () => {
  const risky = projectFolder(`services:
  default: { mode: remote, baseUrl: "https://api.example.com", user: u, password: "\${PASSWORD}" }
projects: [{ id: acme, targets: [acme.com], schedule: "0 6 1 1 *", keywords: [shoes] }]
`);
  const { err } = await run([], { cwd: risky.path, env: { PASSWORD: 'p' }, now: Date.UTC(2026, 5, 15) });
  expect(err).toMatch(/^Warning:.* budget/);
});

test.each([
  { isTerminal: false, argv: [], logs: /^$/ },
  { isTerminal: false, argv: ['--verbose'], logs: /^\{"level":30,.*"runId":7,"msg":"run opened"\}\n$/ },
  { isTerminal: true, argv: [], logs: /^$/ },
  { isTerminal: true, argv: ['--verbose'], logs: /^[^{]*run opened/ },
])('the log is JSON lines, or readable on a terminal, only with --verbose: %j', async ({ isTerminal, argv, logs }) => {
  const { err } = await invoke(['note', 'list', ...argv], {
    cwd: folder.path,
    isTerminal,
    openApp: async (config, options) => {
      options.log?.info({ runId: 7 }, 'run opened');
      return new App(config, options);
    },
  });
  expect(err).toMatch(logs);
});
