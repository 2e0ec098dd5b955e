// The answers of the service as its specification prints them.
import type { SerpAnswer, SerpPage } from '../../../service/index.ts';

/** One page: its root object. Several: an array in page order. */
export function serpDocument({ pages }: SerpAnswer): SerpPage | SerpPage[] {
  const [first, ...others] = pages.map(({ serp }) => serp);
  return first !== undefined && others.length === 0 ? first : pages.map(({ serp }) => serp);
}

/** One page: its text as received. Several, or with --json: the texts as JSON. */
export function rawDocument({ pages }: SerpAnswer, isJson: boolean): string {
  const texts = pages.map(({ body }) => body.text);
  const [first] = texts;
  if (first === undefined || texts.length > 1) return `${JSON.stringify(texts)}\n`;
  return isJson ? `${JSON.stringify(first)}\n` : first;
}
