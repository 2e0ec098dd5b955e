// The rule of links of each search engine: its redirects, its clicks on ads, its own pages.
import { readLink as readBing } from './bing/urls.ts';
import { readLink as readBrave } from './brave/urls.ts';
import { readLink as readDuckDuckGo } from './duckduckgo/urls.ts';
import { clean, readLink as readGoogle } from './google/urls.ts';
import { type SearchEngine, searchEngines, usualEngine } from './names.ts';
import { readLink as readNaver } from './naver/urls.ts';
import type { Link } from './page/rows.ts';
import { readLink as readYahoo } from './yahoo/urls.ts';
import { readLink as readYandex } from './yandex/urls.ts';

const rules: Readonly<Record<SearchEngine, (href: string) => Link>> = {
  google: readGoogle,
  bing: readBing,
  yahoo: readYahoo,
  yandex: readYandex,
  naver: readNaver,
  duckduckgo: readDuckDuckGo,
  brave: readBrave,
};

/**
 * Resolves a link on a page of these engines: of one, of several whose results are mixed, or of the usual one where
 * none is named. Redirects and clicks on ads are those of any engine, own pages those of these engines.
 */
export function readLinkOf(engines: readonly string[], href: string): Link {
  const named = engines.length === 0 ? [usualEngine] : engines;
  const links = searchEngines.filter((engine) => named.includes(engine)).map((engine) => rules[engine](href));
  const known =
    links.find(({ isAd }) => isAd) ?? links.find(({ destination, isOpaque }) => destination === undefined || isOpaque);
  if (known !== undefined) return known;
  const { link, isAd } = resolveRedirect(links.find(({ destination }) => destination !== href)?.destination ?? href);
  return isAd ? { isAd } : { destination: clean(link), isAd };
}

/**
 * The page to which a redirect of any engine leads, and whether it counts a click on an ad. Any other link is returned
 * unchanged.
 */
export function resolveRedirect(href: string): { readonly link: string; readonly isAd: boolean } {
  // pages write `//duckduckgo.com/l/`
  const host = URL.parse(href, 'https://engine.invalid')?.host;
  for (const engine of searchEngines) {
    const { destination, isAd } = rules[engine](href);
    if (isAd) return { link: href, isAd };
    if (destination !== undefined && URL.parse(destination)?.host !== host) return { link: destination, isAd };
  }
  return { link: href, isAd: false };
}
