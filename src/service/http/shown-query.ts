// Which query a page in JSON answers, by the one thing in it that says so: its tabs (images, news, ...) search for the same words elsewhere.
import { isSameQuery, normalise } from '../engines/page/query.ts';
import { ServiceError } from '../errors.ts';
import type { SerpPage } from '../serp.ts';

/**
 * Throws SERP_FAILED `wrong_query` where tabs name queries and none of them is the one asked. On each of the 76 pages of the corpus that have tabs (Google,
 * Bing) at least one searches for exactly what was asked; beside it may stand a corrected spelling. A tab whose query has ours in it may be a refinement.
 */
export function refuseOtherQuery({ navigation = [] }: SerpPage, asked: string): void {
  const named = navigation.flatMap(({ href }) => queryIn(href) ?? []);
  const isOurs = (query: string): boolean => isSameQuery(query, asked) || normalise(query).includes(normalise(asked));
  const [other] = named;
  if (other === undefined || named.some(isOurs)) return;
  const message = `The page is another query's. Its tabs search for "${other.slice(0, 80)}".`;
  throw new ServiceError('SERP_FAILED', message, { reason: 'wrong_query' });
}

/** The query that an address searches for; addresses of a search engine's own pages come without a host, too. */
function queryIn(href: string | undefined): string | null {
  if (href === undefined || !URL.canParse(href, 'https://engine.invalid')) return null;
  const { pathname, searchParams } = new URL(href, 'https://engine.invalid');
  const query = pathname.endsWith('/search') ? searchParams.get('q') : null;
  return query?.trim() === '' ? null : query;
}
