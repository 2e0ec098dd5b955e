// Finds the query that a JSON page answers, from its tabs: images, news and others link to a search for the same words.
import { isSameQuery, normalise } from '../engines/page/query.ts';
import type { SerpPage } from '../model/results/serp.ts';

/**
 * The query of the first tab, if tabs name queries and none of them is the requested one. On each of the 76 corpus
 * pages with tabs (Google, Bing), at least one tab searches for exactly the requested query; another may have a
 * corrected spelling. A tab whose query contains ours may be a refinement.
 */
export function otherQueryInTabs({ navigation = [] }: SerpPage, asked: string): string | undefined {
  const named = navigation.flatMap(({ href }) => queryIn(href) ?? []);
  const isOurs = (query: string): boolean => isSameQuery(query, asked) || normalise(query).includes(normalise(asked));
  return named.some(isOurs) ? undefined : named[0];
}

/** The query that a URL searches for. URLs of a search engine's own pages may lack a host. */
function queryIn(href: string | undefined): string | null {
  if (href === undefined || !URL.canParse(href, 'https://engine.invalid')) return null;
  const { pathname, searchParams } = new URL(href, 'https://engine.invalid');
  const query = pathname.endsWith('/search') ? searchParams.get('q') : null;
  return query?.trim() === '' ? null : query;
}
