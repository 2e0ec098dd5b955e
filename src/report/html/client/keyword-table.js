// The interactive keyword table: sorting, filtering and paging, so that only visible rows cost time.
import { element, fill } from './elements.js';
import { keywordRow } from './keyword-row.js';
import { html } from './markup.js';
import { anything, filtered, rowAt, sorted } from './page-rows.js';
import { number } from './words.js';

/** @import { PageData } from '../page-data.ts' */

/** Columns that sort from their greatest value down at first. */
const greatestFirst = ['change', 'volume', 'clicks', 'clicksChange'];

/**
 * @param {PageData} data
 * @param {(row: number) => void} openDetails
 */
export function startKeywordTable(data, openDetails) {
  const table = element('keyword-table', HTMLTableElement);
  const form = element('filters', HTMLFormElement);
  const pageSize = element('page-size', HTMLSelectElement);
  const before = element('page-before', HTMLButtonElement);
  const after = element('page-after', HTMLButtonElement);
  const body = table.tBodies[0];
  if (body === undefined) return;
  const shape = { axis: data.axis, hasMarkets: data.markets.length > 1, hasTargets: data.targets.length > 1 };
  const state = {
    key: '',
    isDescending: false,
    first: 0,
    size: Number(pageSize.value),
    rows: filtered(data, anything),
  };

  const draw = () => {
    const { rows, first, size } = state;
    const shown = rows.slice(first, first + size);
    fill(body, html`${shown.map((index) => keywordRow(rowAt(data, index), shape))}`);
    const range =
      shown.length === 0
        ? 'No keywords'
        : `Keywords ${number(first + 1)} to ${number(first + shown.length)} of ${number(rows.length)}`;
    const whole = rows.length < data.rows.keyword.length ? `, filtered from ${number(data.rows.keyword.length)}` : '';
    element('shown', HTMLElement).textContent = range + whole;
    element('print-note', HTMLElement).textContent = `${range}${whole}; all are in rank-changes.csv.`;
    before.disabled = first === 0;
    after.disabled = first + size >= rows.length;
  };
  const select = () => {
    state.rows = sorted(data, filtered(data, readFilter(form)), state.key, state.isDescending);
    state.first = 0;
    draw();
  };
  /** @param {number} first */
  const turnTo = (first) => {
    state.first = Math.max(0, first);
    draw();
    table.scrollIntoView({ block: 'start' });
  };

  for (const header of table.querySelectorAll('th[data-sort]')) {
    header.querySelector('button')?.addEventListener('click', () => {
      const key = header.getAttribute('data-sort') ?? '';
      state.isDescending = key === state.key ? !state.isDescending : greatestFirst.includes(key);
      state.key = key;
      for (const other of table.querySelectorAll('th[aria-sort]')) other.removeAttribute('aria-sort');
      header.setAttribute('aria-sort', state.isDescending ? 'descending' : 'ascending');
      const title = header.querySelector('button')?.textContent ?? '';
      if (table.caption !== null)
        table.caption.textContent = `Keywords, by ${title}, ${state.isDescending ? 'descending' : 'ascending'}`;
      select();
    });
  }
  form.addEventListener('input', select);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('reset', () => queueMicrotask(() => setTimeout(select)));
  pageSize.addEventListener('change', () => {
    state.size = Number(pageSize.value);
    turnTo(Math.floor(state.first / state.size) * state.size);
  });
  before.addEventListener('click', () => turnTo(state.first - state.size));
  after.addEventListener('click', () => turnTo(state.first + state.size));
  body.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest('button.open') : null;
    if (button !== null) openDetails(Number(button.getAttribute('data-row')));
  });
  form.hidden = false;
  element('pager', HTMLElement).hidden = false;
  select();
}

/**
 * @param {HTMLFormElement} form
 * @returns {import('./page-rows.js').Wanted}
 */
function readFilter(form) {
  const fields = new FormData(form);
  /** @param {string} name */
  const text = (name) => String(fields.get(name) ?? '');
  /** @param {string} name */
  const id = (name) => (text(name) === '' ? -1 : Number(text(name)));
  return {
    text: text('text'),
    tag: id('tag'),
    market: id('market'),
    target: id('target'),
    status: text('status'),
    changeClass: text('changeClass'),
  };
}
