// Bing, fetched by oneself: its engine and a fetcher.
import { bingEngine } from '../engines/bing/index.ts';
import {
  createSearchSource,
  exampleOf,
  type FetchOptions,
  fetchOptions,
  ownFetching,
  walkedPages,
} from './fetchers/options.ts';
import type { Source, SourceDependencies, SourceFacts } from './source.ts';

export const facts: SourceFacts = {
  ...ownFetching,
  pagingRule: walkedPages,
  title: 'Bing (own fetching)',
  devices: ['desktop', 'mobile'],
  example: exampleOf('bing'),
};

export const options = fetchOptions;

export function create(given: FetchOptions, dependencies: SourceDependencies): Source {
  return createSearchSource(bingEngine, facts, given, dependencies);
}
