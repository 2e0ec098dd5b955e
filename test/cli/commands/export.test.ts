// `export`: rows as CSV and JSON lines, to stdout and to files.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { App } from '../../../src/app.ts';
import { type Invocation, invoke } from '../fake-host.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';
import { historyRow } from '../samples.ts';

let folder: ProjectFolder;
beforeAll(() => {
  folder = projectFolder();
});
afterAll(() => folder.remove());

const inFolder = (argv: readonly string[], invocation: Invocation = {}) =>
  invoke(argv, { cwd: folder.path, ...invocation });

describe('export', () => {
  const rows = [
    historyRow({ keyword: '=1+1, "x"' }),
    historyRow({ keyword: '__proto__', rank: null, status: 'not_found' }),
  ];
  const app = { history: () => rows.values() };

  test('writes CSV as it is: no byte order mark, no guard', async () => {
    const { exitCode, out } = await inFolder(['export'], { app });
    expect(exitCode).toBe(0);
    const [header, first, second, end] = out.split('\r\n');
    expect(header).toMatch(/^project,keyword,service,country,/);
    expect(first).toContain('acme,"=1+1, ""x""",default,US,en,desktop,acme.com,false,2026-01-15T06:00,');
    expect(first).toContain('images|paid');
    expect(second).toContain('__proto__');
    expect(end).toBe('');
    expect((await inFolder(['export', '--safe'], { app })).out).toContain(`"'=1+1, ""x"""`);
  });

  test('writes JSON lines with the same names', async () => {
    const { out } = await inFolder(['export', '--format', 'jsonl'], { app });
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

  test('into a file leaves either the whole file or none', async () => {
    const { exitCode, err, out } = await inFolder(['export', '-o', 'history.csv'], { app });
    expect({ exitCode, out, err }).toEqual({ exitCode: 0, out: '', err: 'history.csv: 2 rows\n' });
    expect(readFileSync(join(folder.path, 'history.csv'), 'utf8').split('\r\n')).toHaveLength(4);
    const failing = {
      *history() {
        yield historyRow();
        throw Object.assign(new Error('the disk failed'), { hint: 'Check the disk.' });
      },
    };
    const failed = await inFolder(['export', '-o', 'broken.csv'], { app: failing });
    expect(failed.exitCode).toBe(1);
    expect(failed.err).toContain('Check the disk.');
    expect(existsSync(join(folder.path, 'broken.csv'))).toBe(false);
    expect((await inFolder(['export', '-o', 'nowhere/x.csv'], { app })).err).toContain('There is no folder');
  });

  test.each([{ to: [] }, { to: ['-o', 'stopped.csv'] }])(
    'that is interrupted ends with 130, lets go of the history before the app closes, and leaves no file ($to)',
    async ({ to }) => {
      const order: string[] = [];
      let interrupt = () => {};
      function* endless() {
        try {
          for (let row = 0; row < 1_000_000; row += 1) {
            if (row === 2_000) interrupt();
            yield historyRow();
          }
        } finally {
          order.push('history ended');
        }
      }
      const ended = await inFolder(['export', ...to], {
        withSignal: (send) => {
          interrupt = send;
        },
        openApp: async (config) =>
          ({ config, history: endless, close: async () => order.push('app closed') }) as unknown as App,
      });
      expect(ended.exitCode).toBe(130);
      expect(order).toEqual(['history ended', 'app closed']);
      expect(readdirSync(folder.path).filter((name) => name.startsWith('stopped'))).toEqual([]);
    },
  );
});
