// The Bing engine: reads the HTML of a results page into the root object and features.
import { questionFeature } from '../../model/results/features.ts';
import type {
  Device,
  ImageResult,
  KnowledgePanel,
  NavigationTab,
  PageFeature,
  ReadPage,
} from '../../model/results/serp.ts';
import type { Engine, EngineRequest, PageContext, SearchAsked } from '../engine.ts';
import { rejectOtherSearch } from '../other-search.ts';
import {
  globalRanks,
  type PlacedAd,
  type PlacedQuestion,
  type PlacedRelated,
  type ResultList,
  ranked,
  withoutEmpty,
} from '../page/assemble.ts';
import {
  distrusted,
  pageFailure,
  readTree,
  rejectChallenge,
  rejectForeignPage,
  rejectIncompletePage,
  rejectRepeatedList,
  rejectSeveralPages,
  rejectShadowRoots,
  rejectTruncatedPage,
} from '../page/failure.ts';
import { fitsPhones, rejectOtherDevice } from '../page/other-device.ts';
import { rejectOtherMarket, type ShownMarket } from '../page/other-market.ts';
import { rejectOtherQuery } from '../page/query.ts';
import { isHidden, textOf, titleQuery } from '../page/text.ts';
import {
  type Element,
  findAll,
  findFirst,
  findList,
  hasClass,
  isInsideAny,
  isLink,
  type Tree,
  withClass,
  withId,
} from '../page/tree.ts';
import { isConcealed } from '../page/visibility.ts';
import { findResults, isBesides, namedLink } from './results.ts';
import { absolute, readLink, searchHost, searchRequest } from './urls.ts';

/** Reads result pages of Bing: desktop, mobile and without scripts, as recorded from 2019 to 2026. */
export const bingEngine: Engine = { name: 'bing', request: (asked) => searchRequest(asked), nextOf, parse };

function parse(html: string, context: PageContext): ReadPage {
  return readTree(html, (tree) => {
    rejectChallenge(tree, html);
    rejectSeveralPages(tree, html);
    rejectOtherSearch('bing', { tree, addresses: searchAddresses(tree), html });
    if (context.keyword !== undefined) rejectOtherQuery(context.keyword, searchedQueries(tree), { html });
    const column = findList(tree, 'b_results');
    rejectShadowRoots(tree, column, html);
    const list = readResults(tree, column);
    const { results, unread } = list;
    // A list without one of its results would prove nothing.
    if (unread > 0) throw distrusted('unread', html, `Not read: ${unread}.`);
    const isEmpty = column !== undefined && saysNoResults(tree, column);
    if (results.length === 0 && !isEmpty) rejectEmptyPage(tree, column, html);
    // Results below "there are no results" belong to a wider search.
    if (results.length > 0 && column !== undefined && findStatement(tree, column) !== undefined)
      throw pageFailure('wrong_query', html);
    rejectRepeatedList(results, html);
    rejectForeignPage(ownMarks(tree, html), html);
    rejectOtherMarket(context, shownMarket(tree, html), html);
    rejectOtherDevice(context.mobile, shownDevice(tree), html);
    rejectTruncatedPage(tree, html);
    if (column !== undefined) rejectIncompletePage(tree, column, html);
    return readPage(tree, list);
  });
}

function readResults(tree: Tree, column: Element | undefined): ResultList {
  return column === undefined ? { results: [], unread: 0, isNamed: true } : findResults(tree, column);
}

