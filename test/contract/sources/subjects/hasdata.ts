// HasData, written from its documentation and its README.
import { pageOfStart, panelLinks, type SourceSubject, sample } from '../subject.ts';

function answer(keyword: string, more: Record<string, unknown>): Record<string, unknown> {
  return {
    requestMetadata: {
      id: '1',
      status: 'ok',
      url: `https://www.google.com/search?q=${encodeURIComponent(keyword)}&sourceid=chrome`,
    },
    searchInformation: { totalResults: '3280000' },
    ...more,
  };
}

function results(links: readonly string[]): unknown[] {
  return links.map((link, index) => ({ position: 41 + index, title: `Result ${index}`, link, snippet: 'Words' }));
}

export const hasData: SourceSubject = {
  source: 'hasdata',
  hasKeys: true,
  options: (keys) => ({ apiKey: keys }),
  page: ({ keyword }, links) => answer(keyword, { organicResults: results(links) }),
  panel: (page) => ({
    ...page,
    knowledgeGraph: {
      title: 'Acme',
      website: panelLinks.website,
      source: { name: 'Wiki', link: panelLinks.source },
      profiles: [{ name: 'Social', link: panelLinks.profile }],
      headerImages: [{ image: 'https://photos.example/1.png', source: panelLinks.picture, link: panelLinks.picture }],
    },
  }),
  empty: ({ keyword }) => ({
    body: answer(keyword, { searchInformation: { totalResults: '0' }, organicResults: [] }),
  }),
  silent: ({ keyword }) => answer(keyword, { relatedSearches: [{ query: 'another' }] }),
  corrected: ({ keyword }, searched, links) =>
    answer(keyword, { searchInformation: { showingResultsFor: searched }, organicResults: results(links) }),
  throttled: { status: 429, headers: { 'retry-after': '7' }, body: { message: 'Concurrency limit reached.' } },
  outOfCredits: { status: 403, body: { message: 'You have exceeded your plan.' } },
  badKey: { status: 401, body: { message: 'Invalid API key' } },
  serverError: { status: 500, body: { message: 'Internal error' } },
  errorInside: { body: { requestMetadata: { id: '1', status: 'error' } } },
  asked: ({ query, headers }) => ({
    keyword: query.get('q') ?? '',
    country: query.get('gl') ?? '',
    language: query.get('hl') ?? '',
    device: query.get('deviceType') as 'desktop',
    page: pageOfStart(query.get('start')),
    key: String(headers['x-api-key']),
  }),
  abroad: { country: 'gb', language: 'pt-BR' },
  probe: {
    path: '/user/me/usage',
    reply: { body: { status: 'ok', data: { totalCredits: 10_000, availableCredits: 5473, availableConcurrency: 1 } } },
    creditsLeft: 5473,
  },
  samples: [
    {
      name: 'hasdata-coffee',
      keyword: 'Coffee',
      body: sample('hasdata-coffee.json'),
      organic: 8,
      first: 'https://en.wikipedia.org/wiki/Coffee',
      last: 'https://www.britannica.com/topic/coffee',
      features: ['people_also_ask', 'images', 'local_pack', 'popular_products'],
    },
  ],
};
