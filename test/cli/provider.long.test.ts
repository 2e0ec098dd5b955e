// The real program against a provider written from the specification: the CSV and both bills agree with that provider.
import { describe, expect, test } from 'vitest';
import { csvRows, type Ended, type Folder, folderOf } from './child.ts';
import {
  type Ask,
  type Fault,
  linksWith,
  placesBefore,
  SpecProvider,
  type SpecProviderOptions,
  sizeOf,
} from './spec-provider.ts';

const secrets = { PROVIDER_USER: 'ada', PROVIDER_PASSWORD: 'sesame' };

interface Desk {
  readonly provider: SpecProvider;
  readonly folder: Folder;
}

interface Setting {
  readonly concurrency?: number;
  readonly timeoutMs?: number;
  readonly budget?: string;
}

const configOf = (baseUrl: string, projects: string, { concurrency = 20, timeoutMs = 60_000, budget }: Setting) => `
services:
  default:
    mode: remote
    baseUrl: "${baseUrl}"
    user: \${PROVIDER_USER}
    password: \${PROVIDER_PASSWORD}
    requestsPerSecond: 500
    concurrency: ${concurrency}
    timeoutMs: ${timeoutMs}
${budget === undefined ? '' : `budget: ${budget}`}
projects:
${projects}
`;

/** Runs the body with a provider and a folder whose config names it: concurrent tests share no hooks. */
async function at(
  options: SpecProviderOptions,
  projects: string,
  body: (desk: Desk) => Promise<void>,
  setting: Setting = {},
): Promise<void> {
  const provider = await SpecProvider.start(options);
  const folder = folderOf({ 'rankledger.yaml': configOf(provider.baseUrl, projects, setting) }, secrets);
  try {
    await body({ provider, folder });
  } finally {
    await provider.stop();
    folder.remove();
  }
}

const slot = (day: number) => `2026-10-${String(day).padStart(2, '0')}T06:00:00Z`;
const runAt = (day: number) => ['run', '--all', '--slot', slot(day), '--late'];
const rowsOf = (folder: Folder, project = 'acme') => csvRows(folder.read(`reports/${project}/latest/rank-changes.csv`));
const rowOf = (folder: Folder, keyword: string) => rowsOf(folder).find((row) => row['keyword'] === keyword);
const acme = (keywords: readonly string[], rest = 'depth: 1') =>
  `  - { id: acme, targets: [acme.com], ${rest}, keywords: [${keywords.join(', ')}] }`;
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `word ${index}`);
const twice = (names: readonly string[]) => names.filter((name, index) => names.indexOf(name) !== index);

interface Totals {
  readonly reserved: number;
  readonly spent: number;
  readonly unknown: number;
  readonly released: number;
  readonly open: number;
}

/** The ledger as `audit` prints it; the audit itself must be clean. */
async function ledger(folder: Folder): Promise<{ credits: Totals; microUsd: Totals }> {
  const { exitCode, document } = await folder.json('audit');
  expect({ exitCode, ok: document['ok'] }).toEqual({ exitCode: 0, ok: true });
  const totals = document['totals'] as Record<string, Totals>;
  const { serp_credit: credits, micro_usd: microUsd } = totals;
  if (credits === undefined || microUsd === undefined) throw new Error('the audit names no totals');
  return { credits, microUsd };
}

function expectExit(ended: Ended, exitCode: number): void {
  expect({ exitCode: ended.exitCode, err: ended.err }).toEqual({ exitCode, err: expect.any(String) });
  expect(ended.out + ended.err).not.toMatch(/^\s+at .+:\d+:\d+\)?$|Unexpected error/m);
}

const ranks: Record<string, number> = { alpha: 3, beta: 17, gamma: 33, delta: 60 };
const byKeyword = ({ keyword }: { keyword: string }) => linksWith({ 'acme.com': ranks[keyword] ?? 5 });
const pageOf = (rank: number) => [1, 2, 3, 4].find((page) => rank <= placesBefore(page) + sizeOf(page)) ?? null;

