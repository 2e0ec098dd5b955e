// SearXNG, written from its documentation and a recorded answer.
import { panelLinks, type SourceSubject, sample } from '../subject.ts';

function results(links: readonly string[]): unknown[] {
  return links.map((url, index) => ({
    url,
    title: `Result ${index}`,
    content: 'Words',
    engine: 'google',
    engines: ['google'],
  }));
}

function answer(query: string, more: Record<string, unknown>): Record<string, unknown> {
  return {
    query,
    number_of_results: 0,
    answers: [],
    corrections: [],
    infoboxes: [],
    unresponsive_engines: [],
    ...more,
  };
}

export const searxng: SourceSubject = {
  source: 'searxng',
  hasKeys: false,
  provesEmpty: false,
  isFree: true,
  options: () => ({ engines: ['google'] }),
  page: ({ keyword }, links) => answer(keyword, { results: results(links) }),
  panel: (page) => ({
    ...page,
    infoboxes: [
      {
        infobox: 'Acme',
        id: panelLinks.source,
        img_src: panelLinks.picture,
        urls: [
          { title: 'Website', url: panelLinks.website },
          { title: 'Social', url: panelLinks.profile },
        ],
      },
    ],
  }),
  empty: ({ keyword }) => ({ body: answer(keyword, { results: [], suggestions: ['another'] }) }),
  silent: ({ keyword }) => answer(keyword, { suggestions: ['another'] }),
  corrected: (_asked, searched, links) => answer(searched, { results: results(links) }),
  throttled: { status: 429, headers: { 'retry-after': '7' }, body: 'Too Many Requests' },
  serverError: { status: 500, body: '<html><title>Internal Server Error</title></html>' },
  errorInside: { body: answer('shoes', { results: [], unresponsive_engines: [['google', 'unexpected crash']] }) },
  asked: ({ query }) => ({
    keyword: query.get('q') ?? '',
    language: query.get('language') ?? '',
    page: Number(query.get('pageno')),
    key: '',
  }),
  abroad: { language: 'pt-BR' },
  probe: {
    path: '/config',
    reply: { body: { version: '2026.6.28', engines: [{ name: 'google', enabled: true }] } },
    creditsLeft: null,
  },
  samples: [
    {
      name: 'searxng-openclaw',
      keyword: 'openclaw latest features',
      body: sample('searxng-openclaw.json'),
      organic: 1,
      first: 'https://openclaw.ai/',
      last: 'https://openclaw.ai/',
      features: ['related_searches'],
    },
  ],
};
