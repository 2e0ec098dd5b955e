import { describe, expect, it } from 'vitest';
import type { OrganicResult } from '../../../../src/service/model/results/serp.ts';
import type { PageRequest } from '../../../../src/service/model/source.ts';
import { sandboxOptions } from '../../../../src/service/sources/sandbox/options.ts';
import { createSandboxMaps, createSandboxSource } from '../../../../src/service/sources/sandbox.ts';

const dayMs = 86_400_000;
const on = '2026-03-14';
const eventDay = Date.parse(on);
const seed = 2;
const own = 'mine.example';
const keywords = ['running shoes', 'crm software', 'desk lamp', 'zahnarzt berlin'];
const resultsMax = 300;

interface Seen {
  readonly organic: readonly OrganicResult[];
  /** Of the first page. */
  readonly features: readonly string[];
  readonly linked: ReadonlyMap<string, readonly string[]>;
}

/** A search over all its pages, days after the event; the first is read from its HTML. */
type Look = (daysAfter: number, asked?: Partial<PageRequest>, pages?: number) => Promise<Seen>;

async function lookInto(seed: number, events?: readonly object[]): Promise<Look> {
  const { serp } = await createSandboxSource({ seed, sites: [own], ...(events && { events }) });
  if (serp === undefined) throw new Error('the sandbox has pages');
  return async (daysAfter, asked = {}, pages = 40) => {
    const organic: OrganicResult[] = [];
    let features: Seen['linked'] = new Map();
    const context = { at: eventDay + daysAfter * dayMs, signal: new AbortController().signal };
    for (let page = 1; page <= pages; page++) {
      const request = { keyword: 'running shoes', country: 'US', language: 'en', mobile: false, ...asked, page };
      const { body } = await serp.fetchPage(request, context);
      const read = serp.readPage(page > 1 ? body : { contentType: 'text/html', text: body.text }, request);
      if (page === 1) features = new Map(read.features.map(({ type, links }) => [type, links]));
      if (read.serp.organic === undefined || organic.length > resultsMax) break;
      organic.push(...read.serp.organic);
    }
    return { organic, features: [...features.keys()], linked: features };
  };
}

const bare = (host: string) => host.replace(/^www\./u, '');
const hostsOf = ({ organic }: Seen) => organic.map(({ link }) => bare(new URL(link).host));
const rankOf = (seen: Seen, host: string) => hostsOf(seen).indexOf(bare(host)) + 1;
const resultOf = (seen: Seen, host: string) => seen.organic[rankOf(seen, host) - 1];

/** The order of everything except some hosts. */
const without = (seen: Seen, ...hosts: string[]) => hostsOf(seen).filter((host) => !hosts.includes(host));

