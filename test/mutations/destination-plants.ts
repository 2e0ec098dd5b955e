// Planted bugs of hidden destinations: what is known of a result, and what it proves.
import type { Plant } from './plants.ts';

export const destinations: readonly Plant[] = [
  {
    invariant: 'a site alone is no rank and no absence of a page on it',
    file: 'src/tracker/targets/match.ts',
    find: 'for (const target of targets.possibleIndexes(result.url)) uncertain.add(target);',
    replace: '',
    tests: ['test/tracker/targets/hidden-site.test.ts', 'test/jobs/check/hidden-site.test.ts'],
  },
  {
    invariant: 'a result of which only the site is known is kept as a site',
    file: 'jobs/check/evidence.ts',
    find: "result.destination_state === 'host_only' ? siteAddress(result.link) : result.link",
    replace: 'result.link',
    tests: ['test/jobs/check/hidden-site.test.ts'],
  },
  {
    invariant: 'a site alone is not another page than one that is known',
    file: 'src/tracker/targets/target.ts',
    find: "if (classifyDestination(address) !== 'exact' || classifyDestination(other) !== 'exact') return null;",
    replace: '',
    tests: ['test/tracker/targets/hidden-site.test.ts', 'test/jobs/check/hidden-site.test.ts'],
  },
  {
    invariant: 'a search that proves nothing of a target is in no average of it',
    file: 'src/report/tables/competitor-sums.ts',
    find: 'serp.unproven.has(target) || serp.notFollowed',
    replace: 'serp.notFollowed',
    tests: ['test/jobs/check/hidden-site.test.ts'],
  },
  {
    invariant: 'a token that stands with two addresses has none',
    file: 'src/service/engines/google/results/redirects.ts',
    find: 'for (const token of ambiguous) found.delete(token);',
    replace: '',
    tests: ['test/service/engines/google/hidden-destinations.test.ts'],
  },
  {
    invariant: 'a vendor that shows a site alone does not give it as a page',
    file: 'src/service/sources/vendor-kit/pages/elements.ts',
    find: '? hiddenDestination(link, shown) :',
    replace: '? { ...hiddenDestination(link, shown), destination_state: undefined } :',
    tests: ['test/service/sources/vendor-kit/elements.test.ts'],
  },
  {
    invariant: 'redirects that are followed are limited in number',
    file: 'src/service/sources/fetchers/follow-redirects.ts',
    find: '.slice(0, redirectsMax)',
    replace: '',
    tests: ['test/service/sources/fetchers/follow-redirects.test.ts'],
  },
  {
    invariant: 'a block under a title is read once, however many results it holds',
    file: 'src/service/engines/google/features/feature-titles.ts',
    find: 'if (!known.has(block)) known.set(block, isFeature(block));\n    return known.get(block);',
    replace: 'return isFeature(block);',
    tests: ['test/service/engines/google/growth.test.ts'],
  },
];
