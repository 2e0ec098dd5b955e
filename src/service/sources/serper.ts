// Serper: result pages and Google Maps as JSON, desktop only, one call per page, few features besides.

import type * as z from 'zod';
import type {
  KnowledgePanel,
  OrganicResult,
  PeopleAlsoAsk,
  ReadPage,
  RelatedSearch,
  SerpPage,
} from '../model/results/serp.ts';
import { type Fields, present } from '../net/fields.ts';
import { defineVendor, type VendorForm, vendorExample, vendorOptions } from './vendor-kit/define.ts';
import {
  answerBox,
  feature,
  localResults,
  mapMiddle,
  organicList,
  organicResult,
  pageWith,
  panelLinks,
  readMapPage,
  resolveDestination,
  siteLinks,
  textExtension,
} from './vendor-kit/elements.ts';
import { mapFacts } from './vendor-kit/facts.ts';
import { languageParameter } from './vendor-kit/market.ts';
import { numberAt, numbered, objectAt, objectsAt, wordsAt } from './vendor-kit/values.ts';

/** What both kinds of pages have in common. */
const account = {
  options: vendorOptions,
  baseUrl: 'https://google.serper.dev',
  refusals: [
    { words: /not enough credits/i, means: 'out_of_credits' },
    { words: /unauthori[sz]ed|invalid.*key/i, means: 'bad_key' },
    { status: 403, means: 'bad_key' },
    { status: 429, words: /credits|quota/i, means: 'out_of_credits' },
  ],
  stated: (root) => numberAt(root, 'credits'),
  probe: {
    call: (key) => ({ method: 'GET', path: '/account', headers: { 'x-api-key': key } }),
    read: (root) => ({ creditsLeft: numberAt(root, 'balance') ?? null }),
  },
} as const satisfies Partial<VendorForm<z.output<typeof vendorOptions>>>;

export const vendor = defineVendor({
  ...account,
  name: 'serper',
  facts: {
    title: 'Serper',
    prices: [
      { unit: 'credit', firstPage: 1, furtherPage: 1, unitMicroUsd: { least: 300, most: 1000 }, asOf: '2026-08' },
    ],
    failureCharge: 'unknown',
    failureRule:
      'An answer states its cost. The vendor does not state the charge for failures, so they count as unknown.',
    emptyRule: 'Serper does not say that nothing was found: an empty list alone proves nothing.',
    pageSize: 10,
    rate: { requestsPerSecond: 50, concurrency: 20 },
    devices: ['desktop'],
    hasCountries: true,
    locations: ['place'],
    hasLocalResults: true,
    example: vendorExample('serper', 'SERPER_KEY'),
  },
  call: ({ keyword, country, language, page, location }, key) => ({
    method: 'POST',
    path: '/search',
    headers: { 'x-api-key': key },
    json: {
      q: keyword,
      gl: country.toLowerCase(),
      hl: languageParameter(language).toLowerCase(),
      ...(location !== undefined && { location }),
      page,
      // ten results cost one credit, more of them two
      num: 10,
      // the page of another keyword is of no use
      autocorrect: false,
    },
  }),
  complaint: (root) => (root.raw('organic') === undefined ? wordsAt(root, 'message', 'error') : undefined),
  echo: {
    places: ['searchParameters.location'],
    parameters: 'searchParameters',
    queries: ['searchParameters.q', 'searchInformation.showingResultsFor'],
  },
  read: readPage,
  // on the first page only beside the echo of the search: an answer of nothing at all is no page
  listsNothing: (root, page) =>
    root.array('organic') !== undefined && (page > 1 || objectAt(root, 'searchParameters') !== undefined),
});

