// Serper: result pages and Google Maps as JSON, desktop only, one call per page, few features besides.
import * as z from 'zod';
import type { ReadPage } from '../model/results/serp.ts';
import type { PageRequest } from '../model/source.ts';
import { Fields } from '../net/fields.ts';
import { keyInHeader } from './vendor-kit/client.ts';
import { defineVendor, vendorOptions } from './vendor-kit/define.ts';
import { feature, mapMiddle, panelLinks, readMapPage } from './vendor-kit/elements.ts';
import { creditPrice, mapFacts, vendorExample, webFacts } from './vendor-kit/facts.ts';
import { readGoogleForm } from './vendor-kit/google-form.ts';
import { engineQuery } from './vendor-kit/market.ts';
import type { RefusalRule } from './vendor-kit/refusals.ts';
import { rejectCutPage } from './vendor-kit/validator.ts';
import { isList, numberAt, objectAt, objectsAt, wordsAt } from './vendor-kit/values.ts';

/** What both kinds of pages have in common. */
const account = {
  baseUrl: 'https://google.serper.dev',
  proof: keyInHeader('x-api-key'),
  refusals: [
    { words: /not enough credits/i, means: 'out_of_credits' },
    { words: /unauthori[sz]ed|invalid.*key/i, means: 'bad_key' },
    { status: 403, means: 'bad_key' },
    { status: 429, words: /credits|quota/i, means: 'out_of_credits' },
  ] satisfies RefusalRule[],
  stated: (root: Fields) => numberAt(root, 'credits'),
  account: { path: '/account', left: ['balance'] },
};

/** Results of one page; more of them in one request cost `atOnceCredits`. */
const [resultsOfPage, resultsMax, atOnceCredits] = [10, 100, 2];

const options = vendorOptions.extend({
  wholeDepth: z
    .boolean()
    .default(false)
    .describe(
      'Buys up to 100 results in one request of two credits, where single pages are expected to cost more. Default: page by page; ask for it once and compare, because the vendor does not say that Google still gives so many.',
    ),
});

export const vendor = defineVendor({
  ...account,
  options,
  name: 'serper',
  facts: {
    ...webFacts,
    title: 'Serper',
    prices: [creditPrice(1, [300, 1000], '2026-08')],
    failureCharge: 'unknown',
    failureRule:
      'An answer states its cost. The vendor does not state the charge for failures, so they count as unknown.',
    emptyRule: 'Serper does not say that nothing was found: an empty list alone proves nothing.',
    rate: { requestsPerSecond: 50, concurrency: 20 },
    devices: ['desktop'],
    locations: ['place'],
    example: vendorExample('serper', { apiKey: 'SERPER_KEY' }),
  },
  call: (asked) => ({
    path: '/search',
    json: {
      ...engineQuery(asked),
      location: asked.location,
      page: asked.through === undefined ? asked.page : 1,
      num: resultsOfPage * (asked.through ?? 1),
      // the page of another keyword is of no use
      autocorrect: false,
    },
  }),
  range: ({ wholeDepth }) =>
    wholeDepth ? { pagesMax: resultsMax / resultsOfPage, credits: () => atOnceCredits } : undefined,
  pageIn,
  complaint: (root) => (root.raw('organic') === undefined ? wordsAt(root, 'message', 'error') : undefined),
  echo: {
    places: ['searchParameters.location'],
    parameters: 'searchParameters',
    queries: ['searchParameters.q', 'searchInformation.showingResultsFor'],
  },
  read: readPage,
  // on the first page only beside the echo of the search: an answer of nothing at all is no page
  listsNothing: (root, page) =>
    isList(root, 'organic') && (page > 1 || objectAt(root, 'searchParameters') !== undefined),
});

/** A page of ten results, of an answer with more. Questions and other features belong to page 1. */
function pageIn(root: Fields, { page }: PageRequest): Fields {
  const parameters = objectAt(root, 'searchParameters');
  const asked = parameters === undefined ? undefined : numberAt(parameters, 'num');
  if (parameters === undefined || asked === undefined || asked <= resultsOfPage) return root;
  const all = objectsAt(root, 'organic');
  const organic = all.slice((page - 1) * resultsOfPage, page * resultsOfPage).map((one) => one.value());
  const isFull = organic.length === resultsOfPage;
  rejectCutPage(page, { last: Math.ceil(all.length / resultsOfPage), asked: Math.ceil(asked / resultsOfPage), isFull });
  const searchParameters = { ...(parameters.value() as object), page };
  const beside = page === 1 ? (root.value() as object) : {};
  return new Fields({ ...beside, searchParameters, organic }, 'page');
}

function readPage(root: Fields): ReadPage {
  const graph = objectAt(root, 'knowledgeGraph');
  const [title, type, description] = ['title', 'type', 'description'].map((name) => graph?.raw(name));
  const own = { title, type, description, source: { name: graph?.raw('descriptionSource') } };
  const form = {
    organic_results: root.raw('organic'),
    related_questions: root.raw('peopleAlsoAsk'),
    related_searches: root.raw('relatedSearches'),
    // attributes are facts
    knowledge_graph: graph && { ...(objectAt(graph, 'attributes')?.value() as object | undefined), ...own },
    answer_box: root.raw('answerBox'),
    top_stories: root.raw('topStories'),
    local_results: root.raw('places'),
    inline_videos: root.raw('videos'),
  };
  return readGoogleForm(new Fields(form, 'page'), [
    ...panelLinks(root, 'knowledgeGraph'),
    ...feature('images', objectsAt(root, 'images'), 'link'),
  ]);
}

/** Searches of Google Maps. Form: public clients of it, read in 2026-11. */
export const maps = defineVendor({
  ...account,
  options: vendorOptions,
  name: 'serper-maps',
  facts: {
    ...vendor.facts,
    ...mapFacts,
    title: 'Serper, Google Maps',
    // an assumption on the safe side: no price list states it; an answer states its cost
    prices: [creditPrice(3, [300, 1000], '2026-11')],
    locations: ['coordinate'],
    example: vendorExample('serper-maps', { apiKey: 'SERPER_KEY' }),
  },
  call: (asked) => ({
    path: '/maps',
    json: { ...engineQuery(asked), ll: mapMiddle(asked.location), page: asked.page },
  }),
  complaint: (root) => (root.raw('places') === undefined ? wordsAt(root, 'message', 'error') : undefined),
  echo: { places: ['searchParameters.ll', 'll'], parameters: 'searchParameters', queries: ['searchParameters.q'] },
  read: (root) => readMapPage(objectsAt(root, 'places')),
  listsNothing: (root) => objectAt(root, 'searchParameters') !== undefined && isList(root, 'places'),
});
