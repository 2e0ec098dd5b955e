// The keyword table of a project, with headline numbers and a chart of the same rows.
import { pathOf, withChanges } from '../address.js';
import { useDocument } from '../api.js';
import { apiPath, takes } from '../api-path.js';
import { chosenColumns, orderText } from '../columns.js';
import { changed, chipsOf, withoutFilters } from '../filters.js';
import { html } from '../html.js';
import { BucketLegend } from '../parts/bucket-legend.js';
import { ClicksNote } from '../parts/clicks.js';
import { KeywordTable } from '../parts/keyword-table.js';
import { Pages, pageNumber } from '../parts/pages.js';
import { DataWarning } from '../parts/state.js';
import { ColumnMenu, columnsKey, ExportLinks, pageRows } from '../parts/table-tools.js';
import { Tiles } from '../parts/tiles.js';
import { Toolbar } from '../parts/toolbar.js';
import { TrendChart } from '../parts/trend-chart.js';
import { ViewTitle } from '../parts/view-title.js';
import { comparisonText } from '../periods.js';
import { recall } from '../storage.js';
import { counted, day, number } from '../words.js';

/** @typedef {import('../address.js').Address} Address */
/** @typedef {import('../../records.ts').Summary} Summary */
/** @typedef {import('../../records.ts').ProjectFacts} ProjectFacts */

/** @param {{ project: string, view: string, query: URLSearchParams, projects: any }} props */
export function Keywords({ project, view, query, projects }) {
  return html`
    <${ViewTitle}>Keywords of <bdi>${project}</bdi></${ViewTitle}>
    <${DataWarning} projects=${projects} project=${project} />
    <${KeywordNumbers} address=${{ project, view, query }} />
  `;
}

/** Toolbar, headline numbers, chart and table of the rows of a filter. @param {{ address: Address }} props */
export function KeywordNumbers({ address }) {
  const { query } = address;
  const project = address.project ?? '';
  const { value: facts } = useDocument(`/v1/projects/${encodeURIComponent(project)}`);
  const summary = useDocument(apiPath(project, 'summary', query, takes.table));
  const series = useDocument(apiPath(project, 'series', query, takes.chart), { isLate: true });
  const unsorted = useDocument(query.has('bucket') ? apiPath(project, 'summary', query, withoutBucket) : null);
  const problem = summary.error ?? series.error;
  const counts = (query.has('bucket') ? unsorted.value : summary.value)?.buckets;
  return html`
    <${Toolbar} address=${address} facts=${facts} />
    ${problem !== null && html`<p class="problem" role="alert">${problem}</p>`}
    ${summary.value !== undefined && html`<${Tiles} address=${address} summary=${summary.value} /><${Dates} summary=${summary.value} /><${Targets} address=${address} summary=${summary.value} targets=${facts?.targets ?? []} />`}
    ${series.value !== undefined && html`<${TrendChart} address=${address} series=${series.value} />`}
    ${counts !== undefined && html`<${BucketLegend} address=${address} counts=${counts} />`}
    <${Rows} address=${address} facts=${facts} summary=${summary.value} />
  `;
}

const withoutBucket = takes.table.filter((name) => name !== 'bucket');

/** Which dates the numbers compare. @param {{ summary: Summary }} props */
function Dates({ summary: { date, compare, comparable, checked } }) {
  if (date === null) return html`<p class="mark">Nothing was checked yet.</p>`;
  const changes = `Changes cover ${number(comparable)} of ${number(checked)} checked rows`;
  return html`<p class="mark">${day(date)}, compared with: ${comparisonText(compare)}. ${changes}: those with a comparable check.</p>`;
}

/**
 * Which targets the numbers are of, and where the others are.
 * @param {{ address: Address, summary: Summary, targets: readonly string[] }} props
 */
function Targets({ address: { project, view, query }, summary, targets }) {
  if (targets.length < 2) return null;
  const others = targets.filter((target) => summary.targets.length !== 1 || target !== summary.targets[0]);
  const link = (/** @type {string} */ target, /** @type {string} */ text) =>
    html`<a href=${pathOf(project, view, changed(query, { target }))}><bdi>${text}</bdi></a>`;
  return html`<p class="mark">Numbers of <bdi>${summary.targets.join(', ')}</bdi>. Others: ${others.map((target) => html`${link(target, target)}, `)}${link('*', 'rows of all targets')}</p>`;
}

/** @param {{ address: Address, facts: ProjectFacts | undefined, summary: Summary | undefined }} props */
function Rows({ address, facts, summary }) {
  const { project, query } = address;
  const page = pageNumber(query);
  const place = { limit: `${pageRows()}`, offset: `${(page - 1) * pageRows()}` };
  const { value, error, isLoading } = useDocument(
    apiPath(project ?? '', 'keywords', query, [...takes.table, 'sort'], place),
  );
  if (error !== null && summary !== undefined) return html`<p class="problem" role="alert">${error}</p>`;
  if (value === undefined) return error === null && html`<p class="waiting" role="status">Reading the keywords…</p>`;
  const columns = chosenColumns(query.get('cols'), facts?.columns ?? recall(columnsKey), {
    targets: facts?.targets.length ?? 1,
    hasTrend: value.data[0]?.trend !== undefined,
    hasClicks: facts?.clicks !== undefined,
  });
  const caption = `Keywords on ${day(summary?.date)}, ${orderText(query.get('sort'))}: ${counted(value.total, 'row')}`;
  return html`<section aria-labelledby="rows">
    <div class="table-head">
      <h2 id="rows">${counted(value.total, 'row')}</h2>
      <${ColumnMenu} address=${address} chosen=${columns} />
      <${ExportLinks} address=${address} chosen=${columns} />
    </div>
    ${
      value.data.length === 0
        ? html`<${NoRows} address=${address} total=${value.total} facts=${facts} />`
        : html`<${KeywordTable} address=${address} columns=${columns} rows=${value.data} caption=${caption} isLoading=${isLoading} isChosen=${facts?.columns !== undefined} />`
    }
    ${value.data.length > 0 && html`<${Pages} address=${address} total=${value.total} size=${pageRows()} />`}
    <${ClicksNote} facts=${facts?.clicks} />
  </section>`;
}

/** @param {{ address: Address, total: number, facts: ProjectFacts | undefined }} props */
function NoRows({ address: { project, view, query }, total, facts }) {
  if (total > 0)
    return html`<p>This page is past the last row. <a href=${pathOf(project, view, withChanges(query, { page: null }))}>First page</a></p>`;
  if (chipsOf(query).length > 0)
    return html`<p>No row has all of these. <a href=${pathOf(project, view, withoutFilters(query))}>Clear the filters</a></p>`;
  if (facts?.dates.length === 0)
    return html`<p>Nothing was checked yet. <code>rankledger run</code> checks what is due.</p>`;
  if (facts?.markets.length === 0)
    return html`<p>This project has no keywords. <a href=${pathOf(project, 'answers')}>AI answers</a> to its prompts.</p>`;
  return html`<p>There are no rows here.</p>`;
}
