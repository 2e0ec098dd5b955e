// The rows of one keyword: its markets, devices and own targets, to go from one to another.
import { goTo, pathOf, withChanges } from '../address.js';
import { useDocument } from '../api.js';
import { apiPath } from '../api-path.js';
import { html } from '../html.js';
import { marketName } from '../words.js';

/** @typedef {import('../../records.ts').KeywordRow} KeywordRow */

/**
 * `row`: the one that is shown.
 * @param {{ address: import('../address.js').Address, row: KeywordRow | undefined }} props
 */
export function SameKeyword({ address: { project, view, query }, row }) {
  const path = row && apiPath(project ?? '', 'keywords', query, [], { q: row.keyword.slice(0, 200), limit: '1000' });
  const { value } = useDocument(path ?? null);
  if (row === undefined || value === undefined) return null;
  /** @type {readonly KeywordRow[]} */
  const rows = value.data.filter((/** @type {KeywordRow} */ { keyword }) => keyword === row.keyword);
  if (rows.length < 2) return null;
  const hasTargets = new Set(rows.map(({ target }) => target)).size > 1;
  const go = (/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget }) =>
    goTo(pathOf(project, view, withChanges(query, { id: currentTarget.value, page: null })));
  return html`<label>Market <select value=${query.get('id')} onChange=${go}>${rows.map(
    (one) => html`<option value=${one.id}>${marketName(one)}${hasTargets && `, ${one.target}`}</option>`,
  )}</select></label>`;
}
