// `export`: rows as CSV, JSON lines and Parquet, to stdout and to files.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { beforeAll, expect, test } from 'vitest';
import { type Invocation, invoke } from '../fake-host.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';
import { runSlots } from '../real-app.ts';

let folder: ProjectFolder;
beforeAll(async () => {
  folder = projectFolder(`timezone: Europe/Berlin
projects:
  - { id: acme, targets: [acme.com], schedule: "0 6 * * *", depth: 1, keywords: ['=1+1, "x"', __proto__] }
`);
  await runSlots(folder, ['2026-01-15T06:00+01:00']);
});

const exported = (argv: readonly string[] = [], invocation: Invocation = {}) =>
  invoke(['export', ...argv], { cwd: folder.path, ...invocation });

test('writes CSV without a byte order mark, and no spreadsheet runs its text', async () => {
  const { exitCode, out } = await exported();
  expect(exitCode).toBe(0);
  const [header, first, second, end] = out.split('\r\n');
  expect(header).toMatch(/^project,keyword,service,country,/);
  expect(first).toContain(`acme,"'=1+1, ""x""",default,US,en,desktop,acme.com,false,2026-01-15T06:00,`);
  expect(second).toContain('__proto__');
  expect(end).toBe('');
  expect((await exported(['--safe'])).out).toBe(out);
});

test('writes JSON lines with the same names, and one document with --json', async () => {
  const { out } = await exported(['--format', 'jsonl']);
  const lines = out.trimEnd().split('\n');
  expect(JSON.parse(lines[0]!)).toMatchObject({ keyword: '=1+1, "x"', local_date: '2026-01-15', depth: 1 });
  expect(JSON.parse((await exported(['--json'])).out)).toEqual({ rows: lines.map((line) => JSON.parse(line)) });
  expect(JSON.parse((await exported(['--json', '--to', '2020-01-01'])).out)).toEqual({ rows: [] });
  expect((await exported(['--json', '-f', 'parquet'])).exitCode).toBe(2);
});

test('writes Parquet into a file or another program, never onto a terminal', async () => {
  const { exitCode, err } = await exported(['-f', 'parquet', '-o', 'history.parquet']);
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: 'history.parquet: 2 rows\n' });
  const file = Uint8Array.from(readFileSync(join(folder.path, 'history.parquet'))).buffer;
  expect(await parquetReadObjects({ file, columns: ['keyword', 'depth', 'checked_at'] })).toMatchObject([
    { keyword: '=1+1, "x"', depth: 1n, checked_at: expect.any(Date) },
    { keyword: '__proto__' },
  ]);
  expect((await exported(['-f', 'parquet'])).out).toMatch(/^PAR1[\s\S]*PAR1$/);
  const shown = await exported(['-f', 'parquet'], { isTerminal: true });
  expect(shown.exitCode).toBe(2);
  expect(shown.err).toContain('--output');
});

test('selects what the options say', async () => {
  const { out } = await exported(['--what', 'ledger', '--from', '2026-01-01', '--to', '2026-01-31']);
  expect(out).toMatch(/^[^\r]*purchase[^\r]*\r\n/);
  const wrong = await exported(['--what', 'pages']);
  expect(wrong.exitCode).toBe(2);
  expect(wrong.err).toContain('rankings, checks, volumes, serps, ledger');
});

test('into a file leaves the complete file or none', async () => {
  const { exitCode, err, out } = await exported(['-o', 'history.csv']);
  expect({ exitCode, out, err }).toEqual({ exitCode: 0, out: '', err: 'history.csv: 2 rows\n' });
  expect(readFileSync(join(folder.path, 'history.csv'), 'utf8').split('\r\n')).toHaveLength(4);
  // as `backup` does, it makes a folder that is missing
  expect((await exported(['-o', 'a/b/x.csv'])).err).toBe('a/b/x.csv: 2 rows\n');
  expect((await exported(['-o', 'a/b/x.csv/y.csv'])).err).toContain('a part of the path is a file');
});

test.each([{ to: [] }, { to: ['-o', 'stopped.csv'] }])(
  'that is interrupted ends with 130, and leaves no file ($to)',
  async ({ to }) => {
    const ended = await exported(to, { withSignal: (interrupt) => interrupt() });
    expect(ended).toMatchObject({ exitCode: 130, closed: 1 });
    expect(readdirSync(folder.path).filter((name) => name.startsWith('stopped'))).toEqual([]);
  },
);
