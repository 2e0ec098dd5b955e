// Safe HTML templates: all text from outside is escaped.

/** Finished HTML. Only `html` and `trusted` create it, so that text from outside never counts as HTML. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

type Piece = Markup | string | number | null | undefined | false;
export type Content = Piece | readonly Piece[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/**
 * Escapes text for elements and quoted attributes. Lone surrogates, and control characters that HTML forbids, become
 * U+FFFD.
 */
export function escaped(text: string): string {
  const sound = text.isWellFormed() ? text : text.toWellFormed();
  return sound.replace(/[&<>"'`]/g, (sign) => entities[sign] ?? sign).replace(/[^\P{Cc}\t\n\r]/gu, '\uFFFD');
}

/**
 * Template tag: the template is HTML, interpolated values are escaped text. Null, undefined and false are empty; lists
 * are joined.
 */
export function html(pieces: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  let text = pieces[0] ?? '';
  for (const [index, content] of contents.entries()) text += written(content) + (pieces[index + 1] ?? '');
  return new Markup(text);
}

/** Our own HTML, such as an SVG path or a style sheet. Never text from outside. */
export function trusted(text: string): Markup {
  return new Markup(text);
}

/** A link for an http(s) URL, and plain text for anything else, such as a `javascript:` URL. */
export function link(url: string, label: string = url): Markup {
  if (!/^https?:\/\/[^/\s]/i.test(url)) return html`<bdi>${label}</bdi>`;
  return html`<a href="${url}" rel="noopener noreferrer nofollow" target="_blank"><bdi>${label}</bdi></a>`;
}

function written(content: Content): string {
  if (content === null || content === undefined || content === false) return '';
  if (content instanceof Markup) return content.text;
  if (typeof content === 'string') return escaped(content);
  if (typeof content === 'number') return `${content}`;
  return content.map(written).join('');
}
