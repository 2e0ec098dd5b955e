// Planted bugs of columns of ranks: what they say of changes, and what is kept of them when history goes on.
import type { Plant } from './plants.ts';

export const columns: readonly Plant[] = [
  {
    invariant: 'a row without a check in the window of its comparison is not comparable',
    file: 'jobs/workspace/columns/baselines.ts',
    find: "this.#setAll(seen, 'not_comparable');",
    replace: "this.#setAll(seen, 'first_check');",
    tests: ['test/app/workspace/columns.test.ts'],
  },
  {
    invariant: 'competitors are compared with the best own target',
    file: 'jobs/workspace/competitor-series.ts',
    find: 'best[at] = Math.min(',
    replace: 'best[at] = Math.max(',
    tests: ['test/jobs/workspace/competitor-series.test.ts'],
  },
  {
    invariant: 'sums of most searches leave out the others',
    file: 'jobs/workspace/columns/rank-sums.ts',
    find: '{ sign: -1, searches',
    replace: '{ sign: 1, searches',
    tests: ['test/jobs/workspace/competitor-series.test.ts'],
  },
  {
    invariant: 'kept sums are used for rows with the same volumes only',
    file: 'jobs/workspace/columns/rank-sums.ts',
    find: 'place >= 0 && volumes[at] === this.#volumes[place]',
    replace: 'place >= 0',
    tests: ['test/jobs/workspace/competitor-series.test.ts'],
  },
  {
    invariant: 'tables that are kept are read again after a run',
    file: 'jobs/workspace/history-reader.ts',
    find: 'if (version !== this.#storeVersion) {',
    replace: "if (this.#storeVersion === '') {",
    tests: ['test/app/workspace/kept-columns.test.ts'],
  },
  {
    invariant: 'history is read ahead again when a run lands in between',
    file: 'src/workspace/server/keep-warm.ts',
    find: 'if (current !== version) {',
    replace: 'if (current !== version && steps === null) {',
    tests: ['test/workspace/server/keep-warm.test.ts'],
  },
  {
    invariant: 'the best rank of a row is the least of all runs up to its date',
    file: 'jobs/workspace/columns/rank-past.ts',
    find: 'if (code > columnCodes.notFollowed && code < best) best = code;',
    replace: 'if (code > columnCodes.notFollowed) best = code;',
    tests: ['test/app/workspace/columns.test.ts'],
  },
  {
    invariant: 'a date of the page takes from a run only the checks that were seen on it',
    file: 'jobs/report/html/rank-dates.ts',
    find: 'if (isSpanning && (checkedAt < from || checkedAt > until)) continue;',
    replace: 'if (isSpanning && checkedAt < from) continue;',
    tests: ['test/jobs/report/rank-dates.test.ts'],
  },
  {
    invariant: 'of several checks on a date of the page the last complete one counts',
    file: 'jobs/report/html/rank-dates.ts',
    find: 'if (seenAt < otherAt ||',
    replace: 'if (seenAt > otherAt ||',
    tests: ['test/jobs/report/rank-dates.test.ts'],
  },
  {
    invariant: 'dates of the page whose runs have no columns are read from rankings',
    file: 'jobs/report/html/rank-dates.ts',
    find: 'rowsByTarget !== null && ofMoment',
    replace: 'ofMoment',
    tests: ['test/jobs/report/rank-dates.test.ts'],
  },
  {
    invariant: 'ranks out of columns decide a noise band only if they were seen before the baseline',
    file: 'db/history/columns/earlier-ranks.ts',
    find: 'if ((checkedAt[number] ?? 0) >= before) continue;',
    replace: '',
    tests: ['test/db/history/sightings.test.ts'],
  },
  {
    invariant: 'ranks are read from history where columns lack a run',
    file: 'db/history/columns/run-columns.ts',
    find: 'const isWhole = stale === undefined && shared === -1;',
    replace: 'const isWhole = true;',
    tests: ['test/db/history/sightings.test.ts'],
  },
];
