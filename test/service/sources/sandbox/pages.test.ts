import { describe, expect, it } from 'vitest';
import { googleEngine } from '../../../../src/service/engines/google/index.ts';
import { keywordKey } from '../../../../src/service/model/results/keyword-data.ts';
import type { ReadPage } from '../../../../src/service/model/results/serp.ts';
import { sandboxPages } from '../../../../src/service/sources/sandbox/answers.ts';
import { composePage } from '../../../../src/service/sources/sandbox/page/compose.ts';
import type { Organic, Page } from '../../../../src/service/sources/sandbox/page/page.ts';
import { renderDesktop } from '../../../../src/service/sources/sandbox/render/render-desktop.ts';
import { renderMobile } from '../../../../src/service/sources/sandbox/render/render-mobile.ts';
import { createWorld } from '../../../../src/service/sources/sandbox/world/world.ts';

const day = 20_526;
const markets = [
  ['US', 'en'],
  ['DE', 'de'],
  ['FR', 'fr'],
  ['ES', 'es'],
  ['BR', 'pt-BR'],
] as const;
const words = [
  'running shoes',
  'zahnarzt berlin',
  'rock & roll "live" <b>',
  'ミキサー 比較',
  'ridge tile',
  'Ünïcode ÇA',
  "l'été $& $1",
  '__proto__',
];

interface Case {
  readonly name: string;
  readonly page: Page;
  readonly html: string;
  readonly read: ReadPage;
}

const world = createWorld(3, []);

function caseOf(keyword: string, market: (typeof markets)[number], mobile: boolean, pageNumber: number): Case {
  const [country, language] = market;
  const ranking = world.rank({ keyword: keywordKey(keyword), country, language, mobile }, day);
  const page = composePage(ranking, keyword, pageNumber);
  const html = mobile ? renderMobile(page) : renderDesktop(page);
  const name = `${keyword} ${language} ${mobile ? 'mobile' : 'desktop'} page ${pageNumber}`;
  return { name, page, html, read: googleEngine.parse(html, { keyword, mobile }) };
}

const cases: Case[] = Array.from({ length: 80 }, (_, i) => {
  const keyword = `${words[i % words.length]} ${i >> 3}`;
  return [false, true].flatMap((mobile) =>
    [1, 2, 9].map((page) => caseOf(keyword, markets[i % markets.length]!, mobile, page)),
  );
}).flat();

function organicsOf(page: Page): Organic[] {
  return page.blocks.flatMap((block) => (block.kind === 'organic' ? [block.organic] : []));
}

const featureNames: Readonly<Record<string, string>> = { perspectives: 'perspectives', video: 'video' };

/** Features that a page has, in the names of the SERP contract. */
function featuresOf(page: Page): string[] {
  const names = page.blocks.flatMap((block) =>
    block.kind === 'organic' ? [] : [featureNames[block.kind] ?? block.kind],
  );
  if (page.topAds.length + page.bottomAds.length > 0) names.push('paid');
  if (page.overview !== undefined) names.push('ai_overview');
  if (page.knowledge !== undefined) names.push('knowledge_graph');
  if (page.related.length > 0) names.push('related_searches');
  return names.sort();
}