describe('a planted event', () => {
  it('lets a site enter at a rank, which it holds until its end, and is absent on all other days', async () => {
    for (const [site, rank] of [
      ['new-rival.example', 4],
      ['www.globex.com', 1],
      [own, 17],
    ] as const) {
      const look = await lookInto(seed, [{ event: 'enters', on, until: '2026-03-24', site, rank }]);
      const untouched = await lookInto(seed);
      for (const mobile of [false, true]) {
        for (const day of [-40, -1, 10, 60]) expect(rankOf(await look(day, { mobile }), site), `day ${day}`).toBe(0);
        for (const day of [0, 3, 9]) {
          const seen = await look(day, { mobile });
          expect(rankOf(seen, site), `day ${day}`).toBe(rank);
          expect(hostsOf(seen).filter((host) => host === bare(site))).toHaveLength(1);
          expect(without(seen, bare(site))).toEqual(without(await untouched(day, { mobile }), bare(site)));
        }
      }
    }
  });

  it('lets a site pass and fall, and leaves the days before as they were', async () => {
    const untouched = await lookInto(seed);
    const before = hostsOf(await untouched(0));
    const sites = [own, before[2]!, before[30]!, before[11]!];
    for (const rank of [1, 8, 33]) {
      for (const site of sites) {
        const look = await lookInto(seed, [{ event: 'passes', on, site, rank }]);
        expect(await look(-1)).toEqual(await untouched(-1));
        for (const day of [0, 1, 45]) expect(rankOf(await look(day), site), `${site} day ${day}`).toBe(rank);
      }
    }
  });

  it('keeps several sites at their ranks, and the later event wins a rank that two demand', async () => {
    const look = await lookInto(seed, [
      { event: 'passes', on, site: own, rank: 3 },
      { event: 'enters', on: '2026-03-16', site: 'a.example', rank: 2 },
      { event: 'enters', on: '2026-03-18', site: 'b.example', rank: 3 },
      { event: 'passes', on: '2026-03-20', site: own, rank: 1 },
    ]);
    const ranks = async (day: number) => {
      const seen = await look(day);
      return [own, 'a.example', 'b.example'].map((site) => rankOf(seen, site));
    };
    expect(await ranks(1)).toEqual([3, 0, 0]);
    expect(await ranks(3)).toEqual([3, 2, 0]);
    expect(await ranks(5)).toEqual([4, 2, 3]);
    expect(await ranks(6)).toEqual([1, 2, 3]);
  });

  it('removes a site, or only its first result, and everything below moves up', async () => {
    const untouched = await lookInto(seed);
    const before = hostsOf(await untouched(0));
    const twice = before.find((host, index) => before.indexOf(host, index + 1) > 0);
    for (const site of [before[0]!, ...(twice === undefined ? [] : [twice])]) {
      const all = await lookInto(seed, [{ event: 'leaves', on, site }]);
      expect(await all(-1)).toEqual(await untouched(-1));
      expect(hostsOf(await all(0))).toEqual(before.filter((host) => host !== site));
      const first = await lookInto(seed, [{ event: 'leaves', on, site, page: 'first' }]);
      const expected = before.toSpliced(before.indexOf(site), 1);
      expect(hostsOf(await first(0))).toEqual(expected);
    }
  });

  it('lets another page of a site rank where the old one stood, or at a rank', async () => {
    const untouched = await lookInto(seed);
    for (const keyword of keywords) {
      const hosts = new Set(hostsOf(await untouched(0, { keyword }, 3)));
      for (const site of [...hosts].slice(0, 9)) {
        const look = await lookInto(seed, [
          { event: 'page', on, site, keywords: [keyword] },
          { event: 'page', on: '2026-03-20', site, rank: 2 },
        ]);
        const [before, plain, seen, last] = [
          await look(-1, { keyword }, 3),
          await untouched(0, { keyword }, 3),
          await look(0, { keyword }, 3),
          await look(6, { keyword }, 3),
        ];
        expect(before).toEqual(await untouched(-1, { keyword }, 3));
        expect(hostsOf(seen)).toEqual(hostsOf(plain));
        const links = [plain, seen, last].map((each) => resultOf(each, site)?.link);
        expect(new Set(links).size, links.join(' ')).toBe(3);
        expect(new Set(seen.organic.map(({ link }) => link)).size).toBe(seen.organic.length);
        expect(rankOf(last, site)).toBe(2);
      }
    }
  });

  it('changes title and snippet of a result, its sitelinks and its thumbnail', async () => {
    const untouched = await lookInto(seed);
    const site = hostsOf(await untouched(0))[4]!;
    const look = await lookInto(seed, [
      { event: 'title', on, site, sitelinks: true, thumbnail: true },
      { event: 'title', on: '2026-03-20', site, rank: 1, sitelinks: false, thumbnail: false },
    ]);
    const [old, first, second] = await Promise.all([-1, 0, 6].map(async (day) => resultOf(await look(day), site)));
    expect(resultOf(await untouched(-1), site)).toEqual(old);
    expect(new Set([old, first, second].map((each) => each?.title)).size).toBe(3);
    expect(new Set([old, first, second].map((each) => each?.description)).size).toBe(3);
    expect(first?.link).toBe(resultOf(await untouched(0), site)?.link);
    expect(hostsOf(await look(0))).toEqual(hostsOf(await untouched(0)));
    const linksOf = (each: typeof old) => each?.extensions?.filter(({ type }) => type === 'site_link').length ?? 0;
    expect([linksOf(first), linksOf(second)]).toEqual([4, 0]);
    expect([first?.image !== undefined, second?.image]).toEqual([true, undefined]);
    expect(rankOf(await look(6), site)).toBe(1);
  });

  it('shows each feature from its day with content, or hides it, on page 1', async () => {
    const features =
      'paid ai_overview featured_snippet local_pack knowledge_graph top_stories video perspectives images people_also_ask';
    for (const feature of features.split(' ')) {
      const shown = await lookInto(seed, [{ event: 'feature', on, feature }]);
      const hidden = await lookInto(seed, [{ event: 'feature', on, feature, shown: false }]);
      const both = await lookInto(seed, [
        { event: 'feature', on, feature },
        { event: 'feature', on: '2026-03-18', feature, shown: false },
      ]);
      for (const keyword of keywords) {
        for (const asked of [{ keyword }, { keyword, mobile: true }]) {
          const has = async (look: Look, day: number) => (await look(day, asked, 1)).features.includes(feature);
          const name = `${feature} ${keyword} ${JSON.stringify(asked)}`;
          expect([await has(shown, -1), await has(shown, 0), await has(shown, 50)], name).toEqual([false, true, true]);
          expect([await has(hidden, -1), await has(hidden, 0), await has(hidden, 50)], name).toEqual([
            true,
            false,
            false,
          ]);
          expect([await has(both, -1), await has(both, 3), await has(both, 4)], name).toEqual([false, true, false]);
        }
      }
      const links = (await shown(0, {}, 1)).linked.get(feature);
      // businesses of a country have no website
      if (feature !== 'local_pack' && feature !== 'people_also_ask') expect(links?.length, feature).toBeGreaterThan(0);
    }
  });

  it('keeps the order of results when a feature appears', async () => {
    const look = await lookInto(seed, [{ event: 'feature', on, feature: 'ai_overview' }]);
    expect(hostsOf(await look(0))).toEqual(hostsOf(await (await lookInto(seed))(0)));
  });

  it('moves most results by an update, more by a stronger one, and only from its day', async () => {
    const untouched = await lookInto(seed);
    const movedBy = async (strength?: number) => {
      const look = await lookInto(seed, [{ event: 'update', on, ...(strength !== undefined && { strength }) }]);
      let [moved, all] = [0, 0];
      for (const keyword of keywords) {
        const before = hostsOf(await look(-1, { keyword }));
        expect(before).toEqual(hostsOf(await untouched(-1, { keyword })));
        const after = hostsOf(await look(0, { keyword }));
        const top = before.slice(0, 30).map((host, index) => Math.abs(after.indexOf(host) - index));
        moved += top.filter((ranks) => ranks > 2).length;
        all += top.length;
      }
      return moved / all;
    };
    const [weak, usual, strong] = [await movedBy(0.1), await movedBy(), await movedBy(3)];
    expect(usual).toBeGreaterThan(0.55);
    expect(weak).toBeLessThan(usual);
    expect(strong).toBeGreaterThan(usual);
  });

  it('is about its keywords and its device only', async () => {
    const untouched = await lookInto(seed);
    const about = { on, keywords: ['Running  Shoes', 'desk lamp'], device: 'mobile' };
    const look = await lookInto(seed, [
      { event: 'enters', ...about, site: 'new-rival.example', rank: 1 },
      { event: 'feature', ...about, feature: 'knowledge_graph' },
      { event: 'update', ...about },
    ]);
    for (const keyword of keywords) {
      for (const mobile of [false, true]) {
        const isMeant = mobile && (keyword === 'running shoes' || keyword === 'desk lamp');
        const seen = await look(2, { keyword, mobile });
        expect(rankOf(seen, 'new-rival.example')).toBe(isMeant ? 1 : 0);
        if (!isMeant) expect(seen).toEqual(await untouched(2, { keyword, mobile }));
      }
    }
  });

  it('leaves searches without results without them', async () => {
    const look = await lookInto(seed, [
      { event: 'enters', on, site: own, rank: 1 },
      { event: 'feature', on, feature: 'video' },
    ]);
    expect((await look(1, { keyword: 'zzqxvrt' })).organic).toEqual([]);
  });

  it('hides the local pack of a place, too', async () => {
    const asked = { location: 'Austin,Texas,United States' };
    const look = await lookInto(seed, [{ event: 'feature', on, feature: 'local_pack', shown: false }]);
    expect((await look(-1, asked, 1)).features).toContain('local_pack');
    expect((await look(0, asked, 1)).features).not.toContain('local_pack');
  });

  it('is on the map and in the AI answers of the same world', async () => {
    const events = [{ event: 'leaves', on, site: 'www.acme.com' }];
    const at = (days: number) => ({ at: eventDay + days * dayMs, signal: new AbortController().signal });
    const { serp } = await createSandboxMaps({ seed, events });
    const { answers } = await createSandboxSource({ seed, events });
    const asked = { keyword: 'running shoes', country: 'US', language: 'en', mobile: false, page: 1 };
    const prompt = { prompt: 'acme running shoes', engine: 'chatgpt', country: 'US', language: 'en' } as const;
    const named = async (days: number) => {
      const texts = [(await serp!.fetchPage({ ...asked, keyword: 'acme running shoes' }, at(days))).body.text];
      for (let sample = 1; sample <= 6; sample++)
        texts.push((await answers!.fetchAnswer({ ...prompt, sample }, at(days))).text);
      return texts.filter((text) => /\bAcme\b/u.test(text)).length;
    };
    expect(await named(-1)).toBeGreaterThan(1);
    expect(await named(0)).toBe(0);
  });

  it('multiplies the search volume of its keywords from its month', async () => {
    const volumes = async (events: readonly object[], date: string) => {
      const { metrics } = await createSandboxSource({ seed, events });
      const context = { at: Date.parse(date), signal: new AbortController().signal };
      const list = await metrics!.fetchMetrics(
        { keyword: 'running shoes', country: 'US', language: 'en', limit: 100 },
        context,
      );
      return new Map(list.map(({ keyword, search_volume: volume }) => [keyword, volume]));
    };
    const [meant = ''] = [...(await volumes([], on)).keys()].slice(3);
    const demand = { event: 'demand', on, until: '2026-06-02', factor: 4, keywords: [meant] };
    for (const [date, factor] of [
      ['2026-02-28', 1],
      ['2026-03-01', 4],
      ['2026-05-31', 4],
      ['2026-06-01', 1],
    ] as const) {
      const plain = await volumes([], date);
      const planted = await volumes([demand], date);
      const [was, is] = [plain.get(meant) ?? 0, planted.get(meant) ?? 0];
      expect(was).toBeGreaterThan(100);
      expect(is / was, date).toBeGreaterThan(factor * 0.9);
      expect(is / was, date).toBeLessThan(factor * 1.1);
      for (const [keyword, volume] of plain) {
        if (keyword !== meant && planted.has(keyword)) expect(planted.get(keyword), keyword).toBe(volume);
      }
    }
  });
});

