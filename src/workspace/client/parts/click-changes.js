// Why measured clicks changed: demand, rank and rate, in total and by page or query.
import { isFile, useDocument } from '../api.js';
import { apiPath } from '../api-path.js';
import { html } from '../html.js';
import { counted, day, direction, number, signed } from '../words.js';
import { CsvLink } from './download-link.js';
import { numberColumn } from './number-columns.js';
import { SortTable } from './sort-table.js';
import { Answer } from './state.js';

/** @typedef {import('../../../tracker/clicks/clicks.ts').ClickChanges} ClickChanges */
/** @typedef {ClickChanges['rows'][number]} ClickChange */

const none = new URLSearchParams();

/**
 * @param {{ address: import('../address.js').Address & { project: string }, by: 'page' | 'query', sort: string }} props
 */
export function ClickChangesSection({ address, by, sort }) {
  const changes = useDocument(apiPath(address.project, 'click-changes', none, [], { by }));
  return html`<section class="panel"><h2>Why clicks changed, by ${by}</h2>
    <${Answer} answer=${changes} what="the changes of clicks" show=${(
      /** @type {ClickChanges & { rowsTotal: number }} */ {
        period,
        previous,
        total,
        hiddenChange,
        curve,
        rows,
        rowsTotal,
      },
    ) => html`
      <p>${day(period.from)} to ${day(period.to)} against ${day(previous.from)} to ${day(previous.to)}: ${number(total.clicks)} clicks, before ${number(total.previousClicks)}.</p>
      <dl class="facts">
        <div><dt>Change</dt><dd><${Effect} value=${total.change} /></dd></div>
        <div><dt>Demand</dt><dd><${Effect} value=${total.demand} /></dd></div>
        <div><dt>Rank</dt><dd><${Effect} value=${total.rank} /></dd></div>
        <div><dt>Rate</dt><dd><${Effect} value=${total.rate} /></dd></div>
      </dl>
      <p class="soft">Demand: impressions, ${signed(total.newOrLost)} clicks of it new and lost queries. Rank: positions along ${curve}. Rate: what positions do not explain, such as features of the page. Queries that are hidden or have unknown impressions: ${signed(hiddenChange)} clicks, in no row.${
        period.stored !== previous.stored &&
        ` ${number(period.stored)} and ${number(previous.stored)} final days are stored: the change is partly that of missing days.`
      }</p>
      <${SortTable} caption=${`${counted(rowsTotal, 'change')} by ${by}, largest first`} columns=${columns(by)} rows=${rows} address=${address}
        name=${sort} shownMax=${20} keyOf=${(/** @type {ClickChange} */ { name }) => name} />
      ${
        isFile()
          ? html`<p>All changes are in <a href="click-changes.csv">click-changes.csv</a>.</p>`
          : html`<${CsvLink} address=${address} resource="click-changes/rows" names=${[]} more=${{ by }} name=${`click-changes-by-${by}`} />`
      }`} />
  </section>`;
}

/** @param {{ value: number }} props */
function Effect({ value }) {
  return html`<span class=${direction(value, 1)}>${signed(value, 1)}</span>`;
}

/** @param {'page' | 'query'} by @returns {import('./sort-table.js').Column[]} */
function columns(by) {
  const effect = (/** @type {'change' | 'demand' | 'rank' | 'rate'} */ key, /** @type {string} */ label) => ({
    key,
    label,
    numeric: true,
    value: (/** @type {ClickChange} */ change) => change[key],
    cell: (/** @type {ClickChange} */ change) => html`<${Effect} value=${change[key]} />`,
  });
  return [
    {
      key: 'name',
      label: by === 'page' ? 'Page' : 'Query',
      isHeader: true,
      value: ({ name }) => name,
      cell: ({ name }) => html`<bdi class=${by === 'page' ? 'url' : ''}>${name.replace(/^https?:\/\//i, '')}</bdi>`,
    },
    numberColumn('clicks', 'Clicks', ({ clicks }) => clicks),
    effect('change', 'Change'),
    effect('demand', 'Demand'),
    effect('rank', 'Rank'),
    effect('rate', 'Rate'),
  ];
}
