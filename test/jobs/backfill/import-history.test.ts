import { describe, expect, it } from 'vitest';
import type { ImportScopeOptions } from '../../../jobs/backfill/import-history.ts';
import { type ImportTally, importHistory } from '../../../jobs/backfill/import-history.ts';
import { historyRows } from '../../../jobs/query/read-history.ts';
import { readHistory } from '../../../src/import/history/read-history.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { keyword, project, resultsWith, World } from '../../helpers/jobs.ts';
import { type Provider, startProvider } from '../../helpers/provider.ts';

const now = Date.UTC(2026, 0, 15, 6);
const acme = { match: 'domain', value: 'acme.example' } as const;
const globex = { match: 'domain', value: 'globex.example' } as const;

function begin(projects: Project[] = [project()], provider?: Provider): World {
  const world = new World({ reports: true, projects, ...(provider === undefined ? {} : { provider }) });
  world.clock.set(now);
  return world;
}

interface Asked {
  readonly scope?: Partial<ImportScopeOptions>;
  readonly isDryRun?: boolean;
  readonly top?: number;
  readonly stop?: AbortSignal;
}

async function take(world: World, text: string, asked: Asked = {}): Promise<ImportTally> {
  const { scope: narrowed, isDryRun = false, top = 100, stop = new AbortController().signal } = asked;
  const [into] = world.projects;
  const options = { map: new Map(), notFound: [], top, timezone: into!.timezone };
  const file = readHistory(() => [Buffer.from(text)], null, options);
  const scope: ImportScopeOptions = {
    only: [],
    named: new Map(),
    locate: (place) => (place === 'Boise, ID' ? 'Boise,Idaho,United States' : null),
    ...narrowed,
  };
  const request = { project: into!, file, fileName: 'ranks.csv', scope, top, isDryRun };
  const tally = await importHistory(world.context, request, stop, () => {});
  expect(world.broken()).toEqual([]);
  return tally;
}

const reasons = ({ refused }: ImportTally): string[] => refused.map(({ reason, count }) => `${reason} ${count}`);

function history(world: World): string[] {
  const keywords = world.rows('SELECT text FROM keywords ORDER BY text').map(({ text }) => String(text));
  return keywords
    .flatMap((asked) => [...historyRows(world.context, world.projects, { keyword: asked })])
    .map(({ keyword: text, device, target, slot, checkedAt, rank, status, url, depth, source }) =>
      [text, device, target, slot, checkedAt, rank ?? status, url ?? '-', depth, source].join(' | '),
    );
}

const table = (...rows: string[]): string => ['keyword,date,rank,url', ...rows].join('\n');

