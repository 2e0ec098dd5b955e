// What moved between two stored results pages of a search.

/** @typedef {import('../records.ts').SerpResult} SerpResult */
/** @typedef {import('../records.ts').StoredSerpView} StoredSerpView */

/**
 * A result of the newer pages. `kind`: `moved` with the gained ranks in `change`; `entered`: the older pages reach its
 * rank without it; `unknown`: they do not reach it, or a rank is missing.
 * @typedef {object} Move
 * @property {SerpResult} after
 * @property {SerpResult | null} before
 * @property {'moved' | 'entered' | 'unknown'} kind
 * @property {number | null} change positive is better
 */

/**
 * @param {readonly SerpResult[]} before
 * @param {readonly SerpResult[]} after
 * @returns {{ moves: Move[], left: SerpResult[] }} one move per newer result, and the older ones that are gone
 */
export function serpMoves(before, after) {
  /** @type {Map<string, SerpResult[]>} */
  const older = Map.groupBy(before, ({ url }) => url);
  const reach = lastRank(before);
  const moves = after.map((result) => {
    const match = older.get(result.url)?.shift() ?? null;
    return moveOf(result, match, reach);
  });
  const reachAfter = lastRank(after);
  const unmatched = new Set([...older.values()].flat());
  const left = before.filter((result) => unmatched.has(result) && result.rank !== null && result.rank <= reachAfter);
  return { moves, left };
}

/** @param {SerpResult} after @param {SerpResult | null} before @param {number} reach @returns {Move} */
function moveOf(after, before, reach) {
  if (before === null) {
    const isEntered = after.rank !== null && after.rank <= reach;
    return { after, before, kind: isEntered ? 'entered' : 'unknown', change: null };
  }
  if (after.rank === null || before.rank === null) return { after, before, kind: 'unknown', change: null };
  return { after, before, kind: 'moved', change: before.rank - after.rank };
}

/** The lowest rank that was read without a gap. @param {readonly SerpResult[]} results */
function lastRank(results) {
  return results.reduce((last, { rank }) => Math.max(last, rank ?? 0), 0);
}

/**
 * Features on the pages that both read.
 * @param {Pick<StoredSerpView, 'features' | 'pages'>} before
 * @param {Pick<StoredSerpView, 'features' | 'pages'>} after
 */
export function featureMoves(before, after) {
  const pages = Math.min(before.pages, after.pages);
  const types = (/** @type {Pick<StoredSerpView, 'features'>} */ { features }) =>
    new Set(features.filter(({ page }) => page <= pages).map(({ type }) => type));
  const [earlier, later] = [types(before), types(after)];
  return {
    gained: [...later].filter((type) => !earlier.has(type)),
    lost: [...earlier].filter((type) => !later.has(type)),
  };
}
