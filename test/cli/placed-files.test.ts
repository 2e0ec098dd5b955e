// Files that several processes change at once; and links, owners, modes and pipes where a command puts a file.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { changeFile } from '../../db/connection/whole-file.ts';
import { type Folder, folderOf } from './child.ts';
import { copyOf, type ProjectFolder, projectFolder } from './project-folder.ts';
import { commandAt, runSlots } from './real-app.ts';

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

interface Answered {
  readonly status: number;
  readonly body: ReturnType<typeof JSON.parse>;
}

/** A real `view --edit` of the folder, as a client that changes keywords. */
async function editor(folder: Folder) {
  const { child, ended } = folder.start('view', '--edit', '--port', '0', '--api-only', '--json');
  let out = '';
  for await (const piece of child.stdout ?? []) {
    out += piece;
    if (out.includes('\n')) break;
  }
  const { url } = JSON.parse(out);
  const change = (path: string, body: object) =>
    new Promise<Answered>((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'x-rankledger-edit': '1' };
      request(`${url}/v1/projects/${path}`, { method: 'POST', headers }, (response) => {
        let answer = '';
        response.setEncoding('utf8').on('data', (part) => {
          answer += part;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(answer) }));
      })
        .on('error', reject)
        .end(JSON.stringify(body));
    });
  const end = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return { change, end };
}

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

  it('takes one of two writes at once through `view --edit`, and shows the other the new preview', async () => {
    const folder = made({ 'belts.txt': 'belts\n' });
    const editors = await Promise.all([editor(folder), editor(folder)]);
    try {
      for (let round = 0; round < 5; round += 1) {
        const before = folder.read('words.csv');
        const asked = [
          ['acme/keywords', { lists: [{ text: `boots ${round}` }], suggest: [] }],
          ['other/keywords/change', { keywords: ['socks'], addTags: [`tag${round}`] }],
        ] as const;
        const write = (at: 0 | 1, hash: string) => editors[at]?.change(asked[at][0], { ...asked[at][1], hash });
        const previews = await Promise.all(asked.map(([path, body], at) => editors[at]?.change(path, body)));
        const written = await Promise.all(
          previews.map((preview, at) => write(at === 0 ? 0 : 1, `${preview?.body.hash}`)),
        );
        expect(written.map((answer) => answer?.status).sort()).toEqual([200, 409]);
        const at = written[0]?.status === 409 ? 0 : 1;
        const refused = written[at]?.body;
        expect(refused.error.message).toContain('Look at it again.');
        expect(refused.preview).toMatchObject({ isWritten: false, file: 'words.csv', cost: expect.anything() });
        expect((await write(at, refused.preview.hash))?.body.isWritten).toBe(true);
        const lines = folder.read('words.csv').trim().split('\n');
        expect(lines.length).toBe(before.trim().split('\n').length + 1);
        expect(folder.read('words.csv')).toMatch(new RegExp(`socks,.*tag${round}[\\s\\S]*\nboots ${round},`));
      }
      const pause = { keywords: ['socks'], state: 'paused' };
      const { hash } = (await editors[0].change('acme/keywords/change', pause)).body;
      await folder.run('keywords', 'add', 'belts.txt', '--project', 'acme', '--yes');
      expect((await editors[0].change('acme/keywords/change', { ...pause, hash })).status).toBe(409);
      expect(folder.read('words.csv')).toContain('belts');
    } finally {
      await Promise.all(editors.map(({ end }) => end()));
    }
  }, 60_000);
});

/** Each writes a file of the folder. A run goes on where it may not; a command is refused. */
const writers: readonly (readonly [name: string, file: string, ...argv: string[]])[] = [
  ['keywords add', 'words.csv', 'keywords', 'add', 'boots.txt', '--project', 'acme', '--yes'],
  ['rename', 'rankledger.yaml', 'rename', 'project', 'acme', 'blog'],
  ['export --output', 'out.csv', 'export', '--output', 'out.csv'],
  ['export --partitions', 'lake/rankings/project=acme/_manifest.json', 'export', '--partitions', 'lake'],
  ['parse --anonymise', 'page.html', 'parse', 'saved.html', '--engine', 'google', '--anonymise', '-o', 'page.html'],
  ['locations import', 'data/locations.csv', 'locations', 'import', 'places.csv'],
  ['backup', 'copy.sqlite.sha256', 'backup', 'copy.sqlite'],
  ['a heartbeat', 'beat.json', 'run', '--all'],
  ['an index of reports', 'reports/index.html', 'run', '--all'],
  ['backup of a witness', 'copy.sqlite.witness', 'backup', 'copy.sqlite'],
];