describe('pages of the sandbox, read by the engine that reads real ones,', () => {
  it('contain the organic results of the world, in order, with their sitelinks', () => {
    for (const { name, page, read } of cases) {
      const organics = organicsOf(page);
      const got = read.serp.organic ?? [];
      expect(
        got.map((each) => each.link),
        name,
      ).toEqual(organics.map((each) => each.url));
      expect(
        got.map((each) => each.title),
        name,
      ).toEqual(organics.map((each) => each.title));
      expect(
        got.map((each) => each.description),
        name,
      ).toEqual(organics.map((each) => each.description));
      expect(
        got.map((each) => each.source),
        name,
      ).toEqual(organics.map((each) => each.siteName));
      expect(
        got.map((each) => each.duration_sec),
        name,
      ).toEqual(organics.map((each) => each.video?.duration));
      organics.forEach((each, i) => {
        const extensions = got[i]?.extensions ?? [];
        expect(
          extensions.filter(({ type }) => type === 'site_link').map(({ text, link }) => ({ title: text, url: link })),
          name,
        ).toEqual(each.sitelinks);
        expect(extensions.find(({ type }) => type === 'date')?.text, name).toBe(each.date);
        if (each.rating !== undefined)
          expect(extensions.find(({ type }) => type === 'price')?.text, name).toBe(each.rating.price);
      });
    }
  });

  it('contain exactly the features that they show', () => {
    for (const { name, page, read } of cases) {
      expect(read.features.map((feature) => feature.type).sort(), name).toEqual(featuresOf(page));
    }
    const all = new Set(cases.flatMap(({ page }) => featuresOf(page)));
    expect([...all].sort()).toEqual([
      'ai_overview',
      'featured_snippet',
      'images',
      'knowledge_graph',
      'local_pack',
      'paid',
      'people_also_ask',
      'perspectives',
      'related_searches',
      'top_stories',
      'video',
    ]);
  });

  it('fill every field of the root object on some page, on both devices', () => {
    const fields = [
      'organic',
      'knowledge',
      'people_also_ask',
      'related',
      'navigation',
      'perspectives',
      'ai_overview',
      'images',
      'top_ads',
      'bottom_ads',
      'local_results',
      'overview',
    ].sort();
    for (const device of ['desktop', 'mobile']) {
      const seen = cases.filter(({ name }) => name.includes(device)).flatMap(({ read }) => Object.keys(read.serp));
      expect([...new Set(seen)].sort(), device).toEqual(fields);
    }
  });

  it('contain the parts of features as written', () => {
    for (const { name, page, read } of cases) {
      const { serp } = read;
      expect(
        serp.top_ads?.map((ad) => ad.link),
        name,
      ).toEqual(page.topAds.length === 0 ? undefined : page.topAds.map((ad) => ad.url));
      expect(
        serp.related?.map((each) => each.text),
        name,
      ).toEqual(page.related);
      expect(
        serp.ai_overview?.references?.map((each) => each.href),
        name,
      ).toEqual(page.overview?.citations.map((each) => each.url));
      expect(serp.knowledge?.name, name).toBe(page.knowledge?.name);
      expect(serp.overview?.kgmid, name).toBe(page.knowledge?.id);
      const asked = page.blocks.find((block) => block.kind === 'people_also_ask');
      expect(
        serp.people_also_ask?.map((each) => each.question),
        name,
      ).toEqual(asked?.questions.map((each) => each.text));
      const posts = page.blocks.find((block) => block.kind === 'perspectives');
      expect(serp.perspectives, name).toEqual(
        posts?.items.map(({ title, author, source }) => ({ title, author, source })),
      );
    }
  });

  it('are small', () => {
    const sizes = cases.map(({ html }) => html.length);
    expect(Math.max(...sizes)).toBeLessThan(45_000);
    expect(sizes.reduce((sum, size) => sum + size, 0) / sizes.length).toBeLessThan(20_000);
  });
});

describe('a composed page', () => {
  const options = { seed: 5, sites: ['acme.com'], blockedShare: 0 };
  const context = { at: day * 86_400_000, signal: new AbortController().signal };
  const plain = [
    'running shoes',
    'Mortgage Rates',
    'größe',
    'дом 3',
    '東京 ホテル',
    'ΑΒΓ ς',
    'İstanbul',
    'rock & roll  <b>',
  ];

  it.each(plain)('is read byte for byte as its HTML is: %s', async (word) => {
    const source = sandboxPages(options);
    for (let i = 0; i < 120; i++) {
      const [country, language] = markets[i % markets.length] ?? markets[0];
      const location = i % 7 === 0 ? '@30.27,-97.74,14z' : i % 7 === 1 ? 'Austin,Texas,United States' : undefined;
      const request = {
        keyword: i < 8 ? word : `${word} ${i}`,
        country,
        language,
        mobile: i % 2 === 0,
        page: 1 + (i % 3),
        ...(location !== undefined && { location }),
      };
      const { body } = await source.fetchPage(request, context);
      const fromHtml = source.readPage({ contentType: 'text/html', text: body.text }, request, undefined);
      expect(JSON.stringify(source.readPage(body, request, undefined))).toBe(JSON.stringify(fromHtml));
    }
  });
});