describe('an import', () => {
  it('becomes history of its day and source, with the depth of the tool', async () => {
    const world = begin();
    const rows = [
      'Running  Shoes,2026-01-05,14,https://acme.example/a',
      'running shoes,2026-01-06,>100,',
      'running shoes,2026-01-07,3,',
    ];
    expect(await take(world, table(...rows))).toMatchObject({
      ...{ readings: 3, ranked: 2, notFound: 1, known: 0, untracked: 0, refused: [] },
      ...{ from: '2026-01-05', to: '2026-01-07' },
    });
    const at = 'running shoes | desktop | acme.example';
    expect(history(world)).toEqual([
      `${at} | 2026-01-05 csv | 2026-01-05 | 14 | https://acme.example/a | 10 | import/csv`,
      `${at} | 2026-01-06 csv | 2026-01-06 | not_found | - | 10 | import/csv`,
      `${at} | 2026-01-07 csv | 2026-01-07 | 3 | - | 10 | import/csv`,
    ]);
  });

  it('adds nothing the second time', async () => {
    const world = begin();
    const text = table('running shoes,2026-01-05,14,', 'running shoes,2026-01-06,>100,');
    await take(world, text);
    const before = history(world);
    expect(await take(world, text)).toMatchObject({ ranked: 0, notFound: 0, known: 2, refused: [] });
    expect(history(world)).toEqual(before);
  });

  it('keeps existing rankings: the first one of a day from the same tool, and any from another tool', async () => {
    const world = begin();
    await take(world, table('running shoes,2026-01-05,14,', 'running shoes,2026-01-05,15,')).then((tally) =>
      expect({ ...tally, refused: reasons(tally) }).toMatchObject({ ranked: 1, refused: ['contradiction 1'] }),
    );
    const serposcope =
      'date,rank,url,target,keyword,device,country,datacenter,local,custom\n2026-01-05,3,,acme.example,running shoes,D,US,,,\n';
    expect(await take(world, serposcope)).toMatchObject({ ranked: 0, known: 1 });
    expect(history(world)).toHaveLength(1);
  });

  it('is undone by a dry run, with the same report', async () => {
    const world = begin();
    const text = table('running shoes,2026-01-05,14,', 'new words,2026-01-05,3,', 'running shoes,2026-01-05,15,');
    const tried = await take(world, text, { isDryRun: true });
    expect(
      world.value('SELECT (SELECT count(*) FROM runs) + (SELECT count(*) FROM keywords) + (SELECT count(*) FROM urls)'),
    ).toBe(0);
    expect(tried).toEqual(await take(world, text));
    expect(tried).toMatchObject({ ranked: 2, untracked: 1 });
  });

  it('that is stopped keeps what it has taken, and continues from there', async () => {
    const world = begin();
    const rows = Array.from({ length: 2_500 }, (_, index) => `words ${index},2026-01-05,4,`);
    const stop = new AbortController();
    let pieces = 0;
    const options = { map: new Map(), notFound: [], top: 100, timezone: 'UTC' };
    const request = {
      ...{
        project: world.projects[0]!,
        fileName: 'ranks.csv',
        scope: { only: [], named: new Map(), locate: () => null },
        top: 100,
        isDryRun: false,
      },
      file: readHistory(() => [Buffer.from(table(...rows))], null, options),
    };
    const first = await importHistory(world.context, request, stop.signal, () => {
      pieces += 1;
      stop.abort();
    });
    expect({ pieces, isInterrupted: first.isInterrupted, ranked: first.ranked }).toEqual({
      pieces: 1,
      isInterrupted: true,
      ranked: 2_000,
    });
    expect(await take(world, table(...rows))).toMatchObject({ ranked: 500, known: 2_000, isInterrupted: false });
  });

  it('takes volumes of past months, and none of a month that can still be bought', async () => {
    const world = begin();
    const text = 'keyword,date,rank,volume\nrunning shoes,2025-12-05,4,"1,300"\nrunning shoes,2026-01-05,4,"1,400"\n';
    expect(await take(world, text)).toMatchObject({ volumes: 1 });
    expect(world.rows('SELECT month, search_volume, source FROM volumes')).toEqual([
      { month: '2025-12', search_volume: 1300, source: 'import/csv' },
    ]);
  });

  it('rejects future days and local times that the time zone skips', async () => {
    const world = begin([project({ timezone: 'Pacific/Apia' })]);
    const tally = await take(
      world,
      table('running shoes,2026-01-16,4,', 'running shoes,2011-12-30,4,', 'running shoes,2011-12-31,4,'),
    );
    expect(reasons(tally)).toEqual(['future_date 1', 'unreadable_date 1']);
  });
});

describe('the search of a row', () => {
  const devices = { devices: ['desktop', 'mobile'] } as const;

  it('is named by the file or the caller, or is the only one; otherwise the row is rejected', async () => {
    const world = begin([
      project({ keywords: [keyword('running shoes', devices), keyword('trail shoes', { country: 'GB' })] }),
    ]);
    const said =
      'keyword,date,rank,device\nrunning shoes,2026-01-05,4,mobile\nrunning shoes,2026-01-06,4,\ntrail shoes,2026-01-05,9,\n';
    expect(reasons(await take(world, said))).toEqual(['ambiguous_device 1']);
    expect(await take(world, said, { scope: { device: 'desktop' } })).toMatchObject({
      ranked: 1,
      known: 2,
      refused: [],
    });
    expect(history(world).map((line) => line.split(' | ').slice(0, 4).join(' | '))).toEqual([
      'running shoes | desktop | acme.example | 2026-01-06 csv',
      'running shoes | mobile | acme.example | 2026-01-05 csv',
      'trail shoes | desktop | acme.example | 2026-01-05 csv',
    ]);
  });

  it('of a country or device that the project does not track is rejected', async () => {
    const world = begin();
    const text =
      'keyword,date,rank,country,device\na,2026-01-05,4,FR,\na,2026-01-05,4,,mobile\na,2026-01-05,4,Global,\na,2026-01-05,4,United States,D\n';
    expect(await take(world, text)).toMatchObject({ ranked: 1, refused: [{ reason: 'unknown_market', count: 3 }] });
  });
});

