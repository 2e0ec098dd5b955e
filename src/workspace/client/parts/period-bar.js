// The dates of a view: range, comparison, and days, weeks or months.
import { goTo, pathOf } from '../address.js';
import { changed } from '../filters.js';
import { html } from '../html.js';
import { comparisons, comparisonText, periodBefore, rangePresets } from '../periods.js';

/** @typedef {import('../address.js').Address} Address */

/**
 * `dates`: those with checks, oldest first.
 * @param {{ address: Address, dates: readonly string[], hasGranularity?: boolean, children?: unknown }} props
 */
export function PeriodBar({ address: { project, view, query }, dates, hasGranularity = true, children }) {
  const change = (/** @type {Record<string, string | null>} */ changes) =>
    goTo(pathOf(project, view, changed(query, changes)));
  const [from, to] = [query.get('from'), query.get('to') ?? query.get('date')];
  // the table stands at the end of the range
  const setTo = (/** @type {string | null} */ date) => change({ to: date, date });
  return html`<div class="period">
    <${DateField} label="From" value=${from} dates=${dates} onPick=${(/** @type {string | null} */ date) => change({ from: date })} />
    <${DateField} label="To" value=${to} dates=${dates} onPick=${setTo} />
    <div class="presets" role="group" aria-label="Date range">${rangePresets(dates).map((preset) => {
      const isChosen = from === preset.from && to === null;
      return html`<button type="button" aria-pressed=${isChosen ? 'true' : 'false'}
        onClick=${() => change({ from: isChosen ? null : preset.from, to: null, date: null })}>${preset.label}</button>`;
    })}</div>
    <${ComparisonField} value=${query.get('compare') ?? ''} dates=${dates} before=${periodBefore(from, to ?? dates.at(-1))} onPick=${(/** @type {string | null} */ compare) => change({ compare })} />
    ${
      hasGranularity &&
      html`<label>By <select value=${query.get('granularity') ?? 'day'}
        onChange=${(/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget: { value } }) =>
          change({ granularity: value === 'day' ? null : value })}>
        ${['day', 'week', 'month'].map((name) => html`<option value=${name}>${name}</option>`)}
      </select></label>`
    }
    ${children}
  </div>`;
}

/**
 * @param {{ label: string, value: string | null, dates: readonly string[],
 *   onPick: (date: string | null) => void }} props
 */
function DateField({ label, value, dates, onPick }) {
  const pick = (/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) =>
    onPick(currentTarget.value || null);
  return html`<label>${label} <input type="date" value=${value ?? ''} min=${dates[0]} max=${dates.at(-1)} onChange=${pick} /></label>`;
}

/**
 * @param {{ value: string, dates: readonly string[], before: ReturnType<typeof periodBefore>,
 *   onPick: (compare: string | null) => void }} props
 */
function ComparisonField({ value, dates, before, onPick }) {
  const options = [
    ...comparisons.filter((known) => known.value !== before?.value),
    ...(before === null ? [] : [before]),
  ];
  const isDate = /^\d{4}-/.test(value);
  const isOther = value !== '' && !isDate && !options.some((known) => known.value === value);
  const change = (/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget }) =>
    onPick((currentTarget.value === 'date' ? (dates.at(-2) ?? dates[0]) : currentTarget.value) || null);
  return html`<label>Compared with
    <select value=${isDate ? 'date' : value} onChange=${change}>
      <option value="">as configured</option>
      ${options.map(({ value: of, label }) => html`<option value=${of}>${label}</option>`)}
      ${isOther && html`<option value=${value}>${comparisonText(value)}</option>`}
      <option value="date">a date…</option>
    </select></label>
  ${isDate && html`<${DateField} label="Compared date" value=${value} dates=${dates} onPick=${onPick} />`}`;
}
