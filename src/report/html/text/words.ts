// Texts for numbers, rankings and changes, shared by all tables, charts and sentences of the report.
import { html, type Markup } from './markup.ts';

/** An en dash for a missing number; screen readers skip it. */
const nothing = '\u2013';
const minus = '\u2212';

/** Plain words for `change_class`. */
const classWords: Readonly<Record<string, string>> = {
  improved: 'improved',
  declined: 'declined',
  unchanged: 'unchanged',
  entered: 'entered',
  dropped: 'dropped',
  first_check: 'first check',
  not_comparable: 'not comparable',
};

/** Plain words for `status`. */
const statusWords: Readonly<Record<string, string>> = {
  ranked: 'ranked',
  not_found: 'not found',
  not_followed: 'not followed',
  incomplete: 'incomplete',
  failed: 'failed',
  deferred: 'deferred',
  unknown_paid: 'unknown',
};

/** `digits`: after the point. */
export function number(value: number, digits = 0): string {
  const [whole = '0', fraction] = Math.abs(value).toFixed(digits).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
  const text = fraction === undefined ? grouped : `${grouped}.${fraction}`;
  return value < 0 && /[1-9]/.test(text) ? minus + text : text;
}

/** A number, or the sign for a missing one. */
export function maybe(value: number | null, digits = 0, unit = ''): Markup | string {
  return value === null ? html`<span class="quiet">${nothing}</span>` : `${number(value, digits)}${unit}`;
}

/** `+12`, `−3`, `0`. */
function signed(value: number, digits: number): string {
  const text = number(value, digits);
  return /[1-9]/.test(text) && value > 0 ? `+${text}` : text;
}

interface DeltaOptions {
  readonly digits?: number;
  readonly unit?: string;
  readonly better?: 'more' | 'less' | 'neither';
}

/** A change with its direction as sign, shape and colour. `better`: the good direction. */
export function delta(value: number | null, { digits = 0, unit = '', better = 'more' }: DeltaOptions = {}): Markup {
  if (value === null) return html`<span class="quiet">${nothing}</span>`;
  const text = signed(value, digits);
  if (!/[1-9]/.test(text)) return html`<span class="quiet">±0${unit}</span>`;
  const good = better === 'neither' ? 'quiet' : value > 0 === (better === 'more') ? 'good' : 'bad';
  // the arrow is the sign, for those who see it
  return html`<span class="${good}">${arrow(value > 0)} <span class="unseen">${text.slice(0, 1)}</span>${text.slice(1)}${unit}</span>`;
}

/** A change of rank. */
export function rankChange(changeClass: string, change: number | null): Markup {
  if (changeClass === 'improved' || changeClass === 'declined') {
    const isUp = changeClass === 'improved';
    const steps = Math.abs(change ?? 0);
    return html`<span class="${isUp ? 'good' : 'bad'}">${arrow(isUp)}<span class="unseen">${isUp ? 'up' : 'down'} </span>${steps}</span>`;
  }
  if (changeClass === 'entered') return html`<span class="good">${arrow(true)}entered</span>`;
  if (changeClass === 'dropped') return html`<span class="bad">${arrow(false)}dropped</span>`;
  if (changeClass === 'unchanged') return html`<span class="quiet">=<span class="unseen"> unchanged</span></span>`;
  return html`<span class="quiet">${changeClass === 'first_check' ? 'first' : 'n/c'}<span class="unseen"> ${classWords[changeClass]}</span></span>`;
}

/** A rank, or the status without one. `depth`: pages. */
export function rankText(status: string, rank: number | null, depth: number | null): Markup {
  if (rank !== null) return html`<b>${rank}</b>${status === 'incomplete' && html`<span class="quiet">*</span>`}`;
  if (status === 'not_found')
    return html`<span class="quiet">${depth === null ? 'not found' : `> ${depth} ${depth === 1 ? 'page' : 'pages'}`}</span>`;
  return html`<span class="bad">${statusWords[status]}</span>`;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `2026-11-20` -> `20 Nov 2026` */
export function longDate(date: string): string {
  const [year, month, day] = date.slice(0, 10).split('-').map(Number);
  return `${day} ${months[(month ?? 1) - 1]} ${year}`;
}

function arrow(isUp: boolean): Markup {
  return html`<span class="arrow" aria-hidden="true">${isUp ? '\u25B2' : '\u25BC'}</span>`;
}