describe('the target of a row', () => {
  const both = project({ competitors: [globex] });
  const rows = (...targets: string[]): string =>
    ['target,keyword,date,rank', ...targets.map((one) => `${one},running shoes,2026-01-05,4`)].join('\n');

  it.each(['acme.example', 'https://www.acme.example/', '*.acme.example/*', 'ACME.example'])(
    '%s is acme.example',
    async (written) => {
      expect(await take(begin([both]), rows(written))).toMatchObject({ ranked: 1 });
    },
  );

  it.each(['notacme.example', 'acme.example.evil.example', 'acme.example/path', 'My site', '*'])(
    '%s is none of the project',
    async (written) => {
      expect(reasons(await take(begin([both]), rows(written)))).toEqual(['unknown_target 1']);
    },
  );

  it('may be a competitor, may be the only requested one, and may have another name in the file', async () => {
    const world = begin([both]);
    expect(await take(world, rows('acme.example', 'globex.example'), { scope: { only: [globex] } })).toMatchObject({
      ranked: 1,
      passedOver: 1,
    });
    expect(await take(world, rows('My site'), { scope: { named: new Map([['my site', acme]]) } })).toMatchObject({
      ranked: 1,
    });
    expect(history(world)).toHaveLength(2);
  });

  it('owns the URL of the row; otherwise the row is rejected', async () => {
    const world = begin();
    expect(reasons(await take(world, table('running shoes,2026-01-05,4,https://acme.example.evil.example/')))).toEqual([
      'foreign_url 1',
    ]);
  });
});

describe('an import next to bought history', () => {
  const reportOf = (world: World): Record<string, string> => world.table('rank-changes.csv')[0] ?? {};

  it('is compared only with imports, hides no baseline, makes no run suspect and no search less overdue', async () => {
    const provider = await startProvider({
      pageSize: () => 10,
      results: () => resultsWith('https://other.example/', 1),
    });
    const words = ['running shoes', ...Array.from({ length: 30 }, (_, index) => `words ${index}`)];
    const world = begin([project({ keywords: words.map((text) => keyword(text, { depth: 1 })) })], provider);
    await take(world, table(...words.map((text) => `${text},2026-01-10,4,https://acme.example/`)));
    expect(world.store.checks.pasts([1], { withDeep: true })[0]).toEqual({
      lastCheckedAt: null,
      lastDeepAt: null,
      wasDeferred: false,
    });

    await world.runSlot(now);
    expect(reportOf(world)).toMatchObject({ status: 'not_found', change_class: 'not_comparable', change: '' });
    expect(reportOf(world)['note']).toContain('the earlier check came from another source (import/csv)');
    expect(world.rows("SELECT suspect_reason FROM slots WHERE kind <> 'import'")).toEqual([{ suspect_reason: null }]);

    world.clock.set(now + 2 * 86_400_000);
    await take(world, table(...words.map((text) => `${text},2026-01-16,4,https://acme.example/`)));
    await world.runSlot(now + 2 * 86_400_000);
    expect(reportOf(world)).toMatchObject({
      change_class: 'unchanged',
      previous_checked_at: expect.stringContaining('2026-01-15'),
    });
    expect(world.broken()).toEqual([]);
  });

  it('does not hide that a search was deferred, nor make it less overdue', async () => {
    const world = begin();
    const wanted = {
      keyword: 'running shoes',
      market: { service: 'vendor', country: 'US', language: 'en', device: 'desktop' },
    } as const;
    const searchId = world.store.names.searchId(wanted);
    for (const [moment, state] of (['incomplete', 'deferred'] as const).entries()) {
      const slots = [{ project: 'acme', slot: `slot ${moment}`, at: moment, timezone: 'UTC', localDate: '2026-01-01' }];
      const run = world.store.runs.open({ kind: 'ranks', moment, owner: 'o', at: moment }, slots);
      const check = {
        searchId,
        sequence: 1,
        depth: 1,
        paging: 'full',
        deep: false,
        freshForMs: 0,
        projects: ['acme'],
      } as const;
      world.store.checks.plan(run!.id, check);
      const read = state === 'incomplete' ? { pagesRead: 1, checkedAt: 5 } : { pagesRead: 0, checkedAt: null };
      const end = { state, ...read, pagesReused: 0, source: null, features: [], reason: null, remedy: null, at: 5 };
      world.store.checks.end(world.store.checks.next(run!.id, 1)[0]!.id, end);
      world.store.runs.close(run!.id, { state: 'partial', reason: null, at: moment });
    }
    const before = world.store.checks.pasts([searchId], { withDeep: true });
    expect(before).toEqual([{ lastCheckedAt: 5, lastDeepAt: null, wasDeferred: true }]);
    await take(world, table('running shoes,2026-01-05,4,'));
    expect(world.store.checks.pasts([searchId], { withDeep: true })).toEqual(before);
  });

  it('does not change days with a bought ranking, even if it contradicts them', async () => {
    const provider = await startProvider({
      pageSize: () => 10,
      results: () => resultsWith('https://acme.example/', 2),
    });
    const world = begin([project()], provider);
    await world.runSlot(now);
    expect(await take(world, table('running shoes,2026-01-15,40,'))).toMatchObject({ ranked: 0, known: 1 });
    expect(world.store.runs.lastRuns(9).map(({ origin }) => origin)).toEqual(['schedule']);
  });
});
