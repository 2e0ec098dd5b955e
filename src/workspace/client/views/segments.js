// Sums of the keyword table by tag, market, device, target, intent or saved view.
import { pathOf, withChanges } from '../address.js';
import { useDocument } from '../api.js';
import { apiPath, sharedQuery, takes } from '../api-path.js';
import { html } from '../html.js';
import { ClicksNote } from '../parts/clicks.js';
import { CsvLink } from '../parts/download-link.js';
import { changeColumn, numberColumn, percentColumn } from '../parts/number-columns.js';
import { Change, SortTable } from '../parts/sort-table.js';
import { Sparkline } from '../parts/sparkline.js';
import { Answer, DataWarning } from '../parts/state.js';
import { Toolbar } from '../parts/toolbar.js';
import { ViewTitle } from '../parts/view-title.js';
import { segmentKinds, segmentQuery } from '../segment-filter.js';
import { counted, number, percent, signed } from '../words.js';

/** @typedef {import('../../records.ts').Segment} Segment */
/** @typedef {import('../../records.ts').ProjectFacts} ProjectFacts */

/** Tiles above the table: the largest segments. */
const tilesMax = 8;

/** @param {import('../address.js').Address & { project: string, projects: any }} address */
export function Segments(address) {
  const { project, view, query } = address;
  const by = segmentKinds.find(({ kind }) => kind === query.get('by'))?.kind ?? 'tag';
  const segments = useDocument(apiPath(project, 'segments', query, takes.table, { by, limit: '10000' }));
  const facts = useDocument(`/v1/projects/${encodeURIComponent(project)}`);
  return html`
    <${ViewTitle}>Segments of <bdi>${project}</bdi></${ViewTitle}>
    <${DataWarning} projects=${address.projects} project=${project} />
    <${Toolbar} address=${address} facts=${facts.value} />
    <nav aria-label="Kind of segment" class="tabs"><ul>${segmentKinds.map(
      ({ kind, label }) =>
        html`<li><a href=${pathOf(project, view, withChanges(query, { by: kind }))} aria-current=${kind === by ? 'page' : null}>${label}</a></li>`,
    )}</ul></nav>
    <${Answer} answer=${facts} what="the project" show=${(/** @type {ProjectFacts} */ of) => html`
      <${Answer} answer=${segments} what="the segments" show=${(/** @type {{ data: Segment[] }} */ { data }) => html`<${Shown} address=${address} by=${by} segments=${data} facts=${of} />`} />`} />
  `;
}

/**
 * @param {{ address: import('../address.js').Address & { project: string },
 *   by: import('../segment-filter.js').SegmentKind,
 *   segments: readonly Segment[], facts: ProjectFacts }} props
 */
function Shown({ address, by, segments, facts }) {
  if (segments.length === 0) {
    return by === 'view'
      ? html`<p>The config of this project has no views. Write them as <code>views: [{ name, query }]</code>.</p>`
      : html`<p>No keywords match.</p>`;
  }
  const hrefOf = (/** @type {Segment} */ { segment }) =>
    pathOf(address.project, 'keywords', segmentQuery(sharedQuery(address.query), by, segment, facts));
  const seriesPath = (/** @type {Segment} */ { segment }) =>
    apiPath(address.project, 'series', segmentQuery(address.query, by, segment, facts), takes.chart);
  return html`
    <ul class="cards tiles">${segments.slice(0, tilesMax).map((of) => html`<${Tile} key=${of.segment} of=${of} href=${hrefOf(of)} path=${seriesPath(of)} />`)}</ul>
    <${SortTable} caption=${`${counted(segments.length, 'segment')}; a keyword may be in several`} columns=${segmentColumns(hrefOf, facts.clicks !== undefined)} rows=${segments}
      address=${address} initial="-keywords" keyOf=${(/** @type {Segment} */ { segment }) => segment} />
    <${ClicksNote} facts=${facts.clicks} />
    <${CsvLink} address=${address} resource="segments" names=${takes.table} more=${{ by }} name=${`by-${by}`} />
  `;
}

const nameOf = (/** @type {Segment} */ { segment }) => (segment === '' ? 'none' : segment);

/** @param {{ of: Segment, href: string, path: string }} props `path`: its series */
function Tile({ of, href, path }) {
  const { value: series } = useDocument(path);
  return html`<li class="card">
    <h2><a href=${href}><bdi>${nameOf(of)}</bdi></a></h2>
    <dl>
      <div><dt>Visibility</dt><dd>${percent(of.visibility)} <${Change} value=${of.visibilityChange} text=${signed(of.visibilityChange, 2)} /></dd></div>
      <div><dt>Average rank</dt><dd>${number(of.averageRank, 1)} <${Change} value=${of.averageRankChange} text=${signed(of.averageRankChange, 1)} /></dd></div>
      <div><dt>Checked</dt><dd>${number(of.checked)} of ${number(of.total)}</dd></div>
    </dl>
    ${series !== undefined && html`<${Sparkline} values=${series.visibility} label=${`Visibility of ${nameOf(of)} over time`} />`}
  </li>`;
}

/**
 * @param {(segment: any) => string} hrefOf
 * @param {boolean} hasClicks whether the project has measured clicks
 * @returns {import('../parts/sort-table.js').Column[]}
 */
export function segmentColumns(hrefOf, hasClicks) {
  return [
    {
      key: 'segment',
      label: 'Segment',
      isHeader: true,
      value: nameOf,
      cell: (of) => html`<a href=${hrefOf(of)}><bdi>${nameOf(of)}</bdi></a>`,
    },
    numberColumn('keywords', 'Rows', ({ total }) => total),
    numberColumn('checked', 'Checked', ({ checked }) => checked),
    percentColumn('visibility', 'Visibility', ({ visibility }) => visibility),
    changeColumn('visibilityChange', 'Change', ({ visibilityChange }) => visibilityChange, 2),
    numberColumn('rank', 'Average rank', ({ averageRank }) => averageRank, 1),
    changeColumn('rankChange', 'Change', ({ averageRankChange }) => averageRankChange, 1),
    numberColumn('clicks', 'Clicks a month', ({ estimatedClicks }) => estimatedClicks),
    changeColumn('clicksChange', 'Change', ({ estimatedClicksChange }) => estimatedClicksChange),
    ...(hasClicks
      ? [
          numberColumn('measured', 'Measured clicks', ({ measuredClicks }) => measuredClicks),
          numberColumn('impressions', 'Impressions', ({ impressions }) => impressions),
        ]
      : []),
    numberColumn('top3', 'Top 3', ({ top3 }) => top3),
    numberColumn('top10', 'Top 10', ({ top10 }) => top10),
    numberColumn('notFound', 'Not found', ({ buckets }) => buckets.not_found),
    numberColumn('up', 'Up', ({ changes }) => changes.improved + changes.entered),
    numberColumn('down', 'Down', ({ changes }) => changes.declined + changes.dropped),
  ];
}
