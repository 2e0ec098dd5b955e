import { describe, expect, it } from 'vitest';
import { writeFolders } from '../../../jobs/report/write-report.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { keyword, project, World } from '../../helpers/jobs.ts';
import { type ProviderOptions, startProvider } from '../../helpers/provider.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 15, 6);

/** What the engine shows for each keyword: results in order, and features. */
interface Shown {
  readonly results: Record<string, readonly string[]>;
  readonly fields?: (asked: string, page: number) => object;
}

let shown: Shown = { results: {} };

async function begin(projects: Project[], more: ProviderOptions = {}): Promise<World> {
  const provider = await startProvider({
    pageSize: () => 10,
    results: (search) => shown.results[search.keyword] ?? [],
    fields: (search, page) => shown.fields?.(search.keyword, page) ?? {},
    ...more,
  });
  return new World({ reports: true, provider, projects });
}

async function runAt(world: World, at: number, now: Shown): Promise<void> {
  shown = now;
  world.clock.set(at);
  await world.runSlot(at);
  expect(world.broken()).toEqual([]);
}

/** `a b c` of each line, in order. */
const lines = (world: World, name: string, ...columns: string[]): string[] =>
  world.table(name).map((row) => columns.map((column) => row[column] || '-').join(' '));

const site = (name: string): string => `https://www.${name}.example/page`;
const sites = (...names: string[]): string[] => names.map(site);
/** A number of sites that are not targets. */
const others = (count: number, from = 1): string[] =>
  Array.from({ length: count }, (_, index) => site(`other${from + index}`));

function volume(world: World, text: string, searchVolume: number): void {
  world.store.transaction(() =>
    world.store.volumes.insert(
      text,
      { service: 'vendor', country: 'US', language: 'en' },
      {
        month: '2026-01',
        observedAt: start,
        source: 'vendor/x',
        searchVolume,
        cpcMicroUsd: null,
        competition: null,
        competitionLevel: null,
        intent: null,
        relatedKeywords: null,
      },
      null,
    ),
  );
}

const rival = { match: 'domain', value: 'rival.example' } as const;

