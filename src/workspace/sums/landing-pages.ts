// Which of our pages rank, with their keywords.
import { ranksOtherUrl } from '../keyword-filter.ts';
import type { KeywordRow, LandingPage } from '../records.ts';

interface PageClicks {
  readonly clicks: number;
  readonly impressions: number;
}

/** By estimated clicks, then by number of keywords. Rows without a ranking URL are left out. */
export function landingPages(rows: readonly KeywordRow[], clicksOf: (url: string) => PageClicks | null): LandingPage[] {
  const ranked = rows.filter(({ url, rank }) => url !== null && rank !== null);
  const groups = Map.groupBy(ranked, ({ url, target }) => `${target}\n${url}`);
  return [...groups.values()]
    .flatMap((group) => pageOf(group, clicksOf) ?? [])
    .sort((a, b) => (b.estimatedClicks ?? -1) - (a.estimatedClicks ?? -1) || b.keywords - a.keywords);
}

function pageOf(rows: readonly KeywordRow[], clicksOf: (url: string) => PageClicks | null): LandingPage | null {
  const [first] = rows;
  if (first === undefined || first.url === null) return null;
  const clicks = clicksOf(first.url);
  const ranks = rows.map(({ rank }) => rank ?? 0);
  const count = (matches: (row: KeywordRow) => boolean): number => rows.filter(matches).length;
  return {
    url: first.url,
    target: first.target,
    keywords: rows.length,
    averageRank: Math.round((100 * ranks.reduce((sum, rank) => sum + rank, 0)) / rows.length) / 100,
    top10: ranks.filter((rank) => rank <= 10).length,
    estimatedClicks: sumKnown(rows.map(({ estimatedClicks }) => estimatedClicks)),
    searchVolume: sumKnown(rows.map(({ searchVolume }) => searchVolume)),
    improved: count(({ changeClass }) => changeClass === 'improved' || changeClass === 'entered'),
    declined: count(({ changeClass }) => changeClass === 'declined' || changeClass === 'dropped'),
    notPreferred: count((row) => ranksOtherUrl(row) === true),
    measuredClicks: clicks?.clicks ?? null,
    impressions: clicks?.impressions ?? null,
  };
}

/** Null if none is known. */
function sumKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.round(100 * known.reduce((sum, value) => sum + value, 0)) / 100;
}
