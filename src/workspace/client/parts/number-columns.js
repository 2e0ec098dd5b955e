// Columns of numbers for a table: plain numbers, shares in percent, and changes with their sign and colour.
import { html } from '../html.js';
import { number, percent, signed } from '../words.js';
import { Change } from './sort-table.js';

/** @typedef {import('./sort-table.js').Column} Column */
/** @typedef {(row: any) => number | null} Value */

/** @param {string} key @param {string} label @param {Value} value @param {number} digits @returns {Column} */
export function numberColumn(key, label, value, digits = 0) {
  return { key, label, numeric: true, value, cell: (row) => number(value(row), digits) };
}

/** @param {string} key @param {string} label @param {Value} value @returns {Column} */
export function percentColumn(key, label, value) {
  return { key, label, numeric: true, value, cell: (row) => percent(value(row)) };
}

/** @param {string} key @param {string} label @param {Value} value @param {number} digits @returns {Column} */
export function changeColumn(key, label, value, digits = 0) {
  const cell = (/** @type {any} */ row) => html`<${Change} value=${value(row)} text=${signed(value(row), digits)} />`;
  return { key, label, numeric: true, value, cell };
}
