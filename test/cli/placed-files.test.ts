// Files that people own, changed by several processes at once; and what stands where a file is put: links, owners, pipes.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { changeFile, replaceFile } from '../../db/connection/whole-file.ts';
import { openHeartbeat } from '../../src/app/runs/heartbeat.ts';
import { type Folder, folderOf } from './child.ts';
import { invoke } from './fake-host.ts';

const config = `projects:
  - id: acme
    targets: [acme.com]
    schedule: "0 6 * * *"
    keywordsFile: words.csv
  - id: other
    targets: [other.com]
    schedule: "0 6 * * *"
    keywordsFile: words.csv
`;
const words = 'keyword,tags\nsocks,\n';

const folders: Folder[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

function made(files: Readonly<Record<string, string>> = {}): Folder {
  const folder = folderOf({ 'rankledger.yaml': config, 'words.csv': words, ...files });
  folders.push(folder);
  return folder;
}

const never = new AbortController().signal;
const isUnfinished = (name: string) => /lock|\.tmp$|\.whole$/.test(name);

describe('a keyword file that several write', () => {
  it('keeps the keywords of all `keywords add` at once', async () => {
    const folder = made();
    const added = ['boots', 'hats', 'gloves', 'scarves'];
    for (const keyword of added) folder.write(`${keyword}.txt`, `${keyword}\n`);
    const ended = await Promise.all(
      added.map((keyword, at) =>
        folder.run('keywords', 'add', `${keyword}.txt`, '--project', ['acme', 'other'][at % 2] ?? '', '--yes'),
      ),
    );
    expect(ended.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
    const lines = folder.read('words.csv').trim().split('\n').slice(1);
    expect(lines.map((line) => line.split(',')[0]).sort()).toEqual([...added, 'socks'].sort());
    expect(readdirSync(folder.path).filter(isUnfinished)).toEqual([]);
  }, 60_000);

  it('is read again where an editor saves it while a change is planned', async () => {
    const file = join(made().path, 'words.csv');
    let plans = 0;
    await changeFile(async () => {
      const text = readFileSync(file, 'utf8');
      plans += 1;
      if (plans === 1) writeFileSync(file, `${text}boots,\n`);
      return { file, text, content: `${text}hats,\n` };
    }, never);
    expect([plans, readFileSync(file, 'utf8')]).toEqual([2, `${words}boots,\nhats,\n`]);
  });

  it('is not written where a program never stops changing it', async () => {
    const file = join(made().path, 'words.csv');
    const plan = () => {
      const text = readFileSync(file, 'utf8');
      writeFileSync(file, `${text}boots,\n`);
      return { file, text, content: `${text}hats,\n` };
    };
    await expect(changeFile(plan, never)).rejects.toMatchObject({ code: 'FILE_CHANGED' });
    expect(readFileSync(file, 'utf8')).not.toContain('hats');
  });

  it('waits for the process that holds its lock, and for none that was killed', async () => {
    const folder = made({ 'boots.txt': 'boots\n' });
    const driver = JSON.stringify(import.meta.resolve('better-sqlite3'));
    const holder = spawn(process.execPath, [
      '--input-type=module',
      '-e',
      `import Database from ${driver};
       const db = new Database(${JSON.stringify(join(folder.path, '.words.csv.rankledger-lock'))});
       db.exec('BEGIN EXCLUSIVE');
       console.log('held');
       setInterval(() => {}, 1_000);`,
    ]);
    await once(holder.stdout, 'data');
    let isOver = false;
    const adding = folder.run('keywords', 'add', 'boots.txt', '--project', 'acme', '--yes');
    void adding.then(() => {
      isOver = true;
    });
    // a command that waits for nothing is over long before the second one
    await folder.run('keywords', 'add', 'boots.txt', '--project', 'acme');
    await folder.run('keywords', 'add', 'boots.txt', '--project', 'acme');
    expect([isOver, folder.read('words.csv')]).toEqual([false, words]);
    holder.kill('SIGKILL');
    expect((await adding).exitCode).toBe(0);
    expect(folder.read('words.csv')).toBe(`${words}boots,\n`);
    expect(readdirSync(folder.path).filter(isUnfinished)).toEqual([]);
  }, 60_000);
});
