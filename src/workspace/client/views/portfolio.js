// All projects: headline numbers, changes, alerts and spend.
import { useState } from 'preact/hooks';
import { pathOf } from '../address.js';
import { html } from '../html.js';
import { Sparkline } from '../parts/sparkline.js';
import { day, direction, number, percent, signed } from '../words.js';

/** @typedef {import('../../records.ts').ProjectOverview} ProjectOverview */

/** @param {{ projects: { data: readonly ProjectOverview[] } | undefined }} props */
export function Portfolio({ projects }) {
  const [search, setSearch] = useState('');
  if (projects === undefined) return html`<p class="waiting" role="status">Reading the projects…</p>`;
  const shown = projects.data.filter(({ project }) => project.toLowerCase().includes(search.toLowerCase()));
  const typed = (/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) =>
    setSearch(currentTarget.value);
  return html`
    <h1>Projects</h1>
    <label class="search">Find a project <input type="search" value=${search} onInput=${typed} /></label>
    <ul class="cards">${shown.map((project) => html`<${ProjectCard} key=${project.project} project=${project} />`)}</ul>
  `;
}

/** @param {{ project: ProjectOverview }} props */
function ProjectCard({ project: of }) {
  const { day: d1, week, month } = of.visibilityChange;
  return html`<li class="card">
    <h2><a href=${pathOf(of.project)}><bdi>${of.project}</bdi></a></h2>
    ${of.isSimulated && html`<p class="mark">simulated data</p>`}
    ${of.suspect !== null && html`<p class="problem">Suspect: ${of.suspect}</p>`}
    <dl>
      <div><dt>Visibility</dt><dd>${percent(of.visibility)}</dd></div>
      <div><dt>1, 7, 30 days</dt><dd>${[d1, week, month].map((change) => html`<span class=${direction(change)}>${signed(change, 2)}</span> `)}</dd></div>
      <div><dt>Average rank</dt><dd>${number(of.averageRank, 1)}</dd></div>
      <div><dt>Top 3, top 10</dt><dd>${number(of.top3)}, ${number(of.top10)}</dd></div>
      <div><dt>Checked</dt><dd>${number(of.checked)} of ${number(of.total)}, ${day(of.date)}</dd></div>
      <div><dt>Alerts, 7 days</dt><dd>${number(of.alerts)}</dd></div>
    </dl>
    <${Sparkline} values=${of.sparkline} label="Visibility over the newest dates" />
  </li>`;
}
