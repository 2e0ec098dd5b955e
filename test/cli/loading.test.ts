// Which modules a command loads: each command in its own process, with a hook that records them.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ProjectFolder, projectFolder } from './project-folder.ts';

const root = resolve(import.meta.dirname, '../..');
const launcher = join(root, 'src/cli/rankledger.mjs');

let folder: ProjectFolder;
let hooks: string;
beforeAll(() => {
  folder = projectFolder();
  hooks = mkdtempSync(join(tmpdir(), 'rankledger-loading-'));
  writeFileSync(
    join(hooks, 'hook.mjs'),
    `import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
registerHooks({
  load(url, context, next) {
    appendFileSync(process.env.LOADED_MODULES, url + '\\n');
    return next(url, context);
  },
});
`,
  );
});
afterAll(() => {
  rmSync(hooks, { recursive: true, force: true });
});

/** The files that a command loads, packages included, until it ends, or until its first output if it serves. */
function filesLoadedBy(...argv: string[]): Promise<string[]> {
  const command = argv.join(' ');
  const files = loaded.get(command) ?? startAndRecord(argv);
  loaded.set(command, files);
  return files;
}

const loaded = new Map<string, Promise<string[]>>();

async function startAndRecord(argv: readonly string[]): Promise<string[]> {
  const record = join(hooks, `${loaded.size}.txt`);
  const child = spawn(process.execPath, ['--import', join(hooks, 'hook.mjs'), launcher, ...argv], {
    cwd: folder.path,
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], LOADED_MODULES: record },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((done) => child.on('exit', done));
  child.stdout.once('data', () => {
    if (argv[0] === 'serve' || argv[0] === 'view') child.kill('SIGTERM');
  });
  child.stdout.resume();
  expect(await ended).toBe(0);
  const prefix = `file://${root}/`;
  return readFileSync(record, 'utf8')
    .split('\n')
    .filter((url) => url.startsWith(prefix))
    .map((url) => url.slice(prefix.length));
}

const isOfPackage = (file: string): boolean => file.startsWith('node_modules/');

/** Without packages. */
const loadedBy = async (...argv: string[]): Promise<string[]> =>
  (await filesLoadedBy(...argv)).filter((file) => !isOfPackage(file));

const inside = (files: readonly string[], ...folders: readonly string[]): string[] =>
  files.filter((file) => folders.some((one) => file.startsWith(`${one}/`)));

test('--help loads neither the database nor the config nor the app', async () => {
  const files = await loadedBy('--help');
  expect(inside(files, 'src/cli').length).toBeGreaterThan(0);
  expect(inside(files, 'db', 'config', 'jobs', 'src/app', 'src/service', 'src/report', 'src/import')).toEqual([]);
});

test('view loads what edits only with --edit', async () => {
  const editing = (files: readonly string[]) =>
    files.filter((file) => /editing|app\/(import|notes|workspace\/(editor|check-now))/.test(file));
  expect(editing(await loadedBy('view', '--port', '0', '--api-only'))).toEqual([]);
  expect(editing(await loadedBy('view', '--port', '0', '--api-only', '--edit')).length).toBeGreaterThan(5);
});

test('serve loads no report, import, run, plan or backfill', async () => {
  const files = await loadedBy('serve', '--port', '0');
  expect(inside(files, 'src/service/server').length).toBeGreaterThan(0);
  const [report, foreign] = [inside(files, 'src/report'), inside(files, 'src/import')];
  expect([...report, ...foreign]).toEqual([]);
  const steps = ['run', 'report', 'backfill', 'check', 'volumes', 'alerts', 'query', 'purchase'];
  expect(inside(files, ...steps.map((step) => `jobs/${step}`))).toEqual([]);
  expect(inside(files, ...['runs', 'reports', 'backfill', 'alerts'].map((name) => `src/app/${name}`))).toEqual([]);
});

test('status loads no report table, no import and no execution of runs', async () => {
  const files = await loadedBy('status');
  expect(files).toContain('src/cli/commands/status.ts');
  const unneeded = ['src/report/html', 'src/report/tables', 'src/report/formats', 'src/import'];
  expect(inside(files, ...unneeded, 'jobs/backfill', 'jobs/check', 'jobs/volumes')).toEqual([]);
  expect(files).not.toContain('jobs/run/execute-run.ts');
});

test('mcp that only reads loads nothing that buys or writes', async () => {
  const files = await loadedBy('mcp');
  expect(files).toContain('src/workspace/mcp/server.ts');
  expect(files).not.toContain('src/app/workspace/check-now.ts');
  expect(inside(files, 'src/app/runs', 'src/import', 'jobs/check', 'jobs/backfill')).toEqual([]);
  // what is due, not the execution of runs
  expect(inside(files, 'jobs/run').filter((file) => file !== 'jobs/run/due.ts')).toEqual([]);
});