describe('competitors.csv', () => {
  it('counts own targets and competitors over the same checks, and who ranks above whom', async () => {
    const keywords = [
      keyword('shoes', { depth: 1, tags: ['top'] }),
      keyword('boots', { depth: 1 }),
      keyword('socks', { depth: 1 }),
    ];
    const world = await begin([project({ keywords, competitors: [rival] })]);
    volume(world, 'shoes', 1_000);
    volume(world, 'boots', 100);
    await runAt(world, start, {
      results: {
        shoes: [...sites('acme', 'rival'), ...others(8)],
        boots: [...sites('rival'), ...others(9)],
        socks: others(10),
      },
    });
    const found = world.table('competitors.csv').filter((row) => row['scope'] === 'project');
    const own = 1_000 * 0.285;
    const theirs = 1_000 * 0.157 + 100 * 0.285;
    const all = 1_000 * 0.88 + 100 * 0.88;
    const [acme, competitor] = found;
    expect([acme?.['target'], acme?.['role'], acme?.['wins'], acme?.['losses']]).toEqual([
      'acme.example',
      'own',
      '',
      '',
    ]);
    expect(competitor).toMatchObject({ target: 'rival.example', role: 'competitor', wins: '1', losses: '1' });
    expect(Number(acme?.['share_of_voice'])).toBeCloseTo((100 * own) / all, 3);
    expect(Number(competitor?.['share_of_voice'])).toBeCloseTo((100 * theirs) / all, 3);
    expect(Number(competitor?.['visibility'])).toBeCloseTo((100 * theirs) / (1_100 * 0.285), 3);
    expect(competitor).toMatchObject({
      coverage_checked: '3',
      coverage_total: '3',
      coverage_comparable: '0',
      volume_count: '2',
      average_rank_ranked: '1.5',
      average_rank_capped: '4.6667',
      top_3: '2',
      top_10: '2',
      share_of_voice_change: '',
    });
    expect(lines(world, 'competitors.csv', 'scope', 'device', 'tag', 'target', 'coverage_total')).toEqual([
      'project - - acme.example 3',
      'project - - rival.example 3',
      'market desktop - acme.example 3',
      'market desktop - rival.example 3',
      'tag - top acme.example 1',
      'tag - top rival.example 1',
    ]);
  });

  it('agrees with summary.csv about own targets', async () => {
    const keywords = ['shoes', 'boots', 'socks'].map((text) => keyword(text, { depth: 2 }));
    const world = await begin([project({ keywords, paging: 'until-found' })]);
    for (const text of ['shoes', 'boots', 'socks']) volume(world, text, 500);
    const before = { shoes: sites('acme', 'x'), boots: [...others(12), site('acme')], socks: others(20) };
    await runAt(world, start, { results: before });
    const now = { shoes: sites('x', 'y', 'acme'), boots: others(20), socks: [...others(4), site('acme')] };
    await runAt(world, start + dayMs, { results: now });
    const pick = (name: string) => world.table(name).find((row) => row['scope'] === 'project') ?? {};
    const [ours, theirs] = [pick('competitors.csv'), pick('summary.csv')];
    const shared = Object.keys(ours).filter((column) => column in theirs && column !== 'warning');
    expect(shared.length).toBeGreaterThan(20);
    for (const column of shared) expect([column, ours[column]]).toEqual([column, theirs[column]]);
  });

  it('compares a competitor only where its absence was read to the same depth on both days', async () => {
    const world = await begin([
      project({ keywords: [keyword('shoes', { depth: 3 })], competitors: [rival], paging: 'until-found' }),
    ]);
    volume(world, 'shoes', 100);
    await runAt(world, start, { results: { shoes: [...others(25), ...sites('acme', 'rival')] } });
    await runAt(world, start + dayMs, { results: { shoes: [...sites('acme'), ...others(25), site('rival')] } });
    expect(
      lines(
        world,
        'competitors.csv',
        'scope',
        'target',
        'coverage_comparable',
        'pages_average',
        'depth_average',
        'wins',
      ),
    ).toContain('project rival.example 0 1 3 1');
    const [acme] = world.table('competitors.csv');
    expect(acme).toMatchObject({ coverage_comparable: '1', average_rank_ranked_change: '25' });
  });
});

