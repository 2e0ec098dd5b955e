// What the CLI takes from the machine: output that leads to a full disk, and what calls the program in a folder.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { programIn } from '../../../src/cli/terminal/host.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';

const launcher = new URL('../../../src/cli/rankledger.mjs', import.meta.url).pathname;
const run = promisify(execFile);

let folder: ProjectFolder;
beforeAll(() => {
  folder = projectFolder();
});

/** `limit` of files, in blocks: what does not fit into the room that is left is written in part, without an error. */
const inShell = (limit: string) =>
  run('sh', ['-c', `ulimit -f ${limit}; exec "$0" "$1" check --json > out.json`, process.execPath, launcher], {
    cwd: folder.path,
  }).then(
    () => ({ code: 0, stderr: '' }),
    (error: { code: number; stderr: string }) => error,
  );

test('output of which only a part fits into its file is a failure', async () => {
  const { code, stderr } = await inShell('1');
  expect(code).toBe(1);
  expect(stderr).toContain('larger than this user may write');
});

test('output that fits into its file is complete', async () => {
  expect(await inShell('unlimited')).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(readFileSync(join(folder.path, 'out.json'), 'utf8'))).toMatchObject({ ok: true });
});

test.each([
  ['a checkout', '/co', '/co/src/cli/terminal', 'npx rankledger'],
  ['a folder below it', '/co/mysite', '/co/src/cli/terminal', 'npx rankledger'],
  [
    'a project that depends on the package',
    '/app/site',
    '/app/node_modules/rankledger/dist/src/cli/terminal',
    'npx rankledger',
  ],
  [
    'any folder, where npx downloaded it',
    '/x',
    '/srv/.npm/_npx/1f/node_modules/rankledger/dist/src/cli/terminal',
    'npx rankledger',
  ],
  [
    'any folder, where it is installed for the machine',
    '/x',
    '/usr/lib/node_modules/rankledger/dist/src/cli/terminal',
    'rankledger',
  ],
  ['a folder beside the checkout', '/co-2', '/co/src/cli/terminal', 'node ../co/src/cli/rankledger.mjs'],
])('next steps that are printed work in %s', (_, cwd, from, program) => {
  expect(programIn(cwd, from)).toBe(program);
});