function readPage(tree: Tree, { results, isNamed }: ResultList): ReadPage {
  const ads = findAds(tree);
  const related = findRelated(tree);
  const questions = findQuestions(tree);
  const panel = readPanel(tree);
  const images = findImages(tree);
  const rankOf = globalRanks([...results, ...ads, ...related, ...questions]);
  const top = ads.filter((each) => each.isTop);
  const bottom = ads.filter((each) => !each.isTop);
  const serp = withoutEmpty({
    // Without class names the reader misses ads and answers between results: positions among all elements would be
    // wrong.
    organic: ranked(results, (each) => ({ ...(isNamed && { global_rank: rankOf(each) }), ...each.result })),
    knowledge: panel?.panel,
    people_also_ask: ranked(questions, (each) => ({ global_rank: rankOf(each), ...each.question })),
    related: ranked(related, (each) => ({ global_rank: rankOf(each), ...each.related })),
    navigation: findTabs(tree),
    images,
    top_ads: ranked(top, ({ ad }) => ad),
    bottom_ads: ranked(bottom, ({ ad }) => ad),
  });
  const features: PageFeature[] = [];
  if (ads.length > 0) features.push({ type: 'paid', links: ads.map((each) => each.ad.link) });
  for (const { type, is } of answerKinds) {
    const blocks = findAll(tree, tree.root, is);
    const links = [...new Set(blocks.flatMap((block) => linksIn(tree, block)))];
    if (blocks.length > 0) features.push({ type, links });
  }
  features.push(...questionFeature(questions.map(({ cited }) => cited)));
  if (panel !== undefined) features.push({ type: 'knowledge_graph', links: panel.links });
  if (related.length > 0) features.push({ type: 'related_searches', links: [] });
  const device = shownDevice(tree);
  return { serp, ...(device !== undefined && { device }), features };
}

/** Answers by their structure; each is identified by marks that it had from 2019 to 2026. */
const answerKinds: readonly { readonly type: string; readonly is: (element: Element) => boolean }[] = [
  { type: 'ai_overview', is: withId('copans_container') },
  { type: 'shopping', is: withClass('b_adPATitleBlock', 'pa_carousel_mlo') },
  { type: 'local_pack', is: withId('lMapContainer', 'lMapContainerLite') },
  { type: 'images', is: withClass('imgAns', 'b_imgans') },
  { type: 'video', is: withId('serpvidans', 'vidans2', 'vidans') },
  { type: 'top_stories', is: (element) => withId('nws_ht', 'ansNewsWidget')(element) || hasClass(element, 'b_nwsAns') },
  // A large result in parts (b_rc_gb) is not an answer.
  { type: 'featured_snippet', is: withClass('qna-mf', 'rwrl_sec') },
];

/**
 * The page's own link to the next one: only the engine knows how many results come before it (a page may show 4, and
 * the next one begin with the fifth). Mobile pages have no such link; there the results are counted.
 */
function nextOf(html: string, asked: SearchAsked, before: number): EngineRequest {
  return readTree(html, (tree) => {
    const pages = findFirst(tree, tree.root, withClass('b_pag'));
    const href = pages === undefined ? undefined : nextLink(tree, pages)?.get('href');
    const url = href === undefined ? null : URL.parse(absolute(href));
    if (url?.searchParams.has('first') === true) return { url: `${searchHost}${url.pathname}${url.search}` };
    const column = findList(tree, 'b_results');
    return searchRequest(asked, before + readResults(tree, column).results.length + 1);
  });
}

/** The link named "next", else the number after the current page, which has no link. */
function nextLink(tree: Tree, pages: Element): Element | undefined {
  const anchors = findAll(tree, pages, (element) => element.tag === 'a');
  const next = anchors.find((element) => element.has('href') && hasClass(element, 'sb_pagN'));
  if (next !== undefined) return next;
  const numbers = anchors.filter((element) => /^\d+$/.test(textOf(element)));
  const open = numbers.findIndex((element) => !element.has('href'));
  return open < 0 ? undefined : numbers[open + 1];
}

// Detects Bing pages that are no SERP (blocked, shell, another query or site), and Bing's own "no results".

/** `running shoes - Bing`, `running shoes - Search`; other titles are not read. */
const titleForm = /^(.+) - (?:Bing|Search)$/u;

/** The queries that the page names: the corrected one, else the value of the search box; and that of the title. */
function searchedQueries(tree: Tree): readonly (string | undefined)[] {
  const shown = correctedQuery(tree) ?? findFirst(tree, tree.root, withId('sb_form_q'))?.get('value');
  return [shown?.trim() === '' ? undefined : shown, titleQuery(tree, titleForm)];
}

