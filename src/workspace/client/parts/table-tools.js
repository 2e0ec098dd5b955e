// Beside the keyword table: which columns, files of the rows, and pages.
import { goTo, pathOf, withChanges } from '../address.js';
import { isFile } from '../api.js';
import { apiPath, takes } from '../api-path.js';
import { columns as allColumns, fieldsOf } from '../columns.js';
import { changed } from '../filters.js';
import { html } from '../html.js';
import { remember } from '../storage.js';
import { number } from '../words.js';
import { DownloadLink } from './download-link.js';
import { closeMenu, Menu } from './menu.js';

/** @typedef {import('../columns.js').Column} Column */
/** @typedef {import('../address.js').Address} Address */

/** Rows of a page: few in a document, fewest where they are cards. */
export function pageRows() {
  if (!isFile()) return 100;
  return matchMedia('(max-width: 43.75rem)').matches ? 20 : 50;
}
export const columnsKey = 'columns';

/** @param {{ address: Address, chosen: readonly Column[] }} props */
export function ColumnMenu({ address: { project, view, query }, chosen }) {
  const names = chosen.map(({ name }) => name);
  const choose = (/** @type {string[] | null} */ next, /** @type {Element} */ element) => {
    remember(columnsKey, next);
    closeMenu(element);
    goTo(pathOf(project, view, withChanges(query, { cols: next?.join(',') ?? null })));
  };
  const submit = (/** @type {SubmitEvent & { currentTarget: HTMLFormElement }} */ event) => {
    event.preventDefault();
    choose(new FormData(event.currentTarget).getAll('column').map(String), event.currentTarget);
  };
  const reset = (/** @type {{ currentTarget: HTMLButtonElement }} */ { currentTarget }) => choose(null, currentTarget);
  return html`<${Menu} label="Columns">
    <form key=${names.join()} onSubmit=${submit}>
      <fieldset><legend>Columns</legend><div class="options">${allColumns.map(
        ({ name, label }) => html`<label class="option">
          <input type="checkbox" name="column" value=${name} defaultChecked=${names.includes(name)} disabled=${name === 'keyword'} /> ${label}</label>`,
      )}</div></fieldset>
      <button type="submit" class="primary">Apply</button> <button type="button" onClick=${reset}>Usual columns</button>
    </form>
  </${Menu}>`;
}

/**
 * Files of all rows of the filter, sorted and with the columns of the table.
 * @param {{ address: Address, chosen: readonly Column[] }} props
 */
export function ExportLinks({ address: { project, query }, chosen }) {
  const pathOfFormat = (/** @type {string} */ format) =>
    apiPath(project ?? '', 'keywords', query, [...takes.table, 'sort'], { fields: fieldsOf(chosen).join(','), format });
  return html`<p class="exports">Export these rows: ${['csv', 'xlsx', 'ndjson'].map(
    (format) =>
      html`<${DownloadLink} path=${pathOfFormat(format)} name=${`${project}-keywords.${format}`} label=${format.toUpperCase()} /> `,
  )}</p>`;
}

/** @param {{ address: Address, total: number }} props */
export function Pages({ address: { project, view, query }, total }) {
  const page = pageNumber(query);
  const last = Math.max(1, Math.ceil(total / pageRows()));
  const first = (page - 1) * pageRows() + 1;
  const link = (/** @type {number} */ to, /** @type {string} */ label) =>
    to >= 1 && to <= last
      ? html`<a class="button" href=${pathOf(project, view, changed(query, { page: to === 1 ? null : `${to}` }))}>${label}</a>`
      : html`<span class="button off">${label}</span>`;
  return html`<nav class="pages" aria-label="Pages">
    <span>${total === 0 ? 'No rows' : `Rows ${number(first)} to ${number(Math.min(total, page * pageRows()))} of ${number(total)}`}</span>
    ${last > 1 && html`${link(page - 1, 'Previous')} ${link(page + 1, 'Next')}`}
  </nav>`;
}

/** @param {URLSearchParams} query */
export function pageNumber(query) {
  const page = Number(query.get('page') ?? 1);
  return Number.isSafeInteger(page) && page >= 1 ? page : 1;
}
