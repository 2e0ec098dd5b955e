// Own targets and competitors: over time, head to head, who passed whom, and other domains.
import { pathOf, withChanges } from '../address.js';
import { useDocument } from '../api.js';
import { apiPath, takes } from '../api-path.js';
import { html } from '../html.js';
import { DiscoveredTable } from '../parts/discovered-table.js';
import { NoteList } from '../parts/note-list.js';
import { changeColumn, numberColumn, percentColumn } from '../parts/number-columns.js';
import { Change, SortTable } from '../parts/sort-table.js';
import { Answer, DataWarning } from '../parts/state.js';
import { TargetChart } from '../parts/target-chart.js';
import { Toolbar } from '../parts/toolbar.js';
import { ViewTitle } from '../parts/view-title.js';
import { day, number, signed } from '../words.js';

/** @typedef {import('../../records.ts').CompetitorSeries} CompetitorSeries */
/** @typedef {CompetitorSeries['targets'][number]} Line */

const measures = /** @type {const} */ ([
  { measure: 'visibility', label: 'Visibility' },
  { measure: 'share', label: 'Share of voice' },
]);

/** @param {import('../address.js').Address & { project: string, projects: any }} address */
export function Competitors(address) {
  const { project, view, query } = address;
  const measure = query.get('measure') === 'share' ? 'share' : 'visibility';
  /** @type {Record<string, string>} */
  const more = measure === 'share' ? { share: 'true' } : {};
  const series = useDocument(apiPath(project, 'competitors', query, takes.chart, more));
  const facts = useDocument(`/v1/projects/${encodeURIComponent(project)}`);
  const discovered = useDocument(apiPath(project, 'discovered', query, takes.table));
  return html`
    <${ViewTitle}>Competitors of <bdi>${project}</bdi></${ViewTitle}>
    <${DataWarning} projects=${address.projects} project=${project} />
    <${Toolbar} address=${address} facts=${facts.value} />
    <nav aria-label="Measure" class="tabs"><ul>${measures.map(
      ({ measure: name, label }) =>
        html`<li><a href=${pathOf(project, view, withChanges(query, { measure: name }))} aria-current=${name === measure ? 'page' : null}>${label}</a></li>`,
    )}</ul></nav>
    <${Answer} answer=${series} what="the competitors" show=${(/** @type {CompetitorSeries} */ of) => html`<${Shown} address=${address} series=${of} measure=${measure} />`} />
    <section class="panel"><h2>Other domains on the same pages</h2>
      <${Answer} answer=${discovered} what="other domains" show=${(/** @type {{ data: any[] }} */ { data }) => html`<${DiscoveredTable} rows=${data} address=${address} />`} />
    </section>
  `;
}

/** @param {Line} line @param {string} measure */
function valuesOf(line, measure) {
  return measure === 'share' ? (line.shareOfVoice ?? []) : line.visibility;
}

/** @param {Line} line @param {string} measure */
function overOf(line, measure) {
  return measure === 'share' ? line.shareOver : line.visibilityOver;
}

/** Last known less first known value. @param {readonly (number | null)[]} values */
function changeOver(values) {
  const known = values.filter((value) => value !== null);
  const [first, last] = [known[0], known.at(-1)];
  return first === undefined || last === undefined || known.length < 2 ? null : last - first;
}

