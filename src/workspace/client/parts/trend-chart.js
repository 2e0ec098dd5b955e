// The chart above the keyword table, with its values as a table and the notes of its dates.
import { pathOf, withChanges } from '../address.js';
import { html } from '../html.js';
import { dateOf, dayNumber, measureOf, measures, trendLines, trendText } from '../trend.js';
import { day } from '../words.js';
import { Chart } from './chart.js';

/** @typedef {import('../../records.ts').SeriesAnswer} SeriesAnswer */
/** @typedef {import('../trend.js').Measure} Measure */
/** @typedef {import('../address.js').Address} Address */

/** @param {{ address: Address, series: SeriesAnswer }} props */
export function TrendChart({ address: { project, view, query }, series }) {
  const measure = measureOf(query.get('chart'));
  const text = trendText(measure, series);
  const marks = series.notes.map(({ date }, index) => ({ at: dayNumber(date), label: `${index + 1}` }));
  return html`<figure class="trend">
    <figcaption>
      <span class="unseen">${text}</span>
      <ul class="measures" aria-label="What the chart shows">${Object.entries(measures).map(
        ([
          name,
          { label },
        ]) => html`<li><a href=${pathOf(project, view, withChanges(query, { chart: name === 'visibility' ? null : name }))}
          aria-current=${name === measure ? 'true' : null}>${label}</a></li>`,
      )}</ul>
    </figcaption>
    ${
      series.dates.length === 0
        ? html`<p class="waiting">Nothing was checked in this range.</p>`
        : html`<${Chart} ...${chartOf(measure, series)} marks=${marks} label=${text} />`
    }
    <${Notes} notes=${series.notes} />
    ${series.dates.length > 0 && html`<${Values} measure=${measure} series=${series} caption=${text} />`}
  </figure>`;
}

/** @param {Measure} measure @param {SeriesAnswer} series */
function chartOf(measure, series) {
  const days = series.dates.map(dayNumber);
  const isStacked = measure === 'buckets';
  const { text } = measures[measure];
  const datasets = trendLines(measure, series).map(({ label, colour, values }) => ({
    label,
    data: values.map((y, index) => ({ x: days[index], y })),
    borderColor: colour,
    backgroundColor: colour,
    borderWidth: isStacked ? 0 : 2,
    pointRadius: days.length > 45 ? 0 : 2,
    ...(isStacked && { barPercentage: 1, categoryPercentage: 0.92 }),
  }));
  const [first = 0, last = first] = [days[0], days.at(-1)];
  const margin = isStacked ? Math.max(0.5, (last - first) / Math.max(1, days.length - 1) / 2) : Number(first === last);
  const x = {
    type: 'linear',
    stacked: isStacked,
    min: first - margin,
    max: last + margin,
    offset: false,
    grid: { offset: false },
    ticks: { precision: 0, callback: (/** @type {number} */ value) => shortDay(value) },
  };
  const y = {
    stacked: isStacked,
    reverse: measure === 'rank',
    beginAtZero: measure !== 'rank',
    grace: measure === 'rank' ? '10%' : 0,
  };
  const tooltip = {
    title: (/** @type {any[]} */ items) => (items[0] === undefined ? '' : day(dateOf(items[0].parsed.x))),
    label: (/** @type {any} */ item) => ` ${item.dataset.label}: ${text(item.parsed.y)}`,
  };
  return {
    type: isStacked ? 'bar' : 'line',
    data: { datasets },
    options: { scales: { x, y }, plugins: { legend: { display: false }, tooltip: { callbacks: tooltip } } },
  };
}

/** `20 Nov` @param {number} days since 1970 */
function shortDay(days) {
  return Number.isInteger(days) ? day(dateOf(days)).replace(/ \d{4}$/, '') : '';
}

/** @param {{ notes: SeriesAnswer['notes'] }} props */
function Notes({ notes }) {
  if (notes.length === 0) return null;
  return html`<ol class="notes" aria-label="Notes">
    ${notes.map(({ date, text }) => html`<li><time datetime=${date}>${day(date)}</time> <bdi>${text}</bdi></li>`)}
  </ol>`;
}

/** @param {{ measure: Measure, series: SeriesAnswer, caption: string }} props */
function Values({ measure, series, caption }) {
  const lines = trendLines(measure, series);
  const { text } = measures[measure];
  return html`<details class="values"><summary>Values of the chart</summary>
    <div class="scroll" tabindex="0" role="region" aria-label="Values of the chart"><table>
      <caption>${caption}</caption>
      <thead><tr><th scope="col">Date</th>${lines.map(({ label }) => html`<th scope="col">${label}</th>`)}<th scope="col">Checked</th></tr></thead>
      <tbody>${series.dates
        .map((date, index) => ({ date, index }))
        .reverse()
        .map(
          ({ date, index }) => html`<tr><th scope="row">${day(date)}</th>
            ${lines.map(({ values }) => html`<td>${text(values[index] ?? null)}</td>`)}<td>${series.checked[index]}</td></tr>`,
        )}</tbody>
    </table></div>
  </details>`;
}