describe('events', () => {
  it('change no byte of a page, if there are none or they hold on other days', async () => {
    const request = { keyword: 'running shoes', country: 'US', language: 'en', mobile: false, page: 1 };
    const later = { on: '2027-01-01' };
    const lists = [
      {},
      { events: [] },
      {
        events: [
          { event: 'passes', ...later, site: own, rank: 1 },
          { event: 'leaves', ...later, site: 'www.acme.com' },
          { event: 'page', ...later, site: own },
          { event: 'title', ...later, site: own },
          { event: 'update', ...later },
          { event: 'demand', ...later, factor: 2 },
        ],
      },
    ];
    const texts = new Set<string>();
    for (const options of lists) {
      const { serp } = await createSandboxSource({ seed, sites: [own], ...options });
      const context = { at: eventDay, signal: new AbortController().signal };
      texts.add((await serp!.fetchPage(request, context)).body.text);
    }
    expect(texts.size).toBe(1);
  });

  it('are refused with unknown fields, impossible dates, or an end before their beginning', () => {
    const parses = (event: object) => sandboxOptions.safeParse({ events: [event] }).success;
    expect(parses({ event: 'enters', on, site: own, rank: 1, device: 'mobile', until: '2026-03-15' })).toBe(true);
    for (const event of [
      { event: 'enters', on, site: own },
      { event: 'enters', on: '2026-02-30', site: own, rank: 1 },
      { event: 'enters', on, until: on, site: own, rank: 1 },
      { event: 'enters', on, site: own, rank: 0 },
      { event: 'enters', on, site: 'https://mine.example/', rank: 1 },
      { event: 'leaves', on, site: own, rank: 3 },
      { event: 'leaves', on, site: own, page: 'second' },
      { event: 'feature', on, feature: 'fireworks' },
      { event: 'update', on, strength: 0 },
      { event: 'demand', on, factor: 2, device: 'mobile' },
      { event: 'arrives', on, site: own },
    ]) {
      expect(parses(event), JSON.stringify(event)).toBe(false);
    }
  });
});
