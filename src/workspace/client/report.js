// The script of report.html: the same parts as the workspace, over the data in the file.
import { render } from 'preact';
import { useRef } from 'preact/hooks';
import { answerPath, filePath } from '../embedded/answer.ts';
import { PageReader } from '../embedded/page-reader.ts';
import { followLink, keepInHash, useAddress } from './address.js';
import { readFromPage, useDocument } from './api.js';
import { apiPath } from './api-path.js';
import { buckets as bucketNames } from './filters.js';
import { html } from './html.js';
import { ClickChangesSection } from './parts/click-changes.js';
import { ClicksNote } from './parts/clicks.js';
import { GridMaps } from './parts/grid-maps.js';
import { KeywordDialog } from './parts/keyword-dialog.js';
import { Headlines, SegmentTables, Standings } from './parts/report-sums.js';
import { TargetChart } from './parts/target-chart.js';
import { ThemeButton } from './parts/theme-button.js';
import { SeriesChart } from './parts/trend-chart.js';
import { startTheme } from './theme.js';
import { AnswerSections } from './views/answers.js';
import { KeywordNumbers } from './views/keywords.js';

/** @typedef {import('../records.ts').CompetitorSeries} CompetitorSeries */
/** @typedef {import('../records.ts').SeriesAnswer} SeriesAnswer */
/** @typedef {import('../../report/html/data/page-data.ts').PageData} PageData */

/** The keyword table, and the row that the address names in a dialog over it. */
function KeywordsOfFile() {
  const address = useAddress();
  const shown = useRef(address);
  const id = address.view === 'keyword' ? address.query.get('id') : null;
  // behind the dialog the table stays as it is
  if (id === null) shown.current = { ...address, view: 'keywords' };
  else if (shown.current.view === 'keyword') shown.current = { ...address, view: 'keywords' };
  return html`<${KeywordNumbers} address=${shown.current} />
    ${id !== null && html`<${KeywordDialog} key=${id} address=${address} id=${id} />`}`;
}

/**
 * All targets over all keywords.
 * @param {{ data: PageData, measure: 'visibility' | 'share', label: string }} props
 */
function TargetLines({ data: { project, marks }, measure, label }) {
  /** @type {Record<string, string>} */
  const share = measure === 'share' ? { share: 'true' } : {};
  const { value } = useDocument(apiPath(project.name, 'competitors', new URLSearchParams(), [], share));
  const answer = /** @type {CompetitorSeries | undefined} */ (value);
  if (answer === undefined) return null;
  const lines = answer.targets
    .map(({ target, isOwn, visibility, visibilityOver, shareOfVoice, shareOver }) => {
      const isShare = measure === 'share';
      return {
        target,
        isOwn,
        values: isShare ? (shareOfVoice ?? []) : visibility,
        over: isShare ? shareOver : visibilityOver,
      };
    })
    .filter(({ values }) => values.length > 0);
  return html`<${TargetChart} dates=${answer.dates} lines=${lines} label=${label} notes=${marks} />`;
}

/** The rank buckets of the first own target, over all its rows. @param {{ data: PageData, label: string }} props */
function Distribution({ data: { axis, charts, marks }, label }) {
  const unknown = axis.dates.map(() => null);
  const counts = bucketNames.map((name, index) => [
    name,
    (charts.distribution[index] ?? []).map((count) => count ?? 0),
  ]);
  const buckets = /** @type {SeriesAnswer['buckets']} */ (/** @type {unknown} */ (Object.fromEntries(counts)));
  const checked = charts.checked.map((count) => count ?? 0);
  const notes = marks.map(({ date, text }) => ({ date, text, project: null }));
  const series = {
    dates: axis.dates,
    averageRank: unknown,
    visibility: unknown,
    estimatedClicks: unknown,
    checked,
    buckets,
    notes,
  };
  return html`<${SeriesChart} measure="buckets" series=${series} label=${label} hasLegend />`;
}

/** Why measured clicks changed, by query and by page. @param {{ data: PageData, address: any }} props */
function ClicksOfFile({ data, address }) {
  return html`<${ClicksNote} facts=${data.clicks?.facts} />
    <${ClickChangesSection} address=${address} by="query" sort="sort5" />
    <${ClickChangesSection} address=${address} by="page" sort="sort6" />`;
}

/** A part of a section that follows the address. @param {{ part: any, section: string, data: PageData }} props */
function Addressed({ part, section, data }) {
  const address = useAddress();
  return html`<${part} data=${data} address=${{ ...address, view: section }} />`;
}

/** Puts a part in the place of an element's content. @param {string} id @param {(label: string) => unknown} part */
function place(id, part) {
  const element = document.getElementById(id);
  if (element === null) return;
  element.replaceChildren();
  element.hidden = false;
  render(/** @type {any} */ (part(element.dataset['label'] ?? '')), element);
}

function start() {
  /** @type {PageData} */
  const data = JSON.parse(document.getElementById('report-data')?.textContent ?? '{}');
  const reader = new PageReader(data);
  const project = data.project.name;
  readFromPage(
    (path) => answerPath(reader, path),
    (path) => filePath(reader, path),
  );
  keepInHash(project);
  startTheme();
  document.addEventListener('click', followLink);
  place('theme-place', () => html`<${ThemeButton} />`);
  place('chart-visibility', (label) => html`<${TargetLines} data=${data} measure="visibility" label=${label} />`);
  place('chart-share', (label) => html`<${TargetLines} data=${data} measure="share" label=${label} />`);
  place('chart-distribution', (label) => html`<${Distribution} data=${data} label=${label} />`);
  place('headline-place', () => html`<${Headlines} data=${data} />`);
  place('standings-place', () => html`<${Addressed} part=${Standings} section="competitors" data=${data} />`);
  place('segments-place', () => html`<${Addressed} part=${SegmentTables} section="segments" data=${data} />`);
  place('clicks-place', () => html`<${Addressed} part=${ClicksOfFile} section="clicks" data=${data} />`);
  place('answers-place', () => html`<${Addressed} part=${AnswerSections} section="answers" data=${data} />`);
  place('map-place', () => html`<${Addressed} part=${GridMaps} section="map" data=${data} />`);
  place('keyword-place', () => html`<${KeywordsOfFile} />`);
  document.getElementById(location.hash.slice(1).split('?')[0] ?? '')?.scrollIntoView();
  // charts are drawn after the next frame
  requestAnimationFrame(() => setTimeout(() => setTimeout(() => (document.documentElement.dataset['ready'] = ''))));
}

start();
