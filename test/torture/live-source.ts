// A live service in this process that answers at once, and tells of each page it sells. Two that are asked the same give the same.
import type { SearchDataService } from '../../src/service/index.ts';

const resultsPerPage = 10;

/** `onSold` is told the key of the purchase once the page is sold, before it is delivered. */
export function liveSource(onSold: (requestKey: string) => void): SearchDataService {
  const unasked = (): never => {
    throw new Error('only pages are asked for');
  };
  return {
    source: 'memory',
    kind: 'live',
    async serp({ keyword, start_page: page = 1 }, { beforeSend, idempotencyKey = '' } = {}) {
      await beforeSend?.();
      onSold(idempotencyKey);
      const organic = Array.from({ length: resultsPerPage }, (_, index) => ({
        rank: index + 1,
        title: `Result ${index + 1} of page ${page}`,
        link: linkAt(keyword, (page - 1) * resultsPerPage + index + 1),
      }));
      const serp = { organic };
      const body = { contentType: 'application/json' as const, text: JSON.stringify(serp) };
      return {
        requestId: idempotencyKey,
        creditsCharged: 1,
        pages: [{ page, serp, features: [], body, observedAt: Date.now() }],
      };
    },
    keywordData: unasked,
    readPage: (body) => ({ serp: JSON.parse(body.text), features: [] }),
    async close() {},
  };
}

/** The tracked site stands at 12. */
function linkAt(keyword: string, place: number): string {
  return place === 12 ? 'https://acme.example/' : `https://site${place}.example/${encodeURIComponent(keyword)}`;
}
