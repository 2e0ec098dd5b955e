// Semrush, written from the documentation of its keyword reports and from reports of its users.
import { keywordKey } from '../../../../src/service/index.ts';
import type { Known, MetricsSubject } from '../subject.ts';

/** Lines of a report with escaped cells and their headers. */
function table(known: readonly Known[]): string {
  const cell = (value: number | string | null) => `"${value ?? ''}"`;
  const line = ({ keyword, volume, cpc, competition }: Known) =>
    [keyword, volume, cpc, competition === null ? null : competition / 100, '1,3'].map(cell).join(';');
  return ['Keyword;Search Volume;CPC;Competition;Intent', ...known.map(line)].join('\r\n');
}

export const semrush: MetricsSubject = {
  source: 'semrush',
  options: (keys, url) => ({ apiKey: keys, baseUrl: url }),
  hasSeveralKeys: true,
  secrets: [],
  sells: (known) => (request) => {
    const { query } = request;
    const named = new Set((query.get('phrase') ?? '').split(';').map(keywordKey));
    const rows =
      query.get('type') === 'phrase_related'
        ? known.slice(1, 1 + Number(query.get('display_limit')))
        : known.filter(({ keyword }) => named.has(keywordKey(keyword)));
    return { body: rows.length === 0 ? 'ERROR 50 :: NOTHING FOUND' : table(rows) };
  },
  callsWithRelated: 2,
  nothing: () => ({ body: 'ERROR 50 :: NOTHING FOUND\n' }),
  throttled: { status: 429, headers: { 'retry-after': '7' }, body: 'ERROR 429 :: TOO MANY REQUESTS' },
  badKey: { body: 'ERROR 120 :: WRONG KEY - ID PAIR' },
  outOfCredits: { status: 403, body: 'ERROR 132 :: API UNITS BALANCE IS ZERO' },
  serverError: {
    status: 502,
    headers: { 'content-type': 'text/html' },
    body: '<html><title>Bad gateway</title></html>',
  },
  asked: ({ query }) => ({
    keyword: query.get('phrase') ?? '',
    country: query.get('database') ?? '',
    key: query.get('key') ?? '',
  }),
  abroad: { country: 'uk' },
  probe: { path: '/users/countapiunits.html', reply: { body: '1,000\n' }, creditsLeft: 1000 },
};