describe('serp-movement.csv', () => {
  it('names entered and dropped domains, as far as both checks read', async () => {
    const world = await begin([project({ keywords: [keyword('shoes', { depth: 1 })] })], { pageSize: () => 8 });
    const before = sites('acme', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
    await runAt(world, start, { results: { shoes: before } });
    expect(lines(world, 'serp-movement.csv', 'movement', 'domain')).toEqual(['first_check -']);
    await runAt(world, start + dayMs, { results: { shoes: sites('acme', 'new', 'a', 'b', 'c', 'd', 'e', 'f', 'g') } });
    expect(
      lines(
        world,
        'serp-movement.csv',
        'movement',
        'top',
        'top_compared',
        'domain',
        'rank',
        'previous_rank',
        'url',
        'previous_url',
      ),
    ).toEqual([`entered 10 8 new.example 2 - ${site('new')} -`, `left 10 8 g.example - 8 - ${site('g')}`]);
  });

  it('covers the top 10 and the top 20, and names the target of each result', async () => {
    const world = await begin([project({ keywords: [keyword('shoes', { depth: 3 })], competitors: [rival] })]);
    await runAt(world, start, {
      results: { shoes: [...sites('acme'), ...others(13), site('rival'), ...others(10, 14)] },
    });
    await runAt(world, start + dayMs, { results: { shoes: [...sites('rival'), ...others(20), ...sites('acme')] } });
    const of = (name: string) => (line: string) => line.includes(`${name}.example `);
    const found = lines(
      world,
      'serp-movement.csv',
      'movement',
      'top',
      'domain',
      'target',
      'role',
      'rank',
      'previous_rank',
    );
    expect(found.filter(of('rival'))).toEqual(['entered 10 rival.example rival.example competitor 1 15']);
    expect(found.filter(of('acme'))).toEqual([
      'left 10 acme.example acme.example own 22 1',
      'left 20 acme.example acme.example own 22 1',
    ]);
    expect(found.filter((line) => line.includes(' 20 ')).length).toBeGreaterThan(1);
  });

  it('states why a search is not compared', async () => {
    const world = await begin([project({ keywords: [keyword('shoes', { depth: 1 })] })]);
    await runAt(world, start, { results: { shoes: others(10) } });
    world.provider.next({ status: 400 }, { status: 400 }, { status: 400 });
    await runAt(world, start + dayMs, { results: { shoes: others(10) } });
    const [row] = world.table('serp-movement.csv');
    expect(row).toMatchObject({ movement: 'not_comparable', checked_at: '', domain: '' });
    expect(row?.['note']).not.toBe('');
    expect(lines(world, 'serp-features.csv', 'feature', 'change')).toEqual(['- not_comparable']);
    expect(lines(world, 'cannibalization.csv', 'kind', 'target')).toEqual(['not_checked -']);
    expect(world.table('discovered-competitors.csv')).toEqual([]);
  });
});

describe('serp-features.csv', () => {
  const overview = (...hrefs: string[]) => ({
    ai_overview: { references: hrefs.map((href, index) => ({ index, title: href, href })) },
  });

  it('has the ranks of own citations, and the features won and lost', async () => {
    const world = await begin([project({ keywords: [keyword('shoes', { depth: 2 })], competitors: [rival] })]);
    const results = { shoes: others(20) };
    const plain = { people_also_ask: undefined, related: undefined };
    await runAt(world, start, {
      results,
      fields: (_, page) => ({
        ...plain,
        ...(page === 1 && overview(...sites('x', 'rival'))),
        ...(page === 1 && paid('acme')),
      }),
    });
    await runAt(world, start + dayMs, {
      results,
      fields: (_, page) => ({ ...plain, ...(page === 1 && overview(...sites('x', 'acme', 'rival', 'acme'))) }),
    });
    const columns = ['feature', 'present', 'change', 'owned', 'own_change', 'own_places', 'links', 'competitors'];
    expect(lines(world, 'serp-features.csv', ...columns)).toEqual([
      'ai_overview true kept true won 2|4 4 rival.example',
      'paid false lost - lost - - -',
    ]);
    expect(world.table('serp-features.csv')[0]).toMatchObject({
      own_urls: `${site('acme')}|${site('acme')}`,
      own_targets: 'acme.example',
      page: '1',
      pages: '2',
    });
  });

  it('does not know whom a feature without links shows: it is neither own nor lost, and has no number of links', async () => {
    const world = await begin([project({ keywords: [keyword('shoes', { depth: 1 })] })]);
    const plain = { people_also_ask: undefined, related: undefined };
    const results = { shoes: others(10) };
    const columns = ['feature', 'present', 'change', 'owned', 'own_change', 'links'];
    const scenes = [overview(site('acme')), overview(), overview(site('acme'))];
    const seen: unknown[] = [];
    for (const [day, scene] of scenes.entries()) {
      await runAt(world, start + day * dayMs, { results, fields: () => ({ ...plain, ...scene }) });
      seen.push(lines(world, 'serp-features.csv', ...columns));
    }
    expect(seen.slice(1)).toEqual([['ai_overview true kept - - -'], ['ai_overview true kept true - 1']]);
  });

  it('does not call a feature gained or lost if only one check could see it', async () => {
    const world = await begin([project({ keywords: [keyword('shoes', { depth: 2 })], paging: 'until-found' })]);
    const fields = (_: string, page: number) => ({
      people_also_ask: undefined,
      related: undefined,
      ...(page === 2 && overview(site('x'))),
    });
    await runAt(world, start, { results: { shoes: [site('acme'), ...others(20)] }, fields });
    expect(lines(world, 'serp-features.csv', 'feature')).toEqual([]);
    await runAt(world, start + dayMs, { results: { shoes: [...others(12), site('acme')] }, fields });
    expect(lines(world, 'serp-features.csv', 'feature', 'present', 'change', 'note')).toEqual([
      'ai_overview true not_comparable on page 2; the earlier check read 1',
    ]);
    await runAt(world, start + 2 * dayMs, { results: { shoes: [site('acme'), ...others(20)] }, fields });
    expect(lines(world, 'serp-features.csv', 'feature', 'present', 'change', 'note')).toEqual([
      'ai_overview - not_comparable it was on page 2; this check read 1',
    ]);
  });

  it('calls a feature kept if both days show it, on any of the pages', async () => {
    const world = await begin([project({ keywords: [keyword('shoes', { depth: 2 })], paging: 'until-found' })]);
    const onPage = (shownOn: number) => (_: string, page: number) => ({
      people_also_ask: undefined,
      related: undefined,
      ...(page === shownOn && overview(...sites('x', 'acme'))),
    });
    const late = { shoes: [...others(12), site('acme')] };
    const columns = ['change', 'own_change', 'own_places', 'previous_own_places', 'page', 'pages', 'previous_pages'];
    await runAt(world, start, { results: late, fields: onPage(2) });
    await runAt(world, start + dayMs, { results: { shoes: [site('acme'), ...others(20)] }, fields: onPage(1) });
    expect(lines(world, 'serp-features.csv', ...columns)).toEqual(['kept kept 2 2 1 1 2']);
    await runAt(world, start + 2 * dayMs, { results: late, fields: onPage(2) });
    expect(lines(world, 'serp-features.csv', ...columns)).toEqual(['kept kept 2 2 2 2 1']);
  });

  function paid(name: string): object {
    return { top_ads: [{ rank: 1, title: name, link: site(name) }] };
  }
});

describe('cannibalization.csv', () => {
  const page = (path: string): string => `https://www.acme.example/${path}`;

  it('lists several URLs in one SERP with their ranks, and counts two spellings of a URL as one', async () => {
    const keywords = ['several', 'spelling', 'single'].map((text) => keyword(text, { depth: 2 }));
    const world = await begin([project({ keywords })]);
    await runAt(world, start, {
      results: {
        several: [...others(2), page('a'), ...others(9, 3), page('b'), page('a')],
        spelling: [page('a'), page('a#part'), ...others(10)],
        single: [page('a'), ...others(10)],
      },
    });
    expect(lines(world, 'cannibalization.csv', 'keyword', 'target', 'kind', 'url_count', 'ranks', 'urls')).toEqual([
      `several acme.example several_urls 2 3|13 ${page('a')}|${page('b')}`,
    ]);
  });

  it('counts how often the ranking URL changed', async () => {
    const world = await begin([project({ keywords: [keyword('shoes', { depth: 1 })] })]);
    const days = ['a', 'a', 'b', null, 'b', 'a'];
    for (const [day, path] of days.entries()) {
      const results = path === null ? others(10) : [page(path), ...others(9)];
      await runAt(world, start + day * dayMs, { results: { shoes: results } });
    }
    expect(lines(world, 'cannibalization.csv', 'kind', 'url_count', 'flips', 'flip_checks', 'flip_urls')).toEqual([
      `url_flips 1 2 6 ${page('a')}|${page('b')}`,
    ]);
  });
});

describe('discovered-competitors.csv', () => {
  it('ranks domains that are not targets by their estimated clicks on our pages', async () => {
    const keywords = ['shoes', 'boots'].map((text) => keyword(text, { depth: 1 }));
    const targets = [{ match: 'prefix', value: 'https://blogs.example/acme/' } as const];
    const world = await begin([project({ keywords, targets, competitors: [rival] })]);
    volume(world, 'shoes', 1_000);
    volume(world, 'boots', 10);
    await runAt(world, start, {
      results: {
        shoes: [
          'https://blogs.example/acme/x',
          site('rival'),
          'https://shop.big.example/1',
          'https://blogs.example/other',
        ],
        boots: [site('small'), 'https://big.example/2', site('small')],
      },
    });
    const columns = [
      'domain',
      'keywords',
      'top_3',
      'average_rank',
      'estimated_clicks',
      'example_keyword',
      'example_rank',
    ];
    expect(lines(world, 'discovered-competitors.csv', ...columns)).toEqual([
      'big.example 2 2 2.5 111.57 shoes 3',
      'blogs.example 1 0 4 80 shoes 4',
      'small.example 1 1 1 2.85 boots 1',
    ]);
    const [big] = world.table('discovered-competitors.csv');
    const all = 1_000 * (0.285 + 0.157 + 0.11) + 10 * (0.285 + 0.157);
    expect(Number(big?.['share_of_voice'])).toBeCloseTo((100 * 111.57) / all, 3);
    expect(big).toMatchObject({ coverage_checked: '2', volume_count: '2', example_url: 'https://shop.big.example/1' });
  });
});

describe('notes', () => {
  it('are shown in rows whose change began before their day, and in no other', async () => {
    const world = await begin([project({ keywords: [keyword('shoes', { depth: 1 })] })]);
    const fields = (shows: object) => () => ({ people_also_ask: undefined, related: undefined, ...shows });
    const ads = { top_ads: [{ rank: 1, title: 'a', link: site('a') }] };
    const cited = { ai_overview: { references: [{ index: 0, title: 'x', href: site('x') }] } };
    world.store.notes.add({ date: '2026-01-10', text: 'long ago', project: null }, start);
    world.store.notes.add({ date: '2026-01-16', text: 'core update', project: null }, start);
    const movement = () => lines(world, 'serp-movement.csv', 'movement', 'domain', 'note');
    const features = () => lines(world, 'serp-features.csv', 'feature', 'change', 'note');
    await runAt(world, start, { results: { shoes: [...sites('acme', 'a'), ...others(8)] }, fields: fields(ads) });
    expect([movement(), features()]).toEqual([['first_check - -'], ['paid first_check -']]);
    const shown = { results: { shoes: [...sites('acme', 'b'), ...others(8)] }, fields: fields({ ...ads, ...cited }) };
    await runAt(world, start + dayMs, shown);
    const note = 'note 2026-01-16: core update';
    expect(movement()).toEqual([`entered b.example ${note}`, `left a.example ${note}`]);
    expect(features().sort()).toEqual([`ai_overview gained ${note}`, 'paid kept -']);
    await runAt(world, start + 2 * dayMs, { ...shown, fields: fields(ads) });
    expect(features()).toEqual(['paid kept -', `ai_overview lost ${note}`]);
    await runAt(world, start + 3 * dayMs, { ...shown, fields: fields(cited) });
    expect(features().sort()).toEqual(['ai_overview gained -', 'paid lost -']);
  });
});

describe('the baseline', () => {
  const shoes = [keyword('shoes', { depth: 1 })];
  const shows = (...names: string[]): Shown => ({ results: { shoes: [...sites(...names), ...others(9)] } });
  const moves = (world: World): string[] =>
    lines(world, 'serp-movement.csv', 'movement', 'domain', 'previous_checked_at', 'note');

  it('is the newest check on the requested day', async () => {
    const world = await begin([project({ keywords: shoes })]);
    await runAt(world, start, shows('a'));
    await runAt(world, start + 6 * dayMs, shows('b'));
    shown = shows('c');
    world.clock.set(start + 7 * dayMs);
    const { reports } = world.settings();
    const compare = (days: number) => ({ reports: { ...reports, comparison: { kind: 'days', days } as const } });
    await world.run({ kind: 'slot', projects: world.projects, at: start + 7 * dayMs }, compare(7));
    const at = new Date(start).toISOString();
    expect(moves(world)).toEqual([`entered c.example ${at} -`, `left a.example ${at} -`]);
    writeFolders(world.context, { ...reports, ...compare(3).reports }, 3);
    expect(moves(world)).toEqual(['not_comparable - - not comparable: no complete check near 3 days before']);
  });

  it('is chosen by the day on which pages were seen, not by slot', async () => {
    const world = await begin([project({ keywords: shoes })]);
    await runAt(world, start + dayMs, shows('b'));
    shown = shows('a');
    await world.runSlot(start);
    await runAt(world, start + 2 * dayMs, shows('c'));
    expect(moves(world).map((line) => line.split(' ', 2).join(' '))).toEqual(['entered c.example', 'left a.example']);
  });

  it('is found behind many runs of other projects', async () => {
    const world = await begin([
      project({ keywords: shoes }),
      project({ id: 'other', keywords: [keyword('boots', { depth: 1 })] }),
    ]);
    const [acme, other] = world.projects as [Project, Project];
    shown = { results: { shoes: [...sites('a'), ...others(9)], boots: others(10) } };
    await world.runSlot(start, [acme]);
    for (let hour = 1; hour <= 40; hour += 1) {
      world.clock.set(start + hour * 3_600_000);
      await world.runSlot(start + hour * 3_600_000, [other]);
    }
    shown = { results: { shoes: [...sites('b'), ...others(9)] } };
    world.clock.set(start + 2 * dayMs);
    await world.runSlot(start + 2 * dayMs, [acme]);
    const at = new Date(start).toISOString();
    expect(moves(world)).toEqual([`entered b.example ${at} -`, `left a.example ${at} -`]);
  });

  it('never comes from another source', async () => {
    const world = await begin([project({ keywords: shoes, competitors: [rival] })]);
    await runAt(world, start, shows('a', 'rival'));
    world.db.sql("UPDATE checks SET source = 'vendor/earlier'").run();
    shown = shows('b', 'rival');
    world.clock.set(start + dayMs);
    await world.runSlot(start + dayMs);
    expect(moves(world)).toEqual([
      'not_comparable - - not comparable: the earlier check came from another source (vendor/earlier)',
    ]);
    expect(new Set(lines(world, 'serp-features.csv', 'change'))).toEqual(new Set(['not_comparable']));
    expect(lines(world, 'competitors.csv', 'coverage_checked', 'coverage_comparable')[1]).toBe('1 0');
  });

  it('is the newest of the same source, if another source was used in between', async () => {
    const world = await begin([project({ keywords: shoes })]);
    await runAt(world, start, shows('a'));
    await runAt(world, start + dayMs, shows('b'));
    world.db.sql("UPDATE checks SET source = 'vendor/between' WHERE run_id = 2").run();
    shown = shows('c');
    world.clock.set(start + 2 * dayMs);
    await world.runSlot(start + 2 * dayMs);
    expect(moves(world).map((line) => line.split(' ', 2).join(' '))).toEqual(['entered c.example', 'left a.example']);
  });

  it('includes a competitor that was not tracked when its pages were read', async () => {
    const before = project({ keywords: shoes });
    const world = await begin([before]);
    await runAt(world, start, shows('a', 'b', 'rival'));
    const context = { ...world.context, projects: new Map([['acme', { ...before, competitors: [rival] }]]) };
    shown = shows('rival');
    world.clock.set(start + dayMs);
    await world.runSlot(start + dayMs);
    writeFolders(context, world.settings().reports, 2);
    const found = world.table('competitors.csv').find((row) => row['target'] === 'rival.example');
    expect(found).toMatchObject({ average_rank_ranked: '1', average_rank_ranked_change: '2', top_10_change: '0' });
  });
});
