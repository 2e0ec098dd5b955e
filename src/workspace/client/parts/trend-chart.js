// The chart above the keyword table, with its values as a table and the notes of its dates.
import { pathOf, withChanges } from '../address.js';
import { dayNumber, linePoints, pointRadii } from '../gaps.js';
import { html } from '../html.js';
import { hasValues, measureOf, measures, trendLines, trendText } from '../trend.js';
import { day, number } from '../words.js';
import { Chart } from './chart.js';
import { NoteList } from './note-list.js';
import { timeScale, tooltipDay } from './time-axis.js';

/** @typedef {import('../../records.ts').SeriesAnswer} SeriesAnswer */
/** @typedef {import('../trend.js').Measure} Measure */
/** @typedef {import('../address.js').Address} Address */

/** @param {{ address: Address, series: SeriesAnswer }} props */
export function TrendChart({ address: { project, view, query }, series }) {
  const measure = measureOf(query.get('chart'), series);
  const text = trendText(measure, series);
  return html`<figure class="trend">
    <figcaption>
      <span class="unseen">${text}</span>
      <ul class="measures" aria-label="What the chart shows">${Object.entries(measures).map(
        ([name, { label }]) => html`<li><a href=${pathOf(project, view, withChanges(query, { chart: name }))}
          aria-current=${name === measure ? 'true' : null}>${label}</a></li>`,
      )}</ul>
    </figcaption>
    ${
      !hasValues(measure, series)
        ? html`<p class="mark">${series.dates.length === 0 ? 'Nothing was checked in this range.' : `${measures[measure].label}: no value in this range.`}</p>`
        : html`<${SeriesChart} measure=${measure} series=${series} label=${text} />`
    }
    <${NoteList} notes=${series.notes} />
    ${hasValues(measure, series) && html`<${Values} measure=${measure} series=${series} caption=${text} />`}
  </figure>`;
}

/**
 * One measure of a series.
 * @param {{ measure: Measure, series: SeriesAnswer, label: string, hasLegend?: boolean }} props
 */
export function SeriesChart({ measure, series, label, hasLegend = false }) {
  const marks = series.notes.map(({ date }, index) => ({ at: dayNumber(date), label: `${index + 1}` }));
  return html`<${Chart} ...${chartOf(measure, series, hasLegend)} marks=${marks} label=${label} />`;
}

/** @param {Measure} measure @param {SeriesAnswer} series @param {boolean} hasLegend */
function chartOf(measure, series, hasLegend) {
  const days = series.dates.map(dayNumber);
  const isStacked = measure === 'buckets';
  const { text } = measures[measure];
  const datasets = trendLines(measure, series).map(({ label, colour, values }) => {
    const shared = { label, borderColor: colour, backgroundColor: colour };
    if (isStacked) {
      const data = values.map((y, index) => ({ x: days[index], y }));
      return { ...shared, data, borderWidth: 0, barPercentage: 1, categoryPercentage: 0.92 };
    }
    const data = linePoints(values, days);
    return { ...shared, data, borderWidth: 2, pointRadius: pointRadii(data) };
  });
  const y = measure === 'rank' ? rankScale(series.averageRank) : { stacked: isStacked, beginAtZero: true };
  const callbacks = {
    title: tooltipDay,
    label: (/** @type {any} */ item) => ` ${item.dataset.label}: ${text(item.parsed.y)}`,
  };
  const scales = { x: timeScale(days, { hasBars: isStacked }), y };
  return {
    type: isStacked ? 'bar' : 'line',
    data: { datasets },
    options: { scales, plugins: { legend: { display: hasLegend }, tooltip: { callbacks } } },
  };
}

/** From one whole rank to another, with the best at the top. @param {readonly (number | null)[]} values */
function rankScale(values) {
  const ranks = values.filter((value) => value !== null);
  return {
    reverse: true,
    suggestedMin: Math.floor(Math.min(...ranks)),
    suggestedMax: Math.floor(Math.max(...ranks)) + 1,
  };
}

/** @param {{ measure: Measure, series: SeriesAnswer, caption: string }} props */
function Values({ measure, series, caption }) {
  const lines = trendLines(measure, series);
  const { text } = measures[measure];
  return html`<details class="values"><summary>Values of the chart</summary>
    <div class="scroll" tabindex="0" role="region" aria-label="Values of the chart"><table class="stacked">
      <caption>${caption}</caption>
      <thead><tr><th scope="col">Date</th>${lines.map(({ label }) => html`<th scope="col">${label}</th>`)}<th scope="col">Checked</th></tr></thead>
      <tbody>${series.dates
        .map((date, index) => ({ date, index }))
        .reverse()
        .map(
          ({ date, index }) => html`<tr><th scope="row">${day(date)}</th>
            ${lines.map(({ label, values }) => html`<td data-label=${label}>${text(values[index] ?? null)}</td>`)}<td data-label="Checked">${number(series.checked[index])}</td></tr>`,
        )}</tbody>
    </table></div>
  </details>`;
}
