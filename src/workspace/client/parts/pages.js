// Previous and next page of a table. The page stands in the address.
import { pathOf, withChanges } from '../address.js';
import { html } from '../html.js';
import { number } from '../words.js';

/** @typedef {import('../address.js').Address} Address */

/**
 * Stands right after the table.
 * @param {{ address: Address, total: number, size: number, name?: string, of?: string }} props `size`: rows of a page;
 * `name`: of the parameter in the address; `of`: the table, where a view has several
 */
export function Pages({ address: { project, view, query }, total, size, name = 'page', of = '' }) {
  const last = Math.max(1, Math.ceil(total / size));
  const page = Math.min(last, pageNumber(query, name));
  const link = (/** @type {number} */ to, /** @type {string} */ label) =>
    to >= 1 && to <= last
      ? html`<a class="button" href=${pathOf(project, view, withChanges(query, { [name]: to === 1 ? null : `${to}` }))}>${label}</a>`
      : html`<span class="button off">${label}</span>`;
  return html`<nav class="pages" aria-label=${of === '' ? 'Pages' : `Pages: ${of}`} onClick=${showStart}>
    <span>${total === 0 ? 'No rows' : `Rows ${number((page - 1) * size + 1)} to ${number(Math.min(total, page * size))} of ${number(total)}`}</span>
    ${last > 1 && html`${link(page - 1, 'Previous')} ${link(page + 1, 'Next')}`}
  </nav>`;
}

/** @param {URLSearchParams} query */
export function pageNumber(query, name = 'page') {
  const page = Number(query.get(name) ?? 1);
  return Number.isSafeInteger(page) && page >= 1 ? page : 1;
}

/** The next page begins where a reader looks. @param {Event & { currentTarget: HTMLElement }} event */
function showStart({ target, currentTarget }) {
  const table = currentTarget.previousElementSibling;
  if (table === null || !(target instanceof HTMLAnchorElement)) return;
  table.scrollTop = 0;
  if (table.getBoundingClientRect().top < 0) table.scrollIntoView();
}
