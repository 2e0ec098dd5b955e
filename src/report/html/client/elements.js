// Finds typed elements by id, and fills them with HTML that `html` made.
import { Markup } from './markup.js';

/**
 * @template {Element} Kind
 * @param {string} id
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
export function element(id, kind) {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`the page has no ${kind.name} "${id}"`);
}

/**
 * The only function that inserts HTML into the page. Only `html` creates Markup, and it escapes outside text.
 * @param {Element} place
 * @param {Markup} content
 */
export function fill(place, content) {
  if (!(content instanceof Markup)) throw new TypeError('only HTML made by `html` enters the page');
  place.innerHTML = content.text;
}
