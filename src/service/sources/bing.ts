// Bing with our own fetcher.
import { bingEngine } from '../engines/bing/index.ts';
import type { Source, SourceDependencies, SourceFacts } from '../model/source.ts';
import {
  createSearchSource,
  exampleOf,
  type FetchOptions,
  fetchOptions,
  ownFetching,
  walkedPages,
} from './fetchers/options.ts';

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
