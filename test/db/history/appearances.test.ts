// What own results show is stored where it changes, with the page that shows it, and read as of any moment.
import { describe, expect, it } from 'vitest';
import { verification } from '../../../db/integrity/verify.ts';
import { createSearchDataService, type OrganicResult, type SearchDataService } from '../../../src/service/index.ts';
import { createSandboxSource } from '../../../src/service/sources/sandbox.ts';
import { JobClock } from '../../helpers/job-clock.ts';
import { keyword, project, service, World } from '../../helpers/jobs.ts';
import { memorySource, pageOf } from '../../helpers/memory-source.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 15, 6);
const url = 'https://www.acme.example/shoes';

type Shown = Partial<OrganicResult>;
const rival = { title: 'Rival', link: 'https://rival.example/' };

/** A world that ran once a day; `days`: the results of page 1 by day. */
async function runDays(days: readonly (readonly Shown[])[], sources: readonly string[] = []): Promise<World> {
  const clock = new JobClock(start);
  const today = () => Math.floor((clock.now() - start) / dayMs);
  const source = memorySource({
    page(request) {
      if (request.page > 1) return pageOf(request);
      const organic = (days[today()] ?? []).map((shown, index) => ({
        title: '',
        link: url,
        ...shown,
        rank: index + 1,
      }));
      return { serp: { organic }, features: [] };
    },
  });
  const services = new Map<string, SearchDataService>();
  const competitors = [{ match: 'domain', value: 'rival.example' }] as const;
  const world = new World({ services, projects: [project({ competitors: [...competitors] })], clock });
  for (const day of days.keys()) {
    clock.set(start + day * dayMs);
    const serp = { ...source.serp!, name: sources[day] ?? 'memory' };
    services.set(service, createSearchDataService({ source: { ...source, serp }, clock }));
    await world.runSlot(start + day * dayMs);
  }
  expect(world.broken()).toEqual([]);
  expect([...verification(world.db)].filter(({ ok }) => !ok)).toEqual([]);
  return world;
}

const on = (day: number) => ({ searchId: 1, url, moment: start + day * dayMs });
const at = ({ store }: World, day: number) => store.appearances.at(1, url, start + day * dayMs);
const rows = (world: World) => world.value('SELECT count(*) FROM appearances');

