// The projects as a table that any column sorts, with a total line.
import { pathOf } from '../address.js';
import { html } from '../html.js';
import { spendText, totalOf } from '../portfolio.js';
import { day, number, signed } from '../words.js';
import { changeColumn, numberColumn, percentColumn } from './number-columns.js';
import { Change, SortTable } from './sort-table.js';

/** @typedef {import('../../records.ts').ProjectOverview} ProjectOverview */

/** @param {{ projects: readonly ProjectOverview[], address: import('../address.js').Address }} props */
export function ProjectTable({ projects, address }) {
  const sums = totalOf(projects);
  const nothing = {
    visibility: null,
    visibilityChange: { day: null, week: null, month: null },
    visibilityChangeOver: null,
    averageRank: null,
  };
  const total = {
    project: 'Total',
    isTotal: true,
    date: null,
    suspect: null,
    ...nothing,
    ...sums,
    ownSpend: ownSpend(projects),
  };
  return html`<${SortTable} caption="Changes in points of visibility; spend of this month" columns=${columns} rows=${projects}
    total=${total} address=${address} keyOf=${(/** @type {ProjectOverview} */ { project }) => project} />`;
}

/** Sums over projects: what several share counts for each. @param {readonly ProjectOverview[]} projects */
function ownSpend(projects) {
  const all = Map.groupBy(
    projects.flatMap((of) => of.ownSpend),
    ({ currency }) => currency,
  );
  return [...all].map(([currency, spends]) => ({ currency, spent: spends.reduce((sum, { spent }) => sum + spent, 0) }));
}

/** A change with the rows that it is over. @param {'day' | 'week' | 'month'} name @param {string} label */
function periodColumn(name, label) {
  const value = (/** @type {ProjectOverview} */ { visibilityChange }) => visibilityChange[name];
  const column = changeColumn(name, label, value, 2);
  const cell = (/** @type {ProjectOverview} */ of) =>
    html`<${Change} value=${value(of)} text=${signed(value(of), 2)} />${of.visibilityChangeOver !== null && html` <small>${number(of.visibilityChangeOver[name])} of ${number(of.checked)}</small>`}`;
  return { ...column, cell };
}

/** @typedef {ProjectOverview & { isTotal?: boolean }} Row */

/** @type {readonly import('./sort-table.js').Column[]} */
const columns = [
  {
    key: 'name',
    label: 'Project',
    isHeader: true,
    value: ({ project }) => project,
    cell: ({ project, isTotal, suspect }) =>
      isTotal
        ? project
        : html`<a href=${pathOf(project)}><bdi>${project}</bdi></a>${suspect !== null && html` <span class="problem">suspect</span>`}`,
  },
  percentColumn('visibility', 'Visibility', ({ visibility }) => visibility),
  periodColumn('day', '1 day'),
  periodColumn('week', '7 days'),
  periodColumn('month', '30 days'),
  numberColumn('rank', 'Average rank', ({ averageRank }) => averageRank, 1),
  numberColumn('keywords', 'Keywords', ({ keywords }) => keywords),
  numberColumn('checked', 'Checked', ({ checked }) => checked),
  numberColumn('top3', 'Top 3', ({ top3 }) => top3),
  numberColumn('top10', 'Top 10', ({ top10 }) => top10),
  numberColumn('alerts', 'Alerts', ({ alerts }) => alerts),
  {
    key: 'spend',
    label: 'Spend',
    numeric: true,
    value: ({ ownSpend: spends }) =>
      spends.find((/** @type {any} */ { currency }) => currency === 'serp_credit')?.spent ?? 0,
    cell: ({ ownSpend: spends }) =>
      spends.length === 0
        ? '0'
        : spends.map((/** @type {any} */ spend) => spendText({ ...spend, cap: null })).join(', '),
  },
  { key: 'date', label: 'Newest', value: ({ date }) => date, cell: ({ date }) => day(date) },
];
