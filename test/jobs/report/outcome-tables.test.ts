// problems.csv and spend.csv of real runs: failures are listed, and the amounts equal the ledger.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { askSerp } from '../../../jobs/query/ask-service.ts';
import { writeFolders } from '../../../jobs/report/write-report.ts';
import { createSearchDataService, createSource } from '../../../src/service/index.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { JobClock } from '../../helpers/job-clock.ts';
import { keyword, noCaps, project, resultsWith, World } from '../../helpers/jobs.ts';
import { startProvider } from '../../helpers/provider.ts';
import { bingPage, bingResult } from '../../service/engines/bing/pages.ts';
import { type Asked, type EngineServer, startEngineServer } from '../../service/sources/fetchers/engine-server.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 15, 6);

async function begin(projects: Project[], caps = noCaps): Promise<World> {
  const provider = await startProvider({
    pageSize: () => 10,
    results: () => resultsWith('https://acme.example/', 12),
  });
  const world = new World({ reports: true, provider, projects, caps, concurrency: 1 });
  world.clock.set(start);
  return world;
}

const spendLine = (world: World, id: string, scope: string) =>
  world.table('spend.csv', id).find((row) => row['scope'] === scope && row['unit'] === 'serp_credits');

describe('spend.csv', () => {
  it('adds up to the ledger where projects share searches', async () => {
    const shared = [keyword('a'), keyword('b'), keyword('c')];
    const world = await begin([
      project({ keywords: shared, paging: 'until-found' }),
      project({ id: 'other', keywords: [...shared, keyword('own')], paging: 'until-found' }),
    ]);
    await world.runSlot(start);
    const totals = world.store.ledger.totals(1, 'serp_credit');
    const acme = spendLine(world, 'acme', 'project');
    const other = spendLine(world, 'other', 'project');
    expect(spendLine(world, 'acme', 'run')).toMatchObject({ spent: String(totals.spent), unknown: '0' });
    expect(Number(acme?.['spent']) + Number(other?.['spent'])).toBe(totals.spent);
    expect(spendLine(world, 'acme', 'other_projects')?.['spent']).toBe(other?.['spent']);
    // found on page 2: two of three pages; each of the two projects has three credits of six
    expect(acme).toMatchObject({
      checks: '3',
      planned: '9',
      spent: '3',
      saved_by_sharing: '3',
      saved_by_early_stop: '3',
    });
  });

  it('distinguishes fresh pages, bought pages and failures', async () => {
    const world = await begin([project({ freshForMs: dayMs, keywords: [keyword('a', { depth: 2 })] })]);
    world.provider.next({ status: 500 });
    await world.runSlot(start);
    expect(spendLine(world, 'acme', 'project')).toMatchObject({
      planned: '2',
      spent: '2',
      unknown: '1',
      failures: '1',
    });
    world.clock.set(start + 3_600_000);
    await world.runSlot(start + 3_600_000);
    expect(spendLine(world, 'acme', 'project')).toMatchObject({ planned: '2', spent: '0', saved_by_freshness: '2' });
  });
});

describe('the requests in spend.csv, at an API that charges per request', () => {
  let api: EngineServer;
  beforeEach(async () => {
    api = await startEngineServer();
  });
  afterEach(() => api.close());

  /** Four results per page; later pages depend on `first`. */
  const page = ({ query }: Asked) => {
    const url = new URL(query.get('url') ?? '');
    const first = Number(url.searchParams.get('first') ?? 1);
    const row = (nth: number) => bingResult(`https://site${first + nth}.example/`, `Site ${first + nth}`);
    return { body: bingPage([0, 1, 2, 3].map(row).join(''), url.searchParams.get('q') ?? '') };
  };

  async function worldOf(keywords: string[], clock = new JobClock()): Promise<World> {
    const template = `${api.url}/?token=t&url={url}`;
    const options = { fetcher: 'unlocker', template, allowLoopback: true, requestsPerSecond: 1000 } as const;
    const source = await createSource('bing', options, { clock });
    const services = new Map([['vendor', createSearchDataService({ source, clock })]]);
    const all = keywords.map((text) => keyword(text, { depth: 2 }));
    const world = new World({ reports: true, services, clock, projects: [project({ keywords: all })], concurrency: 1 });
    clock.set(start);
    return world;
  }
  const sourceLines = (world: World) =>
    world
      .table('spend.csv', 'acme')
      .flatMap((row) =>
        row['scope'] !== 'source'
          ? []
          : ['source', 'spent', 'unknown', 'requests', 'requests_unknown', 'requests_free']
              .map((name) => row[name])
              .join(' '),
      );

  it('are the requests that it received, failed attempts included', async () => {
    const world = await worldOf(['a', 'b']);
    const failures = [{ status: 429 }, { status: 500 }];
    api.answer = (asked) => failures.shift() ?? page(asked);
    await world.runSlot(start);
    expect(api.asked.length).toBe(6);
    expect(sourceLines(world)).toEqual(['vendor/bing 4 1 4 1 1']);
    await askSerp(world.context, 'vendor', { keyword: 'c', start_page: 3, end_page: 3 });
    expect(world.store.audit.salesByMonth()).toEqual([
      {
        ...{ month: '2026-01', service: 'vendor', label: 'vendor/bing', part: null },
        ...{ spent: 5, unknown: 1, requests: { charged: 7, free: 1, unknown: 1 } },
      },
    ]);
    expect(world.broken()).toEqual([]);
  });

  it('of a page requested out of order include the pages before it, and are recorded if one of them fails', async () => {
    const world = await worldOf(['a']);
    api.answer = (asked) => (api.asked.length === 5 ? { status: 402 } : page(asked));
    await askSerp(world.context, 'vendor', { keyword: 'x', start_page: 3, end_page: 3 });
    await expect(askSerp(world.context, 'vendor', { keyword: 'y', start_page: 2, end_page: 2 })).rejects.toThrow();
    expect(world.store.runFacts.soldBy(1)).toMatchObject([{ spent: 1, requests: { charged: 3, free: 0, unknown: 0 } }]);
    expect(world.store.runFacts.soldBy(2)).toMatchObject([
      { unknown: 1, requests: { charged: 1, free: 1, unknown: 0 } },
    ]);
  });

  it('stay unknown where the process that sent them died, and change with their reconciliation', async () => {
    const world = await worldOf(['a']);
    const failures = [{ status: 500 }];
    api.answer = (asked) => failures.shift() ?? page(asked);
    await world.runSlot(start);
    const [, second] = world.rows("SELECT id FROM purchases WHERE state = 'paid'");
    world.db.sql('DELETE FROM purchase_sources WHERE purchase_id = ?').run(second?.['id'] as number);
    world.db.sql('UPDATE purchases SET state_code = 3 WHERE id = ?').run(second?.['id'] as number);
    world.db.sql('UPDATE reservations SET spent = spent - 1, unknown = unknown + 1').run();
    expect(world.store.runFacts.soldBy(1)).toMatchObject([
      { spent: 1, unknown: 2, requests: { charged: 1, unknown: 2 } },
    ]);
    const failed = Number(world.value("SELECT id FROM purchases WHERE error_code = 'SERP_FAILED'"));
    world.store.transaction(() => world.store.reconciliations.settle(failed, 'charged', 1, start));
    expect(world.store.runFacts.soldBy(1)).toMatchObject([
      { spent: 2, unknown: 1, requests: { charged: 2, unknown: 1 } },
    ]);
  });
});

