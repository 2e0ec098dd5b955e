// DuckDuckGo with our own fetcher.
import { duckDuckGoEngine } from '../engines/duckduckgo/index.ts';
import type { Source } from '../model/configured-source.ts';
import type { SourceDependencies, SourceFacts } from '../model/source.ts';
import {
  createSearchSource,
  type FetchOptions,
  fetcherExample,
  fetchOptions,
  ownFetching,
  walkedPages,
} from './fetchers/options.ts';

export const facts: SourceFacts = {
  ...ownFetching,
  pagingRule: walkedPages,
  title: 'DuckDuckGo (own fetching)',
  // phones are shown the same page
  devices: ['desktop'],
  example: fetcherExample('duckduckgo'),
};

export const options = fetchOptions;

export function create(given: FetchOptions, dependencies: SourceDependencies): Source {
  return createSearchSource(duckDuckGoEngine, facts, given, dependencies);
}
