// Measured clicks: what they are sums of, and those of a keyword by day.
import { html } from '../html.js';
import { day, number } from '../words.js';
import { Chart } from './chart.js';

/** @typedef {import('../../../tracker/clicks/clicks.ts').ClickFacts} ClickFacts */
/** @typedef {import('../../records.ts').KeywordHistory} KeywordHistory */

/** Which days measured clicks are sums of, and what is hidden. @param {{ facts: ClickFacts | undefined }} props */
export function ClicksNote({ facts }) {
  if (facts === undefined) return null;
  const { property, from, to, days, freshDays, clicks, hiddenClicks, impressions, hiddenImpressions } = facts;
  return html`<p class="soft">Measured clicks and impressions: Search Console, <bdi>${property}</bdi>, ${day(from)} to ${day(to)}, ${number(days)} of 28 days.
    ${freshDays > 0 && ` ${number(freshDays)} ${freshDays === 1 ? 'day is' : 'days are'} not final and left out.`}
    ${` Hidden queries have ${number(hiddenClicks)} of ${number(clicks)} clicks`}${impressions !== null && hiddenImpressions !== null && ` and ${number(hiddenImpressions)} of ${number(impressions)} impressions`}. They are in no row.
    ${impressions === null && html` Some of these days are stored by page only: impressions of queries with several pages are unknown until <code>rankledger backfill clicks</code> fetches the days by query.`}
    ${' Average positions are no ranks.'}</p>`;
}

/** @param {{ history: KeywordHistory, facts: ClickFacts | undefined }} props */
export function Clicks({ history: { row, clicks = [] }, facts }) {
  if (facts === undefined) return null;
  const fresh = clicks.filter(({ isFinal }) => !isFinal);
  const data = {
    labels: clicks.map(({ date }) => date),
    datasets: [
      { label: 'Impressions', data: clicks.map(({ impressions }) => impressions) },
      { label: 'Clicks', data: clicks.map(({ clicks: count }) => count) },
    ],
  };
  return html`<section class="panel"><h2>Measured clicks</h2>
    <dl class="facts">
      <div><dt>Clicks in 28 days</dt><dd>${number(row.measuredClicks)}</dd></div>
      <div><dt>Impressions in 28 days</dt><dd>${number(row.impressions)}</dd></div>
      <div><dt>Average position</dt><dd>${number(row.averagePosition, 1)}</dd></div>
    </dl>
    ${row.measuredClicks === null && html`<p>Search Console reports no impressions of this query, country and device. Rare queries are hidden.</p>`}
    ${clicks.length > 1 && html`<${Chart} type="bar" data=${data} options=${{ scales: { y: { beginAtZero: true } } }} label=${`Impressions and clicks by day from ${data.labels[0]} to ${data.labels.at(-1)}`} />`}
    ${fresh.length > 0 && html`<p class="soft">${number(fresh.length)} of these days ${fresh.length === 1 ? 'is' : 'are'} not final, the first of them ${day(fresh[0]?.date)}: their numbers are partial.</p>`}
    <${ClicksNote} facts=${facts} />
  </section>`;
}
