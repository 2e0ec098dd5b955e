// Headline numbers, segments and competitors of a report: sums of all its rows, by the parts of the workspace.
import { pathOf } from '../address.js';
import { html } from '../html.js';
import { segmentQuery } from '../segment-filter.js';
import { segmentColumns } from '../views/segments.js';
import { number } from '../words.js';
import { SortTable } from './sort-table.js';
import { StandingsTable } from './standings-table.js';
import { Tiles } from './tiles.js';

/** @typedef {import('../address.js').Address} Address */
/** @typedef {import('../../../report/html/data/page-data.ts').PageData} PageData */
/** @typedef {import('../../../report/html/data/page-data.ts').PageSums} PageSums */

/** The tiles of each own target; those of the others folded on a screen. @param {{ data: PageData }} props */
export function Headlines({ data: { project } }) {
  const targets = project.sums.filter(({ by }) => by === 'project');
  const tiles = targets.map(
    (sums) => html`<${TargetTiles} project=${project} sums=${sums} isOne=${targets.length === 1} />`,
  );
  return html`${tiles[0]}<${Folded} parts=${tiles.slice(1)} />`;
}

/** @param {{ project: PageData['project'], sums: PageSums, isOne: boolean }} props */
function TargetTiles({ project, sums, isOne }) {
  const { target, comparable, checked } = sums;
  const voice = project.standings.find((one) => one.isOwn && one.target === target);
  const share =
    voice?.shareOfVoice == null ? {} : { share: { value: voice.shareOfVoice, change: voice.shareOfVoiceChange } };
  const query = new URLSearchParams(isOne ? {} : { target });
  const address = { project: project.name, view: 'keywords', query };
  return html`<div class="totals">${!isOne && html`<h3><bdi>${target}</bdi></h3>`}
    <${Tiles} address=${address} summary=${sums} label=${`Headline numbers of ${target}`} ...${share} />
    ${comparable < checked && html`<p class="mark">Changes cover ${number(comparable)} of ${number(checked)} checked keywords: those with a comparable check.</p>`}</div>`;
}

/** On a screen a reader opens them; paper folds nothing. @param {{ parts: readonly unknown[] }} props */
function Folded({ parts }) {
  if (parts.length === 0) return null;
  return html`<details class="others"><summary>${parts.length === 1 ? '1 more target' : `${parts.length} more targets`}</summary>${parts}</details>
    <div class="print-only others">${parts}</div>`;
}

/** Markets and tags of each own target. @param {{ data: PageData, address: Address }} props */
export function SegmentTables({ data, address }) {
  const { sums } = data.project;
  const targets = [...new Set(sums.map(({ target }) => target))];
  const tables = targets.map((target) => {
    const own = sums.filter((of) => of.target === target);
    return html`<div>${targets.length > 1 && html`<h3><bdi>${target}</bdi></h3>`}
      <${SegmentTable} data=${data} address=${address} sums=${own} by="market" label="Markets" />
      <${SegmentTable} data=${data} address=${address} sums=${own} by="tag" label="Tags" /></div>`;
  });
  return html`${tables[0]}<${Folded} parts=${tables.slice(1)} />`;
}

/**
 * @param {{ data: PageData, address: Address, sums: readonly PageSums[], by: 'market' | 'tag', label: string }} props
 */
function SegmentTable({ data: { project }, address, sums, by, label }) {
  const rows = sums.filter((of) => of.by === by);
  if (rows.length === 0) return null;
  const tags = rows.flatMap(({ segment }) => (segment === '' ? [] : segment));
  const hrefOf = (/** @type {PageSums} */ { target, segment }) =>
    pathOf(project.name, 'keywords', segmentQuery(new URLSearchParams({ target }), by, segment, { tags, views: [] }));
  return html`<${SortTable} caption=${label} columns=${segmentColumns(hrefOf, false)} rows=${rows} address=${address}
    initial="-keywords" name=${by === 'market' ? 'sort3' : 'sort4'} shownMax=${200} keyOf=${(/** @type {PageSums} */ { segment }) => segment} />`;
}

/** @param {{ data: PageData, address: Address }} props */
export function Standings({ data: { project }, address }) {
  return html`<details class="values"><summary>How to read it</summary><p class="lead">All sites are compared over the same complete checks; changes over those that prove the rank of the site in both. Wins are searches where our best target ranks better, losses where the competitor does. “Share over” is the number of searches behind the share. In brackets: searches whose pages were not read to the full depth and do not show the site, so it has no rank and no share of their clicks.</p></details>
    <${StandingsTable} address=${address} standings=${project.standings} />`;
}
