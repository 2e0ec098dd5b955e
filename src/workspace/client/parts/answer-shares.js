// Shares of AI answers that cite a target: over time with the interval of the own one, and as tables.
import { pathOf, withChanges } from '../address.js';
import { engineName, overviews, promptKey, shareLines, shareText } from '../answers.js';
import { dayNumber, linePoints, pointRadii } from '../gaps.js';
import { html } from '../html.js';
import { counted, day, number } from '../words.js';
import { Chart } from './chart.js';
import { SortTable } from './sort-table.js';
import { WebLink } from './state.js';
import { timeScale, tooltipDay } from './time-axis.js';

/** @typedef {import('../answers.js').AnswerRecord} AnswerRecord */
/** @typedef {import('../address.js').Address} Address */

/**
 * Competitors are dashed; the interval of the first own target has two dotted lines.
 * @param {{ rows: readonly AnswerRecord[], what: string }} props
 */
export function ShareChart({ rows, what }) {
  const { dates, lines } = shareLines(rows);
  if (dates.length < 2) return null;
  const days = dates.map(dayNumber);
  const own = lines.find(({ isOwn }) => isOwn);
  const datasets = lines.map(({ target, isOwn, values }) => {
    const points = linePoints(values, days);
    return {
      label: target,
      data: points,
      borderWidth: isOwn ? 2.5 : 1.5,
      borderDash: isOwn ? [] : [6, 3],
      pointRadius: pointRadii(points),
    };
  });
  const bounds = own === undefined ? [] : bandOf(own, days);
  const callbacks = {
    title: tooltipDay,
    label: (/** @type {any} */ { datasetIndex, parsed }) => {
      const line = lines[datasetIndex];
      const at = days.indexOf(parsed.x);
      if (line === undefined || at < 0) return '';
      return ` ${line.target}: ${shareText(line.values[at] ?? null, line.low[at] ?? null, line.high[at] ?? null)} of ${number(line.over[at] ?? null)} answers`;
    },
  };
  const options = {
    scales: { x: timeScale(days), y: { min: 0, max: 100, title: { display: true, text: 'Percent of answers' } } },
    plugins: { tooltip: { callbacks, filter: (/** @type {any} */ { datasetIndex }) => datasetIndex < lines.length } },
  };
  return html`<${Chart} type="line" data=${{ datasets: [...datasets, ...bounds] }} options=${options}
    label=${`Share of ${what} that cite each target, ${day(dates[0])} to ${day(dates.at(-1))}`} />`;
}

/**
 * @param {{ target: string, low: readonly (number | null)[], high: readonly (number | null)[] }} line
 * @param {readonly number[]} days
 */
function bandOf({ target, low, high }, days) {
  const shared = { borderWidth: 1, borderDash: [2, 2], borderColor: '--series-1', pointRadius: 0 };
  return [
    { ...shared, label: `${target}, 95% interval`, data: linePoints(high, [...days]) },
    { ...shared, label: 'its lower end', data: linePoints(low, [...days]) },
  ];
}

/**
 * Each target over all prompts of an engine in the newest period.
 * @param {{ rows: readonly AnswerRecord[], address: Address, name: string }} props
 */
export function TargetShares({ rows, address, name }) {
  const [first] = rows;
  if (first === undefined) return null;
  const isOverview = first.engine === overviews;
  const answers = isOverview ? 'overviews with links' : 'answers';
  const count = isOverview ? counted(first.answers, 'overview with links', answers) : counted(first.answers, 'answer');
  return html`<p>${day(first.period)}: ${count}${
    isOverview
      ? html`; shown in ${number(first.shown)} of ${counted(first.asked, 'check')}, ${shareText(first.shownShare, first.shownLow, first.shownHigh)}${changeText(first.presenceChange)}.`
      : ` of ${number(first.asked)} that were asked.`
  }</p>
  <${SortTable} caption=${`${engineName(first.engine)}: share of ${answers} that cite or name each target, with 95 % intervals`}
    columns=${isOverview ? targetColumns.filter(({ key }) => !key.startsWith('mention')) : targetColumns} rows=${rows} address=${address} name=${name}
    keyOf=${(/** @type {AnswerRecord} */ { target }) => target} />`;
}

/** @param {string | null} change */
function changeText(change) {
  return change === null || change === 'same' ? '' : `, ${change} from the period before`;
}

/** @type {import('./sort-table.js').Column} */
const targetColumn = {
  key: 'target',
  label: 'Target',
  isHeader: true,
  value: ({ target }) => target,
  cell: ({ target, isOwn }) => html`<bdi>${target}</bdi>${isOwn && html` <small>ours</small>`}`,
};