describe('the dollars in spend.csv', () => {
  it('are in the first report after the run that spent them, and each project has the share of its keywords', async () => {
    const volumes = { schedule: '0 4 15 * *', limit: 1 };
    const one = project({ keywords: [keyword('a')], volumes });
    const other = project({ id: 'other', keywords: [keyword('b'), keyword('c'), keyword('d')], volumes });
    const world = await begin([one, other]);
    const slotOf = ({ id }: Project) => {
      const name = '2026-01-15T04:00';
      return { project: id, slot: name, at: start - 7_200_000, timezone: 'UTC', localDate: '2026-01-15' };
    };
    const opened = { kind: 'volumes', moment: start - 7_200_000, owner: 'no-process', at: start } as const;
    world.store.runs.open(opened, world.projects.map(slotOf));
    world.db
      .sql(
        "INSERT INTO reservations (run_id, currency_code, day_key, reserved, spent, released) VALUES (1, 1, '', 40000, 40000, 0)",
      )
      .run();
    const weights = "SELECT 1, id, iif(name = 'acme', 1, 3) FROM projects";
    world.db.sql(`INSERT INTO reservation_projects (reservation_id, project_id, keywords) ${weights}`).run();
    world.store.runs.close(1, { state: 'complete', reason: null, at: start });
    const dollars = (id: string) =>
      world.table('spend.csv', id).flatMap((row) => (row['unit'] === 'usd' ? [`${row['scope']} ${row['spent']}`] : []));
    await world.runSlot(start);
    expect(dollars('acme')).toEqual(['project 0.01', 'other_projects 0.03', 'run 0.04']);
    expect(dollars('other')).toEqual(['project 0.03', 'other_projects 0.01', 'run 0.04']);
    world.clock.set(start + dayMs);
    await world.runSlot(start + dayMs);
    expect(dollars('acme')).toEqual([]);
  });
});

describe('problems.csv', () => {
  it('lists failed and deferred checks with reason, remedy and cost', async () => {
    const caps = { ...noCaps, serp_credit: { perRun: 5 } };
    const keywords = [keyword('broken', { priority: 'high' }), keyword('fine'), keyword('late', { priority: 'low' })];
    const world = await begin([project({ keywords })], caps);
    world.provider.next({ status: 400 });
    await world.runSlot(start);
    const problems = world.table('problems.csv', 'acme');
    expect(problems).toMatchObject([
      { keyword: 'broken', status: expect.stringMatching(/failed|incomplete/), run_id: '1' },
      { keyword: 'late', status: 'deferred', pages_read: '0', credits: '0', reason: expect.stringContaining('budget') },
    ]);
    expect(problems[0]?.['reason']).toContain('INVALID_REQUEST');
  });

  it('is empty if every check succeeded, and lists searches that were never checked', async () => {
    const world = await begin([project()]);
    await world.runSlot(start);
    expect(world.table('problems.csv', 'acme')).toEqual([]);
    const grown = project({ keywords: [keyword('running shoes'), keyword('new', { devices: ['desktop', 'mobile'] })] });
    const projects = new Map([['acme', grown]]);
    writeFolders({ ...world.context, projects }, world.settings().reports, 1);
    expect(
      world.table('problems.csv', 'acme').map((row) => `${row['keyword']} ${row['device']} ${row['status']}`),
    ).toEqual(['new desktop deferred', 'new mobile deferred']);
    const manifest = JSON.parse(readFileSync(join(world.reports, 'acme/latest/manifest.json'), 'utf8'));
    expect(manifest.files.find(({ name }: { name: string }) => name === 'problems.csv').rows).toBe(2);
  });
});
