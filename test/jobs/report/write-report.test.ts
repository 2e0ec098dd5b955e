// The reports of a run: their contents, their folders, and when they are written.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { writeFolders } from '../../../jobs/report/write-report.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { type ReportTableName, usualTables } from '../../../src/tracker/report-tables.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { keyword, project, resultsWith, World } from '../../helpers/jobs.ts';
import { type AskedSearch, startProvider } from '../../helpers/provider.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 15, 6);

async function begin(projects: Project[], rank: (search: AskedSearch) => number | null): Promise<World> {
  const provider = await startProvider({
    pageSize: () => 10,
    results: (search) => {
      const found = rank(search);
      return found === null ? resultsWith('https://other.example/', 1) : resultsWith('https://acme.example/', found);
    },
  });
  return new World({ reports: true, provider, projects });
}

async function runAt(world: World, at: number): Promise<Record<string, string>[]> {
  world.clock.set(at);
  await world.runSlot(at);
  expect(world.broken()).toEqual([]);
  return world.table('rank-changes.csv');
}

const manifest = (world: World, folder = 'latest') =>
  JSON.parse(readFileSync(join(world.reports, 'acme', folder, 'manifest.json'), 'utf8'));

describe('a report', () => {
  it('has the tables that are asked for, and keeps no others from an earlier report', async () => {
    const world = await begin([project()], () => 3);
    await runAt(world, start);
    const written = (tables?: ReadonlySet<ReportTableName>): string[] => {
      const [report] = writeFolders(world.context, { ...world.settings().reports, html: true, tables }, 1);
      const names = manifest(world).files.map(({ name }: { readonly name: string }) => name);
      expect(readdirSync(join(world.reports, 'acme/latest')).sort()).toEqual([...names, 'manifest.json'].sort());
      expect(report?.files).toEqual([...names, 'manifest.json']);
      return names;
    };
    expect(written()).toEqual(expect.arrayContaining(['rank-changes.csv', 'intents.csv', 'destinations.csv']));
    expect(written(new Set(usualTables)).sort()).toEqual([
      ...['attribution.csv', 'causes.csv', 'competitors.csv', 'movers.csv', 'problems.csv', 'rank-changes.csv'],
      ...['report.html', 'spend.csv', 'summary.csv', 'volumes.csv'],
    ]);
    expect(written(new Set(['summary']))).toEqual(['summary.csv', 'report.html']);
    expect(/rank-changes\.csv/.test(readFileSync(join(world.reports, 'acme/latest/report.html'), 'utf8'))).toBe(false);
  });

  it('reads what its tables need, and nothing else: a damaged archive is not in the way of other tables', async () => {
    const world = await begin([project()], () => 3);
    await runAt(world, start);
    world.db.sql('DROP TRIGGER pages_no_update').run();
    world.db.sql("UPDATE pages SET archive = x'0109'").run();
    const written = (...tables: ReportTableName[]) =>
      writeFolders(world.context, { ...world.settings().reports, tables: new Set(tables) }, 1);
    expect(written('rank-changes')[0]?.rows).toBe(1);
    expect(() => written('serp-features')).toThrow();
  });

  it('states for each keyword what changed since the previous check', async () => {
    let ranks = new Map<string, number | null>([
      ['up', 20],
      ['down', 3],
      ['same', 7],
      ['new', null],
      ['gone', 5],
      ['never', null],
    ]);
    const names = [...ranks.keys()];
    const world = await begin(
      [project({ keywords: names.map((name) => keyword(name)) })],
      ({ keyword: asked }) => ranks.get(asked) ?? null,
    );
    expect((await runAt(world, start)).every((row) => row['change_class'] === 'first_check')).toBe(true);
    ranks = new Map([
      ['up', 4],
      ['down', 9],
      ['same', 7],
      ['new', 15],
      ['gone', null],
      ['never', null],
    ]);
    const found = new Map((await runAt(world, start + dayMs)).map((row) => [row['keyword'], row]));
    const summary = names.map((name) =>
      ['change_class', 'rank', 'previous_rank', 'change'].map((field) => found.get(name)?.[field]).join(' '),
    );
    expect(summary).toEqual([
      'improved 4 20 16',
      'declined 9 3 -6',
      'unchanged 7 7 0',
      'entered 15  ',
      'dropped  5 ',
      'unchanged   ',
    ]);
    expect(manifest(world)).toMatchObject({ project: 'acme', coverage: { checked: 6, total: 6 }, suspect: false });
  });

  it('lists its files in the manifest by size, rows and hash', async () => {
    const world = await begin([project()], () => 2);
    await runAt(world, start);
    for (const file of manifest(world).files) {
      const bytes = readFileSync(join(world.reports, 'acme', 'latest', file.name));
      expect(file.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
    }
  });

  it('compares with the previous slot even if both used the same fresh page', async () => {
    const world = await begin([project({ freshForMs: dayMs })], () => 5);
    await runAt(world, start);
    const [row] = await runAt(world, start + 3_600_000);
    expect(row).toMatchObject({ change_class: 'unchanged', change: '0', previous_rank: '5' });
    expect(row?.['previous_checked_at']).toBe(row?.['checked_at']);
  });

  it('leaves the numbers of a failed check empty, and says why', async () => {
    const world = await begin([project()], () => 5);
    await runAt(world, start);
    world.provider.next({ status: 400 }, { status: 400 }, { status: 400 });
    const [row] = await runAt(world, start + dayMs);
    expect(row).toMatchObject({ status: 'failed', rank: '', change: '', url: '', change_class: 'not_comparable' });
    expect(row?.['note']).toContain('INVALID_REQUEST');
    // and the next report compares with the last complete check
    const [next] = await runAt(world, start + 2 * dayMs);
    expect(next).toMatchObject({
      change_class: 'unchanged',
      previous_rank: '5',
      previous_checked_at: '2026-01-15T06:00:00.000Z',
    });
  });

  it('of a slot that is run late is compared with earlier observations, and is the baseline of later ones', async () => {
    let rank = 6;
    const world = await begin([project({ keywords: [keyword('a')] })], () => rank);
    await runAt(world, start + 4 * dayMs);
    world.clock.set(start + 5 * dayMs);
    rank = 5;
    const [late] = await world.runSlot(start);
    rank = 4;
    const [after] = await runAt(world, start + 6 * dayMs);
    const [row] = world.table('rank-changes.csv', 'acme', '2026-01-15T0600');
    expect(late?.runId).toBe(2);
    expect(row).toMatchObject({ rank: '5', previous_rank: '6', checked_at: '2026-01-20T06:00:00.000Z' });
    expect(row?.['note']).toBe('late run: seen on 2026-01-20, for the slot of 2026-01-15T06:00');
    expect(after).toMatchObject({ rank: '4', previous_rank: '5', note: '' });
  });

  it('of a shallow check never calls a target dropped that ranked deeper', async () => {
    const one = project({ deep: { depth: 5, everyMs: 7 * dayMs }, keywords: [keyword('a', { depth: 2 })] });
    const world = await begin([one], () => 45);
    expect((await runAt(world, start))[0]).toMatchObject({ status: 'ranked', rank: '45' });
    expect((await runAt(world, start + dayMs))[0]).toMatchObject({
      status: 'not_found',
      change_class: 'not_comparable',
    });
    expect((await runAt(world, start + 7 * dayMs))[0]).toMatchObject({
      rank: '45',
      change_class: 'unchanged',
      change: '0',
    });
  });
});

describe('a report that compares with another day', () => {
  it.each([
    [{ kind: 'days', days: 1 }, '8'],
    [{ kind: 'days', days: 7 }, '2'],
    [{ kind: 'date', date: '2026-01-18' }, '4'],
    [{ kind: 'last-month' }, ''],
    [{ kind: 'date', date: '2026-01-12' }, ''],
    [{ kind: 'date', date: '2026-03-01' }, ''],
  ] as const)('%j takes the newest check at the end of that day', async (comparison, previous) => {
    let rank = 0;
    const world = await begin([project({ keywords: [keyword('a', { depth: 1 })] })], () => rank);
    for (let day = 0; day < 9; day += 1) {
      rank = day + 1;
      await runAt(world, start + day * dayMs);
    }
    writeFolders(world.context, { ...world.settings().reports, comparison }, 9);
    expect(world.table('rank-changes.csv')).toMatchObject([{ rank: '9', previous_rank: previous }]);
  });
});

describe('the folders of reports', () => {
  it('are named by slot, and a second run in the same minute gets its own', async () => {
    const world = await begin([project()], () => 1);
    await runAt(world, start);
    world.clock.set(start + 5_000);
    await world.run();
    world.clock.set(start + dayMs);
    await world.run();
    expect(readdirSync(join(world.reports, 'acme')).sort()).toEqual([
      '2026-01-15T0600',
      '2026-01-15T0600-run2',
      '2026-01-16T0600',
      'latest',
    ]);
    expect(readlinkSync(join(world.reports, 'acme', 'latest'))).toBe('2026-01-16T0600');
  });

  it('of a slot that is run late do not become the latest', async () => {
    const world = await begin([project()], () => 1);
    await runAt(world, start + dayMs);
    await world.runSlot(start);
    expect(readlinkSync(join(world.reports, 'acme', 'latest'))).toBe('2026-01-16T0600');
    expect(manifest(world, '2026-01-15T0600').run.slot).toBe('2026-01-15T06:00');
  });

  it('are rewritten in place with the same rows', async () => {
    const world = await begin([project()], () => 3);
    const before = await runAt(world, start);
    writeFolders(world.context, world.settings().reports, 1);
    expect(world.table('rank-changes.csv')).toEqual(before);
    expect(readdirSync(join(world.reports, 'acme')).length).toBe(2);
  });

  it('that cannot be written lose no history, and are written at the next start', async () => {
    const world = await begin([project()], () => 3);
    const blocked = join(temporaryFolder(), 'file');
    writeFileSync(blocked, '');
    const settings = { reports: { ...world.settings().reports, directory: join(blocked, 'reports') } };
    const [run] = await world.run({ kind: 'slot', projects: world.projects, at: start }, settings);
    expect(run).toMatchObject({ runId: 1, reports: [] });
    expect(world.checks()).toEqual(['running shoes ok 3']);
    expect(world.store.reportFailures.all(2)).toMatchObject([{ runId: 1, part: 'report', project: 'acme' }]);
    await world.run({ kind: 'due' });
    expect(world.store.reportFailures.all(2)).toEqual([]);
    expect(existsSync(join(world.reports, 'acme', 'latest', 'manifest.json'))).toBe(true);
    expect(world.provider.sold.serpCredits).toBe(3);
    expect(await world.run({ kind: 'due' })).toEqual([]);
  });
});

describe('a run that lost too much at once', () => {
  const many = project({ keywords: Array.from({ length: 12 }, (_, index) => keyword(`k${index}`, { depth: 1 })) });

  it('is suspect, and each report says so at its top', async () => {
    let lostCount = 0;
    const world = await begin([many], ({ keyword: asked }) => (Number(asked.slice(1)) < lostCount ? null : 5));
    await runAt(world, start);
    expect(manifest(world).suspect).toBe(false);
    lostCount = 6;
    const found = await runAt(world, start + dayMs);
    expect(world.store.runs.slotsOf(2)[0]?.suspectReason).toMatch(
      /^6 of 12 ranked keywords were lost at once \(0.1 expected at 1.0 % a run, chance \S+\)$/,
    );
    expect(manifest(world)).toMatchObject({ suspect: true, suspectReason: expect.stringContaining('6 of 12') });
    expect(found.every((row) => row['note']?.includes('suspect run'))).toBe(true);
    lostCount = 7;
    await runAt(world, start + 2 * dayMs);
    expect(manifest(world).suspect).toBe(false);
  });

  it('is not suspect for what a shallower check could not see', async () => {
    const deep = { ...many, deep: { depth: 3, everyMs: 7 * dayMs } };
    const world = await begin([deep], () => 25);
    await runAt(world, start);
    await runAt(world, start + dayMs);
    expect(world.rankings().at(-1)).toBe('acme.example not found 1');
    expect(world.store.runs.slotsOf(2)[0]?.suspectReason).toBeNull();
  });

  it('is suspect if many checks failed', async () => {
    const world = await begin([many], () => 5);
    await runAt(world, start);
    world.provider.next(...Array.from({ length: 5 }, () => ({ status: 400 })));
    await runAt(world, start + dayMs);
    expect(world.store.runs.slotsOf(2)[0]?.suspectReason).toMatch(
      /^5 of 12 checks failed \(0.1 expected at 1.0 % a run, chance /,
    );
    expect(world.store.runs.run(2)?.state).toBe('partial');
  });
});

describe('a note', () => {
  const note = (date: string, text: string, project: string | null = null) => ({ date, text, project });

  it('is shown in rows that moved over its day, and in the summary', async () => {
    let moved = 9;
    const world = await begin([project({ keywords: [keyword('moved'), keyword('stayed')] })], ({ keyword: asked }) =>
      asked === 'moved' ? moved : 5,
    );
    await runAt(world, start);
    moved = 2;
    await runAt(world, start + 2 * dayMs);
    const runId = world.store.reportRuns.latestReported('acme', world.clock.now())?.id ?? 0;
    world.store.notes.add(note('2026-01-16', 'core update'), 1);
    world.store.notes.add(note('2026-01-18', 'too late'), 1);
    world.store.notes.add(note('2026-01-14', 'too early'), 1);
    world.store.notes.add(note('2026-01-16', 'of another', 'other'), 1);
    const notes = [note('2026-01-15', 'relaunch', 'acme')];
    writeFolders(world.context, { ...world.settings().reports, notes }, runId);
    const said = new Map(world.table('rank-changes.csv').map((row) => [row['keyword'], row['note']]));
    expect(said.get('moved')).toBe('note 2026-01-15: relaunch; note 2026-01-16: core update');
    expect(said.get('stayed')).toBe('');
    const summary = readFileSync(join(world.reports, 'acme/latest/summary.csv'), 'utf8').replace(/^\uFEFF/, '');
    expect(Papa.parse<Record<string, string>>(summary, { header: true }).data[0]).toMatchObject({
      notes: '2026-01-15: relaunch|2026-01-16: core update',
      compare: 'previous',
      previous_checked_from: expect.stringContaining('2026-01-15T06:00'),
      previous_checked_to: expect.stringContaining('2026-01-15T06:00'),
    });
  });

  it('about a keyword or a tag is in its rows, and in the lines of the project', async () => {
    let rank = 9;
    const keywords = [keyword('shoes'), { ...keyword('hats'), tags: ['head'] }];
    const world = await begin([project({ keywords })], () => rank);
    await runAt(world, start);
    rank = 2;
    await runAt(world, start + 2 * dayMs);
    world.store.notes.add({ ...note('2026-01-16', 'new title', 'acme'), keyword: 'Shoes' }, 1);
    world.store.notes.add({ ...note('2026-01-16', 'sale', 'acme'), tag: 'head' }, 1);
    writeFolders(world.context, world.settings().reports, 2);
    expect(world.table('rank-changes.csv').map((row) => [row['keyword'], row['note']])).toEqual([
      ['hats', 'note 2026-01-16: sale'],
      ['shoes', 'note 2026-01-16: new title'],
    ]);
    const summary = readFileSync(join(world.reports, 'acme/latest/summary.csv'), 'utf8').replace(/^\uFEFF/, '');
    const [whole, market] = Papa.parse<Record<string, string>>(summary, { header: true }).data;
    expect(whole?.['notes']).toBe('2026-01-16: new title (keyword Shoes)|2026-01-16: sale (tag head)');
    expect(market?.['notes']).toBe('');
  });

  it.each([undefined, 'bing'])(
    'of an announced update appears wherever its days overlap a comparison, of engine %s',
    async (engine) => {
      let rank = 9;
      const world = await begin([project({ engine })], () => rank);
      await runAt(world, start);
      rank = 2;
      const day = (date: string) => Date.parse(`${date}T08:00:00Z`);
      world.store.engineUpdates.put(
        [
          { feedId: 'a', name: 'core update', beginAt: day('2026-01-10'), endAt: day('2026-01-20') },
          { feedId: 'b', name: 'over', beginAt: day('2026-01-10'), endAt: day('2026-01-12') },
          { feedId: 'c', name: 'later', beginAt: day('2026-02-10'), endAt: null },
        ],
        1,
      );
      await runAt(world, start + 2 * dayMs);
      const text = 'update confirmed: core update (until 2026-01-20)';
      if (engine !== undefined) {
        expect(world.table('rank-changes.csv')[0]?.['note']).toBe('');
        expect(world.table('causes.csv').map((line) => line['kind'])).not.toContain('confirmed_update');
        expect(world.table('summary.csv')[0]?.['notes']).toBe('');
        return;
      }
      expect(world.table('rank-changes.csv')[0]?.['note']).toBe(`note 2026-01-10: ${text}`);
      expect(world.table('causes.csv').map((line) => line['kind'])).toContain('confirmed_update');
      expect(world.table('summary.csv')[0]?.['notes']).toBe(`2026-01-10: ${text}`);
    },
  );

  it('that is long stands in full in the lines of a project alone: rows name its days', async () => {
    let rank = 9;
    const world = await begin([project()], () => rank);
    await runAt(world, start);
    rank = 2;
    await runAt(world, start + 2 * dayMs);
    const [day, next] = ['2026-01-16', '2026-01-17'].map((date) => ({
      ...note(date, `update suspected: 6 of 8 on ${date}`),
      rowText: 'update suspected',
    }));
    if (day === undefined || next === undefined) throw new Error('there are two notes');
    writeFolders(world.context, { ...world.settings().reports, notes: [day, next] }, 2);
    expect(world.table('rank-changes.csv')[0]?.['note']).toBe('note 2026-01-16, 2026-01-17: update suspected');
    const summary = readFileSync(join(world.reports, 'acme/latest/summary.csv'), 'utf8').replace(/^\uFEFF/, '');
    const [whole, market] = Papa.parse<Record<string, string>>(summary, { header: true }).data;
    expect(whole?.['notes']).toBe(`2026-01-16: ${day.text}|2026-01-17: ${next.text}`);
    expect(market?.['notes']).toBe('2026-01-16: update suspected|2026-01-17: update suspected');
  });
});