/** @type {import('./sort-table.js').Column} */
const citedColumn = {
  key: 'cited',
  label: 'Cited in',
  numeric: true,
  value: ({ citedShare }) => citedShare,
  cell: ({ citedShare, citedLow, citedHigh }) => shareText(citedShare, citedLow, citedHigh),
};

/** @type {import('./sort-table.js').Column} */
const changeColumn = {
  key: 'citation-change',
  label: 'Change of citations',
  value: ({ citationChange }) => citationChange,
  cell: ({ citationChange, previousCitedShare, previousPeriod }) =>
    citationChange === null
      ? '–'
      : html`<span class=${directions[citationChange] ?? 'flat'}>${citationChange}</span> <small>${`${previousCitedShare ?? '–'}% on ${day(previousPeriod)}`}</small>`,
};

/** @type {Record<string, string>} */
const directions = { new: 'up', up: 'up', lost: 'down', down: 'down' };

/** @type {readonly import('./sort-table.js').Column[]} */
const targetColumns = [
  targetColumn,
  citedColumn,
  changeColumn,
  {
    key: 'mentioned',
    label: 'Named in',
    numeric: true,
    value: ({ mentionedShare }) => mentionedShare,
    cell: ({ mentionedShare, mentionedLow, mentionedHigh }) => shareText(mentionedShare, mentionedLow, mentionedHigh),
  },
  {
    key: 'mention-change',
    label: 'Change of names',
    value: ({ mentionChange }) => mentionChange,
    cell: ({ mentionChange }) =>
      html`<span class=${directions[mentionChange ?? ''] ?? 'flat'}>${mentionChange ?? '–'}</span>`,
  },
];

/** The address of a prompt, or of a keyword with its overviews. @param {Address} address @param {AnswerRecord} row */
export function promptPath({ project, view, query }, { engine, prompt, country, language, device, location }) {
  const market = [country, language, device, location].filter(Boolean).join(' ');
  return pathOf(project, view, withChanges(query, { engine, prompt, in: market }));
}

/**
 * Each prompt and target in the newest period.
 * @param {{ rows: readonly AnswerRecord[], address: Address, name: string, caption: string }} props
 */
export function PromptShares({ rows, address, name, caption }) {
  /** @type {import('./sort-table.js').Column[]} */
  const columns = [
    {
      key: 'prompt',
      label: 'Prompt',
      isHeader: true,
      value: ({ prompt }) => prompt,
      cell: (row) =>
        row.prompt === null
          ? 'all'
          : html`<a href=${promptPath(address, row)}><bdi>${row.prompt}</bdi></a> <small>${promptKey({ ...row, prompt: '' })}</small>`,
    },
    { key: 'engine', label: 'Engine', value: ({ engine }) => engineName(engine) },
    { ...targetColumn, isHeader: false },
    {
      key: 'answers',
      label: 'Answers',
      numeric: true,
      value: ({ answers }) => answers,
      cell: ({ answers }) => number(answers),
    },
    citedColumn,
    changeColumn,
  ];
  return html`<${SortTable} caption=${caption} columns=${columns} rows=${rows} address=${address} name=${name} shownMax=${50}
    keyOf=${(/** @type {AnswerRecord} */ row) => `${row.engine} ${promptKey(row)} ${row.target}`} />`;
}

/** @param {{ pages: ReturnType<typeof import('../answers.js').citedPages>, address: Address, name: string }} props */
export function CitedPages({ pages, address, name }) {
  if (pages.length === 0) return html`<p>No answer of the newest period cites a page of a target.</p>`;
  return html`<${SortTable} caption="Pages of targets that answers cite in the newest period; at most ten of each target, engine and prompt" columns=${pageColumns}
    rows=${pages} address=${address} initial="-prompts" name=${name} shownMax=${20} keyOf=${(/** @type {any} */ { target, url }) => `${target} ${url}`} />`;
}

/** @type {readonly import('./sort-table.js').Column[]} */
const pageColumns = [
  {
    key: 'page',
    label: 'Page',
    isHeader: true,
    value: ({ url }) => url,
    cell: ({ url }) => html`<${WebLink} url=${url} />`,
  },
  { ...targetColumn, isHeader: false },
  { key: 'engines', label: 'Engines', value: ({ engines }) => [...engines].map(engineName).join(', ') },
  {
    key: 'prompts',
    label: 'Prompts',
    numeric: true,
    value: ({ prompts }) => prompts.size,
    cell: ({ prompts }) => number(prompts.size),
  },
];
