// Proves that a page is Bing's own.
import { distrusted } from '../page/failure.ts';
import type { Tree } from '../page/tree.ts';

/**
 * Throws for a page of another site. Each of 29 recorded pages from 2014 to 2026 has all three marks of the engine: its
 * global object in the scripts, the counters of its links (`h="ID=SERP,..."`), and the forms that its own links name.
 * Two of them are asked for.
 */
export function rejectForeignPage(tree: Tree, html: string): void {
  const marks = [
    /\b_G\s?=\s?\{/.test(html) || /\bIG:\s?"[0-9A-F]{32}"/.test(html),
    tree.elements.some((element) => element.get('h')?.startsWith('ID=') === true),
    tree.elements.some((element) => element.tag === 'a' && /[?&;]FORM=[A-Z0-9]{3}/i.test(element.get('href') ?? '')),
  ];
  if (marks.filter((mark) => mark).length >= 2) return;
  throw distrusted('foreign', html, 'It has no mark of this engine.');
}
