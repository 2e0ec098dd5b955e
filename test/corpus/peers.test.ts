// Compares the recorded Google pages with other parsers (WebSearcher, serp-spider). README.md explains each difference.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { googleEngine } from '../../src/service/engines/google/index.ts';
import { clean } from '../../src/service/engines/google/urls.ts';
import { tidy } from '../../src/service/engines/page/text.ts';
import { decodeText } from '../../src/service/model/results/charset.ts';
import type { ReadPage } from '../../src/service/model/results/serp.ts';

const corpus = new URL('../../../shared/corpus/google/', import.meta.url);
const isPresent = existsSync(new URL('expected/', corpus));
if (!isPresent) console.warn('test/corpus/peers.test.ts: SKIPPED, the recorded pages (../shared/corpus) are not here.');

interface PeerResult {
  readonly type: string;
  readonly sub_type: string | null;
  readonly url: string | null;
  readonly text: string | null;
  readonly details: { readonly sources?: readonly { readonly url: string }[] } | null;
}

const ending = '.websearcher.json';
const names = isPresent
  ? readdirSync(new URL('expected/', corpus)).flatMap((file) =>
      file.endsWith(ending) ? [file.slice(0, -ending.length)] : [],
    )
  : [];

/** Our feature, and the types of the other parser for the same feature. */
const features: readonly (readonly [ours: string, theirs: readonly string[]])[] = [
  ['images', ['images']],
  ['top_stories', ['top_stories']],
  ['video', ['videos']],
  ['discussions_and_forums', ['discussions_and_forums']],
  ['perspectives', ['perspectives', 'recent_posts']],
  ['local_pack', ['local_results']],
  ['twitter', ['twitter_cards']],
  ['shopping', ['shopping_ads']],
  ['paid', ['ad']],
  ['popular_products', ['products']],
];

/** Links that the other parser does not list; README.md gives the reasons. */
const oursAlone: Readonly<Record<string, readonly string[]>> = {
  '2024-03-13_desktop_en_central-park-new-york_30926d': [
    'https://www.tripadvisor.com/',
    'https://www.viator.com/en/new-york-city/d687-ttd',
  ],
};

function read(name: string): { page: ReadPage; peer: readonly PeerResult[] } {
  const page = googleEngine.parse(readFileSync(new URL(`${name}.html`, corpus), 'utf8'), { mobile: false });
  const peer = JSON.parse(readFileSync(new URL(`expected/${name}${ending}`, corpus), 'utf8')) as {
    results: PeerResult[];
  };
  return { page, peer: peer.results };
}

/** Without the parameters that the engine appends, in one spelling. */
const spelt = (links: readonly (string | null)[]): string[] =>
  [
    ...new Set(
      links.flatMap((link) =>
        link === null ? [] : [new URL(clean(link)).href.replaceAll('|', '%7C').replaceAll('^', '%5E')],
      ),
    ),
  ].sort();

describe.skipIf(!isPresent)('compared with another parser,', () => {
  it.each(names)('%s shows the same features, with the same links', (name) => {
    const { page, peer } = read(name);
    for (const [ours, theirs] of features) {
      const listed = peer.filter(({ type }) => theirs.includes(type));
      const links = page.features.find(({ type }) => type === ours)?.links;
      expect([ours, links !== undefined]).toEqual([ours, listed.length > 0]);
      const alone = oursAlone[name] ?? [];
      const theirLinks = listed
        .filter(({ type, sub_type }) => !(type === 'products' && sub_type === 'brands'))
        .map(({ url }) => url);
      expect([ours, spelt((links ?? []).filter((link) => !alone.includes(link)))]).toEqual([ours, spelt(theirLinks)]);
    }
  });

  it.each(names)('%s has as many questions and at least the same related searches', (name) => {
    const { page, peer } = read(name);
    const textsOf = (wanted: string) =>
      peer.filter(({ type }) => type === wanted).flatMap(({ text }) => text?.split('<|>') ?? []);
    expect(page.serp.people_also_ask?.length ?? 0).toBe(textsOf('people_also_ask').length);
    const related = page.serp.related?.map(({ text }) => text) ?? [];
    expect(textsOf('searches_related').filter((text) => !related.includes(text))).toEqual([]);
  });

  it.each(names)('%s cites the same pages in its overview', (name) => {
    const { page, peer } = read(name);
    const sources = peer.flatMap(({ type, details }) => (type === 'ai_overview' ? (details?.sources ?? []) : []));
    const references = page.serp.ai_overview?.references ?? [];
    expect(spelt(references.map(({ href }) => href))).toEqual(spelt(sources.map(({ url }) => url)));
  });
});

/** The tested parts of serp-spider's description of a page; it lists some parts of each page only. */
interface SpiderPage {
  readonly 'test-methods'?: { readonly isMobile: boolean };
  readonly results?: readonly {
    readonly types: readonly string[];
    readonly data?: { title?: string; url?: string; questions?: readonly { question: string }[] };
  }[];
  readonly ads?: {
    readonly section: { readonly top?: { readonly results: readonly { data?: { title?: string } }[] } };
  };
  readonly 'related-searches'?: readonly { readonly title: string }[];
}

const spiderEnding = '.serp-spider.yml';
const spiderNames = isPresent
  ? readdirSync(new URL('expected/', corpus)).flatMap((file) =>
      file.endsWith(spiderEnding) ? [file.slice(0, -spiderEnding.length)] : [],
    )
  : [];
const unended = (title: string): string => title.replace(/\s*(?:\.\.\.|…)$/, '');

describe.skipIf(!isPresent)('compared with serp-spider,', () => {
  it.each(spiderNames)('%s has the same titles, URLs, questions, ads and related searches', (name) => {
    const spider = parse(readFileSync(new URL(`expected/${name}${spiderEnding}`, corpus), 'utf8')) as SpiderPage;
    const html = decodeText(readFileSync(new URL(`${name}.html`, corpus)));
    const { serp } = googleEngine.parse(html, { mobile: spider['test-methods']?.isMobile === true });
    const results = spider.results ?? [];
    const classical = results.filter(({ types }) => types.includes('CLASSICAL'));
    for (const [nth, { data }] of classical.entries()) {
      const ours = serp.organic?.[nth];
      if (data?.title !== undefined) expect(unended(ours?.title ?? '')).toBe(unended(data.title));
      if (data?.url !== undefined) expect(ours?.link).toBe(data.url);
    }
    const questions = results.flatMap(({ data }) => data?.questions ?? []).map(({ question }) => question);
    expect(serp.people_also_ask?.map(({ question }) => question) ?? []).toEqual(questions);
    const ads = spider.ads?.section.top?.results ?? [];
    expect(serp.top_ads?.length ?? 0).toBe(ads.length);
    for (const [nth, { data }] of ads.entries())
      if (data?.title !== undefined) expect(serp.top_ads?.[nth]?.title).toBe(tidy(data.title));
    const searches = spider['related-searches']?.map(({ title }) => title);
    if (searches !== undefined) expect(serp.related?.map(({ text }) => text)).toEqual(searches);
  });
});
