import { describe, expect, it } from 'vitest';
import { keywordKey } from '../../../../src/service/model/results/keyword-data.ts';
import { parseLocation } from '../../../../src/service/model/results/location.ts';
import { composePage } from '../../../../src/service/sources/sandbox/page.ts';
import { createWorld } from '../../../../src/service/sources/sandbox/world.ts';
import { createSandboxSource } from '../../../../src/service/sources/sandbox.ts';

const day = 20_526;
const markets = [
  ['US', 'en'],
  ['DE', 'de'],
  ['ES', 'es'],
  ['BR', 'pt-BR'],
] as const;
const locations = [undefined, undefined, '@30.27,-97.74,14z', 'Austin,Texas,United States'];
const words = [
  'running shoes',
  'zahnarzt berlin',
  'rock & roll "live" <b>',
  'rock & roll  <b>',
  'ミキサー 比較',
  'дом 3',
  'ridge tile',
  'Ünïcode ÇA',
  'İstanbul',
  "l'été $& $1",
  '__proto__',
  '</textarea> what?',
];

const world = createWorld(3, []);

function pageOf(keyword: string, at: number, mobile: boolean, number: number) {
  const [country, language] = markets[at % markets.length]!;
  const location = locations[(at >> 2) % locations.length];
  const where = location === undefined ? undefined : parseLocation(location);
  const area = where?.kind === 'place' ? { area: where.name } : {};
  const ranking = world.rank({ keyword: keywordKey(keyword), country, language, mobile, ...area }, day);
  const request = { keyword, country: 'US', language, mobile, page: number };
  return { page: composePage(ranking, keyword, number, location), request };
}

const pages = Array.from({ length: 96 }, (_, i) =>
  [false, true].flatMap((mobile) => [1, 2, 9].map((page) => pageOf(`${words[i % 12]} ${i >> 3}`, i, mobile, page))),
).flat();

describe('pages of the sandbox', async () => {
  const { serp: source } = await createSandboxSource({ seed: 5 });

  it('are read from their HTML, by the engine that reads real ones, as they were composed', () => {
    for (const { page, request } of pages) {
      const read = source.readPage({ contentType: 'text/html', text: page.text }, request, undefined);
      const name = JSON.stringify(request);
      if (page.read.serp.organic !== undefined) expect(JSON.stringify(read), name).toBe(JSON.stringify(page.read));
      else expect(read.serp.organic, name).toBeUndefined();
      for (const { image } of read.serp.images ?? []) expect(image, name).toMatch(/^https:.+\.jpg$/);
    }
  });

  it('show every feature and fill every field of the root object, on both devices', () => {
    for (const mobile of [false, true]) {
      const all = pages.filter(({ request }) => request.mobile === mobile);
      const types = new Set(all.flatMap(({ page: { read } }) => read.features.map(({ type }) => type)));
      const fields = new Set(all.flatMap(({ page: { read } }) => Object.keys(read.serp)));
      const features =
        'ai_overview featured_snippet images knowledge_graph local_pack paid people_also_ask perspectives related_searches top_stories video';
      expect([...types].sort().join(' ')).toBe(features);
      expect([...fields].sort().join(' ')).toBe(
        'ai_overview bottom_ads images knowledge local_results navigation organic overview people_also_ask perspectives related top_ads',
      );
    }
  });

  it('are small', () => {
    for (const { page } of pages) expect(page.text.length).toBeLessThan(20_000);
  });

  it('are read without their HTML, if only words were searched for, as with it', async () => {
    const context = { at: day * 86_400_000, signal: new AbortController().signal };
    for (let i = 0; i < 240; i++) {
      const [country, language] = markets[i % markets.length]!;
      const location = locations[(i >> 2) % locations.length];
      const keyword = i % 2 === 0 ? `${words[i % 12]} ${i}` : `www.acme${i}.com`;
      const request = {
        keyword,
        country,
        language,
        mobile: i % 3 === 0,
        page: 1 + (i % 3),
        ...(location !== undefined && { location }),
      };
      const { body } = await source.fetchPage(request, context);
      const fromHtml = source.readPage({ contentType: 'text/html', text: body.text }, request, undefined);
      expect(JSON.stringify(source.readPage(body, request, undefined)), keyword).toBe(JSON.stringify(fromHtml));
    }
  });
});
