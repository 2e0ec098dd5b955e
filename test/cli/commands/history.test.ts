// `history`: plot and table of one keyword.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HistoryRow } from '../../../src/app.ts';
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

describe('history', () => {
  const rows = [
    historyRow({ slot: '2026-01-13T06:00', localDate: '2026-01-13', rank: 6, status: 'ranked' }),
    historyRow({
      slot: '2026-01-14T06:00',
      localDate: '2026-01-14',
      rank: null,
      page: null,
      url: null,
      status: 'failed',
      reason: 'blocked',
    }),
    historyRow(),
    historyRow({ device: 'mobile', rank: null, page: null, url: null, absoluteRank: null, status: 'not_found' }),
  ];
  const app = { history: () => rows.values() };

  test('draws each market and lists its checks, newest first, failures included', async () => {
    const { exitCode, out } = await inFolder(['history', 'running shoes'], { app });
    expect(exitCode).toBe(0);
    expect(out).toContain('running shoes | US en desktop | acme.com | acme');
    expect(out).toContain('running shoes | US en mobile | acme.com | acme');
    expect(out).toContain('4 |  ●');
    const slots = [...out.matchAll(/^ {2}(2026-01-1\dT06:00) +(.+?) {2,}/gm)].map(
      ([, slot, rank]) => `${slot} ${rank}`,
    );
    expect(slots).toEqual([
      '2026-01-15T06:00 4',
      '2026-01-14T06:00 failed',
      '2026-01-13T06:00 6',
      '2026-01-15T06:00 not found',
    ]);
    expect(out).toContain('blocked');
  });

  test('shortens the table and says so', async () => {
    const { out } = await inFolder(['history', 'running shoes', '--last', '1'], { app });
    expect(out).toContain('... and 2 older; --last 0 shows all');
  });

  test('asks for what the options say', async () => {
    let asked: unknown;
    const asking = {
      history: (query: unknown) => {
        asked = query;
        const none: HistoryRow[] = [];
        return none.values();
      },
    };
    await inFolder(
      ['history', 'x', '--target', 'acme.com', '--country', 'us', '--device', 'mobile', '--from', '2026-01-01'],
      { app: asking },
    );
    expect(asked).toEqual({ keyword: 'x', target: 'acme.com', country: 'US', device: 'mobile', from: '2026-01-01' });
  });

  test('of a keyword without checks says whether it is tracked', async () => {
    const none = { history: () => [].values() };
    expect((await inFolder(['history', 'running shoes'], { app: none })).out).toContain('No check of "running shoes"');
    expect((await inFolder(['history', 'runing shoes'], { app: none })).out).toContain('Did you mean "running shoes"?');
    expect((await inFolder(['history', 'x', '--json'], { app: none })).out).toBe('[]\n');
  });
});
