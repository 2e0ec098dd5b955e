// HTML put together so that nothing from outside becomes markup: what is not made here is escaped. Works while the report is written and inside it.

/** Finished HTML. Only `html` and `trusted` make it, so that no text from outside can pass for it. */
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

/** @typedef {Markup | string | number | null | undefined | false | readonly (Markup | string | number | null | undefined | false)[]} Content */

/** @type {Readonly<Record<string, string>>} */
const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;', '`': '&#96;' };

/**
 * Text as HTML shows it, in elements and in quoted attributes. A lone surrogate becomes U+FFFD; control characters that HTML does not allow too.
 * @param {string} text
 */
export function escaped(text) {
  const sound = text.isWellFormed() ? text : text.toWellFormed();
  return sound.replace(/[&<>"'`]/g, (sign) => entities[sign] ?? sign).replace(/[^\P{Cc}\t\n\r]/gu, '\uFFFD');
}

/**
 * Template tag: what stands in the template is markup, what is filled in is text. Null, undefined and false are nothing; lists are joined.
 * @param {TemplateStringsArray} pieces
 * @param {Content[]} contents
 */
export function html(pieces, ...contents) {
  let text = pieces[0] ?? '';
  for (const [index, content] of contents.entries()) text += written(content) + (pieces[index + 1] ?? '');
  return new Markup(text);
}

/**
 * Text of our own that is markup already: an SVG path, a style sheet. Never anything from outside.
 * @param {string} text
 */
export function trusted(text) {
  return new Markup(text);
}

/**
 * A link where the address is one of the web, and plain text where it is anything else: a `javascript:` address leads nowhere.
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