/** Addresses of this search that the page links to: its further pages, and where its form leads. */
function searchAddresses(tree: Tree): string[] {
  const pages = findFirst(tree, tree.root, withClass('b_pag'));
  const links = pages === undefined ? [] : findAll(tree, pages, (element) => element.tag === 'a');
  const form = findFirst(tree, tree.root, withId('sb_form'))?.get('action');
  // Beside the numbers is a link to Copilot, which is no page of this search.
  const further = links.map((link) => absolute(link.get('href') ?? '')).filter((href) => /[?&]first=/.test(href));
  return [...further, absolute(form ?? '')];
}

/**
 * "Including results for" names the query that was searched besides or instead of the requested one, with a link back
 * to the requested one below (`sp_recourse`). "Did you mean" has no link back. "No results found for" names no query,
 * and the results below it belong to a wider search.
 */
function correctedQuery(tree: Tree): string | undefined {
  const changed = findFirst(tree, tree.root, withId('sp_requery'));
  const wayBack = findFirst(tree, tree.root, withId('sp_recourse'));
  if (changed === undefined || wayBack === undefined || isHidden(changed)) return undefined;
  const isNamed = (element: Element): boolean => element.tag === 'a' || element.tag === 'strong';
  const link = findFirst(tree, changed, isNamed) ?? findFirst(tree, wayBack, (element) => element.tag === 'a');
  return link === undefined ? undefined : textOf(link);
}

/**
 * Whether the engine says that it found nothing: an item of the list with a heading. Results may exist in an unknown
 * form, so the statement counts only if no other item of the list has a heading or shows an address.
 */
function saysNoResults(tree: Tree, column: Element): boolean {
  const said = findStatement(tree, column);
  if (said === undefined) return false;
  const isOther = isInsideAny(tree, isBesides);
  return !findAll(tree, column, namesResult).some((element) => !isOther(element) && textOf(element) !== '');
}

/** The statement, regardless of other content. */
function findStatement(tree: Tree, column: Element): Element | undefined {
  const isSaid = withClass('b_no');
  const said = findFirst(tree, column, (element) => isSaid(element) && !isConcealed(tree, element));
  return said !== undefined && findFirst(tree, said, (element) => /^h[1-4]$/.test(element.tag)) !== undefined
    ? said
    : undefined;
}

function namesResult({ tag }: Element): boolean {
  return tag === 'h2' || tag === 'h3' || tag === 'cite';
}

/**
 * The market of the page. Its scripts name two countries, that of the visitor and that of the market, which may differ
 * in a page for the requested country: only both together prove another one.
 */
function shownMarket(tree: Tree, html: string): ShownMarket {
  const region = /\bRegion:"([A-Z]{2})"/.exec(html)?.[1];
  const market = /\bMkt:"([a-z]{2,3})-([A-Z]{2})"/.exec(html);
  return {
    countries: [region === market?.[2] ? region : undefined],
    languages: [tree.elements.find((element) => element.tag === 'html')?.get('lang'), market?.[1]],
  };
}

/**
 * The device of the page: those of phones tell their width, and those of desktops do not, on all 8 recorded pages. A
 * responsive page (`b_respl`) that does is of any device.
 */
function shownDevice(tree: Tree): Device | undefined {
  const isNarrow = fitsPhones(tree);
  if (isNarrow !== true) return isNarrow === undefined ? undefined : 'desktop';
  return tree.elements.some((element) => element.tag === 'body' && hasClass(element, 'b_respl')) ? undefined : 'mobile';
}

/** Longest text of a page that is only a shell, in characters. */
const shellTextMax = 200;

/** Throws for a page without results that does not say that there are none. */
function rejectEmptyPage(tree: Tree, column: Element | undefined, html: string): never {
  const body = tree.elements.find((element) => element.tag === 'body') ?? tree.root;
  // The challenge is in a frame of an otherwise empty page.
  if (html.includes('/turing/captcha/')) throw pageFailure('blocked', html);
  const text = textOf(body, { without: withId('b_header', 'b_footer') });
  if (text.length < shellTextMax) throw pageFailure('javascript_wall', html);
  if (column === undefined) throw distrusted('foreign', html, 'It has no list of results.');
  throw pageFailure('no_organic_results', html);
}

/**
 * The marks of the engine, all three of which each of 8 recorded pages from 2019 to 2026 has: its global object in the
 * scripts, the counters of its links (`h="ID=SERP,..."`), and the forms that its own links name.
 */
