// A table that any column sorts. The column stands in the address.
import { goTo, pathOf, withChanges } from '../address.js';
import { html } from '../html.js';
import { ariaSort, nextSort, parseSort, sortArrow, sorted } from '../table-order.js';
import { direction } from '../words.js';
import { Pages, pageNumber } from './pages.js';

/** Rows of a page. */
const rowsMax = 100;

/**
 * @typedef {object} Column
 * @property {string} key its name in the address
 * @property {string} label
 * @property {(row: any) => import('../table-order.js').Sortable} value what it sorts by, and shows without `cell`
 * @property {(row: any) => unknown} [cell]
 * @property {boolean} [numeric]
 * @property {boolean} [isHeader] its cells name the row
 */

/**
 * `name`: of the parameter in the address, where a view has several tables. `shownMax`: rows of a page.
 * @param {{ caption: string, columns: readonly Column[], rows: readonly any[],
 *   address: import('../address.js').Address,
 *   initial?: string, name?: string, shownMax?: number, total?: any, keyOf?: (row: any) => string }} props
 */
export function SortTable({
  caption,
  columns,
  rows,
  address,
  initial = '',
  name = 'sort',
  shownMax = rowsMax,
  total,
  keyOf,
}) {
  const { project, view, query } = address;
  const written = query.get(name) ?? initial;
  const inOrder = sorted(rows, parseSort(written), (name) => columns.find(({ key }) => key === name)?.value);
  const pages = name.replace('sort', 'page');
  const page = Math.min(pageNumber(query, pages), Math.max(1, Math.ceil(rows.length / shownMax)));
  const shown = inOrder.slice((page - 1) * shownMax, page * shownMax);
  const change = (/** @type {Record<string, string | null>} */ changes) =>
    goTo(pathOf(project, view, withChanges(query, changes)));
  const sort =
    (/** @type {Column} */ { key, numeric = false }) =>
    (/** @type {MouseEvent} */ { shiftKey }) =>
      change({ [pages]: null, [name]: nextSort(written, key, { add: shiftKey, largestFirst: numeric }) });
  return html`
    <div class="scroll" role="region" aria-label=${caption} tabindex="0">
      <table class="stacked">
        <caption>${caption}</caption>
        <thead><tr>${columns.map(
          (column) => html`<th scope="col" class=${column.numeric ? 'numeric' : null}
            aria-sort=${ariaSort(written, column.key)}>
            <button type="button" title="Sort; with Shift, also by this column" onClick=${sort(column)}>${column.label}
              <span aria-hidden="true"> ${sortArrow(written, column.key)}</span></button>
          </th>`,
        )}</tr></thead>
        <tbody>${shown.map((row) => html`<${Row} key=${keyOf?.(row)} columns=${columns} row=${row} />`)}</tbody>
        ${total !== undefined && html`<tfoot><${Row} columns=${columns} row=${total} /></tfoot>`}
      </table>
    </div>
    ${rows.length > shownMax && html`<${Pages} address=${address} total=${rows.length} size=${shownMax} name=${pages} of=${caption} />`}
  `;
}

/** @param {{ columns: readonly Column[], row: any }} props */
function Row({ columns, row }) {
  return html`<tr>${columns.map((column) => {
    const content = column.cell?.(row) ?? column.value(row) ?? '–';
    if (column.isHeader) return html`<th scope="row">${content}</th>`;
    return html`<td class=${column.numeric ? 'numeric' : null} data-label=${column.label}><span>${content}</span></td>`;
  })}</tr>`;
}

/** Of the numbers that the API gives. */
const digitsMax = 4;

/**
 * A number that says by its colour whether it is better. What is written as zero has none.
 * @param {{ value: number | null, text: string }} props
 */
export function Change({ value, text }) {
  return html`<span class=${text === '0' ? 'flat' : direction(value, digitsMax)}>${text}</span>`;
}
