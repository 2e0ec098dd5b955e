// The Bing engine: reads the HTML of a results page into the root object and features.
import type { PageFeature, ReadPage } from '../../model/results/serp.ts';
import type { Engine, EngineRequest, PageContext, SearchAsked } from '../engine.ts';
import { rejectOtherSearch } from '../other-search.ts';
import { globalRanks, type ResultList, ranked, withoutEmpty } from '../page/assemble.ts';
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
import { rejectOtherMarket } from '../page/other-market.ts';
import { rejectOtherQuery } from '../page/query.ts';
import { textOf } from '../page/text.ts';
import { type Element, findAll, findFirst, findList, hasClass, type Tree, withClass, withId } from '../page/tree.ts';
import { findAds, findImages, findQuestions, findRelated, findTabs, linksIn, readPanel } from './answers.ts';
import {
  findStatement,
  ownMarks,
  rejectEmptyPage,
  saysNoResults,
  searchAddresses,
  searchedQueries,
  shownMarket,
} from './guards.ts';
import { findResults } from './results.ts';
import { absolute, searchHost, searchRequest } from './urls.ts';

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
  const sources = questions.flatMap((each) => each.question.answer_source ?? []);
  if (questions.length > 0) features.push({ type: 'people_also_ask', links: sources });
  if (panel !== undefined) features.push({ type: 'knowledge_graph', links: panel.links });
  if (related.length > 0) features.push({ type: 'related_searches', links: [] });
  return { serp, features };
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
