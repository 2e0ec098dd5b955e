// Proves that a page is DuckDuckGo's own.
import { distrusted } from '../page/failure.ts';
import type { Tree } from '../page/tree.ts';

/**
 * Throws for a page of another site. Requires two of the engine's marks: tokens of its searches, its redirects, forms,
 * pictures and counters. Each of 40 recorded pages from 2019 to 2026 has at least two.
 */
export function rejectForeignPage(tree: Tree, html: string): void {
  const marks = [
    /\bvqd\b/.test(html),
    /[?&;]uddg=|duckduckgo\.com\/y\.js/.test(html),
    tree.elements.some((element) => element.get('id') === 'react-layout'),
    tree.elements.some((element) => element.tag === 'form' && /^\/(?:html|lite)\//.test(element.get('action') ?? '')),
    html.includes('external-content.duckduckgo.com'),
    /\/t\/s[lr]_/.test(html),
  ];
  if (marks.filter((mark) => mark).length >= 2) return;
  throw distrusted('foreign', html, 'It has no mark of this engine.');
}
