import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lackingProjects, type RanksBackfillOptions, ranksBackfill } from '../../../jobs/backfill/backfill.ts';
import { estimatePrice } from '../../../jobs/query/planning.ts';
import { computeDueness } from '../../../jobs/run/due.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import {
  deadOwner,
  keyword,
  livingOwner,
  noCaps,
  project,
  resultsWith,
  World,
  type WorldOptions,
} from '../../helpers/jobs.ts';
import { type Provider, type ProviderOptions, startProvider } from '../../helpers/provider.ts';

const hourMs = 3_600_000;
const start = Date.UTC(2026, 0, 15, 6);
const unreadable = { status: 400, code: 'INVALID_REQUEST' } as const;

async function begin(projects: Project[], options: ProviderOptions = {}, more: Partial<WorldOptions> = {}) {
  const provider = await startProvider({
    pageSize: () => 10,
    results: () => resultsWith('https://acme.example/', 3),
    ...options,
  });
  const world = new World({ reports: true, provider, projects, ...more });
  world.clock.set(start);
  return { provider, world };
}

const optionsOf = (options: Partial<RanksBackfillOptions> = {}): RanksBackfillOptions => ({
  keywords: [],
  tags: [],
  pages: null,
  missing: true,
  failed: true,
  ...options,
});

const backfill = (world: World, options: Partial<RanksBackfillOptions> = {}, projects = world.projects) =>
  world.run(ranksBackfill(world.context, projects, optionsOf(options)));

const lacking = (world: World, options: Partial<RanksBackfillOptions> = {}, projects = world.projects): string[] =>
  lackingProjects(world.store, projects, optionsOf(options), world.clock.now()).flatMap(({ project: one }) =>
    one.keywords.map((each) => `${one.id} ${each.keyword} ${each.devices.join('+')} ${each.depth}`),
  );

const bought = (provider: Provider): string[] =>
  provider.requests.map(({ body }) => `${String(body['keyword'])} ${String(body['start_page'] ?? 1)}`);

function report(world: World, folder = 'latest', name = 'acme'): Record<string, string>[] {
  const rows = world.table('rank-changes.csv', name, folder);
  return rows.sort((a, b) => String(a['keyword']).localeCompare(String(b['keyword'])));
}

const failing = (...names: string[]) => ({
  fault: (_: number, body: Readonly<Record<string, unknown>>) =>
    names.includes(String(body['keyword'])) ? unreadable : ('ok' as const),
});

const shallow = (...names: string[]) => names.map((name) => keyword(name, { depth: 1 }));

