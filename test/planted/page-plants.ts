// The planted bugs of reading pages: what proves that a page is the engine's own, whole, and made for its request.
import type { Plant } from './plants.ts';

export const pages: readonly Plant[] = [
  {
    invariant: 'a page that was made at another time than it was requested is refused',
    file: 'src/service/engines/google/clock.ts',
    find: 'if (madeAt === undefined || Math.abs(madeAt - requestedAt) <= driftMaxMs) return;',
    replace: 'if (madeAt === undefined || madeAt - requestedAt <= driftMaxMs) return;',
    tests: ['test/service/engines/google/clock.test.ts'],
  },
  {
    invariant: 'own fetching compares the clock of each page with its request',
    file: 'src/service/sources/fetchers/search-source.ts',
    find: 'this.#engine.parse(html, { keyword, mobile, requestedAt: observedAt });',
    replace: 'this.#engine.parse(html, { keyword, mobile });',
    tests: ['test/service/sources/fetchers/search-source.test.ts'],
  },
  {
    invariant: 'a page that is read again is held against the moment when it came',
    file: 'jobs/check-work.ts',
    find: 'this.#service.readPage(unread.body, this.#buyer.request(page), unread.receivedAt);',
    replace: 'this.#service.readPage(unread.body, this.#buyer.request(page));',
    tests: ['test/jobs/check-search.test.ts'],
  },
  {
    invariant: 'a page whose results have nothing to do with the query is in doubt',
    file: 'src/service/purchase.ts',
    find: 'return withDoubts(read, request.keyword);',
    replace: 'return read;',
    tests: ['test/service/doubts.test.ts'],
  },
  {
    invariant: 'a page in doubt proves no absence',
    file: 'jobs/check-work.ts',
    find: 'const doubt = doubtFailure(answer);',
    replace: 'const doubt = doubtFailure({ ...answer, doubts: [] });',
    tests: ['test/service/doubts.test.ts'],
  },
  {
    invariant: 'a customer is sold no page in doubt',
    file: 'src/service/purchase.ts',
    find: 'if (doubt !== undefined) throw doubt;',
    replace: '',
    tests: ['test/service/doubts.test.ts'],
  },
  {
    invariant: 'words that any text has clear no page',
    file: 'src/service/query-words.ts',
    find: 'const own = words.filter((word) => !common.has(word));',
    replace: 'const own = words;',
    tests: ['test/service/relevance.test.ts'],
  },
  {
    invariant: 'without known class names an item of another kind is no result',
    file: 'src/service/engines/page/unnamed-items.ts',
    find: 'if (hasNames && results.length > 0 && shared.length === 0)',
    replace: 'if (hasNames && results.length < 0)',
    tests: ['test/service/engines/unnamed.test.ts'],
  },
  {
    invariant: 'without known class names a result that cannot be read refuses the page',
    file: 'src/service/engines/page/unnamed-items.ts',
    find: 'unread += others.filter(',
    replace: 'others.filter(',
    tests: ['test/service/engines/unnamed.test.ts'],
  },
  {
    invariant: 'without known class names a result shows the address that it leads to',
    file: 'src/service/engines/page/unnamed-items.ts',
    find: '.includes(host)',
    replace: ".includes('')",
    tests: ['test/service/engines/unnamed.test.ts'],
  },
  {
    invariant: 'an invisible mark makes no other query',
    file: 'src/service/engines/page/query.ts',
    find: 'return visibleText(query.slice(0, queryMax))',
    replace: 'return query.slice(0, queryMax)',
    tests: ['test/service/invisible-marks.test.ts'],
  },
];
