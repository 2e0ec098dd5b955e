// The ranks of one keyword over time: rank 1 on top, with marks for absences, other pages and owned features.
import { dayNumber, linePoints, pointRadii } from '../gaps.js';
import { html } from '../html.js';
import { datesOf, ranksOn } from '../rank-history.js';
import { day, number, statusText } from '../words.js';
import { Chart } from './chart.js';
import { timeScale, tooltipDay } from './time-axis.js';

/** @typedef {import('../../records.ts').KeywordHistory} KeywordHistory */
/** @typedef {import('../../records.ts').RankPoint} RankPoint */
/** @typedef {KeywordHistory['lines'][number]} Line */

/** @param {{ history: KeywordHistory }} props */
export function Ranks({ history }) {
  const { lines, notes, row } = history;
  const dates = datesOf(history);
  if (dates.length === 0) return html`<p>No checks in this period.</p>`;
  const days = dates.map(dayNumber);
  const ranks = lines.map(({ points }) => ranksOn(points, dates));
  const worst = Math.max(10, ...ranks.flat().map((rank) => rank ?? 0));
  // "not found" is drawn below all ranks
  const floor = Math.ceil(worst * 1.08) + 1;
  const datasets = [
    ...lines.map((line, index) => lineOf(line, linePoints(ranks[index] ?? [], days))),
    ...marksOf(lines[0]?.points ?? [], floor),
    ...bestLine(row.bestRank, days),
  ];
  const tick = (/** @type {number} */ value) => (value >= floor ? '' : `${value}`);
  const callbacks = {
    title: tooltipDay,
    label: (/** @type {any} */ { dataset, parsed }) =>
      ` ${dataset.label}${parsed.y >= floor ? '' : `: ${number(parsed.y)}`}`,
  };
  const options = {
    interaction: { mode: 'nearest', axis: 'x', intersect: false },
    scales: {
      x: timeScale(days),
      y: {
        reverse: true,
        min: 1,
        max: floor,
        ticks: { precision: 0, callback: tick },
        title: { display: true, text: 'Rank' },
      },
    },
    plugins: { tooltip: { callbacks } },
  };
  const marks = notes.map(({ date }, index) => ({ at: dayNumber(date), label: `${index + 1}` }));
  return html`<section class="panel"><h2>Rank history</h2>
    <${Chart} type="line" data=${{ datasets }} options=${options} marks=${marks} label=${rankText(history, dates)} />
    <details><summary>History as a table</summary><${RankTable} lines=${lines} dates=${dates} /></details>
  </section>`;
}

/** The chart in words. @param {KeywordHistory} history @param {readonly string[]} dates */
function rankText({ lines, row }, dates) {
  const own = ranksOn(lines[0]?.points ?? [], dates).filter((rank) => rank !== null);
  const range = `Ranks of ${lines.map(({ target }) => target).join(', ')} from ${day(dates[0])} to ${day(dates.at(-1))}`;
  if (own.length === 0) return `${range}: never ranked on these dates`;
  const best = row.bestRank ?? Math.min(...own);
  return `${range}: ranked on ${own.length} of ${dates.length} dates, first ${own[0]}, last ${own.at(-1)}, best ever ${best}`;
}

/** @param {Line} line @param {{ x: number, y: number | null }[]} data */
function lineOf({ target, isOwn }, data) {
  return {
    label: target,
    data,
    borderWidth: isOwn ? 2.5 : 1.5,
    borderDash: isOwn ? [] : [6, 3],
    pointRadius: pointRadii(data),
  };
}

/**
 * Marks of our first line; without any they are left out.
 * @param {readonly RankPoint[]} points
 * @param {number} floor
 */
function marksOf(points, floor) {
  const at = (/** @type {RankPoint} */ { date }, /** @type {number | null} */ y) => ({ x: dayNumber(date), y });
  const ordered = points.toSorted((a, b) => (a.date < b.date ? -1 : 1));
  const pages = ordered.filter(({ url }) => url !== null);
  const marks = [
    {
      label: 'Not found',
      data: ordered.filter(({ status }) => status === 'not_found').map((point) => at(point, floor)),
      pointStyle: 'crossRot',
      borderColor: '--down',
      pointRadius: 4,
    },
    {
      label: 'Ranking page changed',
      data: pages
        .filter(({ url }, index) => index > 0 && url !== pages[index - 1]?.url)
        .map((point) => at(point, point.rank)),
      pointStyle: 'rectRot',
      borderColor: '--series-2',
      pointRadius: 6,
    },
    {
      label: 'In a SERP feature',
      data: ordered.filter(({ ownedFeatures }) => ownedFeatures.length > 0).map((point) => at(point, point.rank)),
      pointStyle: 'circle',
      borderColor: '--series-3',
      backgroundColor: 'transparent',
      borderWidth: 2,
      pointRadius: 6,
    },
  ];
  return marks
    .filter(({ data }) => data.some(({ y }) => y !== null))
    .map((mark) => ({ ...mark, showLine: false, clip: 12 }));
}

/** @param {number | null} best @param {readonly number[]} days */
function bestLine(best, days) {
  if (best === null) return [];
  const data = [days[0], days.at(-1)].map((x) => ({ x, y: best }));
  return [{ label: 'Best rank', data, borderColor: '--soft', borderDash: [4, 4], borderWidth: 1, pointRadius: 0 }];
}

/** @param {{ lines: KeywordHistory['lines'], dates: readonly string[] }} props */
function RankTable({ lines, dates }) {
  const byDate = lines.map(({ points }) => new Map(points.map((point) => [point.date, point])));
  return html`<div class="scroll" role="region" aria-label="Ranks by date" tabindex="0"><table class="stacked">
    <caption>Ranks by date</caption>
    <thead><tr><th scope="col">Date</th>${lines.map(({ target }) => html`<th scope="col" class="numeric"><bdi>${target}</bdi></th>`)}</tr></thead>
    <tbody>${dates.toReversed().map(
      (date) =>
        html`<tr><th scope="row">${day(date)}</th>${byDate.map((points, index) => {
          const point = points.get(date);
          return html`<td data-label=${lines[index]?.target} class="numeric">${point === undefined ? '–' : point.rank === null ? statusText(point.status) : number(point.rank)}</td>`;
        })}</tr>`,
    )}</tbody></table></div>`;
}
