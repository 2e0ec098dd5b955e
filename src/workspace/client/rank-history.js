// The history of a keyword as a chart, a feature timeline and a list of URLs need it.

/** @typedef {import('../records.ts').RankPoint} RankPoint */
/** @typedef {import('../records.ts').KeywordHistory} KeywordHistory */

/** Checks that read the pages, so that a missing feature or rank means something. */
const readStatuses = ['ranked', 'not_found', 'not_followed'];

/** The dates of all lines, ascending. @param {Pick<KeywordHistory, 'lines'>} history */
export function datesOf({ lines }) {
  return [...new Set(lines.flatMap(({ points }) => points.map(({ date }) => date)))].sort();
}

/**
 * One rank per date; null: none. The last check of a date counts.
 * @param {readonly RankPoint[]} points
 * @param {readonly string[]} dates
 */
export function ranksOn(points, dates) {
  const ranks = new Map(points.map(({ date, rank }) => [date, rank]));
  return dates.map((date) => ranks.get(date) ?? null);
}

/**
 * The features of the pages by date: `owned`, `shown` or `absent`; `unknown` where the pages were not read. Features
 * that were never shown are left out; those shown most often come first.
 * @param {readonly RankPoint[]} points
 * @param {readonly string[]} dates
 */
export function featureTimeline(points, dates) {
  const byDate = new Map(points.map((point) => [point.date, point]));
  const features = [
    ...new Set(points.flatMap(({ serpFeatures, ownedFeatures }) => [...serpFeatures, ...ownedFeatures])),
  ];
  return features
    .map((feature) => {
      const states = dates.map((date) => featureState(byDate.get(date), feature));
      const count = (/** @type {string} */ state) => states.filter((one) => one === state).length;
      const [owned, unknown] = [count('owned'), count('unknown')];
      return { feature, states, owned, shown: owned + count('shown'), read: states.length - unknown };
    })
    .sort((a, b) => b.shown - a.shown);
}

/** @param {RankPoint | undefined} point @param {string} feature */
function featureState(point, feature) {
  if (point?.ownedFeatures.includes(feature)) return 'owned';
  if (point?.serpFeatures.includes(feature)) return 'shown';
  if (point === undefined || point.featuresKnown === false) return 'unknown';
  return readStatuses.includes(point.status) ? 'absent' : 'unknown';
}

/**
 * Where the ranking URL changed, newest first. Dates without a rank neither end nor begin a stretch.
 * @param {readonly RankPoint[]} points
 */
export function urlStretches(points) {
  /** @type {{ url: string, from: string, to: string, checks: number, best: number | null }[]} */
  const stretches = [];
  for (const { date, url, rank } of points.toSorted((a, b) => (a.date < b.date ? -1 : 1))) {
    if (url === null) continue;
    const last = stretches.at(-1);
    if (last?.url !== url) {
      stretches.push({ url, from: date, to: date, checks: 1, best: rank });
      continue;
    }
    last.to = date;
    last.checks += 1;
    if (rank !== null) last.best = Math.min(rank, last.best ?? rank);
  }
  return stretches.reverse();
}
