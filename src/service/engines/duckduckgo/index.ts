// The DuckDuckGo engine: reads the HTML of a results page, rejects other pages, and finds the form of the next page.
import type { Device, PageFeature, ReadPage } from '../../model/results/serp.ts';
import type { Engine, EngineRequest, PageContext, SearchAsked } from '../engine.ts';
import { rejectOtherSearch } from '../other-search.ts';
import { type FoundAd, globalRanks, type ResultList, ranked, withoutEmpty } from '../page/assemble.ts';
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
import { rejectOtherDevice } from '../page/other-device.ts';
import { rejectOtherMarket } from '../page/other-market.ts';
import { rejectOtherQuery } from '../page/query.ts';
import { textOf, titleQuery } from '../page/text.ts';
import { findAll, findFirst, findList, hasClass, type Tree, withClass, withId } from '../page/tree.ts';
import { isConcealed } from '../page/visibility.ts';
import { marketOf } from './regions.ts';
import { countUnread, countUnreadRows, findAds, findBlocks, findResults, findUnnamed, readPanel } from './results.ts';
import {
  findFeatures,
  findRelated,
  findScripted,
  findScriptedAds,
  findTabs,
  readAbout,
  readAnswer,
} from './scripted.ts';
import { searchAddress, searchRequest } from './urls.ts';

/** Reads result pages of DuckDuckGo, as recorded from 2019 to 2026. */
export const duckDuckGoEngine: Engine = { name: 'duckduckgo', request: (asked) => searchRequest(asked), nextOf, parse };

function parse(html: string, context: PageContext): ReadPage {
  if (isRefusal(html)) throw pageFailure('blocked', html);
  return readTree(html, (tree) => {
    rejectChallenge(tree, html);
    rejectSeveralPages(tree, html);
    rejectOtherSearch('duckduckgo', { tree, addresses: [], html });
    const { keyword } = context;
    if (keyword !== undefined)
      rejectOtherQuery(keyword, [correctedQuery(tree) ?? shownQuery(tree), titleQuery(tree, titleForm)], { html });
    const column = findList(tree, 'links');
    rejectShadowRoots(tree, column ?? tree.root, html);
    const blocks = findBlocks(tree);
    const list = readResults(tree, blocks);
    const { results } = list;
    const ads = [...findAds(tree, blocks), ...findScriptedAds(tree)];
    const unread = list.unread + countUnreadRows(tree, column ?? tree.root, { results, ads });
    if (unread > 0) throw distrusted('unread', html, `Not read: ${unread}.`);
    const isEmpty = saysNoResults(tree);
    if (results.length === 0 && !isEmpty) refuseEmpty(tree, html);
    rejectRepeatedList(results, html);
    rejectForeignPage(ownMarks(tree, html), html);
    rejectOtherMarket(context, marketOf(shownRegion(tree, html), context.language), html);
    rejectOtherDevice(context.mobile, shownDevice(tree), html);
    if (results.length > 0) rejectTruncatedPage(tree, html);
    if (column !== undefined) rejectIncompletePage(tree, column, html);
    return readPage(tree, list, ads);
  });
}

/** To a suspected robot the engine sends only a line of text without markup (status 403). */
function isRefusal(html: string): boolean {
  return html.length < refusalCharactersMax && html.includes('error-lite@duckduckgo.com');
}

const refusalCharactersMax = 2_000;

/** "Including results for ..." above the results names another query; "search only for" links back. */
function correctedQuery(tree: Tree): string | undefined {
  const message = findFirst(tree, tree.root, withId('did_you_mean', 'message'));
  if (message === undefined) return undefined;
  const links = findAll(tree, message, (element) => element.tag === 'a' && element.href.includes('q='));
  return links.length < 2 || links[0] === undefined ? undefined : textOf(links[0]);
}

const titleForm = /^(.+) at DuckDuckGo$/u;

/** The search box's value. */
function shownQuery(tree: Tree): string | undefined {
  const box = findFirst(
    tree,
    tree.root,
    (element) => element.tag === 'input' && element.get('name') === 'q' && element.get('type') !== 'hidden',
  );
  const value = box?.get('value')?.trim();
  return value === '' ? undefined : value;
}

/** The region of the page: in the form for the next page, or in its scripts. */
function shownRegion(tree: Tree, html: string): string {
  const field = findFirst(tree, tree.root, (element) => element.tag === 'input' && element.get('name') === 'kl');
  return field?.get('value') ?? /\brl='([a-z0-9-]{4,6})'/.exec(html)?.[1] ?? '';
}

/** The device that scripts have noted on the root element (2019 and 2020). Pages without scripts are of any device. */
function shownDevice({ elements }: Tree): Device | undefined {
  const root = elements.find(({ tag }) => tag === 'html');
  if (root === undefined) return undefined;
  if (hasClass(root, 'is-not-mobile-device')) return 'desktop';
  return hasClass(root, 'is-mobile-device') ? 'mobile' : undefined;
}