function ownMarks(tree: Tree, html: string): boolean[] {
  return [
    /\b_G\s?=\s?\{/.test(html) || /\bIG:\s?"[0-9A-F]{32}"/.test(html),
    tree.elements.some((element) => element.get('h')?.startsWith('ID=') === true),
    tree.elements.some((element) => element.tag === 'a' && /[?&;]FORM=[A-Z0-9]{3}/i.test(element.href)),
  ];
}

// Parses all of a Bing page except its organic results: ads, related searches, questions, panel, tabs, pictures.

/** Text ads of the results column and beside it, in reading order; ads below the results are marked. */
function findAds(tree: Tree): PlacedAd[] {
  const blocks = findAll(tree, tree.root, (element) => element.tag === 'li' && hasClass(element, 'b_ad'));
  const isBeside = isInsideAny(tree, withId('b_context'));
  return blocks.flatMap((block) => {
    const isTop = !hasClass(block, 'b_adBottom') && !isBeside(block);
    return findAll(tree, block, withClass('sb_add')).flatMap((unit) => {
      const named = namedLink(tree, unit);
      const title = named === undefined ? '' : textOf(named.heading);
      if (named === undefined || title === '') return [];
      const click = absolute(named.anchor.href);
      const link = readLink(named.anchor.href).destination ?? shownAddress(tree, unit) ?? click;
      return [
        { order: named.heading.order, isTop, ad: { title, link, ...(click !== link && { referral_link: click }) } },
      ];
    });
  });
}

/** The advertiser's address as the ad shows it. */
function shownAddress(tree: Tree, unit: Element): string | undefined {
  const cite = findFirst(tree, unit, (element) => element.tag === 'cite');
  const shown = cite === undefined ? '' : textOf(cite);
  const address = /^https?:\/\//.test(shown) ? shown : `https://${shown}`;
  return /^https?:\/\/[^\s/.]+\.[^\s]+$/.test(address) && URL.canParse(address) ? address : undefined;
}

/** Related searches below the results, each once. */
function findRelated(tree: Tree): PlacedRelated[] {
  const seen = new Set<string>();
  const lists = findAll(tree, tree.root, withClass('b_rs', 'richrsrailsugwrapper', 'b_rrsr'));
  return lists.flatMap((list) =>
    findAll(tree, list, isLink).flatMap((anchor) => {
      const link = absolute(anchor.href);
      const text = textOf(anchor);
      if (text === '' || seen.has(text) || !/\/search\?/.test(link)) return [];
      seen.add(text);
      return [{ order: anchor.order, related: { text, link } }];
    }),
  );
}

/**
 * Questions that open on a click, whose answer and source are hidden in the page; or cards in a row, each a link to its
 * source.
 */
function findQuestions(tree: Tree): PlacedQuestion[] {
  return findAll(tree, tree.root, withClass('df_alsoAsk', 'df_alsoAskCard')).flatMap((block) => {
    const heading = findFirst(tree, block, withClass('b_expansion_text', 'df_qntext'));
    const question = heading === undefined ? '' : textOf(heading);
    if (heading === undefined || question === '') return [];
    const content = findFirst(tree, block, withClass('df_alsocon', 'b_expandable_inline_container')) ?? block;
    const isCard = hasClass(block, 'df_alsoAskCard');
    const answer = findFirst(tree, content, withClass('rwrl', 'df_da')) ?? (isCard ? content : undefined);
    const text =
      answer === undefined ? '' : textOf(answer, { hidden: true, without: withClass('rwrl_cred', 'df_rq', 'b_algo') });
    const anchors = [...linksAround(block), ...findAll(tree, content, (element) => element.tag === 'a')];
    const cited = anchors.flatMap((anchor) => readLink(anchor.href).destination ?? []);
    const [source] = cited;
    return [
      {
        order: heading.order,
        cited,
        question: withoutEmpty({
          question,
          answer_source: source,
          answers: text === '' ? [] : [{ rank: 1, type: 'answer' as const, value: { text } }],
        }),
      },
    ];
  });
}

/** The link that contains an element. */
function linksAround(element: Element): Element[] {
  return element.parent?.tag === 'a' ? [element.parent] : [];
}

/** The panel beside the results. */
function readPanel(tree: Tree): { panel?: KnowledgePanel; links: string[] } | undefined {
  const block = findFirst(tree, tree.root, withClass('b_entityTP', 'lite-entcard-main'));
  if (block === undefined) return undefined;
  const text = (...names: readonly string[]): string => {
    const found = findFirst(tree, block, withClass(...names));
    return found === undefined ? '' : textOf(found, { without: withClass('sml', 'b_hide') });
  };
  const name = text('b_entityTitle', 'pb_ttl', 'l_ecrd_hero_ttl');
  const subtitle = text('b_entitySubTitle', 'l_ecrd_hero_subttl');
  const description = text('b_snippet');
  const facts = [...rowFacts(tree, block), ...cardFacts(tree, block)];
  const panel: KnowledgePanel = withoutEmpty({ name, subtitle, description, facts });
  const links = linksIn(tree, block);
  if (Object.keys(panel).length > 0) return { panel, links };
  // "More about": the head of the card is outside of it.
  return hasClass(block, 'lite-entcard-main') && links.length > 0 ? { links } : undefined;
}

type Facts = NonNullable<KnowledgePanel['facts']>;

/** Rows with a name and a value. */
function rowFacts(tree: Tree, block: Element): Facts {
  return findAll(tree, block, withClass('pst_row')).flatMap((row) => {
    const [label, details] = ['pst_lbl', 'pst_dtls'].map((part) => findFirst(tree, row, withClass(part)));
    const [key, value] = [label, details].map((part) => (part === undefined ? '' : textOf(part)));
    return fact(key, value);
  });
}

/** Rows since 2024: the name is a link to a search, and the value is what follows it. */
function cardFacts(tree: Tree, block: Element): Facts {
  return findAll(tree, block, withClass('lc_expfact')).flatMap((row) => {
    const label = findFirst(tree, row, withClass('lc_expfact_title'));
    return label === undefined ? [] : fact(textOf(label), textOf(row, { without: (element) => element === label }));
  });
}

function fact(key: string | undefined, value: string | undefined): Facts {
  if (key === undefined || value === undefined || key === '' || value === '') return [];
  return [{ key: key.replace(/ ?:$/, ''), value: [{ text: value }] }];
}

/** Destinations outside of the engine, each once. */
function linksIn(tree: Tree, block: Element): string[] {
  const links = findAll(tree, block, isLink).flatMap((anchor) => readLink(anchor.href).destination ?? []);
  return [...new Set(links)];
}

/** Tabs above the results: images, videos, news. */
function findTabs(tree: Tree): NavigationTab[] {
  const bar = findFirst(tree, tree.root, withClass('b_scopebar'));
  if (bar === undefined) return [];
  return findAll(tree, bar, (element) => element.tag === 'a' && /^(?:https?:)?\//.test(element.href))
    .map((anchor) => ({ title: textOf(anchor), href: absolute(anchor.href) }))
    .filter(({ title }) => title !== '');
}

/** Maximum length of a picture's description, in characters. */
const jsonCharactersMax = 4_000;

/** Pictures that name their page. */
function findImages(tree: Tree): ImageResult[] {
  const anchors = findAll(tree, tree.root, (element) => element.tag === 'a' && hasClass(element, 'iusc'));
  const images = anchors.flatMap((anchor) => {
    const facts = factsIn(anchor.get('m') ?? '');
    const link = facts.get('purl');
    if (link === undefined || isHidden(anchor)) return [];
    return [withoutEmpty({ title: facts.get('t') ?? textOf(anchor), link, image: facts.get('murl') })];
  });
  return ranked(
    images.filter(({ title }) => title),
    (image) => image,
  );
}

function factsIn(json: string): ReadonlyMap<string, string> {
  if (json.length > jsonCharactersMax || !json.startsWith('{')) return new Map();
  try {
    const facts: unknown = JSON.parse(json);
    const entries = Object.entries(facts as object).filter(([, value]) => typeof value === 'string' && value !== '');
    return new Map(entries as [string, string][]);
  } catch {
    return new Map();
  }
}
