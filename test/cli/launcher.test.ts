// The launcher on an older Node.js: it starts the pinned one as a child, and both are one program to the user.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { beforeAll, expect, test } from 'vitest';
import { type ProjectFolder, projectFolder } from './project-folder.ts';

const launcher = new URL('../../src/cli/rankledger.mjs', import.meta.url).pathname;
/** Makes the launcher believe that it runs on Node.js 20. */
const older = `Object.defineProperty(process.versions, 'node', { value: '20.0.0' }); process.execPath = '/usr/bin/node';`;

let folder: ProjectFolder;
beforeAll(() => {
  folder = projectFolder();
});

test('in a folder that was removed, the program says so in one line and ends with 78', async () => {
  const leave = `mkdir gone && cd gone && rmdir ../gone && exec "$0" "$1" status`;
  const child = spawn('sh', ['-c', leave, process.execPath, launcher], { cwd: folder.path });
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    err += part;
  });
  const code = await new Promise((done) => child.once('close', done));
  expect({ code, err }).toEqual({ code: 78, err: expect.stringMatching(/^rankledger: the current folder .*\n$/) });
});

test('after kill -9 of the launcher, the program that it started ends too', async () => {
  const child = spawn(
    process.execPath,
    [`--import=data:text/javascript,${encodeURIComponent(older)}`, launcher, 'serve', '--port', '0', '--json'],
    { cwd: folder.path, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const lines = createInterface(child.stdout);
  const [first] = await new Promise<string[]>((done) => lines.once('line', (line) => done([line])));
  expect(JSON.parse(first ?? '')).toHaveProperty('url');
  // the program holds the other end of this pipe: it closes when the program has ended
  const ended = new Promise((done) => child.stdout.once('close', done));
  child.kill('SIGKILL');
  await ended;
});
