// Oxylabs, written from its documentation and a recorded answer.
import { panelLinks, type SourceSubject, sample } from '../subject.ts';

/** Positions of the vendor that give no order, because one element has none. */
function results(links: readonly string[]): unknown[] {
  return links.map((url, index) => ({ pos: 41 + index, title: `Result ${index}`, url, desc: 'Words' }));
}

interface Answer {
  readonly keyword: string;
  readonly page?: number;
  readonly searched?: string;
  readonly count?: number;
}

function answer({ keyword, page = 1, searched = keyword, count = 186_000_000 }: Answer, more: Record<string, unknown>) {
  const search = { query: keyword, showing_results_for: searched, total_results_count: count };
  const content = { page, parse_status_code: 12_000, results: { paid: [], search_information: search, ...more } };
  return { results: [{ content, page, job_id: '7241782277489835009', status_code: 200 }] };
}

export const oxylabs: SourceSubject = {
  source: 'oxylabs',
  hasKeys: true,
  options: (keys) => ({ users: keys.map((username) => ({ username, password: `secret of ${username.slice(0, 5)}` })) }),
  page: (asked, links) => answer(asked, { organic: results(links) }),
  panel: () =>
    answer(
      { keyword: 'shoes' },
      {
        organic: results(['https://a.example/']),
        knowledge: {
          title: 'Acme',
          images: [{ url: panelLinks.picture }],
          profiles: [{ title: 'Social', url: panelLinks.profile }],
          factoids: [{ title: 'Website', content: 'Acme', links: [{ title: 'Acme', href: panelLinks.website }] }],
          description: 'A maker of shoes.',
        },
      },
    ),
  empty: ({ keyword }) => ({ body: answer({ keyword, count: 0 }, { organic: [] }) }),
  silent: ({ keyword }) => answer({ keyword }, { organic: [], related_searches: { related_searches: ['another'] } }),
  corrected: ({ keyword }, searched, links) => answer({ keyword, searched }, { organic: results(links) }),
  throttled: { status: 429, headers: { 'retry-after': '7' }, body: { message: 'Too many requests' } },
  outOfCredits: { status: 403, body: { message: 'Your trial has ended.' } },
  badKey: { status: 401, body: { message: 'Client not found' } },
  serverError: { status: 500, body: { message: 'Internal Server Error' } },
  errorInside: { body: { results: [{ content: '', status_code: 613, job_id: '1' }] } },
  asked: ({ json, headers }) => {
    const body = json as {
      query: string;
      geo_location: string;
      locale: string;
      user_agent_type: string;
      start_page: number;
    };
    const user = Buffer.from((headers.authorization ?? '').replace(/^Basic /, ''), 'base64').toString();
    return {
      keyword: body.query,
      country: body.geo_location,
      language: body.locale,
      device: body.user_agent_type as 'desktop',
      page: body.start_page,
      key: user.split(':')[0] ?? '',
    };
  },
  abroad: { country: 'GB', language: 'pt-br' },
  samples: [
    {
      name: 'oxylabs-gaming-chair',
      keyword: 'gaming chair',
      body: sample('oxylabs-gaming-chair.json'),
      organic: 1,
      first: 'https://www.pcgamer.com/best-gaming-chairs/',
      last: 'https://www.pcgamer.com/best-gaming-chairs/',
      features: ['people_also_ask', 'popular_products', 'related_searches', 'shopping'],
    },
  ],
};