describe('ranks', () => {
  test.each(['restart', 'run-on'] as const)(
    'are counted over pages of 8 to 10, whether those of the provider %s',
    async (form) => {
      await at(
        { truth: byKeyword, ranks: form },
        acme(Object.keys(ranks), 'depth: 4'),
        async ({ provider, folder }) => {
          expectExit(await folder.run(...runAt(1)), 0);
          for (const [keyword, rank] of Object.entries(ranks)) {
            const page = pageOf(rank);
            const found = { status: 'ranked', rank: `${rank}`, page: `${page}`, url: 'https://www.acme.com/found' };
            const missing = { status: 'not_found', rank: '', page: '', url: '' };
            expect(rowOf(folder, keyword)).toMatchObject({
              ...(page === null ? missing : found),
              depth: '4',
              change_class: 'first_check',
            });
            expect(provider.sold.filter((name) => name.startsWith(keyword))).toHaveLength(page ?? 4);
          }
          const { credits } = await ledger(folder);
          expect(credits).toMatchObject({ spent: provider.sold.length, unknown: 0, open: 0 });
          expect(credits.reserved).toBe(credits.spent + credits.released);
        },
      );
    },
  );

  test('of two late slots are compared only with each other, and dated by the day they were seen', async () => {
    const days: Record<string, readonly [number, number]> = {
      up: [9, 4],
      down: [2, 12],
      in: [0, 7],
      out: [8, 0],
      same: [5, 5],
      deep: [33, 33],
    };
    let day = 0;
    const truth = ({ keyword }: { keyword: string }) => {
      const rank = days[keyword]?.[day] ?? 0;
      return linksWith(rank === 0 ? {} : { 'acme.com': rank });
    };
    const rest = 'depth: 2, paging: full, deep: { depth: 5, every: 7d }';
    await at({ truth }, acme(Object.keys(days), rest), async ({ provider, folder }) => {
      expectExit(await folder.run(...runAt(1)), 0);
      expect(provider.sold).toHaveLength(30);
      day = 1;
      expectExit(await folder.run(...runAt(2)), 0);
      expect(provider.sold).toHaveLength(42);
      const compared = {
        up: { change_class: 'improved', previous_rank: '9', rank: '4', change: '5', best_rank: '4' },
        down: { change_class: 'declined', previous_rank: '2', rank: '12', change: '-10', best_rank: '2' },
        in: { change_class: 'entered', previous_rank: '', rank: '7', change: '' },
        out: { change_class: 'dropped', previous_rank: '8', rank: '', change: '', status: 'not_found' },
        same: { change_class: 'unchanged', change: '0' },
        deep: { change_class: 'not_comparable', rank: '', change: '', status: 'not_found', depth: '2' },
      };
      const expectCompared = () => {
        for (const [keyword, cells] of Object.entries(compared)) expect(rowOf(folder, keyword)).toMatchObject(cells);
        expect(rowOf(folder, 'deep')?.['note']).not.toBe('');
      };
      expectCompared();
      expectExit(await folder.run('report'), 0);
      expectCompared();
      const history = JSON.parse((await folder.run('history', 'down', '--json')).out) as Record<string, unknown>[];
      expect(history.map(({ slot, rank, depth }) => [slot, rank, depth])).toEqual([
        ['2026-10-01T06:00', 2, 5],
        ['2026-10-02T06:00', 12, 2],
      ]);
      for (const { localDate, checkedAt, slot, note } of history) {
        expect(localDate).toBe(String(checkedAt).slice(0, 10));
        expect(note).toBe(`late run: seen on ${localDate}, for the slot of ${slot}`);
      }
      const [csv, jsonl] = await Promise.all([folder.run('export'), folder.run('export', '--format', 'jsonl')]);
      const fromCsv = csvRows(csv.out).map((row) => [row['keyword'], row['local_date'], row['status'], row['rank']]);
      const lines = jsonl.out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(lines.map((row) => [row['keyword'], row['local_date'], row['status'], `${row['rank'] ?? ''}`])).toEqual(
        fromCsv,
      );
      expect(fromCsv).toHaveLength(12);
    });
  });
});

