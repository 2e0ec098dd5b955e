// A live service in this process that answers at once and reports each sale. Equal requests get equal answers.
import type { SearchDataService } from '../../src/service/index.ts';

const resultsPerPage = 10;

/** `onSold` gets the key of the purchase once the page is sold, before it is delivered. */
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

/** The tracked site ranks at 12. */
function linkAt(keyword: string, rank: number): string {
  return rank === 12 ? 'https://acme.example/' : `https://site${rank}.example/${encodeURIComponent(keyword)}`;
}
