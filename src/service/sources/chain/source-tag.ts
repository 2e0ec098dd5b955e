// Marks a body with the source of the chain that sold it, so that it can be read again. The text itself is unchanged.
import type { PageBody } from '../../model/errors.ts';

const htmlTag = /^<!-- answered by ([a-z0-9-]+) -->\n/;
const jsonTag = /^\{"answered_by":"([a-z0-9-]+)","answer":/;

export function addSourceTag({ contentType, text }: PageBody, name: string): PageBody {
  return contentType === 'text/html'
    ? { contentType, text: `<!-- answered by ${name} -->\n${text}` }
    : { contentType, text: `{"answered_by":"${name}","answer":${text}}` };
}

export function readSourceTag({ contentType, text }: PageBody): {
  readonly name: string | undefined;
  readonly original: PageBody;
} {
  const isHtml = contentType === 'text/html';
  const tag = (isHtml ? htmlTag : jsonTag).exec(text);
  if (tag === null) return { name: undefined, original: { contentType, text } };
  const original = text.slice(tag[0].length, isHtml ? undefined : -1);
  return { name: tag[1], original: { contentType, text: original } };
}