describe('a provider that misbehaves', () => {
  const first = (fault: Fault) => (ask: Ask) => (ask.earlier === 0 ? fault : undefined);
  const always = (fault: Fault) => () => fault;
  const cases: Record<string, { fault: (ask: Ask) => Fault | undefined; status: unknown; times: number }> = {
    limited: {
      fault: first({ kind: 'status', status: 429, code: 'RATE_LIMIT_EXCEEDED', retryAfter: '1' }),
      status: 'ranked',
      times: 1,
    },
    once: { fault: first({ kind: 'status', status: 502, code: 'SERP_FAILED' }), status: 'ranked', times: 1 },
    reset: { fault: first({ kind: 'reset', sold: true }), status: 'ranked', times: 2 },
    truncated: { fault: always({ kind: 'truncated', sold: true }), status: 'unknown_paid', times: 2 },
    html: { fault: always({ kind: 'html', sold: true }), status: 'unknown_paid', times: 2 },
    shape: { fault: always({ kind: 'other-shape', sold: true }), status: 'unknown_paid', times: 2 },
    // certainly paid for, and certain to show nothing: never a rank and never `not_found`
    bare: { fault: always({ kind: 'bare', sold: true }), status: 'failed', times: 2 },
  };

  test('causes no invented rank and no second purchase of a page that was not lost, and our ledger covers its bill', async () => {
    const fault = (ask: Ask) => cases[ask.keyword]?.fault(ask);
    await at({ fault }, acme([...Object.keys(cases), 'well']), async ({ provider, folder }) => {
      expectExit(await folder.run(...runAt(1)), 3);
      const statuses = Object.fromEntries(rowsOf(folder).map((row) => [row['keyword'], row['status']]));
      const expected = Object.fromEntries(Object.entries(cases).map(([keyword, { status }]) => [keyword, status]));
      expect(statuses).toEqual({ ...expected, well: 'ranked' });
      for (const row of rowsOf(folder)) expect(row['rank']).toBe(row['status'] === 'ranked' ? '3' : '');
      expect(rowsOf(folder).filter((row) => row['status'] !== 'ranked' && row['note'] === '')).toEqual([]);
      for (const [keyword, { times }] of Object.entries(cases)) {
        expect({ keyword, times: provider.sold.filter((name) => name.startsWith(keyword)).length }).toEqual({
          keyword,
          times,
        });
      }
      const { credits } = await ledger(folder);
      expect(credits.spent).toBeGreaterThanOrEqual(provider.delivered.length);
      expect(credits.spent + credits.unknown).toBeGreaterThanOrEqual(provider.sold.length);
      const asked = provider.asks.length;
      // tries again what failed on that day
      expectExit(await folder.run(...runAt(1)), 3);
      const again = new Set(provider.asks.slice(asked).map(({ keyword }) => keyword));
      expect(again.has('well')).toBe(false);
      for (const row of rowsOf(folder)) expect(row['rank']).toBe(row['status'] === 'ranked' ? '3' : '');
      const { credits: after } = await ledger(folder);
      expect(after.spent + after.unknown).toBeGreaterThanOrEqual(provider.sold.length);
    });
  });

  test('and leaves a request without an answer is queried again: the lost page stays unknown', async () => {
    const hang = first({ kind: 'hang', sold: true });
    await at(
      { fault: hang },
      acme(['late']),
      async ({ provider, folder }) => {
        expectExit(await folder.run(...runAt(1)), 0);
        expect(rowOf(folder, 'late')).toMatchObject({ status: 'ranked', rank: '3' });
        const { credits } = await ledger(folder);
        expect(credits).toMatchObject({ spent: 1, open: 0 });
        // a machine that is slow enough loses an answer that did arrive, too
        expect([1, 2]).toContain(credits.unknown);
        expect(provider.sold.length).toBeLessThanOrEqual(1 + credits.unknown);
      },
      { timeoutMs: 2000 },
    );
  });

  test.each([
    [402, 'INSUFFICIENT_CREDITS'],
    [401, 'INVALID_API_KEY'],
    [403, 'IP_NOT_WHITELISTED'],
  ])('and answers %i midway halts the run with exit code 4, and the rest is deferred', async (status, code) => {
    const fault = (ask: Ask): Fault | undefined => (ask.order >= 3 ? { kind: 'status', status, code } : undefined);
    await at(
      { fault },
      acme(numbered(8)),
      async ({ folder }) => {
        const ended = await folder.run(...runAt(1));
        expectExit(ended, 4);
        expect(ended.out).toContain(code);
        const statuses = rowsOf(folder).map((row) => row['status']);
        expect(statuses.sort()).toEqual([...Array(5).fill('deferred'), ...Array(3).fill('ranked')]);
      },
      { concurrency: 1 },
    );
  });

  test('and halted a run yesterday gets all its requests today, at one credit per page', async () => {
    const fault = ({ order }: Ask): Fault | undefined =>
      order === 1 ? { kind: 'status', status: 402, code: 'INSUFFICIENT_CREDITS' } : undefined;
    await at(
      { fault },
      acme(numbered(4)),
      async ({ provider, folder }) => {
        expectExit(await folder.run(...runAt(1)), 4);
        const before = provider.sold.length;
        expectExit(await folder.run(...runAt(2)), 0);
        expect(rowsOf(folder).every((row) => row['status'] === 'ranked')).toBe(true);
        expect(provider.sold).toHaveLength(before + 4);
        expect((await ledger(folder)).credits).toMatchObject({ spent: provider.sold.length, unknown: 0, open: 0 });
      },
      { concurrency: 1 },
    );
  });
});

