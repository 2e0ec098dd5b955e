// Texts for numbers, rankings and changes, shared by all tables, charts and sentences of the report.
import { html } from './markup.js';

/** An en dash for a missing number; screen readers skip it. */
export const nothing = '\u2013';
const minus = '\u2212';

/** Plain words for `change_class`. @type {Readonly<Record<string, string>>} */
export const classWords = {
  improved: 'improved',
  declined: 'declined',
  unchanged: 'unchanged',
  entered: 'entered',
  dropped: 'dropped',
  first_check: 'first check',
  not_comparable: 'not comparable',
};

/** Plain words for `status`. @type {Readonly<Record<string, string>>} */
export const statusWords = {
  ranked: 'ranked',
  not_found: 'not found',
  not_followed: 'not followed',
  incomplete: 'incomplete',
  failed: 'failed',
  deferred: 'deferred',
  unknown_paid: 'unknown',
};

/**
 * @param {number} value
 * @param {number} [digits] after the point
 */
export function number(value, digits = 0) {
  const [whole = '0', fraction] = Math.abs(value).toFixed(digits).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
  const text = fraction === undefined ? grouped : `${grouped}.${fraction}`;
  return value < 0 && /[1-9]/.test(text) ? minus + text : text;
}

/**
 * A number, or the sign for a missing one.
 * @param {number | null} value
 * @param {number} [digits]
 * @param {string} [unit]
 */
export function maybe(value, digits = 0, unit = '') {
  return value === null ? html`<span class="flat">${nothing}</span>` : `${number(value, digits)}${unit}`;
}

/**
 * `+12`, `−3`, `0`.
 * @param {number} value
 * @param {number} [digits]
 */
export function signed(value, digits = 0) {
  const text = number(value, digits);
  return /[1-9]/.test(text) && value > 0 ? `+${text}` : text;
}

/**
 * A change with its direction as sign, shape and colour. `better`: the good direction.
 * @param {number | null} value
 * @param {{ digits?: number, unit?: string, better?: 'more' | 'less' | 'neither' }} [how]
 */
export function delta(value, { digits = 0, unit = '', better = 'more' } = {}) {
  if (value === null) return html`<span class="flat">${nothing}</span>`;
  const text = signed(value, digits);
  if (!/[1-9]/.test(text)) return html`<span class="flat">±0${unit}</span>`;
  const good = better === 'neither' ? 'flat' : value > 0 === (better === 'more') ? 'up' : 'down';
  return html`<span class="${good}">${arrow(value > 0)}${text}${unit}</span>`;
}

/**
 * A change of rank.
 * @param {string} changeClass
 * @param {number | null} change
 */
export function rankChange(changeClass, change) {
  if (changeClass === 'improved' || changeClass === 'declined') {
    const isUp = changeClass === 'improved';
    const steps = Math.abs(change ?? 0);
    return html`<span class="${isUp ? 'up' : 'down'}">${arrow(isUp)}<span class="unseen">${isUp ? 'up' : 'down'} </span>${steps}</span>`;
  }
  if (changeClass === 'entered') return html`<span class="up">${arrow(true)}entered</span>`;
  if (changeClass === 'dropped') return html`<span class="down">${arrow(false)}dropped</span>`;
  if (changeClass === 'unchanged') return html`<span class="flat">=<span class="unseen"> unchanged</span></span>`;
  return html`<span class="flat">${changeClass === 'first_check' ? 'first' : 'n/c'}<span class="unseen"> ${classWords[changeClass]}</span></span>`;
}

/**
 * A rank, or the status without one.
 * @param {string} status
 * @param {number | null} rank
 * @param {number | null} depth pages
 */
export function rankText(status, rank, depth) {
  if (rank !== null) return html`<b>${rank}</b>${status === 'incomplete' && html`<span class="flat">*</span>`}`;
  if (status === 'not_found')
    return html`<span class="flat">${depth === null ? 'not found' : `> ${depth} ${depth === 1 ? 'page' : 'pages'}`}</span>`;
  return html`<span class="warn">${statusWords[status]}</span>`;
}

/**
 * `featured_snippet` -> `featured snippet`
 * @param {string} name
 */
export function featureWords(name) {
  return name.replaceAll('_', ' ');
}

/**
 * A target without its scheme.
 * @param {string} target
 */
export function siteText(target) {
  return target.replace(/^https?:\/\//, '');
}

/**
 * `US en desktop`
 * @param {{ readonly country: string, readonly language: string, readonly device: string }} market
 */
export function marketText({ country, language, device }) {
  return `${country} ${language} ${device}`;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/**
 * `2026-11-20` -> `20 Nov 2026`
 * @param {string} date
 */
export function longDate(date) {
  const [year, month, day] = date.slice(0, 10).split('-').map(Number);
  return `${day} ${months[(month ?? 1) - 1]} ${year}`;
}

/** @param {boolean} isUp */
function arrow(isUp) {
  return html`<span class="arrow" aria-hidden="true">${isUp ? '\u25B2' : '\u25BC'}</span>`;
}
