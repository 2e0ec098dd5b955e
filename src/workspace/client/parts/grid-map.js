// One map: its sums, the drawing, what its estimates are worth, and all points as a table.
import { pathOf, withChanges } from '../address.js';
import { isFile, useDocument } from '../api.js';
import { apiPath } from '../api-path.js';
import { rankWords, whereText } from '../grid-words.js';
import { html } from '../html.js';
import { day, number, percent, plain, signed } from '../words.js';
import { GridChart, GridLegend, pointPath } from './grid-chart.js';
import { Change, SortTable } from './sort-table.js';
import { Sparkline } from './sparkline.js';
import { Answer, WebLink } from './state.js';

/** @typedef {import('../../records.ts').GridMapAnswer} GridMapAnswer */
/** @typedef {import('../../records.ts').GridPoint} GridPoint */
/** @typedef {import('../grid-words.js').Measure} Measure */

/** @param {{ address: import('../address.js').Address & { project: string }, id: string }} props */
export function GridMap({ address, id }) {
  const { project, query } = address;
  const map = useDocument(apiPath(project, `grids/${encodeURIComponent(id)}`, query, ['date', 'compare']));
  return html`<${Answer} answer=${map} what="the map" show=${(/** @type {GridMapAnswer} */ of) => html`<${Shown} address=${address} map=${of} />`} />`;
}

/** @param {{ address: import('../address.js').Address & { project: string }, map: GridMapAnswer }} props */
function Shown({ address, map }) {
  const { project, view, query } = address;
  /** @type {Measure} */
  const measure = query.get('show') === 'change' ? 'change' : 'rank';
  const { grid, keyword, device, target, date } = map;
  const what = measure === 'rank' ? 'Ranks' : `Changes of rank (compared: ${plain(map.compare)})`;
  const label = `${what} of ${target} for ${keyword} on ${day(date)}`;
  return html`<div class="panel map">
    <${isFile() ? 'h3' : 'h2'} class="map-title"><bdi>${keyword}</bdi> <small class="soft">${device}, <bdi>${target}</bdi>, ${day(date)}</small></>
    <div class="map-columns">
      <figure>
        <nav aria-label="What the points show" class="tabs"><ul>${['rank', 'change'].map(
          (name) =>
            html`<li><a href=${pathOf(project, view, withChanges(query, { show: name === 'rank' ? null : name }))} aria-current=${name === measure ? 'page' : null}>${name === 'rank' ? 'Rank' : 'Change'}</a></li>`,
        )}</ul></nav>
        <${GridChart} map=${map} measure=${measure} label=${label} project=${project} query=${query} />
        <figcaption><${GridLegend} measure=${measure} hasEstimates=${map.estimated > 0} />
          <p class="soft">${number(grid.size)} × ${number(grid.size)} points, ${grid.spacing} apart, around ${grid.center}. North is up.</p></figcaption>
      </figure>
      <div><${Sums} map=${map} /><${Estimates} map=${map} /></div>
    </div>
    <${Points} address=${address} map=${map} />
  </div>`;
}

/** @param {{ map: GridMapAnswer }} props */
function Sums({ map }) {
  const { checked, points, found, averageRank, averageGridRank, shareOfLocalVoice, series } = map;
  const { averageGridRankChange: change, shareOfLocalVoiceChange: shareChange } = map;
  return html`<dl class="facts">
      <div><dt>Average grid rank</dt><dd>${number(averageGridRank, 1)} <${Change} value=${change} text=${signed(change, 1)} /></dd></div>
      <div><dt>Share of local voice</dt><dd>${percent(shareOfLocalVoice)} <${Change} value=${shareChange} text=${signed(shareChange, 1)} /></dd></div>
      <div><dt>Average rank where found</dt><dd>${number(averageRank, 1)}</dd></div>
      <div><dt>Found</dt><dd>${number(found)} of ${number(checked)}</dd></div>
      <div><dt>Checked</dt><dd>${number(checked)} of ${number(points)}</dd></div>
    </dl>
    ${series.dates.length > 1 && html`<p class="soft">Share of local voice, ${day(series.dates[0])} to ${day(series.dates.at(-1))}</p><${Sparkline} values=${series.shareOfLocalVoice} label="Share of local voice by date" />`}
    <details class="values"><summary>How to read it</summary><p>All numbers count the points that were checked. Average grid rank (AGR, ATRP): average position, counting “not found” as depth × 10 + 1. Average rank where found: ARP. Share of local voice (SoLV): share of points where the target ranks in the top 3. Changes cover points with a comparable check.</p></details>`;
}

/** @param {{ map: GridMapAnswer }} props */
function Estimates({ map: { points, checked, estimated, estimateError } }) {
  if (estimated === 0 || estimateError === null) return null;
  return html`<p class="mark">${number(estimated)} of ${number(points)} points were not checked in this run. Numbers with ~ are estimated from the others, and are off by ${number(estimateError, 1)} ranks on average (each of the ${number(checked)} checked points estimated from the others). They are in no average, and are no ranks.</p>`;
}

/** @param {{ address: import('../address.js').Address & { project: string }, map: GridMapAnswer }} props */
function Points({ address, map: { mapPoints } }) {
  const { project, query } = address;
  /** @type {import('./sort-table.js').Column[]} */
  const columns = [
    {
      key: 'where',
      label: 'Point',
      isHeader: true,
      value: ({ kilometres }) => kilometres,
      cell: (/** @type {GridPoint} */ point) =>
        html`<a href=${pointPath(project, point, query)}>${whereText(point)}</a>`,
    },
    {
      key: 'latitude',
      label: 'Latitude',
      numeric: true,
      value: ({ latitude }) => latitude,
      cell: ({ latitude }) => latitude.toFixed(4),
    },
    {
      key: 'longitude',
      label: 'Longitude',
      numeric: true,
      value: ({ longitude }) => longitude,
      cell: ({ longitude }) => longitude.toFixed(4),
    },
    {
      key: 'rank',
      label: 'Rank',
      numeric: true,
      value: ({ rank }) => rank,
      cell: (/** @type {GridPoint} */ point) => (point.rank === null ? rankWords(point) : number(point.rank)),
    },
    {
      key: 'change',
      label: 'Change',
      numeric: true,
      value: ({ change }) => change,
      cell: ({ change, changeClass }) =>
        html`<${Change} value=${change} text=${change === null ? plain(changeClass) : signed(change)} />`,
    },
    {
      key: 'url',
      label: 'Page',
      value: ({ url }) => url,
      cell: ({ url }) => (url === null ? '–' : html`<${WebLink} url=${url} />`),
    },
    { key: 'date', label: 'Seen', value: ({ date }) => date, cell: ({ date }) => day(date) },
  ];
  return html`<details class="values map-points"><summary>All points as a table</summary>
    <${SortTable} caption="Points of the map" columns=${columns} rows=${mapPoints} address=${address} initial="where" name="sort8" keyOf=${(/** @type {GridPoint} */ { id }) => id} /></details>`;
}
