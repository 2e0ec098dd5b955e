// Reads the title of a page, which names its query.
import { tidy } from './text.ts';
import type { Tree } from './tree.ts';

/** Longest title that is read, in characters. */
const titleMax = 600;

/** The query in the title: the group of `form`. Undefined for another title. */
export function titleQuery({ elements }: Tree, form: RegExp): string | undefined {
  const title = elements.find((element) => element.tag === 'title');
  const texts = (title?.children ?? []).filter((child) => typeof child === 'string');
  return form.exec(tidy(texts.join('').slice(0, titleMax)))?.[1];
}