describe('appearances', () => {
  it('are stored of own results alone, and again only where they change', async () => {
    const shown = { title: 'Shoes, 12 reviews', description: 'For runners.' };
    const days = [
      [rival, shown],
      [shown, rival],
      [{ ...shown, title: 'Shoes, 13 reviews' }],
      [{ title: 'Boots' }, rival],
    ];
    const world = await runDays(days);
    expect(rows(world)).toBe(2);
    expect(world.rows('SELECT text FROM appearance_texts ORDER BY id')).toEqual([
      { text: 'Shoes, 12 reviews' },
      { text: 'For runners.' },
      { text: 'Boots' },
    ]);
    const first = { title: 'Shoes, 12 reviews', snippet: 'For runners.', sitelinks: null, hasImage: null };
    expect(at(world, 2)).toEqual({ seenAt: start, source: 'vendor/memory', ...first });
    expect(at(world, 3)).toMatchObject({ seenAt: start + 3 * dayMs, title: 'Boots', snippet: null });
  });

  it('of many are read at once, as of each moment, and are null before the first', async () => {
    const world = await runDays([[{ title: 'Shoes' }], [{ title: 'Boots' }]]);
    const other = { ...on(1), url: 'https://www.acme.example/other' };
    const wanted = [on(1), on(-1), other, on(0), { ...on(1), searchId: 2 }, on(9)];
    const titles = world.store.appearances.atEach(wanted).map((found) => found?.title ?? null);
    expect(titles).toEqual(['Boots', null, null, 'Shoes', null, 'Boots']);
    expect(world.store.appearances.atEach([])).toEqual([]);
  });

  it('know that a result has no field only where another result of the page has it', async () => {
    const sitelinks = [{ type: 'site_link', text: 'Sale', rank: 1 }] as const;
    const rich = { ...rival, description: 'x', image: 'https://rival.example/a.png', extensions: [...sitelinks] };
    const own = { title: 'Shoes', extensions: [...sitelinks], image: 'https://acme.example/b.png' };
    const world = await runDays([[{ title: 'Shoes' }], [rich, { title: 'Shoes' }], [{ title: 'Shoes' }], [own]]);
    expect(at(world, 0)).toMatchObject({ title: 'Shoes', snippet: null, sitelinks: null, hasImage: null });
    expect(at(world, 1)).toMatchObject({ snippet: '', sitelinks: [], hasImage: false });
    expect(at(world, 2)).toMatchObject({ seenAt: start + dayMs, snippet: '', sitelinks: [], hasImage: false });
    expect(at(world, 3)).toMatchObject({ snippet: null, sitelinks: ['Sale'], hasImage: true });
  });

  it('are of one page, however the engine spells its address', async () => {
    const link = (id: string) => `http://www.acme.example/shoes?srsltid=${id}#:~:text=shoes`;
    const world = await runDays([[{ title: 'Shoes', link: link('a') }], [{ title: 'Shoes', link: link('b') }]]);
    expect(rows(world)).toBe(1);
    expect(at(world, 1)).toMatchObject({ title: 'Shoes', seenAt: start });
    expect(world.store.appearances.at(1, link('c'), start)?.title).toBe('Shoes');
  });

  it('are those of the first result where one page shows an address twice', async () => {
    const twice = [{ title: 'Shoes' }, { title: 'Shoes by Acme', link: 'http://www.acme.example/shoes' }];
    const world = await runDays([twice, twice, twice]);
    expect(rows(world)).toBe(1);
    expect([0, 1, 2].map((day) => at(world, day)?.title)).toEqual(['Shoes', 'Shoes', 'Shoes']);
  });

  it('of another source are stored, because two sources cannot be compared', async () => {
    const world = await runDays(
      [[{ title: 'Shoes' }], [{ title: 'Sho...' }], [{ title: 'Shoes' }]],
      ['one', 'two', 'one'],
    );
    expect([0, 1, 2].map((day) => at(world, day)?.title)).toEqual(['Shoes', 'Sho...', 'Shoes']);
    expect([0, 1, 2].map((day) => at(world, day)?.source)).toEqual(['vendor/one', 'vendor/two', 'vendor/one']);
  });

  it('leave out results of an unknown page, and cut and clean what the web sent', async () => {
    const hidden = { title: 'Hidden', link: 'https://www.acme.example', destination_state: 'host_only' } as const;
    const title = `\u202EShoes\u0000\n ${'😀'.repeat(400)}`;
    const world = await runDays([[hidden, { title, description: 'x'.repeat(2000) }]]);
    expect(rows(world)).toBe(1);
    const found = at(world, 0);
    expect(found?.title).toBe(`Shoes ${'😀'.repeat(294)}`);
    expect(found?.snippet).toHaveLength(500);
  });

  it('of a discarded run are not read, and the next page is compared with those before', async () => {
    const world = await runDays([[{ title: 'Shoes' }], [{ title: 'Wrong' }]]);
    world.store.runs.discard(2, 'wrong pages', start + dayMs);
    expect(at(world, 1)?.title).toBe('Shoes');
    const page = { searchId: 1, moment: start + 2 * dayMs, source: 'vendor/memory' };
    const shown = { url, title: 'Shoes', snippet: null, sitelinks: null, hasImage: null };
    world.store.transaction(() => world.store.appearances.keep(1, page, [shown]));
    expect(rows(world)).toBe(2);
    world.store.transaction(() => world.store.appearances.keep(1, page, [{ ...shown, title: 'Wrong' }]));
    expect(at(world, 2)?.title).toBe('Wrong');
  });

  it('are not written for a moment before that of another page of the search', async () => {
    const world = await runDays([[{ title: 'Shoes' }], [{ title: 'Shoes' }], [{ title: 'Shoes' }]]);
    const page = { searchId: 1, moment: start + dayMs - 1, source: 'vendor/memory' };
    const shown = { url, title: 'Filled in later', snippet: null, sitelinks: null, hasImage: null };
    world.store.transaction(() => world.store.appearances.keep(1, page, [shown]));
    expect(at(world, 2)?.title).toBe('Shoes');
  });

  it('go with their page where the transaction fails, and none is without a page', async () => {
    const world = await runDays([[{ title: 'Shoes' }]]);
    const { store, db } = world;
    const page = { searchId: 1, moment: start + dayMs, source: 'vendor/memory' };
    const shown = { url, title: 'Boots', snippet: null, sitelinks: null, hasImage: null };
    const archived = { ...page, page: 1, purchaseId: 1, observedAt: start + dayMs, last: false };
    const write = (fails: boolean) =>
      store.transaction(() => {
        const id = store.pages.insert({ ...archived, organic: [], lastGlobalRank: null, features: [] });
        store.appearances.keep(id, page, [shown]);
        if (fails) throw new Error('killed');
      });
    expect(() => write(true)).toThrow('killed');
    expect([rows(world), at(world, 1)?.title]).toEqual([1, 'Shoes']);
    write(false); // the id of a text that was rolled back is not used again
    expect(at(world, 1)?.title).toBe('Boots');
    const orphan = () =>
      store.transaction(() =>
        store.appearances.keep(999, { ...page, moment: start + 9 * dayMs }, [{ ...shown, title: 'None' }]),
      );
    expect(orphan).toThrow(/FOREIGN KEY/);
    expect(db.sql('PRAGMA foreign_key_check').all()).toEqual([]);
  });

  it('of the sandbox are stored by a first run, and a second with the same titles adds none', async () => {
    const clock = new JobClock(start);
    const source = await createSandboxSource({ sites: ['www.acme.example'] });
    const services = new Map([[service, createSearchDataService({ source, clock })]]);
    const keywords = ['running shoes', 'trail shoes', 'acme', 'shoe sizes'].map((text) => keyword(text));
    const world = new World({ services, projects: [project({ keywords })], clock });
    await world.runSlot(start);
    const first = rows(world);
    expect(first).toBeGreaterThan(0);
    clock.set(start + dayMs);
    await world.runSlot(start + dayMs);
    expect(rows(world)).toBe(first);
    expect(world.broken()).toEqual([]);
  });
});
