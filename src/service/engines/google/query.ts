// Reads the query that a page answers.
import { textOf } from '../page/text.ts';
import { titleQuery } from '../page/title.ts';
import type { PageIndex } from './page/page-index.ts';

/** `running shoes - Google Search`, `laufschuhe - Google-Suche`. */
const titleForm = /^(.+) [-–—] [^–—]*Google/u;

/** The query that the page says it answers: the search box's value, else the title's. */
export function shownQuery(pageIndex: PageIndex): string | undefined {
  for (const element of pageIndex.tree.elements) {
    if ((element.tag !== 'input' && element.tag !== 'textarea') || element.get('name') !== 'q') continue;
    if (element.get('type') === 'hidden') continue;
    const value = element.get('value') ?? textOf(element);
    if (value.trim() !== '') return value;
  }
  return titledQuery(pageIndex);
}

export function titledQuery({ tree }: PageIndex): string | undefined {
  return titleQuery(tree, titleForm);
}
