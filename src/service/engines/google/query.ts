// The query that a page answers. Whether it is the one that was asked is left to guards.ts.
import { decodeText } from '../page/entities.ts';
import { textOf, tidy } from '../page/text.ts';
import type { Survey } from './survey.ts';

/** Longest title that is looked into, in characters. */
const titleMax = 600;

/** The query that the page says it answers: the search box's value, else the title before the engine's name. */
export function shownQuery(survey: Survey): string | undefined {
  for (const element of survey.tree.elements) {
    if ((element.tag !== 'input' && element.tag !== 'textarea') || element.raw('name') !== 'q') continue;
    if (element.raw('type') === 'hidden') continue;
    const value = element.get('value') ?? textOf(element);
    if (value.trim() !== '') return value;
  }
  const title = survey.tree.elements.find((element) => element.tag === 'title');
  const text = tidy(
    decodeText((title?.children.filter((child) => typeof child === 'string').join('') ?? '').slice(0, titleMax)),
  );
  const [, query] = /^(.+) [-–—] [^-–—]*Google[^-–—]*$/u.exec(text) ?? [];
  return query;
}