let base: ProjectFolder;
beforeAll(async () => {
  base = projectFolder(`${config}heartbeat: { file: beat.json }\n`);
  base.write('words.csv', words);
  base.write('boots.txt', 'boots\n');
  base.write('saved.html', '<html><title>shoes</title><body><p>nothing</p></body></html>');
  base.write(
    'places.csv',
    'Criteria ID,Name,Canonical Name,Parent ID,Country Code,Target Type,Status\n1,"Oz","Oz,Kansas,United States",2,US,City,Active\n',
  );
  await runSlots(base, ['2026-01-13T06:00:00Z']);
});

describe.each(writers)('what %s writes', (_, file, ...argv) => {
  let folder: ProjectFolder;
  const path = (name = file) => join(folder.path, name);
  const go = () => commandAt(folder, Date.parse('2026-01-15T08:00:00Z'), ...argv);
  const isRun = argv[0] === 'run';

  /** A copy of the folder, with an older file in the place. */
  function older(): string {
    folder = copyOf(base);
    mkdirSync(join(path(), '..'), { recursive: true });
    if (!existsSync(path())) writeFileSync(path(), 'old');
    chmodSync(path(), 0o640);
    return readFileSync(path(), 'utf8');
  }

  async function written(before: string): Promise<void> {
    const { exitCode, err } = await go();
    expect([exitCode, err]).toEqual([expect.toSatisfy((code) => code === 0 || code === 3), expect.anything()]);
    expect(readFileSync(path(), 'utf8')).not.toBe(before);
    const names = readdirSync(folder.path, { recursive: true, encoding: 'utf8' });
    expect(names.filter((name) => isUnfinished(name))).toEqual([]);
  }

  async function refused(code: RegExp): Promise<void> {
    const { exitCode, err } = await go();
    if (isRun) return;
    expect(err).toMatch(code);
    expect([1, 2]).toContain(exitCode);
  }

  it('goes through a link to its end, there or not', async () => {
    const before = older();
    mkdirSync(path('elsewhere/deep'), { recursive: true });
    renameSync(path(), path('elsewhere/deep/end'));
    symlinkSync(path('elsewhere/deep/end'), path('elsewhere/second'));
    symlinkSync('second', path('elsewhere/first'));
    symlinkSync(path('elsewhere/first'), path());
    await written(before);
    expect([lstatSync(path()).isSymbolicLink(), lstatSync(path('elsewhere/first')).isSymbolicLink()]).toEqual([
      true,
      true,
    ]);
    expect(statSync(path('elsewhere/deep/end')).mode & 0o777).toBe(0o640);
    if (file === 'rankledger.yaml' || argv[0] === 'backup') return;
    folder = copyOf(base);
    rmSync(path(), { force: true });
    mkdirSync(join(path(), '..'), { recursive: true });
    symlinkSync(path('new'), path());
    await written('');
    expect(lstatSync(path('new')).isFile()).toBe(true);
  });

  it('keeps all names, the owner and the mode of a file', async () => {
    const before = older();
    linkSync(path(), path('other-name'));
    await written(before);
    expect(statSync(path()).ino).toBe(statSync(path('other-name')).ino);
    expect(readFileSync(path('other-name'), 'utf8')).toBe(readFileSync(path(), 'utf8'));

    const again = older();
    const user = process.getuid?.() === 0 ? 12_345 : (process.getuid?.() ?? 0);
    if (process.getuid?.() === 0) chownSync(path(), user, user);
    await written(again);
    const { uid, mode } = statSync(path());
    expect([uid, mode & 0o777]).toEqual([user, 0o640]);
  });

  it('is refused where the file is read-only, a pipe or a folder', async () => {
    const before = older();
    chmodSync(path(), 0o444);
    await refused(/read-only/);
    expect([readFileSync(path(), 'utf8'), statSync(path()).mode & 0o777]).toEqual([before, 0o444]);
    for (const [make, code] of [
      [() => execFileSync('mkfifo', [path()]), /pipe|cannot be read|is not|no file/],
      [() => mkdirSync(path()), /folder|directory/],
    ] as const) {
      older();
      rmSync(path());
      make();
      const { ino } = lstatSync(path());
      await refused(code);
      expect([lstatSync(path()).ino, lstatSync(path()).isFile()]).toEqual([ino, false]);
    }
  });
});
