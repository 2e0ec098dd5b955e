// Keywords Everywhere, written from its documentation.
import { keywordKey } from '../../../../src/service/index.ts';
import type { Known, MetricsSubject } from '../subject.ts';

function row({ keyword, volume, cpc, competition }: Known) {
  return {
    keyword,
    vol: volume,
    cpc: { currency: '$', value: cpc === null ? null : String(cpc) },
    competition: competition === null ? null : competition / 100,
    trend: [{ month: 'May', year: 2026, value: volume }],
  };
}

const bearer = (key: unknown): string => String(key).replace('Bearer ', '');

export const keywordsEverywhere: MetricsSubject = {
  source: 'keywords-everywhere',
  options: (keys, url) => ({ apiKey: keys, baseUrl: url, related: true }),
  hasSeveralKeys: true,
  secrets: [],
  sells: (known) => (request) => {
    const form = new URLSearchParams(request.text);
    if (request.path === '/get_related_keywords') {
      const names = known.slice(1, 1 + Number(form.get('num'))).map(({ keyword }) => keyword);
      return { body: { data: names, credits_consumed: 2 * names.length, time_taken: 0.01 } };
    }
    const wanted = new Set(form.getAll('kw[]').map(keywordKey));
    const rows = known.filter(({ keyword }) => wanted.has(keywordKey(keyword))).map(row);
    return { body: { data: rows, credits: 95_597_755, time: 0.02 } };
  },
  callsWithRelated: 2,
  nothing: () => ({ body: { data: [], credits: 95_597_755, time: 0.02 } }),
  throttled: { status: 429, headers: { 'retry-after': '7' }, body: { message: 'Too Many Attempts.' } },
  badKey: { status: 401, body: { message: '401 Missing Or Invalid API Key' } },
  outOfCredits: {
    status: 402,
    body: { message: '402 Insufficient Credits', description: 'You do not have sufficient credits.' },
  },
  serverError: { status: 500, body: { message: 'Server Error' } },
  errorInside: { body: { message: 'Something went wrong' } },
  asked: ({ text, headers }) => {
    const form = new URLSearchParams(text);
    return {
      keyword: form.getAll('kw[]').join('|'),
      country: form.get('country') ?? '',
      key: bearer(headers.authorization),
    };
  },
  abroad: { country: 'uk' },
  lacks: { country: 'DE' },
  probe: { path: '/account/credits', reply: { body: '[\n  95597755\n]' }, creditsLeft: 95_597_755 },
};
