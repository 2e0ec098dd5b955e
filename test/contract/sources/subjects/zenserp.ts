// Zenserp, written from its documentation and its clients.
import { pageOfStart, panelLinks, type SourceSubject, sample } from '../subject.ts';

function results(links: readonly string[]): unknown[] {
  return links.map((url, index) => ({ position: 41 + index, title: `Result ${index}`, url, description: 'Words' }));
}

export const zenserp: SourceSubject = {
  source: 'zenserp',
  hasKeys: true,
  options: (keys) => ({ apiKey: keys }),
  page: ({ keyword }, links) => ({
    query: { q: keyword },
    organic: [...results(links), { questions: [{ q: 'Why?' }] }],
  }),
  panel: (page) => ({
    ...page,
    knowledge_graph: { title: 'Acme', url: panelLinks.website, image: panelLinks.picture },
  }),
  empty: () => ({ status: 404, body: { error: 'No results found' } }),
  silent: ({ keyword }) => ({ query: { q: keyword }, related_searches: [{ query: 'another' }] }),
  throttled: { status: 429, headers: { 'retry-after': '7' }, body: { error: 'Too many requests' } },
  outOfCredits: { status: 403, body: { error: 'Not enough requests.' } },
  badKey: { status: 403, body: { error: 'Wrong API key' } },
  serverError: { status: 500, body: { errors: [{ message: 'Internal error' }] } },
  errorInside: { body: { errors: [{ message: 'The page could not be loaded' }] } },
  asked: ({ query, headers }) => ({
    keyword: query.get('q') ?? '',
    country: query.get('gl') ?? '',
    language: query.get('hl') ?? '',
    device: query.get('device') as 'desktop',
    page: pageOfStart(query.get('start')),
    key: String(headers['apikey']),
  }),
  abroad: { country: 'GB', language: 'pt-BR' },
  probe: { path: '/status', reply: { body: { remaining_requests: 900 } }, creditsLeft: 900 },
  samples: [
    {
      name: 'zenserp-example',
      keyword: 'open source search engine',
      body: sample('zenserp-example.json'),
      organic: 2,
      first: 'https://example.com/open-source-search-engines',
      last: 'https://www.elastic.co/elasticsearch/',
      features: ['people_also_ask', 'related_searches', 'featured_snippet'],
    },
  ],
};
