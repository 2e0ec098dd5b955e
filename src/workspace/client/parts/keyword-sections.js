// Sections of the keyword page: features over time, ranking URLs, and search volumes.
import { html } from '../html.js';
import { datesOf, featureTimeline, urlStretches } from '../rank-history.js';
import { day, number, plain } from '../words.js';
import { Chart } from './chart.js';
import { FeatureStrip } from './feature-strip.js';
import { WebLink } from './state.js';

/** @typedef {import('../../records.ts').KeywordHistory} KeywordHistory */

/** @param {{ history: KeywordHistory }} props */
export function FeatureTimeline({ history }) {
  const dates = datesOf(history);
  const features = featureTimeline(history.lines[0]?.points ?? [], dates);
  if (features.length === 0) return null;
  return html`<section class="panel"><h2>Features on the results pages</h2>
    <p class="soft legend"><span class="key owned"></span> we are in it <span class="key shown"></span> shown <span class="key absent"></span> absent <span class="key unknown"></span> not read</p>
    <div class="scroll" role="region" aria-label="Features by date" tabindex="0"><table class="stacked">
      <caption>From ${day(dates[0])} to ${day(dates.at(-1))}</caption>
      <thead><tr><th scope="col">Feature</th><th scope="col">By date</th><th scope="col" class="numeric">Shown</th><th scope="col" class="numeric">Owned</th></tr></thead>
      <tbody>${features.map(
        ({ feature, states, owned, shown, read }) => html`<tr>
          <th scope="row">${plain(feature)}</th>
          <td class="strip-cell"><${FeatureStrip} states=${states} label=${stripLabel(plain(feature), states, dates)} /></td>
          <td data-label="Shown" class="numeric"><span>${number(shown)} of ${number(read)}</span></td><td data-label="Owned" class="numeric">${number(owned)}</td>
        </tr>`,
      )}</tbody></table></div>
  </section>`;
}

/** @param {string} feature @param {readonly string[]} states @param {readonly string[]} dates */
function stripLabel(feature, states, dates) {
  const isShown = (/** @type {string | undefined} */ state) => state === 'owned' || state === 'shown';
  const first = states.findIndex(isShown);
  const last = states.findLastIndex(isShown);
  const owned = states.lastIndexOf('owned');
  const text = `${feature}: first shown ${day(dates[first])}, last shown ${day(dates[last])}`;
  return owned === -1 ? text : `${text}, last owned ${day(dates[owned])}`;
}

/** Which own page ranked, and since when. @param {{ history: KeywordHistory }} props */
export function UrlHistory({ history }) {
  const stretches = urlStretches(history.lines[0]?.points ?? []);
  if (stretches.length === 0) return null;
  const pages = new Set(stretches.map(({ url }) => url)).size;
  const preferred = history.row.preferredUrl;
  return html`<section class="panel"><h2>Ranking pages</h2>
    ${pages > 1 && html`<p>${number(pages)} pages took turns, with ${number(stretches.length - 1)} ${stretches.length === 2 ? 'change' : 'changes'}.</p>`}
    <div class="scroll" role="region" aria-label="Ranking pages" tabindex="0"><table class="stacked">
      <caption>Newest first</caption>
      <thead><tr><th scope="col">Page</th><th scope="col">From</th><th scope="col">To</th><th scope="col" class="numeric">Checks</th><th scope="col" class="numeric">Best rank</th></tr></thead>
      <tbody>${stretches.map(
        ({ url, from, to, checks, best }) => html`<tr>
          <th scope="row" class="url"><${WebLink} url=${url} />${url === preferred && html` <small>preferred</small>`}</th>
          <td data-label="From">${day(from)}</td><td data-label="To">${day(to)}</td><td data-label="Checks" class="numeric">${number(checks)}</td><td data-label="Best rank" class="numeric">${number(best)}</td></tr>`,
      )}</tbody></table></div>
  </section>`;
}

/** @param {{ rows: KeywordHistory['volumes'] }} props */
export function Volumes({ rows }) {
  if (rows.length === 0) return null;
  const months = rows.toSorted((a, b) => (a.month < b.month ? -1 : 1));
  const hasRest = rows.some(({ source }) => source !== '');
  const data = {
    labels: months.map(({ month }) => month),
    datasets: [{ label: 'Searches a month', data: months.map(({ searchVolume }) => searchVolume) }],
  };
  return html`<section class="panel"><h2>Search volume</h2>
    ${months.length > 1 && html`<${Chart} type="bar" data=${data} options=${{ plugins: { legend: { display: false } }, scales: { y: { beginAtZero: true } } }} label=${`Searches from ${months[0]?.month} to ${months.at(-1)?.month}`} />`}
    <div class="scroll" role="region" aria-label="Search volumes" tabindex="0"><table class="stacked">
      <caption>Newest first</caption>
      <thead><tr><th scope="col">Month</th><th scope="col" class="numeric">Searches</th>${hasRest && html`<th scope="col" class="numeric">Cost per click</th><th scope="col" class="numeric">Competition</th><th scope="col">Source</th>`}</tr></thead>
      <tbody>${months.toReversed().map(
        ({ month, searchVolume, cpc, competition, source }) => html`<tr><th scope="row">${month}</th>
          <td data-label="Searches" class="numeric">${number(searchVolume)}</td>${
            hasRest &&
            html`<td data-label="Cost per click" class="numeric">${cpc === null ? '–' : `$${cpc.toFixed(2)}`}</td>
            <td data-label="Competition" class="numeric">${number(competition)}</td><td data-label="Source">${source}</td>`
          }</tr>`,
      )}</tbody></table></div>
  </section>`;
}
