// Brave Search, written from its documentation and its clients.
import { panelLinks, type SourceSubject, sample } from '../subject.ts';

function answer(keyword: string, hasMore: boolean, more: Record<string, unknown>): Record<string, unknown> {
  return { type: 'search', query: { original: keyword, more_results_available: hasMore, country: 'us' }, ...more };
}

function results(links: readonly string[]): unknown[] {
  return links.map((url, index) => ({ type: 'search_result', title: `Result ${index}`, url, description: 'Words' }));
}

function refusal(status: number, code: string, detail: string): { status: number; body: unknown } {
  return {
    status,
    body: { type: 'ErrorResponse', error: { id: '5d832250', status, code, detail, meta: {} }, time: 1 },
  };
}

export const brave: SourceSubject = {
  source: 'brave',
  hasKeys: true,
  provesEmpty: false,
  options: (keys) => ({ apiKey: keys }),
  page: ({ keyword }, links) => answer(keyword, true, { web: { type: 'search', results: results(links) } }),
  panel: (page) => ({
    ...page,
    infobox: {
      type: 'graph',
      results: [
        {
          title: 'Acme',
          url: panelLinks.source,
          website_url: panelLinks.website,
          profiles: [{ name: 'Social', url: panelLinks.profile }],
          images: [{ src: 'https://photos.example/1.png', url: panelLinks.picture }],
        },
      ],
    },
  }),
  empty: ({ keyword }) => ({ body: answer(keyword, false, {}) }),
  silent: ({ keyword }) => answer(keyword, true, { news: { results: [{ title: 'N', url: 'https://n.example/' }] } }),
  corrected: ({ keyword }, searched, links) =>
    answer(keyword, true, {
      query: { original: keyword, altered: searched, more_results_available: true },
      web: { results: results(links) },
    }),
  throttled: {
    ...refusal(429, 'RATE_LIMITED', 'Request rate limit exceeded for plan.'),
    headers: {
      'x-ratelimit-limit': '1, 15000',
      'x-ratelimit-remaining': '0, 1000',
      'x-ratelimit-reset': '7, 1419704',
    },
  },
  outOfCredits: refusal(429, 'QUOTA_LIMITED', 'Request quota limit exceeded for plan.'),
  badKey: refusal(422, 'SUBSCRIPTION_TOKEN_INVALID', 'The provided subscription token is invalid.'),
  serverError: refusal(500, 'INTERNAL', 'Internal server error.'),
  errorInside: { body: refusal(500, 'INTERNAL', 'Internal server error.').body },
  asked: ({ query, headers }) => ({
    keyword: query.get('q') ?? '',
    country: query.get('country') ?? '',
    language: query.get('search_lang') ?? '',
    page: Number(query.get('offset')) + 1,
    key: String(headers['x-subscription-token']),
  }),
  abroad: { country: 'GB', language: 'pt-br' },
  samples: [
    {
      name: 'brave-shape',
      keyword: 'brave search',
      body: sample('brave-shape.json'),
      organic: 1,
      first: 'https://example.com/a',
      last: 'https://example.com/a',
      features: [],
    },
  ],
};
