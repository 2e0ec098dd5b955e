// All maps of a project as a table, and the chosen one below it.
import { pathOf, withChanges } from '../address.js';
import { useDocument } from '../api.js';
import { apiPath, takes } from '../api-path.js';
import { html } from '../html.js';
import { number } from '../words.js';
import { CsvLink } from './download-link.js';
import { GridMap } from './grid-map.js';
import { changeColumn, numberColumn, percentColumn } from './number-columns.js';
import { SortTable } from './sort-table.js';
import { Answer } from './state.js';

/** @typedef {import('../../records.ts').GridSums} GridSums */

/** @param {{ address: import('../address.js').Address & { project: string } }} props */
export function GridMaps({ address }) {
  const { project, query } = address;
  const maps = useDocument(apiPath(project, 'grids', query, takes.table, { limit: '10000' }));
  return html`<${Answer} answer=${maps} what="the maps" show=${(/** @type {{ data: GridSums[] }} */ { data }) => html`<${Shown} address=${address} maps=${data} />`} />`;
}

/** @param {{ address: import('../address.js').Address & { project: string }, maps: readonly GridSums[] }} props */
function Shown({ address, maps }) {
  const { project, view, query } = address;
  const chosen = maps.find(({ id }) => id === query.get('map')) ?? maps[0];
  if (chosen === undefined) return html`<p>No keywords of the grid match.</p>`;
  const hrefOf = (/** @type {GridSums} */ { id }) =>
    pathOf(project, view, withChanges(query, { map: id, page7: null }));
  const hasTargets = new Set(maps.map(({ target }) => target)).size > 1;
  return html`<${GridMap} key=${chosen.id} address=${address} id=${chosen.id} />
    ${maps.length > 1 && html`<${SortTable} caption=${`${number(maps.length)} maps`} columns=${mapColumns(hrefOf, chosen.id, hasTargets)} rows=${maps} address=${address} initial="keyword" name="sort7" shownMax=${50} keyOf=${(/** @type {GridSums} */ { id }) => id} />`}
    <${CsvLink} address=${address} resource="grid-points" names=${takes.table} name="grid" />`;
}

/**
 * @param {(map: GridSums) => string} hrefOf
 * @param {string} chosen
 * @param {boolean} hasTargets
 * @returns {import('./sort-table.js').Column[]}
 */
function mapColumns(hrefOf, chosen, hasTargets) {
  const target = {
    key: 'target',
    label: 'Target',
    value: (/** @type {GridSums} */ of) => of.target,
    cell: (/** @type {GridSums} */ of) => html`<bdi>${of.target}</bdi>`,
  };
  return [
    {
      key: 'keyword',
      label: 'Keyword',
      isHeader: true,
      value: ({ keyword }) => keyword,
      cell: (of) =>
        html`<a href=${hrefOf(of)} aria-current=${of.id === chosen ? 'true' : null}><bdi>${of.keyword}</bdi></a>`,
    },
    { key: 'device', label: 'Device', value: ({ device }) => device },
    ...(hasTargets ? [target] : []),
    numberColumn('agr', 'Average grid rank', ({ averageGridRank }) => averageGridRank, 1),
    changeColumn('agrChange', 'Change', ({ averageGridRankChange }) => averageGridRankChange, 1),
    percentColumn('solv', 'Share of local voice', ({ shareOfLocalVoice }) => shareOfLocalVoice),
    changeColumn('solvChange', 'Change', ({ shareOfLocalVoiceChange }) => shareOfLocalVoiceChange, 1),
    {
      key: 'found',
      label: 'Found',
      numeric: true,
      value: ({ found }) => found,
      cell: ({ found, checked }) => `${number(found)} of ${number(checked)}`,
    },
  ];
}
