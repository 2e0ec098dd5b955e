// Output that is redirected to a file, on a disk with little room.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
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
