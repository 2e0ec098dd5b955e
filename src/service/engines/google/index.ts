// The Google engine: reads the HTML of a results page into the root object and features.
import type { ReadPage, SerpPage } from '../../model/results/serp.ts';
import type { Engine, PageContext } from '../engine.ts';
import { rejectOtherSearch } from '../other-search.ts';
import { globalRanks, ranked, withoutEmpty } from '../page/assemble.ts';
import { pageFailure, readTree, rejectChallenge, rejectSeveralPages, rejectShadowRoots } from '../page/failure.ts';
import { rejectOtherMarket, rejectOtherPlace } from '../page/other-market.ts';
import { rejectOtherQuery } from '../page/query.ts';
import { saysNoResults } from './emptiness.ts';
import { findAds, readFeatures } from './features/features.ts';
import { readEntity, readPanel, readPlainCard } from './features/knowledge.ts';
import { readOverview } from './features/overview.ts';
import { findLocalResults, showsOnlyPlaces } from './features/places.ts';
import { findGroups, findImages, readPost } from './features/rows.ts';
import { findQuestions, findRelated, findTabs } from './features/searches.ts';
import {
  footerPlace,
  isShell,
  rejectForeignPage,
  rejectIncompletePage,
  rejectInterstitial,
  rejectStalePage,
  searchAddresses,
  searchedQueries,
  shownMarket,
} from './guards.ts';
import { readOrganic } from './organic.ts';
import { findColumn, indexPage, markClosedTabs, type PageIndex } from './page-index.ts';
import { findResults, type Results } from './results.ts';
import { rejectUnreadResults } from './unread.ts';
import { readDestinations, readLink, readToken, renderScript, searchRequest } from './urls.ts';

/** Reads result pages of Google: desktop, mobile and without scripts, as recorded from 2014 to 2026. */
export const googleEngine: Engine = {
  name: 'google',
  request: searchRequest,
  parse,
  hidden: {
    redirectsOf,
    isDestination: (address) => {
      const link = readLink(address);
      return link.destination !== undefined && !link.isOpaque;
    },
    withDestinations: (html, found) =>
      html + renderScript(new Map([...found].flatMap(([redirect, address]) => [[readToken(redirect) ?? '', address]]))),
  },
};

function buildIndex(html: string): PageIndex {
  return readTree(html, (tree) => {
    rejectChallenge(tree, html);
    rejectSeveralPages(tree, html);
    return indexPage(tree, () => readDestinations(html));
  });
}

function redirectsOf(html: string): string[] {
  const surveyed = buildIndex(html);
  return findResults(surveyed).organic.flatMap((found) => {
    const isHidden = readOrganic(found, surveyed).destination_state !== undefined;
    return isHidden ? (found.headed.link.destination ?? []) : [];
  });
}

function parse(html: string, context: PageContext): ReadPage {
  const surveyed = buildIndex(html);
  rejectInterstitial(surveyed, html);
  rejectStalePage(surveyed, context, html);
  rejectOtherSearch('google', { tree: surveyed.tree, addresses: searchAddresses(surveyed), html });
  const { keyword } = context;
  if (keyword !== undefined) rejectOtherQuery(keyword, searchedQueries(surveyed, keyword), { html });
  if (context.location !== undefined)
    rejectOtherPlace(context, [footerPlace(surveyed)], {
      shownIn: 'footer',
      body: { contentType: 'text/html', text: html },
    });
  const results = findResults(surveyed);
  const column = findColumn(surveyed);
  rejectShadowRoots(surveyed.tree, column, html);
  // If the engine shows a list of places instead of results, none of them is an organic result.
  if (results.organic.length === 0 && !saysNoResults(surveyed) && !showsOnlyPlaces(surveyed, column)) {
    throw pageFailure(isShell(surveyed) ? 'javascript_wall' : 'no_organic_results', html);
  }
  rejectForeignPage(surveyed, html);
  rejectOtherMarket(context, shownMarket(surveyed), html);
  rejectIncompletePage(surveyed, results.organic.at(-1)?.headed.heading, html);
  rejectUnreadResults(surveyed, results, html);
  return readPage(surveyed, results, html);
}

function readPage(surveyed: PageIndex, { organic, sources }: Results, html: string): ReadPage {
  const column = findColumn(surveyed);
  const headings = organic.map((each) => each.headed.heading);
  markClosedTabs(surveyed, headings);
  const first = headings[0]?.order;
  const ads = findAds(surveyed, first);
  const questions = findQuestions(surveyed, column);
  const images = findImages(surveyed, column);
  const related = findRelated(
    surveyed,
    headings.map((heading) => heading.order),
    column.order,
  );
  const groups = findGroups(surveyed, column, organic);
  const rankOf = globalRanks([
    ...ads,
    ...questions,
    ...images,
    ...related,
    ...headings,
    ...groups.filter((group) => group.kind === 'video').flatMap((group) => group.items.map((each) => each.heading)),
  ]);
  const panel = readPanel(surveyed) ?? readPlainCard(surveyed);
  const overview = readOverview(surveyed, html);
  const entity = readEntity(surveyed, panel?.knowledge.name);
  const serp: SerpPage = withoutEmpty({
    organic: ranked(organic, (each) => ({ global_rank: rankOf(each.headed.heading), ...readOrganic(each, surveyed) })),
    knowledge: panel?.knowledge,
    people_also_ask: ranked(questions, (each) => ({ global_rank: rankOf(each), ...each.question })),
    related: ranked(related, (each) => ({ global_rank: rankOf(each), ...each.related })),
    navigation: findTabs(surveyed, first ?? column.last),
    perspectives: groups.flatMap(({ kind, items }) => (kind === 'perspectives' ? items.map(readPost) : [])),
    ai_overview: overview,
    images: ranked(images, ({ image }) => image),
    top_ads: ranked(
      ads.filter(({ isTop }) => isTop),
      ({ ad }) => ad,
    ),
    bottom_ads: ranked(
      ads.filter(({ isTop }) => !isTop),
      ({ ad }) => ad,
    ),
    overview: entity,
    local_results: findLocalResults(surveyed),
  });
  const features = readFeatures({
    pageIndex: surveyed,
    column,
    serp,
    groups,
    results: headings,
    sources,
    panelLinks: panel?.links ?? [],
  });
  return { serp, features };
}
