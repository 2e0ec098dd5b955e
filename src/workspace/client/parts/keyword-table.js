// The keyword table: sorted by any column, each row a link to its keyword.
import { useEffect } from 'preact/hooks';
import { goTo, pathOf } from '../address.js';
import { isFile } from '../api.js';
import { sharedQuery } from '../api-path.js';
import { changed } from '../filters.js';
import { html } from '../html.js';
import { ariaSort, nextSort, parseSort, sortArrow } from '../table-order.js';
import { cellOf } from './keyword-cells.js';

/** @typedef {import('../../records.ts').KeywordRow} KeywordRow */
/** @typedef {import('../columns.js').Column} Column */
/** @typedef {import('../address.js').Address} Address */

/**
 * @param {{ address: Address, columns: readonly Column[], rows: readonly KeywordRow[], caption: string,
 *   isLoading: boolean, isChosen?: boolean }} props `isChosen`: the columns are not the usual ones
 */
export function KeywordTable({ address, columns, rows, caption, isLoading, isChosen = false }) {
  const { project, query } = address;
  const shared = isFile() ? query : sharedQuery(query);
  const pathOfRow = (/** @type {KeywordRow} */ { id }) => {
    const parameters = new URLSearchParams(shared);
    parameters.set('id', id);
    return pathOf(project, 'keyword', parameters);
  };
  useEffect(() => {
    const opened = history.state?.openedRow;
    const link = opened === undefined ? null : document.querySelector(`tr[data-row="${opened}"] th a`);
    if (link instanceof HTMLElement) link.focus();
  }, []);
  return html`
    <${SortField} address=${address} columns=${columns} />
    <div class="table-box" tabindex="0" role="region" aria-label="Keyword table" aria-busy=${isLoading ? 'true' : 'false'}>
      <table class=${query.has('cols') || isChosen ? 'keywords chosen' : 'keywords'} onKeyDown=${moveBetweenRows}>
        <caption class="unseen">${caption}</caption>
        <thead><tr>${columns.map((column) => html`<${HeaderCell} key=${column.name} address=${address} column=${column} />`)}</tr></thead>
        <tbody>${rows.map((row) => html`<${Row} key=${row.id} row=${row} columns=${columns} path=${pathOfRow(row)} />`)}</tbody>
      </table>
    </div>`;
}

/** @param {{ address: Address, column: Column }} props */
function HeaderCell({ address: { project, view, query }, column: { name, label, sort, isNumber } }) {
  const order = query.get('sort');
  const type = isNumber ? 'number' : `of-${name}`;
  if (sort === undefined) return html`<th scope="col" class=${type}>${label}</th>`;
  const click = (/** @type {MouseEvent} */ { shiftKey }) =>
    goTo(pathOf(project, view, changed(query, { sort: nextSort(order, sort, { add: shiftKey }) })));
  return html`<th scope="col" class=${type} aria-sort=${ariaSort(order, sort)}>
    <button type="button" onClick=${click} title="Sort; with Shift, also by this column">${label} <span aria-hidden="true">${sortArrow(order, sort)}</span></button><span class="on-paper" aria-hidden="true">${label}</span>
  </th>`;
}

/** @param {{ row: KeywordRow, columns: readonly Column[], path: string }} props */
function Row({ row, columns, path }) {
  const open = (/** @type {MouseEvent} */ event) => {
    // on the way back the table is shown at this row
    history.replaceState({ openedRow: row.id }, '');
    if (event.target instanceof Element && event.target.closest('a, button') !== null) return;
    if (event.button !== 0 || String(getSelection() ?? '') !== '') return;
    if (event.metaKey || event.ctrlKey || event.shiftKey) window.open(path, '_blank', 'noopener');
    else {
      goTo(path);
      if (!isFile()) scrollTo(0, 0);
    }
  };
  return html`<tr data-row=${row.id} onClick=${open}>${columns.map(({ name, label, isNumber }) =>
    name === 'keyword'
      ? html`<th scope="row"><a href=${path}><bdi>${row.keyword}</bdi></a></th>`
      : html`<td class=${isNumber ? 'number' : `of-${name}`} data-label=${label}>${cellOf(name, row)}</td>`,
  )}</tr>`;
}

/** Up and down move between the links of rows. @param {KeyboardEvent} event */
function moveBetweenRows(event) {
  const step =
    event.key === 'ArrowDown' ? 'nextElementSibling' : event.key === 'ArrowUp' ? 'previousElementSibling' : null;
  if (step === null || !(event.target instanceof HTMLAnchorElement)) return;
  const link = event.target.closest('tr')?.[step]?.querySelector('th a');
  if (!(link instanceof HTMLAnchorElement)) return;
  event.preventDefault();
  link.focus();
}

/**
 * The order on a phone, where rows are cards without a header.
 * @param {{ address: Address, columns: readonly Column[] }} props
 */
function SortField({ address: { project, view, query }, columns }) {
  const [first] = parseSort(query.get('sort'));
  const go = (/** @type {string} */ column, /** @type {boolean} */ descending) =>
    goTo(pathOf(project, view, changed(query, { sort: column && `${descending ? '-' : ''}${column}` })));
  const pick = (/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget }) =>
    go(currentTarget.value, false);
  return html`<div class="sort-field">
    <label>Sort by <select value=${first?.column ?? ''} onChange=${pick}>
      <option value="">${isFile() ? 'size of the change in clicks' : 'order of the config'}</option>
      ${columns.map(({ sort, label }) => sort && html`<option value=${sort}>${label}</option>`)}
    </select></label>
    ${
      first !== undefined &&
      html`<button type="button" onClick=${() => go(first.column, !first.descending)}>${first.descending ? 'Descending' : 'Ascending'}</button>`
    }
  </div>`;
}
