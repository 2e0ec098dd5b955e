// SearchApi, written from its documentation and reports of its users.
import { linkedResults, panelWith, type SourceSubject, sample } from '../subject.ts';

function answer(keyword: string, more: Record<string, unknown>): Record<string, unknown> {
  return {
    search_metadata: { id: 'search_1', status: 'Success' },
    search_parameters: { engine: 'google', q: keyword },
    search_information: { query_displayed: keyword },
    ...more,
  };
}

export const searchApi: SourceSubject = {
  source: 'searchapi',
  hasKeys: true,
  options: (keys) => ({ apiKey: keys }),
  page: ({ keyword }, links) => answer(keyword, { organic_results: linkedResults(links) }),
  panel: panelWith('images'),
  empty: ({ keyword }) => ({ body: answer(keyword, { error: "Google didn't return any results." }) }),
  silent: ({ keyword }) => answer(keyword, { related_searches: [{ query: 'another' }] }),
  corrected: ({ keyword }, searched, links) =>
    answer(keyword, {
      search_information: { query_displayed: keyword, showing_results_for: searched },
      organic_results: linkedResults(links),
    }),
  throttled: { status: 429, headers: { 'retry-after': '7' }, body: { error: 'Too many requests per hour.' } },
  outOfCredits: { status: 429, body: { error: 'You have used all of the searches for the month.' } },
  badKey: { status: 401, body: { error: 'Invalid API key.' } },
  serverError: { status: 503, body: { error: 'The search failed.' } },
  errorInside: { body: { search_metadata: { status: 'Error' }, error: 'The search could not be completed.' } },
  asked: ({ query, headers }) => ({
    keyword: query.get('q') ?? '',
    country: query.get('gl') ?? '',
    language: query.get('hl') ?? '',
    device: query.get('device') as 'desktop',
    page: Number(query.get('page')),
    key: String(headers.authorization).replace('Bearer ', ''),
  }),
  abroad: { country: 'gb', language: 'pt-br' },
  probe: {
    path: '/me',
    reply: { body: { account: { current_month_usage: 10, monthly_allowance: 100, remaining_credits: 90 } } },
    creditsLeft: 90,
  },
  samples: [
    {
      name: 'searchapi-chatgpt',
      keyword: 'chatgpt',
      body: sample('searchapi-chatgpt.json'),
      organic: 1,
      first: 'https://openai.com/index/chatgpt/',
      last: 'https://openai.com/index/chatgpt/',
      features: ['discussions_and_forums', 'knowledge_graph', 'related_searches', 'video'],
    },
  ],
};