describe('a run that is cut off', () => {
  const keywords = numbered(16);

  /** Starts a run that gets `signal` when the provider has seen `asks` requests. */
  async function cut({ provider, folder }: Desk, signal: NodeJS.Signals, asks: number): Promise<Ended> {
    const { child, ended } = folder.start(...runAt(1));
    provider.fault = ({ order }) => {
      if (order + 1 === asks) child.kill(signal);
      return undefined;
    };
    const result = await ended;
    provider.fault = () => undefined;
    return result;
  }

  test.each([1, 7, 16])(
    'by SIGKILL at request %i continues: only requests in flight may be bought again',
    async (asks) => {
      const inFlightMax = 4;
      await at(
        { delayMs: 15 },
        acme(keywords),
        async (desk) => {
          const { provider, folder } = desk;
          expect((await cut(desk, 'SIGKILL', asks)).signal).toBe('SIGKILL');
          expectExit(await folder.run(...runAt(1)), 0);
          expect(rowsOf(folder).map((row) => `${row['status']} ${row['rank']}`)).toEqual(
            keywords.map(() => 'ranked 3'),
          );
          expect(twice(provider.sold).length).toBeLessThanOrEqual(inFlightMax);
          const { credits } = await ledger(folder);
          expect(credits).toMatchObject({ spent: keywords.length, open: 0 });
          expect(credits.spent + credits.unknown).toBeGreaterThanOrEqual(provider.sold.length);
          // requests that waited to be sent never left, and are not called unknown
          expect(credits.unknown).toBeLessThanOrEqual(inFlightMax);
        },
        { concurrency: inFlightMax },
      );
    },
  );

  test('by SIGTERM exits with 130, loses nothing and continues where it stopped', async () => {
    await at(
      { delayMs: 15 },
      acme(numbered(60)),
      async (desk) => {
        const { provider, folder } = desk;
        const ended = await cut(desk, 'SIGTERM', 3);
        expectExit(ended, 130);
        expect(provider.sold.length).toBeLessThan(60);
        expectExit(await folder.run(...runAt(1)), 0);
        expect(twice(provider.sold)).toEqual([]);
        expect((await ledger(folder)).credits).toMatchObject({ spent: 60, unknown: 0, open: 0 });
      },
      { concurrency: 4 },
    );
  });

  test('is not run twice by two processes at once', async () => {
    await at({ delayMs: 15 }, acme(keywords), async ({ provider, folder }) => {
      const ended = await Promise.all([folder.run(...runAt(1)), folder.run(...runAt(1))]);
      expect(ended.map(({ exitCode }) => exitCode)).toContain(0);
      expect(provider.sold).toHaveLength(keywords.length);
      expect(twice(provider.sold)).toEqual([]);
      expect((await ledger(folder)).credits).toMatchObject({ spent: keywords.length, unknown: 0 });
    });
  });
});

