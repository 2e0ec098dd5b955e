// Google Maps of five vendors, written from their documentation. Refusals are those of their results pages.
import { type SourceSubject, sample } from '../subject.ts';
import { brightData } from './brightdata.ts';
import { dataForSeo, done, passwordIn, taskIn } from './dataforseo.ts';
import { searchApi } from './searchapi.ts';
import { serpApi } from './serpapi.ts';
import { serper } from './serper.ts';

/** A place in the names that most vendors use. Its own position is wrong. */
const place = (website = 'https://place.example/') => ({ position: 41, title: 'Place', address: '1 Main St', website });

function serpApiAnswer(keyword: string, more: Record<string, unknown>): Record<string, unknown> {
  return {
    search_metadata: { status: 'Success', google_maps_url: `https://www.google.com/maps/search/${keyword}?hl=en` },
    search_parameters: { engine: 'google_maps', type: 'search', q: keyword },
    search_information: { local_results_state: 'Results for exact spelling', query_displayed: keyword },
    ...more,
  };
}

const { corrected: _, ...serpApiRefusals } = serpApi;
export const serpApiMaps: SourceSubject = {
  ...serpApiRefusals,
  source: 'serpapi-maps',
  place,
  paid: { sponsored: true },
  page: ({ keyword }, links) => serpApiAnswer(keyword, { local_results: links.map(place) }),
  empty: ({ keyword }) => ({
    body: serpApiAnswer(keyword, { error: "Google hasn't returned any results for this query." }),
  }),
  silent: ({ keyword }) => serpApiAnswer(keyword, { search_information: { query_displayed: keyword } }),
  corrected: (_asked, searched, links) => serpApiAnswer(searched, { local_results: links.map(place) }),
  asked: (request) => {
    const { device: _device, ...asked } = serpApi.asked(request);
    return { ...asked, page: Number(request.query.get('start') ?? 0) / 20 + 1 };
  },
  samples: [
    {
      name: 'serpapi-maps-coffee',
      keyword: 'Coffee',
      body: sample('serpapi-maps-coffee.json'),
      organic: 3,
      first: 'https://www.bygracestreet.com/',
      last: 'https://www.starbucks.com/store-locator/store/13918/',
      features: ['local_pack'],
    },
  ],
};

export const serperMaps: SourceSubject = {
  ...serper,
  source: 'serper-maps',
  place,
  paid: { sponsored: true },
  page: ({ keyword, page }, links) => ({
    searchParameters: { q: keyword, type: 'maps', page, engine: 'google' },
    places: links.map(place),
    credits: 3,
  }),
  empty: ({ keyword }) => ({ body: { searchParameters: { q: keyword, type: 'maps' }, places: [], credits: 3 } }),
  silent: ({ keyword }) => ({ searchParameters: { q: keyword }, credits: 3 }),
  corrected: (_asked, searched, links) => ({ searchParameters: { q: searched }, places: links.map(place), credits: 3 }),
  samples: [],
};

export const searchApiMaps: SourceSubject = {
  ...searchApi,
  source: 'searchapi-maps',
  place,
  paid: { sponsored: true },
  page: ({ keyword }, links) => ({
    search_metadata: { status: 'Success' },
    search_parameters: { engine: 'google_maps', q: keyword },
    local_results: links.map(place),
  }),
  silent: ({ keyword }) => ({ search_metadata: { status: 'Success' }, search_parameters: { q: keyword } }),
  corrected: (_asked, searched, links) => ({
    search_metadata: { status: 'Success' },
    search_parameters: { q: searched },
    local_results: links.map(place),
  }),
  asked: (request) => {
    const { device: _device, ...asked } = searchApi.asked(request);
    return asked;
  },
  samples: [],
};

const dataForSeoPlace = (url = 'https://place.example/') => ({
  type: 'maps_search',
  rank_group: 41,
  title: 'Place',
  url,
  rating: { value: 4.5, votes_count: 20 },
});

/** The vendor's list begins at the first place for every page. */
const listFrom = (page: number, links: readonly string[]) => [
  ...Array.from({ length: 20 * (page - 1) }, () => dataForSeoPlace()),
  ...links.map(dataForSeoPlace),
];

export const dataForSeoMaps: SourceSubject = {
  ...dataForSeo,
  source: 'dataforseo-maps',
  place: dataForSeoPlace,
  paid: { type: 'maps_paid_item' },
  page: ({ keyword, page }, links) => done(keyword, listFrom(page, links), { type: 'maps' }),
  silent: ({ keyword }) => done(keyword, []),
  corrected: (_asked, searched, links) => done(searched, links.map(dataForSeoPlace)),
  asked: (request) => ({
    ...dataForSeo.asked(request),
    page: (taskIn(request).depth ?? 0) / 20,
    key: passwordIn(request),
  }),
  samples: [],
};

const brightDataPlace = (link = 'https://place.example/') => ({ global_rank: 41, title: 'Place', link });

export const brightDataMaps: SourceSubject = {
  ...brightData,
  source: 'brightdata-maps',
  provesEmpty: false,
  place: brightDataPlace,
  page: ({ keyword }, links) => ({ general: { query: keyword }, organic: links.map(brightDataPlace) }),
  empty: ({ keyword }) => ({ body: { general: { query: keyword }, organic: [] } }),
  silent: ({ keyword }) => ({ general: { query: keyword } }),
  corrected: (_asked, searched, links) => ({ general: { query: searched }, organic: links.map(brightDataPlace) }),
  asked: (request) => {
    const { pathname, searchParams } = new URL((request.json as { url: string }).url);
    const { device: _device, ...asked } = brightData.asked(request);
    return {
      ...asked,
      keyword: decodeURIComponent(pathname.split('/')[3] ?? ''),
      page: Number(searchParams.get('start') ?? 0) / 20 + 1,
    };
  },
  samples: [],
};
