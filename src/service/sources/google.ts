// Google, fetched by oneself: its engine and a fetcher.
import { googleEngine } from '../engines/google/index.ts';
import { createSearchSource, exampleOf, type FetchOptions, fetchOptions, ownFetching } from './fetchers/options.ts';
import type { Source, SourceDependencies, SourceFacts } from './source.ts';

export const facts: SourceFacts = {
  ...ownFetching,
  title: 'Google (own fetching)',
  devices: ['desktop', 'mobile'],
  example: exampleOf('google'),
};

export const options = fetchOptions;

export function create(given: FetchOptions, dependencies: SourceDependencies): Source {
  return createSearchSource(googleEngine, facts, given, dependencies);
}
