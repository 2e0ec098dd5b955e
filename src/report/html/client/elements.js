// Finding elements of the page by id, as what they are known to be, and filling them with HTML that was made by `html`.
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
 * The only place where HTML enters the page: nothing but `html` makes Markup, and it escapes what comes from outside.
 * @param {Element} place
 * @param {Markup} content
 */
export function fill(place, content) {
  if (!(content instanceof Markup)) throw new TypeError('only HTML made by `html` enters the page');
  place.innerHTML = content.text;
}
