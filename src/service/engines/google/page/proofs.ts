// Proves that a page is Google's own and complete.

import { distrusted, rejectTruncatedPage } from '../../page/failure.ts';
import type { Element } from '../../page/tree.ts';
import { linkTokenText, scriptMoment } from './clock.ts';
import type { PageIndex } from './page-index.ts';

/** Other sites sometimes link to a search, with its token; recorded pages of the engine have at least 9 tokens. */
const tokensMin = 3;
/** Most links that are looked at. */
const linksMax = 2_000;

/** Each recorded page has one of the former, and none of the latter, which are of Bing and DuckDuckGo. */
const listIds = ['rso', 'search', 'res', 'center_col', 'main'];
const otherLists = ['b_results', 'b_content', 'links', 'links_wrapper', 'react-layout'];

/**
 * Throws for a page of another site. Only the engine's own pages have the event id in their scripts, or tokens in the
 * links to their own parts: each of 1,655 recorded pages from 2014 to 2026 has at least one of them. Forms and links to
 * searches occur on pages of other sites too. Marks can be copied into a page of another engine: it has lists of other
 * names.
 */
export function rejectForeignPage(pageIndex: PageIndex, html: string): void {
  if (!listIds.some((id) => pageIndex.ids.has(id)) || otherLists.some((id) => pageIndex.ids.has(id)))
    throw distrusted('foreign', html, 'It has no list of this engine.');
  if (scriptMoment(html) !== undefined) return;
  const tokens = new Set<string>();
  for (const anchor of pageIndex.anchors.slice(0, linksMax)) {
    const [, token] = linkTokenText.exec(anchor.get('href') ?? '') ?? [];
    if (token !== undefined) tokens.add(token);
    if (tokens.size >= tokensMin) return;
  }
  throw distrusted('foreign', html, 'It has no mark of this engine.');
}

/** Ids of the parts below the results, from various years. */
const footerIds = new Set('foot footcnt fbar fbarcnt xfoot bfoot lfoot sfcnt sfooter fsl fll'.split(' '));

/**
 * Throws for an incomplete page: its list would prove nothing. The footer is loaded last: on each of 1,655 recorded
 * pages, of all devices and years, it follows the last result.
 */
export function rejectIncompletePage(pageIndex: PageIndex, last: Element | undefined, html: string): void {
  rejectTruncatedPage(pageIndex.tree, html);
  const from = last === undefined ? 0 : last.last + 1;
  const { elements } = pageIndex.tree;
  for (let order = elements.length - 1; order >= from; order--) {
    const element = elements[order];
    if (element !== undefined && isFooter(element)) return;
  }
  throw distrusted('cut_off', html, 'Nothing follows its last result.');
}

function isFooter(element: Element): boolean {
  if (element.tag === 'footer' || element.get('role') === 'contentinfo') return true;
  if (element.tag === 'a') {
    const href = element.get('href') ?? '';
    return href.includes('/search?') && /[?&;]start=\d/.test(href);
  }
  return footerIds.has(element.get('id') ?? '');
}
