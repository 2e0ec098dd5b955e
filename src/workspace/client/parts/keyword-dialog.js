// The keyword page of a file: one row in a dialog over the table.
import { useEffect, useRef } from 'preact/hooks';
import { goTo, pathOf, withChanges } from '../address.js';
import { useDocument } from '../api.js';
import { apiPath } from '../api-path.js';
import { html } from '../html.js';
import { KeywordHistorySections } from '../views/keyword.js';
import { DatedResults } from '../views/serp.js';
import { day } from '../words.js';
import { Answer } from './state.js';

/** @typedef {import('../../records.ts').KeywordHistory} KeywordHistory */

/** @param {{ address: import('../address.js').Address, id: string }} props */
export function KeywordDialog({ address, id }) {
  const { project, query } = address;
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const facts = useDocument(`/v1/projects/${encodeURIComponent(project ?? '')}`);
  const history = useDocument(apiPath(project ?? '', `keywords/${encodeURIComponent(id)}`, query, []));
  const isGone = useRef(false);
  useEffect(() => {
    const { current } = dialog;
    current?.showModal();
    return () => {
      isGone.current = true;
      current?.close();
    };
  }, []);
  const close = () => dialog.current?.close();
  const leave = () => {
    // when the browser went back, the address has left already
    if (!isGone.current) goTo(pathOf(project, 'keywords', withChanges(query, { id: null })));
  };
  const clickBeside = (/** @type {MouseEvent} */ { target }) => {
    if (target === dialog.current) close();
  };
  return html`<dialog id="details" aria-labelledby="keyword-title" ref=${dialog} onClose=${leave} onClick=${clickBeside}>
    <button type="button" id="details-close" onClick=${close}>Close</button>
    <${Answer} answer=${history} what="the keyword" show=${(/** @type {KeywordHistory} */ of) =>
      html`<${KeywordHistorySections} address=${address} history=${of} clicks=${facts.value?.clicks} />
        <${Results} address=${address} row=${of.row} />
        <p class="soft">${missing(of)}</p>`} />
  </dialog>`;
}

/**
 * The stored results of the date and of the compared one.
 * @param {{ address: import('../address.js').Address, row: KeywordHistory['row'] }} props
 */
function Results({ address, row }) {
  const { keyword, country, language, device, location = '' } = row;
  const search = new URLSearchParams({ keyword, country, language, device, ...(location && { location }) });
  const { value } = useDocument(apiPath(address.project ?? '', 'serp/dates', search, [...search.keys()]));
  /** @type {readonly string[]} */
  const dates = value?.dates ?? [];
  return html`<section class="panel"><h2>Results pages</h2>${
    dates.length === 0
      ? html`<p>This file has the results of the keywords that changed most, and not of this one. <code>rankledger view</code> shows them.</p>`
      : html`<p class="soft">${dates.length > 1 ? `${day(dates[1])} and ${day(dates[0])}` : day(dates[0])}</p>
          <${DatedResults} address=${{ ...address, query: new URLSearchParams() }} search=${search} dates=${dates} />`
  }</section>`;
}

/** What only the workspace has. @param {KeywordHistory} history */
function missing({ lines }) {
  const rivals = lines.some(({ isOwn }) => !isOwn) ? '' : 'ranks of competitors, ';
  return html`Not in this file: ${rivals}results of other dates, and what the checks cost. <code>rankledger view</code> shows them.`;
}
