// Resolves links of results that lead through an engine's own addresses.
import { readLink as readBing } from './bing/urls.ts';
import { readLink as readDuckDuckGo } from './duckduckgo/urls.ts';
import { readLink as readGoogle } from './google/results/urls.ts';

const readers = [readGoogle, readBing, readDuckDuckGo];

/**
 * The page to which a redirect of an engine leads, and whether it counts a click on an ad. Any other link is returned
 * unchanged.
 */
export function resolveRedirect(link: string): { readonly link: string; readonly isAd: boolean } {
  const host = URL.parse(link)?.host;
  for (const readLink of readers) {
    const { destination, isAd } = readLink(link);
    if (isAd) return { link, isAd };
    if (destination !== undefined && URL.parse(destination)?.host !== host) return { link: destination, isAd };
  }
  return { link, isAd: false };
}
