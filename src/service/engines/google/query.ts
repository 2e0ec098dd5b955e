// Reads the query that a page answers.
import { decodeText } from '../page/entities.ts';
import { textOf, tidy } from '../page/text.ts';
import type { PageIndex } from './page/page-index.ts';

/** Longest title that is looked into, in characters. */
const titleMax = 600;

/** The query that the page says it answers: the search box's value, else the title before the engine's name. */
export function shownQuery(pageIndex: PageIndex): string | undefined {
  for (const element of pageIndex.tree.elements) {
    if ((element.tag !== 'input' && element.tag !== 'textarea') || element.raw('name') !== 'q') continue;
    if (element.raw('type') === 'hidden') continue;
    const value = element.get('value') ?? textOf(element);
    if (value.trim() !== '') return value;
  }
  const title = pageIndex.tree.elements.find((element) => element.tag === 'title');
  const text = tidy(
    decodeText((title?.children.filter((child) => typeof child === 'string').join('') ?? '').slice(0, titleMax)),
  );
  const [, query] = /^(.+) [-–—] [^-–—]*Google[^-–—]*$/u.exec(text) ?? [];
  return query;
}
