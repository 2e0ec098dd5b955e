// `export`: rows as CSV and JSON lines, to stdout and to files.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { App } from '../../../src/app/app.ts';
import { exportTable } from '../../../src/report/formats/export.ts';
import { exportColumns } from '../../../src/report/formats/export-columns.ts';
import { type Invocation, invoke } from '../fake-host.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';

let folder: ProjectFolder;
beforeAll(() => {
  folder = projectFolder();
});
afterAll(() => folder.remove());

const inFolder = (argv: readonly string[], invocation: Invocation = {}) =>
  invoke(argv, { cwd: folder.path, ...invocation });

const row = {
  project: 'acme',
  keyword: 'running shoes',
  service: 'default',
  country: 'US',
  language: 'en',
  device: 'desktop',
  target: 'acme.com',
  competitor: 0,
  slot: '2026-01-15T06:00',
  local_date: '2026-01-15',
  checked_at: Date.UTC(2026, 0, 15, 5),
  status: 'ranked',
  rank: 4,
  serp_features: 'images|paid',
};

describe('export', () => {
  const rows = [
    { ...row, keyword: '=1+1, "x"' },
    { ...row, keyword: '__proto__', rank: null, status: 'not_found' },
  ];
  const fakes = { exportRows: () => exportTable(exportColumns.rankings, rows) };

  test('writes CSV without a byte order mark, and no spreadsheet runs its text', async () => {
    const { exitCode, out } = await inFolder(['export'], { fakes });
    expect(exitCode).toBe(0);
    const [header, first, second, end] = out.split('\r\n');
    expect(header).toMatch(/^project,keyword,service,country,/);
    expect(first).toContain(`acme,"'=1+1, ""x""",default,US,en,desktop,acme.com,false,2026-01-15T06:00,`);
    expect(first).toContain('images|paid');
    expect(second).toContain('__proto__');
    expect(end).toBe('');
    expect((await inFolder(['export', '--safe'], { fakes })).out).toBe(out);
  });

  test('writes JSON lines with the same names', async () => {
    const { out } = await inFolder(['export', '--format', 'jsonl'], { fakes });
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatchObject({
      keyword: '=1+1, "x"',
      local_date: '2026-01-15',
      serp_features: ['images', 'paid'],
    });
    expect(lines[1]).toMatchObject({ keyword: '__proto__', rank: null });
  });

  test('prints one document with --json', async () => {
    const { rows } = JSON.parse((await inFolder(['export', '--json'], { fakes })).out);
    expect(rows.map(({ keyword }: { keyword: string }) => keyword)).toEqual(['=1+1, "x"', '__proto__']);
    const none = { exportRows: () => exportTable(exportColumns.ledger, []) };
    expect(JSON.parse((await inFolder(['export', '--json'], { fakes: none })).out)).toEqual({ rows: [] });
    expect((await inFolder(['export', '--json', '-f', 'parquet'], { fakes })).exitCode).toBe(2);
  });

  test('writes Parquet into a file or another program, never onto a terminal', async () => {
    const { exitCode, err } = await inFolder(['export', '-f', 'parquet', '-o', 'history.parquet'], { fakes });
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: 'history.parquet: 2 rows\n' });
    const file = Uint8Array.from(readFileSync(join(folder.path, 'history.parquet'))).buffer;
    expect(await parquetReadObjects({ file, columns: ['keyword', 'rank', 'checked_at'] })).toEqual([
      { keyword: '=1+1, "x"', rank: 4n, checked_at: new Date(row.checked_at) },
      { keyword: '__proto__', rank: null, checked_at: new Date(row.checked_at) },
    ]);
    expect((await inFolder(['export', '-f', 'parquet'], { fakes })).out).toMatch(/^PAR1[\s\S]*PAR1$/);
    const shown = await inFolder(['export', '-f', 'parquet'], { fakes, isTerminal: true });
    expect(shown.exitCode).toBe(2);
    expect(shown.err).toContain('--output');
  });

  test('selects what the options say', async () => {
    const asked: unknown[] = [];
    const asking = {
      exportRows: (query: unknown) => {
        asked.push(query);
        return exportTable(exportColumns.ledger, []);
      },
    };
    await inFolder(['export', '--what', 'ledger', '-p', 'acme', '--from', '2026-01-01', '--to', '2026-01-31'], {
      fakes: asking,
    });
    await inFolder(['export'], { fakes: asking });
    expect(asked).toEqual([
      { what: 'ledger', project: 'acme', from: '2026-01-01', to: '2026-01-31' },
      { what: 'rankings' },
    ]);
    const wrong = await inFolder(['export', '--what', 'pages'], { fakes: asking });
    expect(wrong.exitCode).toBe(2);
    expect(wrong.err).toContain('rankings, checks, volumes, serps, ledger');
  });

  test('into a file leaves the complete file or none', async () => {
    const { exitCode, err, out } = await inFolder(['export', '-o', 'history.csv'], { fakes });
    expect({ exitCode, out, err }).toEqual({ exitCode: 0, out: '', err: 'history.csv: 2 rows\n' });
    expect(readFileSync(join(folder.path, 'history.csv'), 'utf8').split('\r\n')).toHaveLength(4);
    function* failing() {
      yield row;
      throw Object.assign(new Error('the disk failed'), { hint: 'Check the disk.' });
    }
    const failed = await inFolder(['export', '-o', 'broken.csv'], {
      fakes: { exportRows: () => exportTable(exportColumns.rankings, failing()) },
    });
    expect(failed.exitCode).toBe(1);
    expect(failed.err).toContain('Check the disk.');
    expect(existsSync(join(folder.path, 'broken.csv'))).toBe(false);
    expect((await inFolder(['export', '-o', 'nowhere/x.csv'], { fakes })).err).toContain('There is no folder');
  });

  test.each([{ to: [] }, { to: ['-o', 'stopped.csv'] }])(
    'that is interrupted ends with 130, lets go of the history before the app closes, and leaves no file ($to)',
    async ({ to }) => {
      const order: string[] = [];
      let interrupt = () => {};
      function* endless() {
        try {
          for (let count = 0; count < 1_000_000; count += 1) {
            if (count === 2_000) interrupt();
            yield row;
          }
        } finally {
          order.push('history ended');
        }
      }
      const ended = await inFolder(['export', ...to], {
        withSignal: (send) => {
          interrupt = send;
        },
        fakes: { exportRows: () => exportTable(exportColumns.rankings, endless()) },
        openApp: async (config) =>
          ({
            config,
            asStoreError: (error: unknown) => error,
            close: async () => order.push('app closed'),
          }) as unknown as App,
      });
      expect(ended.exitCode).toBe(130);
      expect(order).toEqual(['history ended', 'app closed']);
      expect(readdirSync(folder.path).filter((name) => name.startsWith('stopped'))).toEqual([]);
    },
  );
});
