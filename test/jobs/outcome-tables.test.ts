// problems.csv and spend.csv over real runs: what went wrong is listed, and the lines are those of the ledger.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Papa from 'papaparse';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { writeReports } from '../../jobs/write-report.ts';
import type { Project } from '../../src/tracker/project.ts';
import { keyword, noCaps, project, removeTemporaryFolders, resultsWith, World } from '../helpers/jobs.ts';
import { type Provider, startProvider } from '../helpers/provider.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 15, 6);

let open: { world: World; provider: Provider } | undefined;
afterEach(async () => {
  await open?.world.close();
  await open?.provider.close();
  open = undefined;
});
afterAll(removeTemporaryFolders);

async function begin(projects: Project[], caps = noCaps): Promise<World> {
  const provider = await startProvider({
    pageSize: () => 10,
    results: () => resultsWith('https://acme.example/', 12),
  });
  open = { provider, world: new World({ provider, projects, caps, concurrency: 1 }) };
  open.world.clock.set(start);
  return open.world;
}

function table(world: World, id: string, name: string): Record<string, string>[] {
  const text = readFileSync(join(world.reports, id, 'latest', name), 'utf8').replace(/^\uFEFF/, '');
  return Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true }).data;
}

const spendLine = (world: World, id: string, scope: string) =>
  table(world, id, 'spend.csv').find((row) => row['scope'] === scope && row['unit'] === 'serp_credits');

describe('spend.csv', () => {
  it('of projects that share searches adds up to the ledger', async () => {
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
    // found on page 2: two of three pages, three credits of six for each of the two
    expect(acme).toMatchObject({
      checks: '3',
      planned: '9',
      spent: '3',
      saved_by_sharing: '3',
      saved_by_early_stop: '3',
    });
  });

  it('tells fresh pages from bought ones, and failures from both', async () => {
    const world = await begin([project({ freshForMs: dayMs, keywords: [keyword('a', { depth: 2 })] })]);
    open?.provider.next({ status: 500 });
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

describe('the dollars in spend.csv', () => {
  it('stand in the first report after the run that spent them, by each project as much as it has of its keywords', async () => {
    const volumes = { schedule: '0 4 15 * *', limit: 1 };
    const one = project({ keywords: [keyword('a')], volumes });
    const other = project({ id: 'other', keywords: [keyword('b'), keyword('c'), keyword('d')], volumes });
    const world = await begin([one, other]);
    const slotOf = ({ id }: Project) => {
      const name = '2026-01-15T04:00';
      return { project: id, slot: name, at: start - 7_200_000, timezone: 'UTC', localDate: '2026-01-15' };
    };
    const opened = { kind: 'volumes', moment: start - 7_200_000, owner: 'nobody', at: start } as const;
    world.store.runs.open(opened, world.projects.map(slotOf));
    world.db
      .sql(
        "INSERT INTO reservations (run_id, currency, day_key, month_key, reserved, spent, released) VALUES (1, 'micro_usd', '', '', 40000, 40000, 0)",
      )
      .run();
    world.store.runs.close(1, { state: 'complete', reason: null, suspectReason: null, at: start });
    const dollars = (id: string) =>
      table(world, id, 'spend.csv').flatMap((row) =>
        row['unit'] === 'usd' ? [`${row['scope']} ${row['spent']}`] : [],
      );
    await world.runSlot(start);
    expect(dollars('acme')).toEqual(['project 0.01', 'other_projects 0.03', 'run 0.04']);
    expect(dollars('other')).toEqual(['project 0.03', 'other_projects 0.01', 'run 0.04']);
    world.clock.set(start + dayMs);
    await world.runSlot(start + dayMs);
    expect(dollars('acme')).toEqual([]);
  });
});

describe('problems.csv', () => {
  it('lists what failed and what was deferred, with reason, remedy and cost', async () => {
    const caps = { ...noCaps, serp_credit: { perRun: 5 } };
    const keywords = [keyword('broken', { priority: 'high' }), keyword('fine'), keyword('late', { priority: 'low' })];
    const world = await begin([project({ keywords })], caps);
    open?.provider.next({ status: 400 });
    await world.runSlot(start);
    const problems = table(world, 'acme', 'problems.csv');
    expect(problems).toMatchObject([
      { keyword: 'broken', status: expect.stringMatching(/failed|incomplete/), run_id: '1' },
      { keyword: 'late', status: 'deferred', pages_read: '0', credits: '0', reason: expect.stringContaining('budget') },
    ]);
    expect(problems[0]?.['reason']).toContain('INVALID_REQUEST');
  });

  it('is empty where all went well, and lists what was never checked', async () => {
    const world = await begin([project()]);
    await world.runSlot(start);
    expect(table(world, 'acme', 'problems.csv')).toEqual([]);
    const grown = project({ keywords: [keyword('running shoes'), keyword('new', { devices: ['desktop', 'mobile'] })] });
    const projects = new Map([['acme', grown]]);
    writeReports({ ...world.context, projects }, world.settings().reports, 1);
    expect(
      table(world, 'acme', 'problems.csv').map((row) => `${row['keyword']} ${row['device']} ${row['status']}`),
    ).toEqual(['new desktop deferred', 'new mobile deferred']);
    const manifest = JSON.parse(readFileSync(join(world.reports, 'acme/latest/manifest.json'), 'utf8'));
    expect(manifest.files.find(({ name }: { name: string }) => name === 'problems.csv').rows).toBe(2);
  });
});
