// The keyword page of a file: one row in a dialog over the table.
import { useEffect, useRef } from 'preact/hooks';
import { goTo, pathOf, withChanges } from '../address.js';
import { useDocument } from '../api.js';
import { apiPath } from '../api-path.js';
import { html } from '../html.js';
import { KeywordHistorySections } from '../views/keyword.js';
import { Answer } from './state.js';

/** @typedef {import('../../records.ts').KeywordHistory} KeywordHistory */

/** @param {{ address: import('../address.js').Address, id: string }} props */
export function KeywordDialog({ address, id }) {
  const { project, query } = address;
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
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
      html`<${KeywordHistorySections} address=${address} history=${of} />`} />
  </dialog>`;
}
