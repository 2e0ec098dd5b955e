// Serper, written from its playground and reports of its users.
import { panelLinks, type SourceSubject, sample } from '../subject.ts';

export const serper: SourceSubject = {
  source: 'serper',
  hasKeys: true,
  provesEmpty: false,
  options: (keys) => ({ apiKey: keys }),
  page: ({ keyword, page }, links) => ({
    searchParameters: { q: keyword, type: 'search', page, engine: 'google' },
    organic: links.map((link, index) => ({ title: `Result ${index}`, link, snippet: 'Words', position: 41 + index })),
    credits: 1,
  }),
  panel: (page) => ({
    ...page,
    knowledgeGraph: {
      title: 'Acme',
      website: panelLinks.website,
      imageUrl: panelLinks.picture,
      descriptionSource: 'Wiki',
      descriptionLink: panelLinks.source,
    },
  }),
  empty: ({ keyword }) => ({ body: { searchParameters: { q: keyword, type: 'search' }, organic: [], credits: 1 } }),
  silent: ({ keyword }) => ({ searchParameters: { q: keyword }, peopleAlsoAsk: [{ question: 'Why?' }], credits: 1 }),
  corrected: ({ keyword }, searched, links) => ({
    searchParameters: { q: keyword, type: 'search' },
    searchInformation: { showingResultsFor: searched },
    organic: links.map((link) => ({ title: 'Other', link })),
    credits: 1,
  }),
  throttled: { status: 429, headers: { 'retry-after': '7' }, body: { message: 'Too many requests', statusCode: 429 } },
  outOfCredits: { status: 400, body: { message: 'Not enough credits', statusCode: 400 } },
  badKey: { status: 403, body: { message: 'Unauthorized.', statusCode: 403 } },
  serverError: { status: 500, body: { message: 'Internal server error', statusCode: 500 } },
  errorInside: { body: { message: 'Something went wrong', statusCode: 500 } },
  asked: ({ json, headers }) => {
    const body = json as { q: string; gl: string; hl: string; page: number };
    return { keyword: body.q, country: body.gl, language: body.hl, page: body.page, key: String(headers['x-api-key']) };
  },
  abroad: { country: 'gb', language: 'pt-br' },
  probe: { path: '/account', reply: { body: { balance: 1200, rateLimit: 50 } }, creditsLeft: 1200 },
  samples: [
    {
      name: 'serper-langgraph',
      keyword: 'langgraph',
      body: sample('serper-langgraph.json'),
      organic: 8,
      first: 'https://www.langchain.com/langgraph',
      last: 'https://academy.langchain.com/courses/ambient-agents',
      features: ['people_also_ask', 'related_searches'],
    },
  ],
};
