// Google with our own fetcher.
import { googleEngine } from '../engines/google/index.ts';
import type { Source } from '../model/configured-source.ts';
import type { SourceDependencies, SourceFacts } from '../model/source.ts';
import {
  createSearchSource,
  type FetchOptions,
  fetcherExample,
  fetchOptions,
  ownFetching,
} from './fetchers/options.ts';

export const facts: SourceFacts = {
  ...ownFetching,
  title: 'Google (own fetching)',
  devices: ['desktop', 'mobile'],
  locations: ['place', 'coordinate'],
  hasLocalResults: true,
  example: fetcherExample('google'),
};

export const options = fetchOptions;

export function create(given: FetchOptions, dependencies: SourceDependencies): Source {
  return createSearchSource(googleEngine, facts, given, dependencies);
}