describe('the checks that a backfill of ranks finds lacking', () => {
  it('are those that failed, were deferred or do not exist, and no complete ones', async () => {
    const before = project({ keywords: shallow('failed', 'fine', 'late') });
    const { world } = await begin([before], failing('failed'), { caps: { ...noCaps, serp_credit: { perRun: 1 } } });
    await world.runSlot(start);
    expect(world.checks()).toEqual(['failed failed 0', 'fine ok 1', 'late deferred 0']);
    const after = project({ keywords: shallow('failed', 'fine', 'late', 'new') });
    expect(lacking(world, {}, [after])).toEqual(['acme failed desktop 1', 'acme late desktop 1', 'acme new desktop 1']);
    expect(lacking(world, { failed: false }, [after])).toEqual(['acme new desktop 1']);
    expect(lacking(world, { missing: false }, [after])).toEqual(['acme failed desktop 1', 'acme late desktop 1']);
  });

  it('are all searches of a project that never ran', async () => {
    const { world } = await begin([project({ keywords: [keyword('a', { devices: ['desktop', 'mobile'] })] })]);
    expect(lacking(world)).toEqual(['acme a desktop+mobile 3']);
  });

  it('are narrowed by keyword, tag, device and depth', async () => {
    const keywords = [
      keyword('a', { depth: 1, tags: ['x'] }),
      keyword('b', { depth: 1, tags: ['y'], devices: ['desktop', 'mobile'] }),
    ];
    const { world } = await begin([project({ keywords })]);
    expect(lacking(world, { keywords: ['b'] })).toEqual(['acme b desktop+mobile 1']);
    expect(lacking(world, { tags: ['x', 'z'] })).toEqual(['acme a desktop 1']);
    await world.runSlot(start);
    expect(lacking(world)).toEqual([]);
    expect(lacking(world, { pages: { from: 1, to: 1 } })).toEqual([]);
    expect(lacking(world, { pages: { from: 1, to: 4 } })).toEqual(['acme a desktop 4', 'acme b desktop+mobile 4']);
  });

  it('under until-found include no deeper check of a search whose target was found', async () => {
    const results = ({ keyword: text }: { keyword: string }) =>
      resultsWith('https://acme.example/', text === 'found' ? 3 : 50);
    const { world } = await begin([project({ paging: 'until-found', keywords: shallow('found', 'deep') })], {
      results,
    });
    await world.runSlot(start);
    expect(lacking(world, { pages: { from: 1, to: 6 } })).toEqual(['acme deep desktop 6']);
  });

  it('under until-all-found include a deeper check of a search with an unfound target, competitors included', async () => {
    const competitors = [{ match: 'domain', value: 'rival.example' }] as const;
    const results = ({ keyword: text }: { keyword: string }) => {
      const links = resultsWith('https://acme.example/', 1);
      return text === 'found' ? [...links.slice(0, 2), 'https://rival.example/', ...links.slice(2)] : links;
    };
    const { world } = await begin(
      [project({ paging: 'until-all-found', competitors, keywords: shallow('found', 'deep') })],
      { results },
    );
    await world.runSlot(start);
    expect(lacking(world, { pages: { from: 1, to: 6 } })).toEqual(['acme deep desktop 6']);
  });

  it('are those of the latest slot: an earlier failure that succeeded since is not lacking', async () => {
    let isBroken = true;
    const { world } = await begin([project({ keywords: shallow('a') })], {
      fault: () => (isBroken ? unreadable : 'ok'),
    });
    await world.runSlot(start);
    expect(lacking(world)).toEqual(['acme a desktop 1']);
    isBroken = false;
    world.clock.set(start + 24 * hourMs);
    await world.runSlot(start + 24 * hourMs);
    expect(lacking(world)).toEqual([]);
  });

  it('are counted per project: another project of the same run had other targets', async () => {
    const globex = project({
      id: 'globex',
      targets: [{ match: 'domain', value: 'globex.example' }],
      keywords: shallow('b'),
    });
    const { world } = await begin([project({ keywords: shallow('a') }), globex]);
    await world.runSlot(start);
    expect(world.checks()).toEqual(['a ok 1', 'b ok 1']);
    const after = project({ keywords: shallow('a', 'b') });
    expect(lacking(world, {}, [after, globex])).toEqual(['acme b desktop 1']);
  });
});