/** Searches of Google Maps. Form: public clients of it, read in 2026-11. */
export const maps = defineVendor({
  ...account,
  name: 'serper-maps',
  facts: {
    ...vendor.facts,
    ...mapFacts,
    title: 'Serper, Google Maps',
    // an assumption on the safe side: no price list states it; an answer states its cost
    prices: [
      { unit: 'credit', firstPage: 3, furtherPage: 3, unitMicroUsd: { least: 300, most: 1000 }, asOf: '2026-11' },
    ],
    emptyRule: 'Serper does not say that nothing was found: an empty list alone proves nothing.',
    locations: ['coordinate'],
    example: vendorExample('serper-maps', 'SERPER_KEY'),
  },
  call: ({ keyword, country, language, page, location }, key) => ({
    method: 'POST',
    path: '/maps',
    headers: { 'x-api-key': key },
    json: {
      q: keyword,
      gl: country.toLowerCase(),
      hl: languageParameter(language).toLowerCase(),
      ...(mapMiddle(location) !== undefined && { ll: mapMiddle(location) }),
      page,
    },
  }),
  complaint: (root) => (root.raw('places') === undefined ? wordsAt(root, 'message', 'error') : undefined),
  echo: { places: ['searchParameters.ll', 'll'], parameters: 'searchParameters', queries: ['searchParameters.q'] },
  read: (root) =>
    readMapPage(objectsAt(root, 'places'), {
      saysEmpty: false,
      hasList: objectAt(root, 'searchParameters') !== undefined && root.array('places') !== undefined,
    }),
});

function readPage(root: Fields): ReadPage {
  const serp = present<SerpPage>({
    organic: organicList(root, 'organic', readOrganic),
    knowledge: readKnowledge(objectAt(root, 'knowledgeGraph')),
    people_also_ask: numbered(objectsAt(root, 'peopleAlsoAsk').map(readQuestion)),
    related: numbered(objectsAt(root, 'relatedSearches').map(readRelated)),
    local_results: localResults(objectsAt(root, 'places')),
  });
  return pageWith(serp, [
    ...panelLinks(root.raw('knowledgeGraph')),
    ...answerBox(root, 'answerBox'),
    ...feature('top_stories', objectsAt(root, 'topStories'), 'link'),
    ...feature('local_pack', objectsAt(root, 'places'), 'website'),
    ...feature('images', objectsAt(root, 'images'), 'link'),
    ...feature('video', objectsAt(root, 'videos'), 'link'),
  ]);
}

function readOrganic(item: Fields, index: number): OrganicResult {
  const names = { link: ['link'], description: ['snippet'], displayLink: [] };
  const rating = numberAt(item, 'rating');
  return organicResult(item, index, names, [
    ...siteLinks(objectsAt(item, 'sitelinks')),
    ...textExtension('date', wordsAt(item, 'date')),
    ...textExtension('rating', rating === undefined ? undefined : String(rating)),
  ]);
}

function readKnowledge(graph: Fields | undefined): KnowledgePanel | undefined {
  if (graph === undefined) return undefined;
  const attributes = Object.entries((graph.raw('attributes') as object | undefined) ?? {});
  const facts = attributes.flatMap(([key, value]) =>
    typeof value === 'string' ? [{ key, value: [{ text: value }] }] : [],
  );
  return present<KnowledgePanel>({
    name: wordsAt(graph, 'title'),
    subtitle: wordsAt(graph, 'type'),
    description: wordsAt(graph, 'description'),
    description_source: wordsAt(graph, 'descriptionSource'),
    facts: facts.length === 0 ? undefined : facts,
  });
}

function readQuestion(item: Fields): Omit<PeopleAlsoAsk, 'rank'> {
  const text = wordsAt(item, 'snippet');
  return present<Omit<PeopleAlsoAsk, 'rank'>>({
    question: wordsAt(item, 'question') ?? '',
    answer_source: resolveDestination(wordsAt(item, 'link')),
    answers: text === undefined ? undefined : [{ rank: 1, type: 'answer', value: { text } }],
  });
}

function readRelated(item: Fields): Omit<RelatedSearch, 'rank'> {
  return { text: wordsAt(item, 'query') ?? '', link: wordsAt(item, 'link') ?? '' };
}
