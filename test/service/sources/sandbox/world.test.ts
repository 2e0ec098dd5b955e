import { describe, expect, it } from 'vitest';
import { pageBounds } from '../../../../src/service/sources/sandbox/page.ts';
import { buildUrl, numberedSite, numberedSites, toSlug } from '../../../../src/service/sources/sandbox/sites.ts';
import { createWorld, type Ranking, type Search, type World } from '../../../../src/service/sources/sandbox/world.ts';

const day = 20_526;
const search: Search = { keyword: 'running shoes', country: 'US', language: 'en', mobile: false };

function hosts(ranking: Ranking): string[] {
  return Array.from({ length: ranking.length }, (_, index) => ranking.at(index)!.site.host);
}

function rankOf(world: World, host: string, asked: Search, on: number): number | null {
  const index = hosts(world.rank(asked, on)).indexOf(host);
  return index < 0 ? null : index + 1;
}

describe('the world', () => {
  it('has thousands of sites, no two with one host', () => {
    for (const seedKey of [1, -77, 123_456]) {
      const names = Array.from({ length: numberedSites }, (_, site) => numberedSite(seedKey, site).host);
      expect(new Set(names.map((name) => name.replace(/^(?:www|shop|blog)\./u, ''))).size).toBe(numberedSites);
    }
  });

  it('gives a day the same ranking, independent of the days requested before', () => {
    const forwards = createWorld(7, []);
    const backwards = createWorld(7, []);
    for (let later = 0; later <= 40; later++) forwards.rank(search, day + later);
    for (let later = 90; later >= 40; later--) backwards.rank(search, day + later);
    expect(hosts(backwards.rank(search, day + 40))).toEqual(hosts(forwards.rank(search, day + 40)));
  });

  it('differs by seed, market and device, and drifts from week to week', () => {
    const world = createWorld(7, []);
    const now = hosts(world.rank(search, day));
    expect(hosts(createWorld(8, []).rank(search, day))).not.toEqual(now);
    expect(hosts(world.rank({ ...search, country: 'DE', language: 'de' }, day))).not.toEqual(now);
    expect(hosts(world.rank({ ...search, mobile: true }, day))).not.toEqual(now);
    const later = hosts(world.rank(search, day + 28));
    expect(later).not.toEqual(now);
    expect(now.filter((host) => later.includes(host)).length).toBeGreaterThan(0.8 * now.length);
    expect(later.some((host) => !now.includes(host))).toBe(true);
  });

  it('answers any keyword with some hundred results on pages of 7 to 10', () => {
    const world = createWorld(7, []);
    const lengths: number[] = [];
    for (const keyword of [
      'running shoes',
      'zahnarzt berlin',
      'ミキサー 比較',
      '__proto__',
      'constructor',
      '$&',
      'a',
      'x '.repeat(190).trim(),
    ]) {
      const ranking = world.rank({ ...search, keyword }, day);
      lengths.push(ranking.length);
      let seen = 0;
      for (let page = 1; ; page++) {
        const { start, end, isLast } = pageBounds(ranking, page);
        expect(start).toBe(seen);
        seen = end;
        if (isLast) break;
        expect(end - start).toBeGreaterThanOrEqual(7);
        expect(end - start).toBeLessThanOrEqual(10);
      }
      expect(seen).toBe(ranking.length);
    }
    expect(Math.min(...lengths)).toBeGreaterThan(50);
    expect(Math.max(...lengths)).toBeGreaterThan(95);
  });

  it('ranks the sites of the demo on pages 1 to 5 for most of its keywords', () => {
    const keywords = [
      'running shoes',
      'trail shoes',
      'marathon training plan',
      'hiking boots',
      'running socks',
      'gps running watch',
      'barefoot running shoes',
      'waterproof hiking boots',
      'running belt',
      'camping tent',
    ];
    for (const seed of [1, 20]) {
      const world = createWorld(seed, []);
      for (const host of ['www.acme.com', 'www.globex.com', 'www.initech.com']) {
        const ranks = keywords.map((keyword) => rankOf(world, host, { ...search, keyword }, day));
        expect(
          ranks.filter((rank) => rank !== null && rank <= 45).length,
          `${host} ${ranks.join(' ')}`,
        ).toBeGreaterThanOrEqual(7);
      }
      expect(rankOf(world, 'www.acme.com', { ...search, keyword: 'acme running shoes' }, day)).toBeLessThanOrEqual(3);
    }
  });

  it('has a site once that is known and configured, with www or without', () => {
    for (const host of ['acme.com', 'www.acme.com']) {
      const ranked = createWorld(7, [host]).rank({ ...search, keyword: 'acme running shoes' }, day);
      const hosts = Array.from({ length: ranked.length }, (_, index) => ranked.at(index)?.site.host);
      expect(hosts.filter((each) => each?.replace(/^www\./u, '') === 'acme.com')).toEqual([host]);
    }
  });

  it('keeps a result at one URL for months and moves it now and then', () => {
    const ranking = createWorld(7, []).rank(search, day);
    const results = Array.from({ length: 90 }, (_, index) => ranking.at(index)!);
    const slug = toSlug(search.keyword);
    const moved = (days: number) =>
      results.filter((result) => buildUrl(result, slug, day) !== buildUrl(result, slug, day + days)).length;
    expect(moved(7)).toBeLessThan(8);
    expect(moved(180)).toBeGreaterThan(5);
    expect(new Set(results.map((result) => buildUrl(result, slug, day))).size).toBe(results.length);
  });
});
