// Planted bugs of hidden destinations: what is known about a result, and what it proves.
import type { Plant } from './plants.ts';

export const destinations: readonly Plant[] = [
  {
    invariant: 'a result with only a site proves neither rank nor absence of a page',
    file: 'src/tracker/targets/match.ts',
    find: 'for (const target of targets.possibleIndexes(result.url)) uncertain.add(target);',
    replace: '',
    tests: ['test/tracker/targets/hidden-site.test.ts', 'test/jobs/check/hidden-site.test.ts'],
  },
  {
    invariant: 'a result whose page is hidden is stored as a site',
    file: 'jobs/check/evidence.ts',
    find: "result.destination_state === 'host_only' ? siteAddress(result.link) : result.link",
    replace: 'result.link',
    tests: ['test/jobs/check/hidden-site.test.ts'],
  },
  {
    invariant: 'a result with only a site does not change the ranking page',
    file: 'src/tracker/targets/target.ts',
    find: "if (classifyDestination(address) !== 'exact' || classifyDestination(other) !== 'exact') return null;",
    replace: '',
    tests: ['test/tracker/targets/hidden-site.test.ts', 'test/jobs/check/hidden-site.test.ts'],
  },
  {
    invariant: 'a search that proves nothing about a target is in no average of it',
    file: 'src/report/tables/competitor-sums.ts',
    find: 'serp.unproven.has(target) || serp.notFollowed',
    replace: 'serp.notFollowed',
    tests: ['test/jobs/check/hidden-site.test.ts'],
  },
  {
    invariant: 'a token that occurs with two URLs has none',
    file: 'src/service/engines/google/results/redirects.ts',
    find: 'for (const token of ambiguous) found.delete(token);',
    replace: '',
    tests: ['test/service/engines/google/hidden-destinations.test.ts'],
  },
  {
    invariant: 'a result with only a site is not returned as a page by its vendor',
    file: 'src/service/sources/vendor-kit/pages/elements.ts',
    find: '? hiddenDestination(link, shown) :',
    replace: '? { ...hiddenDestination(link, shown), destination_state: undefined } :',
    tests: ['test/service/sources/vendor-kit/elements.test.ts'],
  },
  {
    invariant: 'the number of followed redirects is limited',
    file: 'src/service/sources/fetchers/follow-redirects.ts',
    find: '.slice(0, redirectsMax)',
    replace: '',
    tests: ['test/service/sources/fetchers/follow-redirects.test.ts'],
  },
  {
    invariant: 'a titled block is read once, with any number of results',
    file: 'src/service/engines/google/features/feature-titles.ts',
    find: 'if (!known.has(block)) known.set(block, isFeature(block));\n    return known.get(block);',
    replace: 'return isFeature(block);',
    tests: ['test/service/engines/google/growth.test.ts'],
  },
];
