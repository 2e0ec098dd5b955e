// One keyword in one market: rank history beside competitors, features, URLs, volumes, notes and what its checks cost.
import { pathOf } from '../address.js';
import { useDocument } from '../api.js';
import { apiPath, sharedQuery, takes } from '../api-path.js';
import { html } from '../html.js';
import { Chart } from '../parts/chart.js';
import { CheckLedger } from '../parts/check-ledger.js';
import { FeatureTimeline, UrlHistory, Volumes } from '../parts/keyword-sections.js';
import { Answer, DataWarning, WebLink } from '../parts/state.js';
import { datesOf, ranksOn } from '../rank-history.js';
import { day, direction, number, signed, statusText } from '../words.js';

/** @typedef {import('../../records.ts').KeywordHistory} KeywordHistory */
/** @typedef {import('../../records.ts').KeywordRow} KeywordRow */

/** @param {import('../address.js').Address & { project: string, projects: any }} address */
export function Keyword(address) {
  const { project, query } = address;
  const id = query.get('id');
  const resource = `keywords/${encodeURIComponent(id ?? '')}`;
  const history = useDocument(id === null ? null : apiPath(project, resource, query, takes.period));
  const checks = useDocument(
    id === null ? null : apiPath(project, `${resource}/checks`, query, takes.period, { limit: '1000' }),
  );
  const table = pathOf(project, 'keywords', sharedQuery(query));
  if (id === null) return html`<h1>Keyword</h1><p>Choose one in the <a href=${table}>keyword table</a>.</p>`;
  return html`
    <p><a href=${table}>All keywords</a></p>
    <${Answer} answer=${history} what="the keyword" show=${(/** @type {KeywordHistory} */ of) => html`
      <${Head} address=${address} row=${of.row} />
      <${Ranks} history=${of} />
      <${FeatureTimeline} history=${of} />
      <${UrlHistory} history=${of} />
      <${Volumes} rows=${of.volumes} />
      <${Notes} notes=${of.notes} />
    `} />
    <section class="panel"><h2>Checks and what they cost</h2>
      <${Answer} answer=${checks} what="the checks" show=${(
        /** @type {{ data: any[], total: number }} */ { data, total },
      ) =>
        data.length === 0
          ? html`<p>No checks in this period.</p>`
          : html`<${CheckLedger} checks=${data} total=${total} />`} />
    </section>
  `;
}

/** @param {{ address: any, row: KeywordRow }} props */
function Head({ address: { project, projects }, row }) {
  const { keyword, country, language, device } = row;
  const serp = pathOf(project, 'serp', { keyword, country, language, device });
  return html`
    <h1><bdi>${keyword}</bdi></h1>
    <p class="soft">${country} ${language} ${device}, target <bdi>${row.target}</bdi>${row.tags.length > 0 && html`, tags ${row.tags.join(', ')}`}</p>
    <${DataWarning} projects=${projects} project=${project} />
    <dl class="facts">
      <div><dt>Rank</dt><dd>${row.rank === null ? statusText(row.status) : number(row.rank)} <span class=${direction(row.change)}>${signed(row.change)}</span></dd></div>
      <div><dt>Best rank</dt><dd>${number(row.bestRank)}</dd></div>
      <div><dt>Searches a month</dt><dd>${number(row.searchVolume)}</dd></div>
      <div><dt>Clicks a month</dt><dd>${number(row.estimatedClicks)} <span class=${direction(row.estimatedClicksChange)}>${signed(row.estimatedClicksChange)}</span></dd></div>
      <div><dt>Cost per click</dt><dd>${row.cpc === null ? '–' : `$${row.cpc.toFixed(2)}`}</dd></div>
      <div><dt>Intent</dt><dd>${row.intent ?? '–'}</dd></div>
      <div><dt>Checked</dt><dd>${day(row.date)}</dd></div>
    </dl>
    ${row.url !== null && html`<p>Ranking page: <${WebLink} url=${row.url} /></p>`}
    ${row.preferredUrl !== null && row.preferredUrl !== row.url && html`<p class="problem">Preferred page: <${WebLink} url=${row.preferredUrl} /></p>`}
    ${row.note !== null && html`<p class="soft">${row.note}</p>`}
    <p><a href=${serp}>Stored results of this search</a></p>
  `;
}

/** @param {{ history: KeywordHistory }} props */
function Ranks({ history }) {
  const { lines, notes } = history;
  const dates = datesOf(history);
  if (dates.length === 0) return html`<p>No checks in this period.</p>`;
  const noted = new Set(notes.map(({ date }) => date));
  const marks = {
    type: 'line',
    label: 'Note',
    showLine: false,
    pointStyle: 'triangle',
    pointRadius: 6,
    borderColor: '--soft',
  };
  const data = {
    labels: dates.map(day),
    datasets: [
      ...lines.map(({ target, isOwn, points }) => ({
        label: target,
        data: ranksOn(points, dates),
        borderWidth: isOwn ? 2.5 : 1.5,
        borderDash: isOwn ? [] : [6, 3],
      })),
      ...(noted.size === 0 ? [] : [{ ...marks, data: dates.map((date) => (noted.has(date) ? 1 : null)) }]),
    ],
  };
  const options = {
    scales: { y: { reverse: true, min: 1, ticks: { precision: 0 }, title: { display: true, text: 'Rank' } } },
  };
  return html`<section class="panel"><h2>Rank history</h2>
    <${Chart} type="line" data=${data} options=${options} label=${`Ranks of ${lines.map(({ target }) => target).join(', ')} from ${day(dates[0])} to ${day(dates.at(-1))}`} />
    <details><summary>As a table</summary><${RankTable} lines=${lines} dates=${dates} /></details>
  </section>`;
}

/** @param {{ lines: KeywordHistory['lines'], dates: readonly string[] }} props */
function RankTable({ lines, dates }) {
  const byDate = lines.map(({ points }) => new Map(points.map((point) => [point.date, point])));
  return html`<div class="scroll" role="region" aria-label="Ranks by date" tabindex="0"><table>
    <caption>Ranks by date</caption>
    <thead><tr><th scope="col">Date</th>${lines.map(({ target }) => html`<th scope="col" class="numeric"><bdi>${target}</bdi></th>`)}</tr></thead>
    <tbody>${dates.toReversed().map(
      (date) =>
        html`<tr><th scope="row">${day(date)}</th>${byDate.map((points) => {
          const point = points.get(date);
          return html`<td class="numeric">${point === undefined ? '–' : point.rank === null ? statusText(point.status) : number(point.rank)}</td>`;
        })}</tr>`,
    )}</tbody></table></div>`;
}

/** @param {{ notes: KeywordHistory['notes'] }} props */
function Notes({ notes }) {
  if (notes.length === 0) return null;
  return html`<section class="panel"><h2>Notes</h2>
    <ul>${notes.map(({ date, text, project }) => html`<li>${day(date)}: <bdi>${text}</bdi>${project === null && ' (all projects)'}</li>`)}</ul></section>`;
}
