// The recorded Google pages: organic results, refusals and fields, compared with the truths and other parsers.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { googleEngine } from '../../src/service/engines/google/index.ts';
import { clean } from '../../src/service/engines/google/urls.ts';
import { tidy } from '../../src/service/engines/page/text.ts';
import { type PageFailureReason, ServiceError } from '../../src/service/model/errors.ts';
import { decodeText as decoded } from '../../src/service/model/results/charset.ts';
import type { AiOverviewText, ReadPage, SerpPage } from '../../src/service/model/results/serp.ts';
import { corpus, emptyPaths, isCorpusHere, type Row, recordedRows } from './recorded-pages.ts';

/** Pages that are not SERPs, with their reasons; README.md describes each. */
const failures = new Map<string, PageFailureReason>([
  ['c2018-05-29_block_en_captcha_31e07a', 'blocked'],
  ['c2026-06-10_block_en_sorry-index_e34b35', 'blocked'],
  ['2026-03-14_mobile_en-in_dentist-in-london_8bfb76', 'javascript_wall'],
  ['2026-03-14_desktop_en-in_dentist-in-london_4bd8b5', 'wrong_query'],
  ['c2026-03-26_desktop_en-in_hotel-kamrej-gujarat_a4c528', 'wrong_query'],
  ['c2026-07-28_desktop_ar_google-search_be7956', 'javascript_wall'],
]);

/** Pages on which the engine states that it found nothing. */
const empty = new Set([
  '2023-04-21_desktop_en_324j23i4jkdfjklndsklfmsdkl-fsdfds_74579c',
  '2023-04-21_mobile_en_324j23i4jkdfjklndsklfmsdkl-fsdfds_f1c1f6',
  'c2023-06-02_nojs_en_no-results_738e8a',
  '2026-07-10_desktop_en_pinkies-stretched-freethoughtblogs_e2431e',
  '2026-07-10_desktop_en_portland-oregon-engine-3-go-to-zupans-an_21b848',
]);

/** Pages with another count in index.json than ours: our count, explained line by line in README.md. */
const countedOtherwise = new Map([
  ['2019-11-08_mobile_en_heating-ventilation-and-_0de000', 9],
  ['2023-04-21_desktop_en_google_96b011', 99],
  ['2023-06-02_nojs_en_google_e0c0af', 10],
  ['2023-06-02_nojs_en_google_9c3531', 99],
  ['2024-03-13_desktop_en_movement_2464d0', 9],
]);

/** Citations of overviews in reading order, checked by eye and against the passages that some citation URLs quote. */
const cited = new Map([
  ['2025-02-06_desktop_en_cancer-deaths-per-year-in-the-usa_8d4358', '1,2 - - - 3'],
  ['2025-02-06_desktop_en_my-work-is-done-why-wait_86cc98', '2,3 - 3 1 1'],
  ['2025-02-06_desktop_en_problems-with-bible-translations_2d6557', '1,2 2 - - - 2 3 1'],
  ['2025-11-12_desktop_en-es_ai-automation-agency_83fa1d', '2,3,4,5 - - - - 2,3,4,5,6,7,8 - - - - - - 2,3,6,9,10'],
  ['2026-01-20_desktop_en_why-is-the-sky-blue_704940', '1,3,5 - - - - - - 1,2,3,4,5,6 1,2,4'],
  ['2026-02-05_desktop_en_why-is-the-sky-blue_aa594f', '1,2,3,4,7 - - - 2,3,6,7 - - - 1,2 - - - - 1,5,8'],
  ['2026-02-06_desktop_en_why-are-bananas-yellow_733353', '1,2,3,4 - - - - 1,2,3,4,5,6 1'],
]);

/** Features under other names in the truths. */
const truthNames: Readonly<Record<string, string>> = {
  local: 'local_pack',
  videos: 'video',
  kp_title: 'knowledge_graph',
  ai_overview_label: 'ai_overview',
  products: 'shopping',
};

/** Features that a truth names (from simple selectors) and the page does not show, explained in README.md. */
const mistaken = new Map([
  ['2023-04-21_mobile_en_domain_e8ce29', ['related_searches']],
  ['2023-05-19_desktop_es_abortion_ad1ec6', ['kp_title']],
  ['2025-04-24_desktop_en_mobile-app-development_2df9b2', ['kp_title']],
  ['2026-02-06_desktop_en_donald-trump_7d76d3', ['people_also_ask']],
]);

const rows: readonly Row[] = isCorpusHere ? recordedRows().filter((row) => row.engine === 'google') : [];
const outcomes = new Map(rows.map((row) => [nameOf(row), readRow(row)]));

/** Decodes a page as one from the network: some declare UTF-8 and contain Latin-1. */
function textOf(path: string): string {
  return decoded(readFileSync(new URL(path, corpus)));
}

