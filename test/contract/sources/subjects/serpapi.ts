// SerpApi, written from its documentation.
import { linkedResults, pageOfStart, panelWith, type SourceSubject, sample } from '../subject.ts';

function answer(keyword: string, more: Record<string, unknown>): Record<string, unknown> {
  return {
    search_metadata: { id: '1', status: 'Success' },
    search_parameters: { engine: 'google', q: keyword },
    search_information: { query_displayed: keyword, organic_results_state: 'Results for exact spelling' },
    ...more,
  };
}

export const serpApi: SourceSubject = {
  source: 'serpapi',
  hasKeys: true,
  options: (keys) => ({ apiKey: keys }),
  page: ({ keyword }, links) => answer(keyword, { organic_results: linkedResults(links) }),
  panel: panelWith('header_images'),
  empty: ({ keyword }) => ({
    body: answer(keyword, {
      search_information: { query_displayed: keyword, organic_results_state: 'Fully empty' },
      error: "Google hasn't returned any results for this query.",
    }),
  }),
  silent: ({ keyword }) => answer(keyword, { related_questions: [{ question: 'Why?' }] }),
  corrected: ({ keyword }, searched, links) =>
    answer(keyword, {
      search_information: {
        query_displayed: keyword,
        showing_results_for: searched,
        organic_results_state: 'Showing results for exact spelling despite spelling suggestion',
      },
      organic_results: linkedResults(links),
    }),
  throttled: {
    status: 429,
    headers: { 'retry-after': '7' },
    body: { error: 'You are exceeding your hourly throughput limit.' },
  },
  outOfCredits: { status: 429, body: { error: 'Your account has run out of searches.' } },
  badKey: {
    status: 401,
    body: { error: 'Invalid API key. Your API key should be here: https://serpapi.com/manage-api-key' },
  },
  serverError: { status: 503, body: { error: 'Something went wrong on our end.' } },
  errorInside: {
    body: {
      search_metadata: { status: 'Error' },
      error: "We couldn't get valid results for this search. Please try again later.",
    },
  },
  asked: ({ query }) => ({
    keyword: query.get('q') ?? '',
    country: query.get('gl') ?? '',
    language: query.get('hl') ?? '',
    device: query.get('device') as 'desktop',
    page: pageOfStart(query.get('start')),
    key: query.get('api_key') ?? '',
  }),
  abroad: { country: 'gb', language: 'pt-br' },
  probe: {
    path: '/account.json',
    reply: { body: { plan_name: 'Big Data Plan', total_searches_left: 5958, plan_searches_left: 5000 } },
    creditsLeft: 5958,
    plan: 'Big Data Plan',
  },
  samples: [
    {
      name: 'serpapi-paris',
      keyword: 'What is the capital of France?',
      body: sample('serpapi-paris.json'),
      organic: 3,
      first: 'https://en.wikipedia.org/wiki/Paris',
      last: 'https://en.wikipedia.org/wiki/List_of_capitals_of_France',
      features: ['knowledge_graph', 'related_searches', 'answer_box'],
    },
    {
      name: 'serpapi-coffee',
      keyword: 'Coffee',
      body: sample('serpapi-coffee.json'),
      organic: 8,
      first: 'https://en.wikipedia.org/wiki/Coffee',
      last: 'https://www.stumptowncoffee.com/',
      features: ['knowledge_graph', 'people_also_ask', 'recipes', 'related_searches', 'video'],
    },
  ],
};

/** Another engine of the vendor: the same form, with the engine's own parameters. */
function otherEngine(engine: string, text: string, other: Pick<SourceSubject, 'asked' | 'abroad'>): SourceSubject {
  const renamed = (page: Record<string, unknown>, keyword: string): Record<string, unknown> => ({
    ...page,
    search_parameters: { engine, [text]: keyword },
  });
  const { probe, ...common } = serpApi;
  return {
    ...common,
    ...(probe !== undefined && { probe }),
    source: `serpapi-${engine}`,
    page: (asked, links) => renamed(serpApi.page(asked, links), asked.keyword),
    empty: (asked) => ({ body: renamed(serpApi.empty(asked).body as Record<string, unknown>, asked.keyword) }),
    silent: (asked) => renamed(serpApi.silent(asked), asked.keyword),
    corrected: (asked, searched, links) => renamed(serpApi.corrected?.(asked, searched, links) ?? {}, asked.keyword),
    ...other,
    samples: [],
  };
}

const offset = (value: string | null): number => (value === null ? 1 : (Number(value) - 1) / 10 + 1);

export const serpApiBing = otherEngine('bing', 'q', {
  asked: ({ query }) => ({
    keyword: query.get('q') ?? '',
    country: query.get('mkt') ?? '',
    device: query.get('device') as 'desktop',
    page: offset(query.get('first')),
    key: query.get('api_key') ?? '',
  }),
  abroad: { country: 'pt-GB' },
});

export const serpApiYahoo = otherEngine('yahoo', 'p', {
  asked: ({ query }) => ({
    keyword: query.get('p') ?? '',
    country: query.get('vc') ?? '',
    language: query.get('vl') ?? '',
    device: query.get('device') as 'desktop',
    page: offset(query.get('b')),
    key: query.get('api_key') ?? '',
  }),
  abroad: { country: 'gb', language: 'lang_pt' },
});

export const serpApiYandex = otherEngine('yandex', 'text', {
  asked: ({ query }) => ({
    keyword: query.get('text') ?? '',
    language: query.get('lang') ?? '',
    page: Number(query.get('p')) + 1,
    key: query.get('api_key') ?? '',
  }),
  abroad: { language: 'pt' },
});
