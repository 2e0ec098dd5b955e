// What the views of AI answers show of the rows of the read API: engines, lines over time, changes, cited pages.

/** @typedef {import('../answer-records.ts').AnswerRecord} AnswerRecord */

/** @typedef {{ url: string, target: string, isOwn: boolean, engines: Set<string>, prompts: Set<string> }} CitedPage */

/** The AI overviews on results pages: no assistant that is asked. */
export const overviews = 'ai-overview';

/** @type {Record<string, string>} */
const engineNames = {
  'ai-mode': 'Google AI Mode',
  [overviews]: 'AI overviews',
  chatgpt: 'ChatGPT',
  copilot: 'Copilot',
  gemini: 'Gemini',
  perplexity: 'Perplexity',
};

/** @param {string} engine */
export function engineName(engine) {
  return engineNames[engine] ?? engine;
}

/** A prompt with its market; of overviews a keyword. @param {AnswerRecord} row */
export function promptKey({ prompt, country, language, device, location }) {
  return [prompt, country, language, device, location].filter(Boolean).join(' · ');
}

/** @param {readonly AnswerRecord[]} rows @returns {string[]} in the order of the rows */
export function enginesOf(rows) {
  return [...new Set(rows.map(({ engine }) => engine))];
}

/** Rows of the newest period that these rows have. @param {readonly AnswerRecord[]} rows */
export function newestRows(rows) {
  const newest = rows.reduce((latest, { period }) => (period > latest ? period : latest), '');
  return rows.filter(({ period }) => period === newest);
}

/**
 * Shares of citations by period, one line per target; of the first own target also the bounds of its interval.
 * @param {readonly AnswerRecord[]} rows of one engine and prompt
 */
export function shareLines(rows) {
  const dates = [...new Set(rows.map(({ period }) => period))].sort();
  const targets = Map.groupBy(rows, ({ target }) => target);
  const lines = [...targets].map(([target, own]) => {
    const byPeriod = new Map(own.map((row) => [row.period, row]));
    const valuesOf = (/** @type {'citedShare' | 'citedLow' | 'citedHigh' | 'answers'} */ name) =>
      dates.map((date) => byPeriod.get(date)?.[name] ?? null);
    return {
      target,
      isOwn: own[0]?.isOwn === true,
      values: valuesOf('citedShare'),
      low: valuesOf('citedLow'),
      high: valuesOf('citedHigh'),
      over: valuesOf('answers'),
    };
  });
  return { dates, lines };
}

/**
 * `20% (3.6–62%)`: a share with its interval.
 * @param {number | null} share
 * @param {number | null} low
 * @param {number | null} high
 */
export function shareText(share, low, high) {
  const tenth = (/** @type {number | null} */ value) => `${Number((value ?? 0).toFixed(1))}`;
  return share === null ? '–' : `${tenth(share)}% (${tenth(low)}–${tenth(high)}%)`;
}

/** Changes that are more than chance explains. @param {readonly AnswerRecord[]} rows */
export function certainChanges(rows) {
  return rows.filter(({ citationChange }) => citationChange !== null && citationChange !== 'same');
}

/**
 * The cited pages of targets, and how many prompts cite each.
 * @param {readonly AnswerRecord[]} rows of one period
 */
export function citedPages(rows) {
  /** @type {Map<string, CitedPage>} */
  const pages = new Map();
  for (const row of rows) {
    for (const url of row.citedPages) {
      const known = pages.get(`${row.target} ${url}`);
      const page = known ?? { url, target: row.target, isOwn: row.isOwn, engines: new Set(), prompts: new Set() };
      page.engines.add(row.engine);
      if (row.prompt !== null) page.prompts.add(`${row.engine} ${promptKey(row)}`);
      pages.set(`${row.target} ${url}`, page);
    }
  }
  return [...pages.values()];
}
