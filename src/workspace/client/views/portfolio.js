// All projects: headline numbers, changes, alerts and spend, with a total line.
import { goTo, pathOf, withChanges } from '../address.js';
import { html } from '../html.js';
import { ProjectTable } from '../parts/project-table.js';
import { Sparkline } from '../parts/sparkline.js';
import { ViewTitle } from '../parts/view-title.js';
import { spendText, totalOf } from '../portfolio.js';
import { parseSort, sorted } from '../table-order.js';
import { counted, day, direction, number, percent, signed } from '../words.js';

/** @typedef {import('../../records.ts').ProjectOverview} ProjectOverview */

/** @type {readonly { key: string, label: string, value: (of: ProjectOverview) => string | number | null }[]} */
const orders = [
  { key: '', label: 'As configured', value: () => 0 },
  { key: 'name', label: 'Name', value: ({ project }) => project },
  { key: '-visibility', label: 'Visibility', value: ({ visibility }) => visibility },
  { key: '-gain', label: 'Largest gain in 7 days', value: ({ visibilityChange }) => visibilityChange.week },
  { key: 'gain', label: 'Largest loss in 7 days', value: ({ visibilityChange }) => visibilityChange.week },
  { key: 'rank', label: 'Average rank', value: ({ averageRank }) => averageRank },
  { key: '-alerts', label: 'Most alerts', value: ({ alerts }) => alerts },
  {
    key: '-spend',
    label: 'Most spend',
    value: ({ ownSpend }) => ownSpend.find(({ currency }) => currency === 'serp_credit')?.spent ?? 0,
  },
];

/** @param {import('../address.js').Address & { projects: { data: readonly ProjectOverview[] } | undefined }} address */
export function Portfolio(address) {
  const { query, projects } = address;
  if (projects === undefined) return html`<p class="waiting" role="status">Reading the projects…</p>`;
  const search = query.get('q') ?? '';
  const matched = projects.data.filter(({ project }) => project.toLowerCase().includes(search.toLowerCase()));
  const set =
    (/** @type {string} */ name) =>
    (/** @type {{ currentTarget: { value: string } }} */ { currentTarget }) =>
      goTo(pathOf(null, '', withChanges(query, { [name]: currentTarget.value || null })), { replace: name === 'q' });
  const isTable = query.get('layout') === 'table';
  return html`
    <${ViewTitle}>Projects</${ViewTitle}>
    <p class="choices">
      <label>Find a project <input type="search" value=${search} onInput=${set('q')} /></label>
      ${
        !isTable &&
        html`<label>Order <select value=${query.get('order') ?? ''} onChange=${set('order')}>
        ${orders.map(({ key, label }) => html`<option value=${key}>${label}</option>`)}</select></label>`
      }
      <label>Show as <select value=${isTable ? 'table' : ''} onChange=${set('layout')}>
        <option value="">cards</option><option value="table">table</option></select></label>
    </p>
    <${Total} projects=${matched} />
    ${
      isTable
        ? html`<${ProjectTable} projects=${matched} address=${address} />`
        : html`<ul class="cards">${inOrder(matched, query.get('order')).map((project) => html`<${ProjectCard} key=${project.project} project=${project} />`)}</ul>`
    }
  `;
}

/** @param {readonly ProjectOverview[]} projects @param {string | null} written */
function inOrder(projects, written) {
  const order = orders.find(({ key }) => key !== '' && key === written);
  if (order === undefined) return projects;
  return sorted(projects, parseSort(order.key), () => order.value);
}

/** @param {{ projects: readonly ProjectOverview[] }} props */
function Total({ projects }) {
  const { keywords, checked, total, top10, alerts, budget } = totalOf(projects);
  return html`<p class="total">
    <strong>${counted(projects.length, 'project')}</strong>: ${counted(keywords, 'keyword')}, ${number(checked)} of ${counted(total, 'row')} checked, ${number(top10)} in the top 10, ${counted(alerts, 'alert')} in 7 days.
    ${budget.length > 0 && html` Spent this month, by all projects: ${budget.map(spendText).join('; ')}.`}
  </p>`;
}

const periods = /** @type {const} */ ([
  { name: 'day', label: '1 day' },
  { name: 'week', label: '7 days' },
  { name: 'month', label: '30 days' },
]);

/** @param {{ project: ProjectOverview }} props */
function ProjectCard({ project: of }) {
  return html`<li class="card">
    <h2><a href=${pathOf(of.project)}><bdi>${of.project}</bdi></a></h2>
    ${of.isSimulated && html`<p class="mark">simulated data</p>`}
    ${of.suspect !== null && html`<p class="problem">Suspect: ${of.suspect}</p>`}
    <dl>
      <div><dt>Visibility</dt><dd>${percent(of.visibility)}</dd></div>
      ${periods.map(({ name, label }) => html`<div><dt>${label}</dt><dd><span class=${direction(of.visibilityChange[name], 2)}>${signed(of.visibilityChange[name], 2)}</span> <small>${number(of.visibilityChangeOver[name])} of ${number(of.checked)} compared</small></dd></div>`)}
      <div><dt>Average rank</dt><dd>${number(of.averageRank, 1)}</dd></div>
      <div><dt>Top 3, top 10</dt><dd>${number(of.top3)}, ${number(of.top10)}</dd></div>
      <div><dt>Checked</dt><dd>${number(of.checked)} of ${number(of.total)}, ${day(of.date)}</dd></div>
      <div><dt>Alerts, 7 days</dt><dd>${number(of.alerts)}</dd></div>
      <div><dt>Spent this month</dt><dd>${of.ownSpend.length === 0 ? '0' : of.ownSpend.map((spend) => spendText({ ...spend, cap: null })).join(', ')}</dd></div>
    </dl>
    <${Sparkline} values=${of.sparkline} label="Visibility over the newest dates" />
  </li>`;
}
