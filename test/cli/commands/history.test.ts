// `history`: plot and table of one keyword.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HistoryRow } from '../../../jobs/query/read-history.ts';
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
  const fakes = { readHistory: () => rows.values() };

  test('draws each market and lists its checks, newest first, failures included', async () => {
    const { exitCode, out } = await inFolder(['history', 'running shoes'], { fakes });
    expect(exitCode).toBe(0);
    expect(out).toContain('running shoes | US en desktop | acme.com | acme');
    expect(out).toContain('running shoes | US en mobile | acme.com | acme');
    expect(out).toContain('4 |  ★');
    expect(out).toContain('now 4, best 4 on 2026-01-15, worst 6; 3 checks, 1 of them without a proven ranking');
    expect(out).toContain('now not found, never ranked; 1 check');
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

  test('shows other ranking URLs, features with the target, and that sources are not compared', async () => {
    const series = [
      historyRow({
        slot: '2026-01-13T06:00',
        localDate: '2026-01-13',
        url: 'https://acme.com/old',
        source: 'import/semrush',
      }),
      historyRow({
        slot: '2026-01-14T06:00',
        localDate: '2026-01-14',
        url: null,
        rank: null,
        page: null,
        status: 'not_found',
      }),
      historyRow({ ownedFeatures: ['images'] }),
    ];
    const { out } = await inFolder(['history', 'running shoes'], { fakes: { readHistory: () => series.values() } });
    expect(out).toMatch(/^ {2}\^ \| {2}\^$/m);
    expect(out).toMatch(/^ {2}\+ \| {2}\+$/m);
    expect(out).toMatch(/2026-01-15T06:00 .* \^ https:\/\/acme\.com\/shoes +\+images paid/);
    expect(out).toContain('from import/semrush, default/sandbox, which are not compared');
  });

  test('writes rows for a spreadsheet, without formulas', async () => {
    const risky = historyRow({ keyword: '=1+1', competitor: true, checkedAt: '2026-01-15' });
    const { out } = await inFolder(['history', '=1+1', '--csv'], {
      fakes: { readHistory: () => [historyRow(), risky].values() },
    });
    const [header, first, second] = out.split('\r\n');
    expect(header).toBe(
      'project,keyword,service,country,language,device,target,competitor,slot,local_date,checked_at,status,rank,absolute_rank,page,url,depth,serp_features,owned_features,reason,source,run_id,destination,note,location,local_rank',
    );
    expect(first).toBe(
      'acme,running shoes,default,US,en,desktop,acme.com,false,2026-01-15T06:00,2026-01-15,2026-01-15T05:00:01.000Z,ranked,4,6,1,https://acme.com/shoes,3,images|paid,,,default/sandbox,7,exact,,,',
    );
    expect(second).toContain("acme,'=1+1,default,US,en,desktop,acme.com,true,2026-01-15T06:00,2026-01-15,,ranked,");
    expect((await inFolder(['history', 'x', '--csv', '--json'], { fakes })).exitCode).toBe(2);
  });

  test('fits the width of a terminal', async () => {
    const days = Array.from({ length: 400 }, (_, at) => {
      const date = new Date(Date.UTC(2025, 0, 1 + at)).toISOString().slice(0, 10);
      return historyRow({ slot: `${date}T06:00`, localDate: date, url: `https://acme.com/${'long'.repeat(20)}` });
    });
    const { out } = await inFolder(['history', 'x'], { fakes: { readHistory: () => days.values() }, isTerminal: true });
    expect(out).toContain('each column is 5 days');
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  test('shortens the table and says so', async () => {
    const { out } = await inFolder(['history', 'running shoes', '--last', '1'], { fakes });
    expect(out).toContain('... and 2 older; --last 0 shows all');
  });

  test('selects what the options say', async () => {
    let asked: unknown;
    const asking = {
      readHistory: (query: unknown) => {
        asked = query;
        const none: HistoryRow[] = [];
        return none.values();
      },
    };
    await inFolder(
      ['history', 'x', '--target', 'acme.com', '--country', 'us', '--device', 'mobile', '--from', '2026-01-01'],
      { fakes: asking },
    );
    expect(asked).toEqual({ keyword: 'x', target: 'acme.com', country: 'US', device: 'mobile', from: '2026-01-01' });
  });

  test('of a keyword without checks says whether it is tracked', async () => {
    const none = { readHistory: () => [].values() };
    expect((await inFolder(['history', 'running shoes'], { fakes: none })).out).toContain(
      'No check of "running shoes"',
    );
    expect((await inFolder(['history', 'running shoes', '--json'], { fakes: none })).out).toBe('[]\n');
    for (const more of [[], ['--json'], ['--csv']]) {
      const unknown = await inFolder(['history', 'runing shoes', ...more], { fakes: none });
      expect(unknown.exitCode).toBe(2);
      expect(unknown.err).toContain('Did you mean "running shoes"?');
    }
    const elsewhere = await inFolder(['history', 'running shoes', '--target', 'acme.org'], { fakes: none });
    expect(elsewhere.exitCode).toBe(2);
    expect(elsewhere.err).toContain('No project tracks "acme.org"');
  });
});
