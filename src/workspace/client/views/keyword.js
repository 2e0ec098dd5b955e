// One keyword in one market: rank history beside competitors, features, URLs, volumes, notes and what its checks cost.
import { pathOf } from '../address.js';
import { isFile, useDocument } from '../api.js';
import { apiPath, sharedQuery, takes } from '../api-path.js';
import { html } from '../html.js';
import { CheckLedger } from '../parts/check-ledger.js';
import { Clicks } from '../parts/clicks.js';
import { CsvLink } from '../parts/download-link.js';
import { FeatureTimeline, UrlHistory, Volumes } from '../parts/keyword-sections.js';
import { Ranks } from '../parts/rank-chart.js';
import { SameKeyword } from '../parts/same-keyword.js';
import { Answer, DataWarning, WebLink } from '../parts/state.js';
import { Toolbar } from '../parts/toolbar.js';
import { ViewTitle } from '../parts/view-title.js';
import { day, direction, marketName, number, signed, statusText } from '../words.js';

/** @typedef {import('../../records.ts').KeywordHistory} KeywordHistory */
/** @typedef {import('../../records.ts').KeywordRow} KeywordRow */

const takesRow = [...takes.period, 'date', 'compare'];

/** @param {import('../address.js').Address & { project: string, projects: any }} address */
export function Keyword(address) {
  const { project, query } = address;
  const id = query.get('id');
  const resource = `keywords/${encodeURIComponent(id ?? '')}`;
  const facts = useDocument(`/v1/projects/${encodeURIComponent(project)}`);
  const history = useDocument(id === null ? null : apiPath(project, resource, query, takesRow));
  const checks = useDocument(
    id === null ? null : apiPath(project, `${resource}/checks`, query, takes.period, { limit: '1000' }),
  );
  const table = pathOf(project, 'keywords', sharedQuery(query));
  if (id === null)
    return html`<${ViewTitle}>Keyword</${ViewTitle}><p>Choose one in the <a href=${table}>keyword table</a>.</p>`;
  return html`
    <p><a href=${table}>All keywords</a></p>
    <${Toolbar} address=${address} facts=${facts.value} filters=${false}>
      <${SameKeyword} address=${address} row=${history.value?.row} />
    </${Toolbar}>
    ${history.error !== null && html`<${ViewTitle}>Keyword</${ViewTitle}>`}
    <${Answer} answer=${history} what="the keyword" show=${(/** @type {KeywordHistory} */ of) =>
      html`<${KeywordHistorySections} address=${address} history=${of} clicks=${facts.value?.clicks} />`} />
    <section class="panel"><h2>Checks and what they cost</h2>
      <${Answer} answer=${checks} what="the checks" show=${(
        /** @type {{ data: any[], total: number }} */ { data, total },
      ) =>
        data.length === 0
          ? html`<p>No checks in this period.</p>`
          : html`<${CheckLedger} address=${address} checks=${data} total=${total} />
              <${CsvLink} address=${address} resource=${`${resource}/checks`} names=${takes.period} name="checks" />`} />
    </section>
  `;
}

/**
 * All that is known of one row.
 * @param {{ address: any, history: KeywordHistory, clicks?: import('../parts/clicks.js').ClickFacts }} props
 */
export function KeywordHistorySections({ address, history, clicks }) {
  return html`
    <${Head} address=${address} row=${history.row} />
    <${Ranks} history=${history} />
    <${FeatureTimeline} history=${history} />
    <${UrlHistory} history=${history} />
    <${Clicks} history=${history} facts=${clicks} />
    <${Volumes} rows=${history.volumes} />
    <${Notes} notes=${history.notes} />
  `;
}

/** @param {{ address: any, row: KeywordRow }} props */
function Head({ address: { project, projects }, row }) {
  const { keyword, country, language, device, location = '' } = row;
  const serp = pathOf(project, 'serp', { keyword, country, language, device, ...(location && { location }) });
  return html`
    <${ViewTitle} id="keyword-title"><bdi>${keyword}</bdi></${ViewTitle}>
    <p class="soft">${marketName(row)}, target <bdi>${row.target}</bdi>${row.tags.length > 0 && html`, tags ${row.tags.join(', ')}`}</p>
    <${DataWarning} projects=${projects} project=${project} />
    <dl class="facts">
      <div><dt>Rank</dt><dd>${row.rank === null ? statusText(row.status) : number(row.rank)} <span class=${direction(row.change)}>${signed(row.change)}</span></dd></div>
      <div><dt>Best rank</dt><dd>${number(row.bestRank)}</dd></div>
      <div><dt>Searches a month</dt><dd>${number(row.searchVolume)}</dd></div>
      <div><dt>Clicks a month</dt><dd>${number(row.estimatedClicks)} <span class=${direction(row.estimatedClicksChange)}>${signed(row.estimatedClicksChange)}</span></dd></div>
      <div><dt>Cost per click</dt><dd>${row.cpc === null ? '–' : `$${row.cpc.toFixed(2)}`}</dd></div>
      <div><dt>Intent</dt><dd>${row.intent ?? '–'}</dd></div>
      <div><dt>Checked</dt><dd>${day(row.checkedAt === null ? null : row.date)}</dd></div>
    </dl>
    ${row.url !== null && html`<p>Ranking page: <${WebLink} url=${row.url} /></p>`}
    ${row.preferredUrl !== null && html`<p class=${row.urlIsPreferred === false ? 'problem' : 'soft'}>Preferred page: <${WebLink} url=${row.preferredUrl} />${row.urlIsPreferred === true && ' (it ranks)'}</p>`}
    ${row.note !== null && html`<p class="soft">${row.note}</p>`}
    ${!isFile() && html`<p><a href=${serp}>Stored results of this search</a></p>`}
  `;
}

/** @param {{ notes: KeywordHistory['notes'] }} props */
function Notes({ notes }) {
  if (notes.length === 0) return null;
  return html`<section class="panel"><h2>Notes</h2>
    <ul>${notes.map(({ date, text, project }) => html`<li>${day(date)}: <bdi>${text}</bdi>${project === null && ' (all projects)'}</li>`)}</ul></section>`;
}
