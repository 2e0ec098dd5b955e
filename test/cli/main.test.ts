// The command line as a whole: help, unknown words, failures and exit codes, signals, closed pipes.
import { execFile } from 'node:child_process';
import { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { ConfigError } from '../../config/document/problems.ts';
import { StoreError } from '../../db/connection/errors.ts';
import { UsageError } from '../../src/app/opening/failures.ts';
import { commandTable } from '../../src/cli/command-table.ts';
import { ServiceError } from '../../src/service/index.ts';
import { invoke } from './fake-host.ts';
import { type ProjectFolder, projectFolder } from './project-folder.ts';

let folder: ProjectFolder;
beforeAll(() => {
  folder = projectFolder();
});

describe('help', () => {
  test('lists every command with its summary, and the exit codes', async () => {
    const { exitCode, out } = await invoke(['--help']);
    expect(exitCode).toBe(0);
    const lines = out.split('\n').map((line) => line.trim().replace(/ +/g, ' '));
    expect(lines).toEqual(expect.arrayContaining(commandTable.map(({ name, summary }) => `${name} ${summary}`)));
    expect(out).toContain(
      'Exit codes: 0 done, 1 failed, 2 usage or config, 3 done in part, 4 halted, 130 interrupted.',
    );
  });

  test('is printed without a command, as a usage error', async () => {
    const { exitCode, out } = await invoke([]);
    expect(exitCode).toBe(2);
    expect(out).toContain('Usage: rankledger <command>');
  });

  test('includes the version of the program', async () => {
    const { exitCode, out } = await invoke(['--version']);
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test.each(commandTable.map(({ name }) => name))('of %s shows its options and at least two examples', async (name) => {
    const { exitCode, out, err } = await invoke([name, '--help']);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    expect(out).toContain(`Usage: rankledger ${name}`);
    expect(out).toContain('--json');
    expect(out.match(new RegExp(`^  \\$ rankledger ${name}`, 'gm'))?.length).toBeGreaterThanOrEqual(2);
    expect(await invoke(['help', name])).toMatchObject({ exitCode: 0, out });
  });
});

describe('a wrong command line', () => {
  test.each([
    { argv: ['rnu'], says: 'Did you mean `rankledger run`?' },
    { argv: ['frobnicate'], says: 'Run `rankledger --help` for the commands.' },
    { argv: ['--frob'], says: 'Unknown option --frob' },
    { argv: ['run', '--al'], says: 'Did you mean --all?' },
    { argv: ['run', '--slot', 'yesterday'], says: 'such as 2026-03-01T06:00 in the time zone of the config' },
    { argv: ['run', '--slot', '2026-02-30T06:00:00Z'], says: 'such as 2026-03-01T06:00 in the time zone of' },
    { argv: ['run', '--slot', '2026-02-30T06:00'], says: 'such as 2026-03-01T06:00 in the time zone of' },
    { argv: ['account', 'create', 'x', '--credits', '5'], says: 'Run `rankledger account create --help`' },
    { argv: ['account', 'create', ''], says: 'Run `rankledger account create --help`' },
    { argv: ['--json', 'backfill', 'import'], says: 'Run `rankledger backfill import --help`', out: '{' },
    { argv: ['backfill', 'rank'], says: 'Run `rankledger backfill --help`' },
    { argv: ['run', '--all', '--project', 'acme'], says: '--all and --project exclude each other.' },
    { argv: ['history'], says: "Missing required argument 'keyword'" },
    { argv: ['history', 'x', '--from', '2026-02-30'], says: 'Write a date such as' },
    { argv: ['export', '--format', 'xml'], says: 'Allowed choices are csv, jsonl' },
    { argv: ['serp', 'x', '--pages', '3-1'], says: 'Write a page such as 2, or a range such as 1-3.' },
    { argv: ['keywords', 'x', '--limit', '1001'], says: 'Write a whole number from 1 to 1000.' },
    { argv: ['demo', '--days', '0'], says: 'Write a whole number from 1 to 400.' },
    { argv: ['status', 'extra'], says: 'Too many arguments' },
    { argv: ['parse', 'page.html', '--engine', 'altavista'], says: 'Allowed choices are google' },
  ])('$argv exits with 2 and says what to do', async ({ argv, says, out: printed = '' }) => {
    const { exitCode, out, err } = await invoke(argv, { cwd: folder.path });
    expect(exitCode).toBe(2);
    expect(out.slice(0, 1)).toBe(printed);
    expect(err).toContain(says);
  });
});

test('options may come before the name of the command', async () => {
  const { exitCode, out } = await invoke(['--config', `${folder.path}/rankledger.yaml`, '--json', 'check']);
  expect(exitCode).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ ok: true });
});

describe('a failure', () => {
  const failWith = (error: unknown) => ({
    cwd: folder.path,
    openApp: () => Promise.reject(error),
  });

  test.each([
    { error: new ConfigError([{ file: 'a.yaml', line: 3, message: 'is odd' }]), exitCode: 2, code: 'CONFIG_INVALID' },
    { error: new UsageError('there is no project "x"'), exitCode: 2, code: 'USAGE' },
    { error: new StoreError('DISK_FULL', 'a.sqlite cannot grow', 'Free some space.'), exitCode: 1, code: 'DISK_FULL' },
    { error: new ServiceError('KEYWORD_REQUIRED', 'keyword is required.'), exitCode: 2, code: 'KEYWORD_REQUIRED' },
    { error: new ServiceError('SERP_FAILED', 'no page'), exitCode: 1, code: 'SERP_FAILED' },
    { error: new ServiceError('INSUFFICIENT_CREDITS', 'no credits'), exitCode: 4, code: 'INSUFFICIENT_CREDITS' },
    { error: new ServiceError('INVALID_API_KEY', 'who?'), exitCode: 4, code: 'INVALID_API_KEY' },
    { error: Object.assign(new Error('mine'), { hint: 'Do this.' }), exitCode: 1, code: 'FAILED' },
  ])('of code $code exits with $exitCode, a message and no stack', async ({ error, exitCode, code }) => {
    const ended = await invoke(['status', '--json'], failWith(error));
    expect(ended.exitCode).toBe(exitCode);
    expect(ended.err).toContain(error.message);
    expect(ended.err).not.toMatch(/^\s+at /m);
    expect(JSON.parse(ended.out)).toMatchObject({ error: { code, message: error.message } });
    const hint = (error as { hint?: string }).hint;
    if (hint !== undefined) expect(ended.err).toContain(hint);
  });

  test.each([
    { code: 'ENOSPC', path: '/data/a.csv', says: '/data/a.csv: the disk is full' },
    { code: 'EACCES', path: '/data/a.csv', says: '/data/a.csv: this user has no permission to open or create it' },
    { code: 'EIO', path: '/data/a.csv', says: 'EIO: as the system says it' },
  ])('of the system ($code) names the file', async ({ code, path, says }) => {
    const error = Object.assign(new Error(`${code}: as the system says it`), { code, path, syscall: 'write' });
    const ended = await invoke(['status', '--json'], failWith(error));
    expect(ended.exitCode).toBe(1);
    expect(ended.err).toContain(says);
    expect(JSON.parse(ended.out)).toMatchObject({ error: { code } });
  });

  test('that is unexpected is called a bug, and shows its stack and causes only with --debug', async () => {
    const bug = new TypeError('x is not a function', { cause: new Error('deep inside') });
    const quiet = await invoke(['status'], failWith(bug));
    expect(quiet).toMatchObject({ exitCode: 1, out: '' });
    expect(quiet.err).toBe(
      'Unexpected error: x is not a function\nThis is a bug in rankledger. Run the same command with --debug, and report its output.\n',
    );
    const loud = await invoke(['status', '--debug'], failWith(bug));
    expect(loud.err).toMatch(/^ +at /m);
    expect(loud.err).toContain('Caused by: Error: deep inside');
  });

  test('cannot move the cursor of a terminal with what it quotes', async () => {
    const { err } = await invoke(['status'], failWith(new UsageError('no project "\u001B[2J\u202Eevil"')));
    expect(err).not.toContain('\u001B');
    expect(err).not.toContain('\u202E');
  });

  test('of the config lists every problem', async () => {
    const broken = projectFolder('projects:\n  - id: acme\n    targets: []\n    depht: 3\n');
    const { exitCode, err } = await invoke(['check'], { cwd: broken.path });
    expect(exitCode).toBe(2);
    expect(err).toContain('did you mean depth?');
    expect(err).toContain('targets');
  });

  test('without a config names the remedy', async () => {
    const empty = projectFolder(null);
    const { exitCode, err } = await invoke(['status'], { cwd: empty.path });
    expect(exitCode).toBe(2);
    expect(err).toContain('rankledger init');
  });

  test('still closes the app', async () => {
    const ended = await invoke(['note', 'remove', '9'], { cwd: folder.path });
    expect(ended).toMatchObject({ exitCode: 2, closed: 1 });
  });
});

describe('signals', () => {
  test('abort the run, which exits with 130', async () => {
    const ended = await invoke(['run', '--all'], { cwd: folder.path, withSignal: (interrupt) => interrupt() });
    expect(ended).toMatchObject({ exitCode: 130, exits: [], closed: 1 });
  });

  test.each([
    { secondAfterMs: 50, exits: [] },
    { secondAfterMs: 2_000, exits: [130] },
  ])('a second one $secondAfterMs ms later exits with $exits at once', async ({ secondAfterMs, exits }) => {
    const withSignal = (interrupt: () => void) => {
      interrupt();
      interrupt();
    };
    const ended = await invoke(['--version'], { moments: [1_000, 1_000 + secondAfterMs], withSignal });
    expect(ended.exits).toEqual(exits);
  });

  test('turn the error that they caused into an interruption', async () => {
    const ended = await invoke(['serp', 'shoes'], { cwd: folder.path, withSignal: (interrupt) => interrupt() });
    expect(ended).toMatchObject({ exitCode: 130, err: 'Interrupted.\n' });
  });
});

describe('a reader of stdout', () => {
  const failing = (code: string) =>
    new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code, syscall: 'write' })),
    });

  test('that has closed the pipe ends the command silently', async () => {
    const { exitCode, err } = await invoke(['check'], { cwd: folder.path, stdout: failing('EPIPE') });
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
  });

  test('that is a full disk is a failure', async () => {
    const { exitCode, err } = await invoke(['check'], { cwd: folder.path, stdout: failing('ENOSPC') });
    expect(exitCode).toBe(1);
    expect(err).toContain('the disk is full');
  });
});

describe('the launcher', () => {
  const launcher = new URL('../../src/cli/rankledger.mjs', import.meta.url).pathname;
  const run = promisify(execFile);

  test('starts the program and passes on its exit code', async () => {
    const { stdout } = await run(process.execPath, [launcher, '--version']);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    await expect(run(process.execPath, [launcher, 'rnu'])).rejects.toMatchObject({ code: 2 });
  });
});
