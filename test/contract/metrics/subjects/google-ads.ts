// The Google Ads API, written from its reference: token and account currency come before the metrics.
import { keywordKey } from '../../../../src/service/index.ts';
import type { Known, MetricsSubject } from '../subject.ts';

function metrics({ volume, cpc, competition }: Known) {
  return {
    ...(volume !== null && { avgMonthlySearches: String(volume) }),
    ...(cpc !== null && { averageCpcMicros: String(Math.round(cpc * 1_000_000)) }),
    ...(competition !== null && { competitionIndex: String(competition) }),
    competition: competition === null ? 'UNSPECIFIED' : 'MEDIUM',
    monthlySearchVolumes: [{ year: '2026', month: 'SEPTEMBER', monthlySearches: '900' }],
  };
}

function failure(code: number, status: string, errorCode: Record<string, string>, more: object = {}) {
  const type = 'type.googleapis.com/google.ads.googleads.v26.errors.GoogleAdsFailure';
  const errors = [{ errorCode, message: 'It went wrong.', ...more }];
  return {
    error: { code, message: 'Slow down briefly.', status, details: [{ '@type': type, errors, requestId: 'r1' }] },
  };
}

const accessToken = 'ya29.access-token-of-an-hour';

export const googleAds: MetricsSubject = {
  source: 'google-ads',
  options: ([key = ''], url) => ({
    developerToken: key,
    clientId: 'client.apps.example',
    clientSecret: 'secret-of-the-client',
    refreshToken: '1//refresh-token',
    customerId: '123-456-7890',
    loginCustomerId: '999-888-7777',
    baseUrl: url,
    authUrl: url,
  }),
  hasSeveralKeys: false,
  secrets: ['secret-of-the-client', '1//refresh-token', accessToken],
  setUp: ({ path }) => {
    if (path === '/token') return { body: { access_token: accessToken, expires_in: 3599, token_type: 'Bearer' } };
    const currency = { body: { results: [{ customer: { resourceName: 'customers/1', currencyCode: 'USD' } }] } };
    return path.endsWith('/googleAds:search') ? currency : undefined;
  },
  sells: (known) => (request) => {
    const isOwn = request.path.endsWith(':generateKeywordHistoricalMetrics');
    const { keywords = [] } = request.json as { keywords?: string[] };
    const named = new Set(keywords.map(keywordKey));
    const results = isOwn
      ? known
          .filter(({ keyword }) => named.has(keywordKey(keyword)))
          .map((each) => ({ text: each.keyword, keywordMetrics: metrics(each) }))
      : known.map((each) => ({ text: each.keyword, keywordIdeaMetrics: metrics(each), closeVariants: [] }));
    return { body: { results, totalSize: String(results.length) } };
  },
  callsWithRelated: 2,
  nothing: ({ path }) => ({ body: path.endsWith('Metrics') ? { results: [{ text: 'zzyzx' }] } : {} }),
  throttled: {
    status: 429,
    body: failure(
      429,
      'RESOURCE_EXHAUSTED',
      { quotaError: 'RESOURCE_EXHAUSTED' },
      {
        details: { quotaErrorDetails: { rateScope: 'DEVELOPER', rateName: 'planner', retryDelay: '7s' } },
      },
    ),
  },
  badKey: { status: 401, body: failure(401, 'UNAUTHENTICATED', { authenticationError: 'DEVELOPER_TOKEN_INVALID' }) },
  serverError: { status: 500, body: failure(500, 'INTERNAL', { internalError: 'INTERNAL_ERROR' }) },
  asked: ({ json, headers }) => {
    const body = json as { keywords: string[]; geoTargetConstants: string[]; language: string };
    return {
      keyword: body.keywords.join('|'),
      country: body.geoTargetConstants.join('|'),
      language: body.language,
      key: String(headers['developer-token']),
    };
  },
  abroad: { country: 'geoTargetConstants/2826', language: 'languageConstants/1014' },
  lacks: { language: 'tlh' },
  probe: {
    path: '/v26/customers/1234567890/googleAds:search',
    reply: { body: { results: [{ customer: { currencyCode: 'USD' } }] } },
    creditsLeft: null,
  },
};