/** An item with text in the list of results, in any language. Below results it means that there are no more. */
function saysNoResults(tree: Tree): boolean {
  const list = findFirst(tree, tree.root, withId('links')) ?? tree.root;
  const isSaid = withClass('result--no-result', 'no-results', 'no-results__*');
  const said = findFirst(tree, list, (element) => isSaid(element) && !isConcealed(tree, element));
  return said !== undefined && textOf(said) !== '';
}

/** Maximum text length of an empty shell, in characters. */
const shellTextMax = 200;

function refuseEmpty(tree: Tree, html: string): never {
  const body = tree.elements.find((element) => element.tag === 'body') ?? tree.root;
  if (textOf(body, { without: withId('header', 'header_wrapper') }).length < shellTextMax)
    throw pageFailure('javascript_wall', html);
  const isEngines = findFirst(
    tree,
    tree.root,
    withId('links', 'links_wrapper', 'search_form', 'lite_wrapper', 'react-layout'),
  );
  if (isEngines === undefined) throw distrusted('foreign', html, 'It has no list of results.');
  throw pageFailure('no_organic_results', html);
}

/** The results of either form of the page; if neither has any, the items of the list by their structure. */
function readResults(tree: Tree, blocks = findBlocks(tree)): ResultList {
  const scripted = findScripted(tree);
  if (scripted.results.length + scripted.unread > 0) return { ...scripted, isNamed: true };
  const named = { results: findResults(tree, blocks), unread: countUnread(tree, blocks), isNamed: true };
  if ((named.results.length > 0 && named.unread === 0) || saysNoResults(tree)) return named;
  const unnamed = findUnnamed(tree);
  const isBetter = unnamed.unread === 0 && unnamed.results.length > named.results.length;
  return isBetter || named.unread === 0 ? { ...unnamed, isNamed: unnamed.results.length === 0 } : named;
}

function readPage(tree: Tree, { results, isNamed }: ResultList, ads: readonly FoundAd[]): ReadPage {
  const panel = readPanel(tree);
  const answer = readAnswer(tree);
  const related = findRelated(tree);
  const rankOf = globalRanks([...results, ...ads, ...related]);
  const last = results.at(-1)?.order ?? Number.POSITIVE_INFINITY;
  const top = ads.filter((each) => each.order < last);
  const bottom = ads.filter((each) => each.order > last);
  const serp = withoutEmpty({
    organic: ranked(results, (each) => ({ ...(isNamed && { global_rank: rankOf(each) }), ...each.result })),
    knowledge: panel?.knowledge ?? readAbout(tree),
    related: ranked(related, (each) => ({ global_rank: rankOf(each), ...each.related })),
    navigation: findTabs(tree),
    ai_overview: answer,
    top_ads: ranked(top, ({ ad }) => ad),
    bottom_ads: ranked(bottom, ({ ad }) => ad),
  });
  const features: PageFeature[] = [];
  if (ads.length > 0) features.push({ type: 'paid', links: ads.map((each) => each.ad.link) });
  if (panel !== undefined) features.push({ type: 'knowledge_graph', links: panel.links });
  if (answer !== undefined)
    features.push({ type: 'ai_overview', links: (answer.references ?? []).map(({ href }) => href) });
  if (related.length > 0) features.push({ type: 'related_searches', links: [] });
  for (const feature of findFeatures(tree))
    if (!features.some(({ type }) => type === feature.type)) features.push(feature);
  const device = shownDevice(tree);
  return { serp, ...(device !== undefined && { device }), features };
}

/** Fields of the form for the next page: its start, and a token that the request needs. */
const fieldsMax = 20;

/**
 * The form below the results that requests more of them; the form that goes back has the same kind and an earlier
 * start.
 */
function nextOf(html: string, asked: SearchAsked, before: number): EngineRequest {
  return readTree(html, (tree) => {
    const { results } = readResults(tree);
    const last = results.at(-1)?.order ?? 0;
    const forms = findAll(tree, tree.root, (element) => element.tag === 'form' && element.order > last);
    const pages = forms.flatMap((form) => {
      const inputs = findAll(tree, form, (element) => element.tag === 'input' && element.get('type') === 'hidden');
      const fields = inputs
        .slice(0, fieldsMax)
        .map((input) => [input.get('name') ?? '', input.get('value') ?? ''] as const);
      const start = Number(fields.find(([name]) => name === 's')?.[1]);
      return Number.isSafeInteger(start) && start > 0 ? [{ start, form: Object.fromEntries(fields) }] : [];
    });
    const next = pages.sort((one, other) => other.start - one.start)[0];
    return next === undefined ? searchRequest(asked, before + results.length) : { url: searchAddress, form: next.form };
  });
}

/**
 * The engine's marks: tokens of its searches, its redirects, forms, pictures and counters. Each of 8 recorded pages
 * from 2019 to 2026 has at least two.
 */
function ownMarks(tree: Tree, html: string): boolean[] {
  return [
    /\bvqd\b/.test(html),
    /[?&;]uddg=|duckduckgo\.com\/y\.js/.test(html),
    tree.elements.some((element) => element.get('id') === 'react-layout'),
    tree.elements.some((element) => element.tag === 'form' && /^\/(?:html|lite)\//.test(element.get('action') ?? '')),
    html.includes('external-content.duckduckgo.com'),
    /\/t\/s[lr]_/.test(html),
  ];
}
