// Safe HTML templates: all text from outside is escaped. Used when the report is written and in its script.

/** Finished HTML. Only `html` and `trusted` create it, so that text from outside never counts as HTML. */
export class Markup {
  /** @param {string} text */
  constructor(text) {
    /** @readonly */
    this.text = text;
  }

  toString() {
    return this.text;
  }
}

/**
 * @typedef {Markup | string | number | null | undefined | false | readonly (Markup | string | number | null | undefined
 * | false)[]} Content
 */

/** @type {Readonly<Record<string, string>>} */
const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;', '`': '&#96;' };

/**
 * Escapes text for elements and quoted attributes. Lone surrogates, and control characters that HTML forbids, become
 * U+FFFD.
 * @param {string} text
 */
export function escaped(text) {
  const sound = text.isWellFormed() ? text : text.toWellFormed();
  return sound.replace(/[&<>"'`]/g, (sign) => entities[sign] ?? sign).replace(/[^\P{Cc}\t\n\r]/gu, '\uFFFD');
}

/**
 * Template tag: the template is HTML, interpolated values are escaped text. Null, undefined and false are empty; lists
 * are joined.
 * @param {TemplateStringsArray} pieces
 * @param {Content[]} contents
 */
export function html(pieces, ...contents) {
  let text = pieces[0] ?? '';
  for (const [index, content] of contents.entries()) text += written(content) + (pieces[index + 1] ?? '');
  return new Markup(text);
}

/**
 * Our own HTML, such as an SVG path or a style sheet. Never text from outside.
 * @param {string} text
 */
export function trusted(text) {
  return new Markup(text);
}

/**
 * A link for an http(s) URL, and plain text for anything else, such as a `javascript:` URL.
 * @param {string} url
 * @param {string} [label]
 */
export function link(url, label = url) {
  if (!/^https?:\/\/[^/\s]/i.test(url)) return html`<bdi>${label}</bdi>`;
  return html`<a href="${url}" rel="noopener noreferrer nofollow" target="_blank"><bdi>${label}</bdi></a>`;
}

/**
 * @param {Content} content
 * @returns {string}
 */
function written(content) {
  if (content === null || content === undefined || content === false) return '';
  if (content instanceof Markup) return content.text;
  if (typeof content === 'string') return escaped(content);
  if (typeof content === 'number') return `${content}`;
  return content.map(written).join('');
}
