// Marks a body with the source of the chain that sold it, so that it can be read again. The text itself is unchanged.
import type { PageBody } from '../../model/errors.ts';

const htmlMark = /^<!-- answered by ([a-z0-9-]+) -->\n/;
const jsonMark = /^\{"answered_by":"([a-z0-9-]+)","answer":/;

export function marked({ contentType, text }: PageBody, name: string): PageBody {
  return contentType === 'text/html'
    ? { contentType, text: `<!-- answered by ${name} -->\n${text}` }
    : { contentType, text: `{"answered_by":"${name}","answer":${text}}` };
}

export function unmarked({ contentType, text }: PageBody): {
  readonly name: string | undefined;
  readonly original: PageBody;
} {
  const isHtml = contentType === 'text/html';
  const mark = (isHtml ? htmlMark : jsonMark).exec(text);
  if (mark === null) return { name: undefined, original: { contentType, text } };
  const original = text.slice(mark[0].length, isHtml ? undefined : -1);
  return { name: mark[1], original: { contentType, text: original } };
}
