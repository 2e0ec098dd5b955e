// Bright Data and Thordata, written from their documentation and a recorded answer.
import { pageOfStart, panelLinks, type SourceSubject, sample } from '../subject.ts';
import type { SeenRequest } from '../vendor-server.ts';

/** Ranks of the vendor that give no order, because no element has its position among all. */
function results(links: readonly string[]): unknown[] {
  return links.map((link, index) => ({ rank: 41 + index, title: `Result ${index}`, link, description: 'Words' }));
}

function addressIn({ json }: SeenRequest): URL {
  return new URL((json as { url: string }).url);
}

function errorHeaders(code: string, message: string): Record<string, string> {
  return { 'x-brd-error-code': code, 'x-brd-error': message };
}

function answer(keyword: string, more: Record<string, unknown>): Record<string, unknown> {
  return {
    general: { search_engine: 'google', query: keyword, results_cnt: 3_280_000 },
    input: { original_url: 'https://www.google.com/search?q=x&brd_json=1' },
    ...more,
  };
}

function withPanel(page: Record<string, unknown>): Record<string, unknown> {
  return {
    ...page,
    knowledge: {
      name: 'Acme',
      site: panelLinks.website,
      description_source: 'Wiki',
      description_link: panelLinks.source,
      images: [{ link: panelLinks.picture }],
      widgets: [{ type: 'social_media', items: [{ name: 'Social', link: panelLinks.profile }] }],
    },
  };
}

const bearer = ({ headers }: SeenRequest): string => (headers.authorization ?? '').replace(/^Bearer /, '');

export const brightData: SourceSubject = {
  source: 'brightdata',
  hasKeys: true,
  options: (keys) => ({ apiKey: keys, zone: 'serp_api1' }),
  page: ({ keyword }, links) => answer(keyword, { organic: results(links) }),
  panel: withPanel,
  empty: ({ keyword }) => ({ body: answer(keyword, { general: { query: keyword, results_cnt: 0 } }) }),
  silent: ({ keyword }) => answer(keyword, { people_also_ask: [{ question: 'Why?', rank: 1, global_rank: 1 }] }),
  corrected: ({ keyword }, searched, links) =>
    answer(keyword, {
      general: { query: keyword, detected_query: searched },
      spelling: { original_text: keyword, auto_corrected_text: searched },
      organic: results(links),
    }),
  throttled: {
    status: 429,
    headers: {
      'retry-after': '7',
      ...errorHeaders(
        'sr_rate_limit',
        'The request was auto-throttled due to low success rate. Decrease it to 60/min.',
      ),
    },
  },
  outOfCredits: {
    status: 403,
    headers: { 'x-brd-err-code': 'client_10020', 'x-brd-err-msg': 'Account is suspended' },
    body: 'Account is suspended',
  },
  badKey: { status: 401, body: 'Invalid authentication' },
  serverError: { status: 502, headers: errorHeaders('expect_element', 'The page did not show what was expected') },
  errorInside: { headers: { 'x-brd-status-code': '502', ...errorHeaders('captcha', 'Captcha was not solved') } },
  asked: (request) => {
    const { searchParams } = addressIn(request);
    return {
      keyword: searchParams.get('q') ?? '',
      country: searchParams.get('gl') ?? '',
      language: searchParams.get('hl') ?? '',
      device: searchParams.get('brd_mobile') === '1' ? 'mobile' : 'desktop',
      page: pageOfStart(searchParams.get('start')),
      key: bearer(request),
    };
  },
  abroad: { country: 'gb', language: 'pt-BR' },
  probe: {
    path: '/customer/balance',
    reply: { body: { balance: 45.6, pending_balance: 12 } },
    creditsLeft: 45_600_000,
  },
  samples: [
    {
      name: 'brightdata-ollama',
      keyword: 'ollama',
      body: sample('brightdata-ollama.json'),
      organic: 4,
      first: 'https://ollama.com/',
      last: 'https://github.com/ollama',
      features: ['discussions_and_forums', 'images', 'people_also_ask', 'perspectives', 'related_searches', 'video'],
    },
  ],
};

function other(keyword: string, more: Record<string, unknown>): Record<string, unknown> {
  return {
    search_metadata: { id: 'EJW19BZWXBHE1756195761', status: 'Success' },
    spider_parameter: { engine: 'google', q: keyword },
    search_information: { query_displayed: keyword, total_results: 3_280_000 },
    ...more,
  };
}

export const thordata: SourceSubject = {
  source: 'thordata',
  hasKeys: true,
  options: (keys) => ({ apiKey: keys }),
  page: ({ keyword }, links) =>
    other(keyword, {
      organic: results(links).map((item, index) => ({ ...(item as object), global_rank: index + 900 })),
    }),
  panel: withPanel,
  empty: ({ keyword }) => ({
    body: other(keyword, { search_information: { query_displayed: keyword, total_results: 0 } }),
  }),
  silent: ({ keyword }) => other(keyword, { related: [{ text: 'another', link: '/search?q=another' }] }),
  corrected: ({ keyword }, searched, links) =>
    other(keyword, { search_information: { query_displayed: searched }, organic: results(links) }),
  throttled: { status: 429, headers: { 'retry-after': '7' }, body: { code: 429, msg: 'Too Many Requests' } },
  outOfCredits: { status: 402, body: { code: 402, msg: 'Insufficient balance' } },
  badKey: { status: 401, body: { code: 401, msg: 'Authentication failed; please check the token validity' } },
  serverError: { status: 500, body: { code: 500, msg: 'An error occurred on the server' } },
  errorInside: { body: { code: 300, msg: 'Not collected' } },
  asked: (request) => {
    const { searchParams } = addressIn(request);
    return {
      keyword: searchParams.get('q') ?? '',
      country: searchParams.get('gl') ?? '',
      language: searchParams.get('hl') ?? '',
      page: pageOfStart(searchParams.get('start')),
      key: bearer(request),
    };
  },
  abroad: { country: 'gb', language: 'pt-BR' },
  samples: [],
};
