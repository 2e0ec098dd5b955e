// Services as reports see them: each has a source and a kind, and none can be called.
import type { ResolvedConfig } from '../../../config/resolve.ts';
import { type SearchDataService, sourceKindOf } from '../../service/index.ts';

/** Needs no secrets. */
export function servicesAtRest({ services, projects }: ResolvedConfig): ReadonlyMap<string, SearchDataService> {
  const refuse = (): never => {
    throw new Error('a service was called in an offline command');
  };
  // the config lacks a service if its environment variables are not set; it was a live one
  const names = new Set([...services.keys(), ...projects.map(({ service }) => service)]);
  return new Map(
    [...names].map((name) => {
      const service = services.get(name);
      const source = service?.mode === 'embedded' ? service.source : 'remote';
      const asking = { serp: async () => refuse(), keywordData: async () => refuse(), readPage: refuse };
      return [name, { source, kind: sourceKindOf(source) ?? 'live', ...asking, close: async () => {} }];
    }),
  );
}
