// Bing with our own fetcher.
import { bingEngine } from '../engines/bing/index.ts';
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
  title: 'Bing (own fetching)',
  devices: ['desktop', 'mobile'],
  example: fetcherExample('bing'),
};

export const options = fetchOptions;

export function create(given: FetchOptions, dependencies: SourceDependencies): Source {
  return createSearchSource(bingEngine, facts, given, dependencies);
}