function nameOf(row: Row): string {
  return row.file.replace(/^google\//, '').replace(/\.html$/, '');
}

function readRow(row: Row): ReadPage | PageFailureReason {
  try {
    return googleEngine.parse(textOf(row.file), { mobile: row.device === 'mobile' });
  } catch (error) {
    if (error instanceof ServiceError && error.reason !== undefined) return error.reason;
    throw error;
  }
}

function pageOf(row: Row): ReadPage {
  const outcome = outcomes.get(nameOf(row));
  if (outcome === undefined || typeof outcome === 'string') throw new Error(`${row.file}: ${outcome}`);
  return outcome;
}

function linksOf(page: ReadPage): string[] {
  return (page.serp.organic ?? []).map((result) => result.link);
}

const serps = rows.filter((row) => !failures.has(nameOf(row)));

describe.skipIf(!isCorpusHere)('the recorded Google pages', () => {
  it('are complete', () => {
    expect(rows.length).toBe(readdirSync(new URL('google/', corpus)).filter((name) => name.endsWith('.html')).length);
    expect(rows.length).toBeGreaterThan(70);
  });

  it.each(serps.filter((row) => row.truth !== null))(
    '$file lists the organic results that a person sees, in order',
    (row) => {
      const truth = JSON.parse(textOf(row.truth ?? '')) as { organic: { link: string; title: string }[] };
      // Parameters that the engine appends to a URL (text fragments, srsltid) are removed on both sides.
      expect((pageOf(row).serp.organic ?? []).map(({ link, title }) => [link, title])).toEqual(
        truth.organic.map(({ link, title }) => [clean(link), tidy(title)]),
      );
    },
  );

  it.each(serps.filter((row) => row.peer_output?.endsWith('.yml') && textOf(row.peer_output).includes('CLASSICAL')))(
    '$file has as many results as another parser counts',
    (row) => {
      const entries = textOf(row.peer_output ?? '').match(/^\s*- CLASSICAL$/gm) ?? [];
      expect(pageOf(row).serp.organic?.length).toBe(entries.length);
    },
  );

  it.each(serps.filter((row) => row.truth === null))(
    '$file has as many results as the index counts, or README.md gives the reason',
    (row) => {
      expect(pageOf(row).serp.organic?.length ?? 0).toBe(countedOtherwise.get(nameOf(row)) ?? row.organics);
    },
  );

  it.each(serps.filter((row) => row.truth !== null))('$file shows the features that its truth names', (row) => {
    const { features } = JSON.parse(textOf(row.truth ?? '')) as { features: string[] };
    const { serp, features: ours } = pageOf(row);
    const shown = new Set(ours.map(({ type }) => type));
    if (serp.top_ads !== undefined) shown.add('ads_top');
    if (serp.bottom_ads !== undefined) shown.add('ads_bottom');
    if (shown.has('popular_products')) shown.add('shopping');
    const missing = features.filter((name) => !shown.has(truthNames[name] ?? name));
    expect(missing).toEqual(mistaken.get(nameOf(row)) ?? []);
  });

  it.each([...failures])('%s is refused: %s', (name, reason) => {
    expect(outcomes.get(name)).toBe(reason);
  });

  it.each([...empty])('%s is an empty SERP, because the engine states it', (name) => {
    const outcome = outcomes.get(name);
    expect(outcome).toMatchObject({ serp: {} });
    expect((outcome as ReadPage).serp.organic).toBeUndefined();
  });

  it.each(serps)('$file is read into fields that have a value', (row) => {
    const page = pageOf(row);
    expect(emptyPaths(page.serp, 'serp')).toEqual([]);
    checkRanks(page.serp);
    for (const result of page.serp.organic ?? []) expect(result.link).toMatch(/^https?:\/\/[^/]+/);
    for (const result of page.serp.organic ?? [])
      expect(result.link).not.toMatch(/\/aclk\?|:~:|[?&]srsltid=|google\.[a-z.]+\/(?:url|search)\?/);
    const types = page.features.map((feature) => feature.type);
    expect(new Set(types).size).toBe(types.length);
  });

  it.each([...cited])('%s lists what each part of its overview cites', (name, expected) => {
    const row = rows.find((each) => nameOf(each) === name);
    const { texts = [], references = [] } = (row && pageOf(row).serp.ai_overview) ?? {};
    const indexes = (text: AiOverviewText): string[] => {
      if (text.type === 'list') return text.list.flatMap((each) => indexes(each));
      return [text.type === 'code' ? '-' : (text.reference_indexes?.join() ?? '-')];
    };
    expect(texts.flatMap((text) => indexes(text)).join(' ')).toBe(expected);
    expect(references.map(({ index }) => index)).toEqual(references.map((_, nth) => nth + 1));
  });

  it('show every field of the root object at least once', () => {
    const seen = new Set(serps.flatMap((row) => Object.keys(pageOf(row).serp)));
    expect([...seen].sort()).toEqual(
      'ai_overview bottom_ads images knowledge local_results navigation organic overview people_also_ask perspectives related top_ads'.split(
        ' ',
      ),
    );
  });
});

function checkRanks(serp: SerpPage): void {
  for (const list of [serp.organic, serp.people_also_ask, serp.related, serp.images, serp.top_ads, serp.bottom_ads]) {
    expect((list ?? []).map((each) => each.rank)).toEqual((list ?? []).map((_, index) => index + 1));
  }
  for (const list of [globalRanks(serp.organic), globalRanks(serp.people_also_ask), globalRanks(serp.related)]) {
    expect(list).toEqual([...new Set(list)].sort((a, b) => a - b));
    for (const rank of list) expect(rank).toBeGreaterThan(0);
  }
}

function globalRanks(list: readonly { readonly global_rank?: number }[] | undefined): number[] {
  return (list ?? []).map((each) => each.global_rank ?? 0);
}

interface PeerResult {
  readonly type: string;
  readonly sub_type: string | null;
  readonly url: string | null;
  readonly text: string | null;
  readonly details: { readonly sources?: readonly { readonly url: string }[] } | null;
}

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

function peerOf(row: Row): { page: ReadPage; peer: readonly PeerResult[] } {
  const { results } = JSON.parse(textOf(row.peer_output ?? '')) as { results: PeerResult[] };
  return { page: pageOf(row), peer: results };
}

const websearcher = serps.filter((row) => row.peer_output?.endsWith('.websearcher.json'));

/** Without the parameters that the engine appends, in one spelling. */
const spelt = (links: readonly (string | null)[]): string[] =>
  [
    ...new Set(
      links.flatMap((link) =>
        link === null ? [] : [new URL(clean(link)).href.replaceAll('|', '%7C').replaceAll('^', '%5E')],
      ),
    ),
  ].sort();

describe.skipIf(!isCorpusHere)('compared with another parser,', () => {
  it.each(websearcher)('$file lists the same results', (row) => {
    const { page, peer } = peerOf(row);
    const general = peer.filter((each) => each.type === 'general' && each.sub_type !== 'subresult');
    expect(linksOf(page)).toEqual(general.flatMap(({ url }) => (url === null ? [] : [clean(url)])));
  });

  it.each(websearcher)('$file shows the same features, with the same links', (row) => {
    const { page, peer } = peerOf(row);
    for (const [ours, theirs] of features) {
      const listed = peer.filter(({ type }) => theirs.includes(type));
      const links = page.features.find(({ type }) => type === ours)?.links;
      expect([ours, links !== undefined]).toEqual([ours, listed.length > 0]);
      const alone = oursAlone[nameOf(row)] ?? [];
      const theirLinks = listed
        .filter(({ type, sub_type }) => !(type === 'products' && sub_type === 'brands'))
        .map(({ url }) => url);
      expect([ours, spelt((links ?? []).filter((link) => !alone.includes(link)))]).toEqual([ours, spelt(theirLinks)]);
    }
  });

  it.each(websearcher)('$file has as many questions and at least the same related searches', (row) => {
    const { page, peer } = peerOf(row);
    const textsOf = (wanted: string) =>
      peer.filter(({ type }) => type === wanted).flatMap(({ text }) => text?.split('<|>') ?? []);
    expect(page.serp.people_also_ask?.length ?? 0).toBe(textsOf('people_also_ask').length);
    const related = page.serp.related?.map(({ text }) => text) ?? [];
    expect(textsOf('searches_related').filter((text) => !related.includes(text))).toEqual([]);
  });

  it.each(websearcher)('$file cites the same pages in its overview', (row) => {
    const { page, peer } = peerOf(row);
    const sources = peer.flatMap(({ type, details }) => (type === 'ai_overview' ? (details?.sources ?? []) : []));
    const references = page.serp.ai_overview?.references ?? [];
    expect(spelt(references.map(({ href }) => href))).toEqual(spelt(sources.map(({ url }) => url)));
  });
});

/** The tested parts of serp-spider's description of a page; it lists some parts of each page only. */
interface SpiderPage {
  readonly results?: readonly {
    readonly types: readonly string[];
    readonly data?: { title?: string; url?: string; questions?: readonly { question: string }[] };
  }[];
  readonly ads?: {
    readonly section: { readonly top?: { readonly results: readonly { data?: { title?: string } }[] } };
  };
  readonly 'related-searches'?: readonly { readonly title: string }[];
}

const unended = (title: string): string => title.replace(/\s*(?:\.\.\.|…)$/, '');

describe.skipIf(!isCorpusHere)('compared with serp-spider,', () => {
  const described = serps.filter((row) => row.peer_output?.endsWith('.serp-spider.yml'));
  it.each(described)('$file has the same titles, URLs, questions, ads and related searches', (row) => {
    const spider = parse(textOf(row.peer_output ?? '')) as SpiderPage;
    const { serp } = pageOf(row);
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
