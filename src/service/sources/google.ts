// Google with our own fetcher.
import { googleEngine } from '../engines/google/index.ts';
import type { Source, SourceDependencies, SourceFacts } from '../model/source.ts';
import { createSearchSource, exampleOf, type FetchOptions, fetchOptions, ownFetching } from './fetchers/options.ts';

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