describe('a backfill of ranks', () => {
  it('buys only what is lacking, now, and states when it was seen', async () => {
    let isBroken = true;
    const keywords = shallow('a', 'b', 'c');
    const { world, provider } = await begin([project({ schedule: '0 6 * * *', keywords })], {
      fault: (_, body) => (isBroken && body['keyword'] === 'b' ? unreadable : 'ok'),
    });
    await world.run({ kind: 'due' });
    isBroken = false;
    world.clock.set(start + 3 * hourMs);
    const before = provider.requests.length;
    const [done] = await backfill(world);
    expect(bought(provider).slice(before)).toEqual(['b 1']);
    expect(world.rows(`SELECT kind, origin, moment, state FROM runs WHERE id = ${done?.runId}`)).toEqual([
      { kind: 'ranks', origin: 'backfill', moment: start + 3 * hourMs, state: 'complete' },
    ]);
    expect(world.rows(`SELECT kind, slot FROM slots WHERE run_id = ${done?.runId}`)).toEqual([
      { kind: 'backfill', slot: '2026-01-15T09:00:00.000' },
    ]);
    expect(report(world).map((row) => [row['keyword'], row['status'], row['rank'], row['run_id']])).toEqual([
      ['a', 'ranked', '3', '1'],
      ['b', 'ranked', '3', '2'],
      ['c', 'ranked', '3', '1'],
    ]);
    expect(report(world)[1]?.['checked_at']).toBe('2026-01-15T09:00:00.000Z');
    expect(await backfill(world)).toEqual([]);
    expect(world.broken()).toEqual([]);
  });

  it('does not change which slots are due or missed', async () => {
    const { world } = await begin([project({ schedule: '0 6 * * *', keywords: shallow('a') })], failing('a'));
    await world.run({ kind: 'due' });
    world.clock.set(start + 27 * hourMs);
    const due = () => computeDueness(world.context, world.projects, world.clock.now()).map(({ slots }) => slots.due);
    const before = due();
    expect(before).toEqual([[{ key: '2026-01-16T06:00', at: start + 24 * hourMs }]]);
    await backfill(world);
    expect(due()).toEqual(before);
  });

  it('goes through the budget: what does not fit is deferred and stays lacking', async () => {
    const caps = { ...noCaps, serp_credit: { perRun: 2 } };
    const { world, provider } = await begin([project({ keywords: shallow('a', 'b', 'c') })], {}, { caps });
    await backfill(world);
    expect(provider.sold.serpCredits).toBe(2);
    expect(lacking(world)).toEqual(['acme c desktop 1']);
    world.clock.advance(60_000);
    await backfill(world);
    expect(lacking(world)).toEqual([]);
    expect(report(world).map((row) => row['status'])).toEqual(['ranked', 'ranked', 'ranked']);
    expect(world.broken()).toEqual([]);
  });

  it('is compared with the previous slot, not with the slot that it fills in', async () => {
    let day = 0;
    const { world } = await begin([project({ keywords: shallow('a', 'b') })], {
      results: () => resultsWith('https://acme.example/', 8 - day),
      fault: (_, body) => (day === 1 && body['keyword'] === 'b' ? unreadable : 'ok'),
    });
    await world.runSlot(start);
    for (const next of [1, 2]) {
      day = next;
      world.clock.set(start + (23 + next) * hourMs);
      if (next === 1) await world.runSlot(start + 24 * hourMs);
      else await backfill(world);
    }
    const line = (row: Record<string, string>) => [row['keyword'], row['rank'], row['previous_rank'], row['change']];
    expect(report(world).map(line)).toEqual([
      ['a', '7', '8', '1'],
      ['b', '6', '8', '2'],
    ]);
    day = 5;
    world.clock.set(start + 48 * hourMs);
    await world.runSlot(start + 48 * hourMs);
    expect(report(world).map(line)).toEqual([
      ['a', '3', '7', '4'],
      ['b', '3', '6', '3'],
    ]);
  });

  it('buys the requested pages and reuses the earlier pages of the slot', async () => {
    const { world, provider } = await begin([project({ keywords: [keyword('a', { depth: 2 })] })], {
      results: () => resultsWith('https://acme.example/', 33),
    });
    await world.runSlot(start);
    world.clock.set(start + 3 * hourMs);
    const options = { pages: { from: 3, to: 5 } };
    const [narrowed] = lackingProjects(world.store, world.projects, optionsOf(options), world.clock.now());
    expect(
      estimatePrice(world.context, narrowed === undefined ? [] : [narrowed.project], [], () => world.clock.now()),
    ).toMatchObject({ searches: 1, creditsWorstCase: 3, creditsExpected: 3, pagesFresh: 2 });
    await backfill(world, options);
    expect(bought(provider)).toEqual(['a 1', 'a 2', 'a 3', 'a 4', 'a 5']);
    expect(world.rankings()).toEqual(['acme.example not found 2', 'acme.example rank 33']);
    const [row] = report(world);
    expect(row).toMatchObject({ status: 'ranked', rank: '33', page: '4', depth: '5' });
    // the time of the oldest page that it was read from
    expect(row?.['checked_at']).toBe('2026-01-15T06:00:00.000Z');
    expect(lacking(world, options)).toEqual([]);
    expect(world.broken()).toEqual([]);
  });

  it('claims no rank where the earlier pages are too old', async () => {
    const { world, provider } = await begin([project({ keywords: [keyword('a', { depth: 2 })] })], {
      results: () => resultsWith('https://acme.example/', 33),
    });
    await world.runSlot(start);
    world.clock.set(start + 30 * hourMs);
    await backfill(world, { pages: { from: 4, to: 4 } });
    expect(bought(provider)).toEqual(['a 1', 'a 2', 'a 4']);
    expect(world.rankings()).toEqual(['acme.example not found 2', 'acme.example seen 4']);
    expect(world.credits).toEqual({ spent: 3, unknown: 0, open: 0 });
    // the complete check of the slot remains
    expect(report(world)[0]).toMatchObject({ status: 'not_found', depth: '2', run_id: '1' });
    expect(world.broken()).toEqual([]);
  });

  it('is refused while a run of the project is in progress', async () => {
    const { world } = await begin([project()]);
    world.store.transaction(() =>
      world.store.runs.open({ kind: 'ranks', moment: start, owner: livingOwner, at: start }, [
        { project: 'acme', slot: '2026-01-15T06:00', at: start, timezone: 'UTC', localDate: '2026-01-15' },
      ]),
    );
    await expect(backfill(world)).rejects.toMatchObject({ code: 'RUN_IN_PROGRESS' });
  });

  it('has a report folder separate from a run of the same minute', async () => {
    const { world } = await begin([project({ keywords: shallow('a') })], failing('a'));
    await world.runSlot(start);
    await backfill(world);
    await backfill(world);
    expect(report(world, '2026-01-15T0600')[0]?.['run_id']).toBe('1');
    expect(report(world, '2026-01-15T0600-run2')[0]?.['run_id']).toBe('2');
    expect(report(world, 'latest')[0]?.['run_id']).toBe('3');
  });

  it('that died is resumed before the requested run, and does not replace it', async () => {
    const file = join(temporaryFolder(), 'rankledger.sqlite');
    const projects = [project({ keywords: shallow('a', 'b') })];
    const { world: first, provider } = await begin(projects, {}, { file, owner: deadOwner });
    ranksBackfill(first.context, projects, optionsOf({ keywords: ['a'] })).open();
    const second = new World({ provider, projects, file });
    second.clock.set(start + hourMs);
    const runs = await second.run({ kind: 'now', projects });
    expect(runs.map(({ runId, resumed }) => [runId, resumed])).toEqual([
      [1, true],
      [2, false],
    ]);
    expect(bought(provider)).toEqual(['a 1', 'a 1', 'b 1']);
    expect(second.broken()).toEqual([]);
  });

  it('that dies at any moment is resumed with its own checks, never with all checks', async () => {
    const keywords = shallow('a', 'b', 'c', 'd');
    let deaths = 0;
    for (let nth = 1; ; nth += 4) {
      const file = join(temporaryFolder(), 'rankledger.sqlite');
      let isBroken = true;
      const options: ProviderOptions = {
        fault: (_, body) => (isBroken && ['b', 'c'].includes(String(body['keyword'])) ? unreadable : 'ok'),
      };
      const { world: first, provider } = await begin([project({ keywords })], options, { file, owner: deadOwner });
      await first.runSlot(start);
      isBroken = false;
      const before = provider.requests.length;
      let count = 0;
      const transaction = first.store.transaction.bind(first.store);
      const grouped = first.store.grouped.bind(first.store);
      const live = () => {
        count += 1;
        if (count >= nth) throw new Error('died');
      };
      first.store.transaction = (work) => {
        live();
        return transaction(work);
      };
      first.store.grouped = async (work) => {
        live();
        return await grouped(work);
      };
      first.clock.set(start + hourMs);
      const died = await backfill(first).then(
        () => false,
        () => true,
      );
      const second = new World({ provider, projects: [project({ keywords })], file, reports: first.reports });
      second.clock.set(start + 2 * hourMs);
      await backfill(second);
      const sold = bought(provider)
        .slice(before)
        .map((line) => line.charAt(0));
      expect(new Set(sold)).toEqual(new Set(['b', 'c']));
      expect(lacking(second)).toEqual([]);
      expect(second.broken()).toEqual([]);
      expect(report(second).map((row) => row['status'])).toEqual(['ranked', 'ranked', 'ranked', 'ranked']);
      if (!died) break;
      deaths += 1;
    }
    console.info(`a backfill that died at ${deaths} of its transactions bought only what was lacking`);
    expect(deaths).toBeGreaterThanOrEqual(2);
  });
});
