// DataForSEO planner metrics, written from its documentation.
import { keywordKey } from '../../../../src/service/index.ts';
import type { Known, MetricsSubject } from '../subject.ts';

function envelope(result: unknown, status = 20_000, message = 'Ok.', cost = 0.075) {
  const task = { id: '06241337-1535-0216-0000-x', status_code: status, status_message: message, cost, result };
  return { version: '0.1', status_code: 20_000, status_message: 'Ok.', cost, tasks_count: 1, tasks: [task] };
}

function row({ keyword, volume, cpc, competition }: Known) {
  return {
    keyword,
    spell: null,
    location_code: 2840,
    language_code: 'en',
    search_partners: false,
    competition: competition === null ? null : competition > 66 ? 'HIGH' : competition > 33 ? 'MEDIUM' : 'LOW',
    competition_index: competition,
    search_volume: volume,
    low_top_of_page_bid: null,
    high_top_of_page_bid: null,
    cpc,
    monthly_searches: [{ year: 2026, month: 9, search_volume: volume }],
  };
}

export const dataForSeo: MetricsSubject = {
  source: 'dataforseo',
  options: ([key = ''], url) => ({ login: 'me@acme.example', password: key, baseUrl: url }),
  hasSeveralKeys: false,
  secrets: [],
  // the planner omits the requested keyword from its ideas: the second task returns it
  sells: (known) => (request) => {
    const [task] = request.json as [{ keywords: string[] }];
    const named = new Set(task.keywords.map(keywordKey));
    const isOwn = request.path.endsWith('/search_volume/live');
    const rows = isOwn ? known.filter(({ keyword }) => named.has(keywordKey(keyword))) : known.slice(1);
    return { body: envelope(rows.map(row)) };
  },
  callsWithRelated: 2,
  nothing: () => ({ body: envelope(null, 40_102, 'No Search Results.') }),
  throttled: {
    headers: { 'retry-after': '7' },
    body: envelope(null, 40_202, 'Rate Limit per minute exceeded.', 0),
  },
  badKey: {
    status: 401,
    body: { status_code: 40_100, status_message: 'You are not authorized.', cost: 0, tasks: null },
  },
  outOfCredits: { body: envelope(null, 40_210, 'Insufficient Funds.', 0) },
  serverError: { status: 500, body: { status_code: 50_000, status_message: 'Internal Error.', tasks: null } },
  asked: ({ json, headers }) => {
    const [task] = json as [{ keywords: string[]; location_code: number; language_code: string }];
    const basic = Buffer.from(String(headers.authorization).replace('Basic ', ''), 'base64').toString();
    return {
      keyword: task.keywords.join('|'),
      country: String(task.location_code),
      language: task.language_code,
      key: basic.replace('me@acme.example:', ''),
    };
  },
  abroad: { country: '2826', language: 'pt' },
  lacks: { language: 'tlh' },
  probe: {
    path: '/v3/appendix/user_data',
    reply: { body: envelope([{ login: 'me', money: { total: 100, balance: 12.5 } }], 20_000, 'Ok.', 0) },
    creditsLeft: 12_500_000,
  },
};
