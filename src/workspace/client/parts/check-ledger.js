// The checks of a keyword: what was read, what was bought, what failed, and what it cost.
import { html } from '../html.js';
import { groupPurchases } from '../purchase-groups.js';
import { day, number, plain, statusText } from '../words.js';
import { Pages, pageNumber } from './pages.js';

/** @typedef {import('../../records.ts').CheckRecord} CheckRecord */

/** Checks of a page. */
const size = 30;

/**
 * @param {{ address: import('../address.js').Address, checks: readonly CheckRecord[], total: number }} props `checks`:
 * newest first; of very many, not all
 */
export function CheckLedger({ address, checks, total }) {
  const page = Math.min(pageNumber(address.query), Math.ceil(checks.length / size));
  const credits = checks.flatMap(({ purchases }) => purchases).reduce((sum, { charged }) => sum + charged, 0);
  const caption = `${number(checks.length)} of ${number(total)} checks, ${number(credits)} credits`;
  return html`<div class="scroll" role="region" aria-label="Ledger of the checks" tabindex="0"><table class="stacked">
    <caption>${caption}</caption>
    <thead><tr>${['Date', 'Run', 'Outcome', 'Pages read', 'Reused', 'Source'].map((label) => html`<th scope="col">${label}</th>`)}
      <th scope="col" class="numeric">Credits</th><th scope="col">Purchases</th></tr></thead>
    <tbody>${checks.slice((page - 1) * size, page * size).map((check) => html`<${CheckLine} key=${check.checkId} check=${check} />`)}</tbody>
  </table></div>
  ${checks.length > size && html`<${Pages} address=${address} total=${checks.length} size=${size} of="checks" />`}`;
}

/** @param {{ check: CheckRecord }} props */
function CheckLine({ check }) {
  const { date, runId, status, reason, pagesRead, pagesReused, source, purchases } = check;
  const isOk = status === 'ok';
  return html`<tr>
    <th scope="row">${day(date)}</th><td data-label="Run">${runId}</td>
    <td data-label="Outcome" class=${isOk ? null : 'down'}><span>${statusText(status)}${reason !== null && html`: ${reason}`}</span></td>
    <td data-label="Pages read">${number(pagesRead)}</td><td data-label="Reused">${number(pagesReused)}</td><td data-label="Source">${source ?? '–'}</td>
    <td data-label="Credits" class="numeric">${number(purchases.reduce((sum, { charged }) => sum + charged, 0))}</td>
    <td data-label="Purchases"><ul class="plain">${groupPurchases(purchases).map((group) => html`<${PurchaseLine} group=${group} />`)}</ul></td>
  </tr>`;
}

/** @param {{ group: import('../purchase-groups.js').PurchaseGroup }} props */
function PurchaseLine({ group: { first, last, attempt, state, charged, error } }) {
  const what = first === null ? 'request' : first === last ? `page ${first}` : `pages ${first} to ${last}`;
  const again = attempt > 1 ? `, attempt ${attempt}` : '';
  return html`<li>${what}${again}: ${plain(state)}, ${number(charged)}${error !== null && html` <span class="down">${error}</span>`}</li>`;
}