/** @param {{ address: import('../address.js').Address, series: CompetitorSeries, measure: string }} props */
function Shown({ address, series, measure }) {
  const { dates, targets, passes, notes = [] } = series;
  if (dates.length === 0) return html`<p>No checks in this period.</p>`;
  if (targets.length === 0) return html`<p>Only places are tracked. They are not compared: see the keyword table.</p>`;
  const period = `${day(dates[0])} to ${day(dates.at(-1))}`;
  const name = measure === 'share' ? 'Share of voice' : 'Visibility';
  const lines = targets.map((line) => ({ ...line, values: valuesOf(line, measure), over: overOf(line, measure) }));
  if (lines.every(({ values }) => values.every((value) => value === null)))
    return html`<p>${name}: no value in this period for these keywords.</p>`;
  return html`
    <section class="panel">
      <${TargetChart} dates=${dates} lines=${lines} notes=${notes} skipsDates=${measure === 'share'} label=${`${name} of ${targets.map(({ target }) => target).join(', ')}, ${period}`} />
      <${NoteList} notes=${notes} />
    </section>
    <${SortTable} caption=${`${period}; change: ${measure === 'share' ? 'last date less first date, each over its own checks' : 'first to last date, over the keywords with a complete check on both'}`} columns=${columns(name, measure)} rows=${targets}
      address=${address} keyOf=${(/** @type {Line} */ { target }) => target} />
    <${Passes} targets=${targets} passes=${passes} />
  `;
}

/** @param {string} name @param {string} measure @returns {import('../parts/sort-table.js').Column[]} */
function columns(name, measure) {
  const last = (/** @type {Line} */ line) => valuesOf(line, measure).findLast((value) => value !== null) ?? null;
  const change = (/** @type {Line} */ line) =>
    measure === 'share' ? changeOver(valuesOf(line, measure)) : (line.visibilityChange ?? null);
  const over = (/** @type {Line} */ line) => line.visibilityOver.findLast((rows) => rows !== null) ?? null;
  const overs = {
    ...{ key: 'over', label: 'Changes over', numeric: true },
    value: (/** @type {Line} */ line) => line.visibilityChangeOver ?? null,
    cell: (/** @type {Line} */ line) => `${number(line.visibilityChangeOver ?? null)} of ${number(over(line))}`,
  };
  return [
    {
      key: 'target',
      label: 'Target',
      isHeader: true,
      value: ({ target }) => target,
      cell: ({ target, isOwn }) => html`<bdi>${target}</bdi>${isOwn && html` <small>ours</small>`}`,
    },
    percentColumn('value', name, last),
    changeColumn('change', 'Change', change, 2),
    ...(measure === 'share' ? [] : [overs]),
    numberColumn('rank', 'Average rank', ({ averageRank }) => averageRank, 1),
    numberColumn('top10', 'Top 10', ({ top10 }) => top10),
    numberColumn('wins', 'We rank above', ({ wins }) => wins),
    numberColumn('losses', 'We rank below', ({ losses }) => losses),
  ];
}

/**
 * A row per target: in how many searches it passed each other one.
 * @param {{ targets: readonly Line[], passes: CompetitorSeries['passes'] }} props
 */
function Passes({ targets, passes }) {
  if (targets.length < 2) return null;
  const searches = (/** @type {string} */ by, /** @type {string} */ over) =>
    passes.find(({ target, passed }) => target === by && passed === over)?.searches ?? 0;
  const net = (/** @type {string} */ of) =>
    passes.reduce(
      (sum, pass) => sum + (pass.target === of ? pass.searches : 0) - (pass.passed === of ? pass.searches : 0),
      0,
    );
  return html`<section class="panel"><h2>Who gained from whom</h2>
    <div class="scroll" role="region" aria-label="Who gained from whom" tabindex="0"><table class="stacked">
      <caption>Searches in which the target of the row passed that of the column, first to last check</caption>
      <thead><tr><th scope="col">Passed</th>${targets.map(({ target }) => html`<th scope="col" class="numeric"><bdi>${target}</bdi></th>`)}<th scope="col" class="numeric">Net</th></tr></thead>
      <tbody>${targets.map(
        ({ target }) => html`<tr><th scope="row"><bdi>${target}</bdi></th>
          ${targets.map(({ target: other }) => (other === target ? html`<td></td>` : html`<td data-label=${other} class="numeric">${number(searches(target, other))}</td>`))}
          <td data-label="Net" class="numeric"><${Change} value=${net(target)} text=${signed(net(target))} /></td></tr>`,
      )}</tbody></table></div>
  </section>`;
}
