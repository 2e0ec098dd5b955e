// ValueSERP and Scale SERP, written from their documentation and a recorded answer.
import { panelWith, type SourceSubject, sample } from '../subject.ts';

function answer(keyword: string, more: Record<string, unknown>): Record<string, unknown> {
  return {
    request_info: { success: true, credits_used_this_request: 1, topup_credits_remaining: 73 },
    search_parameters: { q: keyword, engine: 'google' },
    search_metadata: { json_url: 'https://api.valueserp.com/search?api_key=REDACTED&q=x' },
    search_information: { original_query_yields_zero_results: false, query_displayed: keyword },
    ...more,
  };
}

function results(links: readonly string[]): unknown[] {
  return links.map((link, index) => ({ position: 41 + index, position_overall: 77 + index, title: 'Result', link }));
}

function subject(source: string): SourceSubject {
  return {
    source,
    hasKeys: true,
    options: (keys) => ({ apiKey: keys }),
    page: ({ keyword }, links) => answer(keyword, { organic_results: results(links) }),
    panel: panelWith('images'),
    empty: ({ keyword }) => ({
      body: answer(keyword, {
        search_information: { original_query_yields_zero_results: true, total_results: 0 },
        organic_results: [],
      }),
    }),
    silent: ({ keyword }) => answer(keyword, { related_searches: [{ query: 'another' }] }),
    corrected: ({ keyword }, searched, links) =>
      answer(keyword, {
        search_information: {
          original_query_yields_zero_results: false,
          query_displayed: keyword,
          showing_results_for: searched,
        },
        organic_results: results(links),
      }),
    throttled: {
      status: 429,
      headers: { 'retry-after': '7' },
      body: { request_info: { success: false, message: 'Too many requests at once.' } },
    },
    outOfCredits: {
      status: 402,
      body: { request_info: { success: false, message: 'You have run out of credits for this billing period.' } },
    },
    badKey: { status: 401, body: { request_info: { success: false, message: 'The api_key provided is not valid.' } } },
    serverError: { status: 500, body: { request_info: { success: false, message: 'An internal error occurred.' } } },
    errorInside: { body: { request_info: { success: false, message: 'The request could not be completed.' } } },
    asked: ({ query }) => ({
      keyword: query.get('q') ?? '',
      country: query.get('gl') ?? '',
      language: query.get('hl') ?? '',
      device: query.get('device') as 'desktop',
      page: Number(query.get('page')),
      key: query.get('api_key') ?? '',
    }),
    abroad: { country: 'gb', language: 'pt-br' },
    probe: {
      path: '/account',
      reply: { body: { request_info: { success: true }, account_info: { plan: 'PAYG', topup_credits_remaining: 73 } } },
      creditsLeft: 73,
      plan: 'PAYG',
    },
    samples: [
      {
        name: 'valueserp-habit-tracker',
        keyword: 'Habit Tracker Notion Template',
        body: sample('valueserp-habit-tracker.json'),
        organic: 15,
        first: 'https://www.notion.com/templates/category/habit-tracking',
        last: 'https://geekflare.com/guide/notion-habit-tracker-templates/',
        features: ['related_searches', 'images', 'video'],
      },
    ],
  };
}

export const valueSerp = subject('valueserp');
export const scaleSerp = subject('scaleserp');