describe('credits', () => {
  test('are shared by projects with the same search, and saved by fresh pages', async () => {
    const projects = `  - { id: acme, targets: [acme.com], depth: 3, keywords: [one, two], freshFor: 12h }
  - { id: other, targets: [other.com], depth: 3, keywords: [one, three], freshFor: 12h }`;
    await at({ truth: () => linksWith({ 'acme.com': 12, 'other.com': 3 }) }, projects, async ({ provider, folder }) => {
      expectExit(await folder.run('run', '--all'), 0);
      expect([...provider.sold].sort()).toEqual([
        'one US desktop 1',
        'one US desktop 2',
        'three US desktop 1',
        'two US desktop 1',
        'two US desktop 2',
      ]);
      expect(rowsOf(folder, 'acme').map((row) => row['rank'])).toEqual(['12', '12']);
      expect(rowsOf(folder, 'other').map((row) => row['rank'])).toEqual(['3', '3']);
      expectExit(await folder.run('run', '--all'), 0);
      expect(provider.sold).toHaveLength(5);
    });
  });

  test('run out in the order of priority, and deferred searches come first next time', async () => {
    const keywords = ['plain', '{ keyword: low, priority: low }', '{ keyword: high, priority: high }'];
    await at(
      {},
      acme(keywords, 'depth: 2, paging: full'),
      async ({ provider, folder }) => {
        const { document: plan } = await folder.json('plan', '--all', '--slot', slot(1));
        expect(JSON.stringify(plan)).toContain('"plain"');
        expect(provider.asks).toHaveLength(0);
        expectExit(await folder.run(...runAt(1)), 3);
        expect(provider.sold.every((name) => name.startsWith('high'))).toBe(true);
        expect(
          rowsOf(folder)
            .map((row) => [row['keyword'], row['status']])
            .sort(),
        ).toEqual([
          ['high', 'ranked'],
          ['low', 'deferred'],
          ['plain', 'deferred'],
        ]);
        expect(rowOf(folder, 'low')?.['note']).toMatch(/budget/);
        expectExit(await folder.run(...runAt(2)), 3);
        expect(provider.sold).toHaveLength(4);
        expect((await ledger(folder)).credits).toMatchObject({ spent: 4, unknown: 0 });
      },
      { budget: '{ serpCredits: { perRun: 3 } }' },
    );
  });

  test('of keyword data pay one list for many keywords, once a month', async () => {
    const words = numbered(6);
    const volumes = new Map([...words.map((word, index) => [word, 600 - index] as const), ['more', 5] as const]);
    const rest = 'depth: 1, schedule: "0 6 * * *", volumes: { schedule: "0 4 2 * *", limit: 33 }';
    await at({ volumes }, acme([...words, 'rare words'], rest), async ({ provider, folder }) => {
      expectExit(await folder.run('run'), 0);
      const asked = () => provider.asks.filter(({ path }) => path === '/v1/keyword-data').map(({ keyword }) => keyword);
      expect(asked()).toHaveLength(2);
      expect(asked()).toContain('rare words');
      for (const [index, word] of words.entries()) {
        expect(rowOf(folder, word)).toMatchObject({
          search_volume: `${600 - index}`,
          cpc: '0.5',
          competition_level: 'medium',
        });
      }
      expect(rowOf(folder, 'rare words')).toMatchObject({ search_volume: '', cpc: '', estimated_clicks: '' });
      expect((await ledger(folder)).microUsd).toMatchObject({ spent: provider.microUsd, unknown: 0 });
      expectExit(await folder.run('run', '--all'), 0);
      expect(asked()).toHaveLength(2);
    });
  });
});

test('serp and keywords print what the provider answered, within the same bill', async () => {
  const volumes = new Map([
    ['shoes', 90],
    ['boots', 40],
  ]);
  await at({ volumes }, acme(['any']), async ({ provider, folder }) => {
    const [page, pages, metrics] = await Promise.all([
      folder.run('serp', 'shoes', '--json'),
      folder.run('serp', 'shoes', '--pages', '1-2', '--mobile', '--country', 'GB', '--json'),
      folder.run('keywords', 'shoes', '--limit', '33', '--json'),
    ]);
    const organic = (serp: { organic: { link: string }[] }) => serp.organic.map(({ link }) => link);
    const expected = linksWith({ 'acme.com': 3 }).map((link) => (link.includes('site-') ? `${link}/shoes` : link));
    expect(organic(JSON.parse(page.out))).toEqual(expected.slice(0, sizeOf(1)));
    expect((JSON.parse(pages.out) as { organic: { link: string }[] }[]).map((each) => organic(each).length)).toEqual([
      sizeOf(1),
      sizeOf(2),
    ]);
    expect(JSON.parse(metrics.out)).toMatchObject({
      success: true,
      result_count: 2,
      cost: 0.01,
      data: [{ keyword: 'shoes' }, { keyword: 'boots' }],
    });
    expect(provider.sold.filter((name) => name.includes('GB mobile'))).toHaveLength(2);
    const { credits, microUsd } = await ledger(folder);
    expect([credits.spent, microUsd.spent]).toEqual([3, 10_000]);
    expect(credits.unknown).toBe(0);
  });
});
