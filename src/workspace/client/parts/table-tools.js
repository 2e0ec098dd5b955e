// Beside the keyword table: which columns, files of the rows, and pages.
import { goTo, pathOf, withChanges } from '../address.js';
import { isFile } from '../api.js';
import { apiPath, takes } from '../api-path.js';
import { columns as allColumns, fieldsOf } from '../columns.js';
import { html } from '../html.js';
import { remember } from '../storage.js';
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

/** Excel workbooks are made by the server. */
const exportFormats = ['csv', 'xlsx', 'json', 'ndjson'];

/**
 * Files of all rows of the filter, sorted and with the columns of the table.
 * @param {{ address: Address, chosen: readonly Column[] }} props
 */
export function ExportLinks({ address: { project, query }, chosen }) {
  const pathOfFormat = (/** @type {string} */ format) =>
    apiPath(project ?? '', 'keywords', query, [...takes.table, 'sort'], {
      fields: fieldsOf(chosen).join(','),
      format,
      ...(format === 'json' ? { limit: 'all' } : {}),
    });
  const formats = exportFormats.filter((format) => !isFile() || format !== 'xlsx');
  return html`<p class="exports">Export these rows: ${formats.map(
    (format) =>
      html`<${DownloadLink} path=${pathOfFormat(format)} name=${`${project}-keywords.${format}`} label=${format.toUpperCase()} /> `,
  )}</p>`;
}
