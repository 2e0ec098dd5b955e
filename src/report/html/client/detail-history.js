// The history chart of one row: ranks, "not found", URL changes, owned SERP features, and the best rank.
import { colour, drawPoints, markLabels, noteMarks, timeOptions } from './chart-frame.js';
import { decodeRank, pairSteps, rankCodes } from './trail.js';

/** @import { ChartConfiguration } from 'chart.js' */
/** @import { PageData, PageRow } from '../page-data.ts' */
/** @import { ChartRoom } from './detail-features.js' */

/**
 * Rank 1 is on top. "Not found" is a cross at the bottom, a URL change a diamond. No line crosses a gap.
 * @param {PageData} data
 * @param {PageRow} row
 * @param {ChartRoom | null} room where another chart stands on the same dates
 * @returns {ChartConfiguration<'line', { x: number, y: number | null }[]>}
 */
export function historyConfig(data, row, room) {
  const { axis, marks } = data;
  const ranks = row.trail.map(decodeRank);
  const worst = Math.max(10, ...ranks.map((rank) => rank ?? 0));
  const floor = Math.ceil(worst * 1.08) + 1;
  const options = timeOptions(axis);
  /** @param {string | number} value */
  const tick = (value) => (Number(value) >= floor ? '' : `${value}`);
  const ticks = { color: colour('soft'), precision: 0, maxTicksLimit: 8, callback: tick };
  const scale = { ...options.scales?.['y'], reverse: true, min: 1, max: floor, beginAtZero: false, ticks };
  /** @param {{ width: number }} drawn */
  const afterFit = (drawn) => {
    drawn.width = room?.labelWidth ?? drawn.width;
  };
  return {
    type: 'line',
    data: {
      datasets: /** @type {ChartConfiguration<'line', { x: number, y: number | null }[]>['data']['datasets']} */ (
        historyDatasets(data, row, ranks, floor, markSize(room))
      ),
    },
    options: {
      ...options,
      interaction: { mode: 'nearest', axis: 'x', intersect: false },
      plugins: { ...options.plugins, legend: { ...options.plugins?.legend, labels: markLabels } },
      scales: { ...options.scales, y: { ...scale, afterFit } },
    },
    plugins: [noteMarks(marks)],
  };
}

/**
 * A radius at which marks of neighbouring dates do not overlap.
 * @param {ChartRoom | null} room
 */
function markSize(room) {
  return Math.max(3, Math.min(7, 0.45 * (room?.aDate ?? 0)));
}

/**
 * The non-empty lines and marks. `floor`: the y position of "not found".
 * @param {PageData} data
 * @param {PageRow} row
 * @param {readonly (number | null)[]} ranks
 * @param {number} floor
 * @param {number} size radius of marks
 */
function historyDatasets({ axis, rows }, row, ranks, floor, size) {
  /** @param {(index: number) => number | null} valueAt */
  const dots = (valueAt) =>
    axis.days.flatMap((x, index) => (valueAt(index) === null ? [] : [{ x, y: valueAt(index) }]));
  const urlChanges = new Set(
    pairSteps(rows.urlSteps[row.index] ?? [])
      .slice(1)
      .map(([date]) => date),
  );
  const owned = ownedDates(pairSteps(rows.ownedSteps[row.index] ?? []), axis.dates.length);
  return (
    [
      {
        label: 'Rank',
        data: drawPoints(ranks, axis),
        spanGaps: false,
        borderColor: colour('series-1'),
        backgroundColor: colour('series-1'),
        borderWidth: 2,
        pointRadius: 2,
      },
      {
        label: 'Not found',
        data: dots((index) => (row.trail[index] === rankCodes.notFound ? floor : null)),
        showLine: false,
        pointStyle: 'crossRot',
        borderColor: colour('bad'),
        pointRadius: 4,
      },
      {
        label: 'Ranking URL changed',
        data: dots((index) => (urlChanges.has(index) ? (ranks[index] ?? null) : null)),
        showLine: false,
        pointStyle: 'rectRot',
        borderColor: colour('series-2'),
        backgroundColor: colour('series-2'),
        pointRadius: size,
      },
      {
        label: 'In a SERP feature',
        data: dots((index) => (owned.has(index) ? (ranks[index] ?? null) : null)),
        showLine: false,
        pointStyle: 'circle',
        borderColor: colour('series-3'),
        backgroundColor: 'transparent',
        borderWidth: 2,
        pointRadius: size,
      },
      {
        label: 'Best rank',
        data:
          row.bestRank === null ? [] : [axis.days[0] ?? 0, axis.days.at(-1) ?? 0].map((x) => ({ x, y: row.bestRank })),
        borderColor: colour('faint'),
        backgroundColor: colour('faint'),
        borderDash: [4, 4],
        borderWidth: 1,
        pointRadius: 0,
      },
    ]
      .filter(({ data }) => data.some(({ y }) => y !== null))
      // marks on the edge of the chart are not clipped
      .map((dataset) => ({ ...dataset, clip: 12 }))
  );
}

/**
 * The dates on which a SERP feature showed the target.
 * @param {readonly (readonly [number, number])[]} steps
 * @param {number} dateCount
 */
function ownedDates(steps, dateCount) {
  /** @type {Set<number>} */
  const dates = new Set();
  for (const [index, [from, set]] of steps.entries()) {
    const until = steps[index + 1]?.[0] ?? dateCount;
    for (let date = from; set >= 0 && date < until; date += 1) dates.add(date);
  }
  return dates;
}
