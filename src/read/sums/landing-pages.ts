// Which of our pages rank, with their keywords.
import { figureDecimals, rounded } from '../../tracker/figures.ts';
import { pageIdentity } from '../../tracker/targets/target.ts';
import { withoutTracking } from '../../tracker/tracking.ts';
import { ranksOtherUrl } from '../keyword-filter.ts';
import type { KeywordRow, LandingPage } from '../records.ts';

interface PageClicks {
  readonly clicks: number;
  readonly impressions: number | null;
}

/** A page while its rows are summed, in one pass over all rows. */
interface PageSums {
  readonly url: string;
  readonly target: string;
  keywords: number;
  ranks: number;
  top10: number;
  /** Null if none is known. */
  estimatedClicks: number | null;
  searchVolume: number | null;
  improved: number;
  declined: number;
  notPreferred: number;
}

/**
 * By estimated clicks, then by number of keywords. Rows without a ranking URL are left out. Spellings of a page are
 * one, shown without tracking parameters.
 */
export function landingPages(rows: readonly KeywordRow[], clicksOf: (url: string) => PageClicks | null): LandingPage[] {
  const all: PageSums[] = [];
  const byTarget = new Map<string, Map<string, PageSums>>();
  const sumsOf = (target: string, url: string): PageSums => {
    const pages = byTarget.get(target) ?? new Map<string, PageSums>();
    const key = pageIdentity(url);
    const known = pages.get(key);
    if (known !== undefined) return known;
    const sums = startPage(withoutTracking(url), target);
    byTarget.set(target, pages.set(key, sums));
    all.push(sums);
    return sums;
  };
  for (const row of rows) {
    const { rank } = row;
    const url = rank === null ? null : row.url;
    if (rank !== null && url !== null) addRow(sumsOf(row.target, url), row, rank);
  }
  return all
    .map((sums) => pageOf(sums, clicksOf(sums.url)))
    .sort((a, b) => (b.estimatedClicks ?? -1) - (a.estimatedClicks ?? -1) || b.keywords - a.keywords);
}

function startPage(url: string, target: string): PageSums {
  const counts = { keywords: 0, ranks: 0, top10: 0, improved: 0, declined: 0, notPreferred: 0 };
  return { url, target, ...counts, estimatedClicks: null, searchVolume: null };
}

function addRow(sums: PageSums, row: KeywordRow, rank: number): void {
  const { changeClass, estimatedClicks, searchVolume } = row;
  sums.keywords += 1;
  sums.ranks += rank;
  if (rank <= 10) sums.top10 += 1;
  if (estimatedClicks !== null) sums.estimatedClicks = (sums.estimatedClicks ?? 0) + estimatedClicks;
  if (searchVolume !== null) sums.searchVolume = (sums.searchVolume ?? 0) + searchVolume;
  if (changeClass === 'improved' || changeClass === 'entered') sums.improved += 1;
  if (changeClass === 'declined' || changeClass === 'dropped') sums.declined += 1;
  if (ranksOtherUrl(row) === true) sums.notPreferred += 1;
}

function pageOf({ ranks, ...sums }: PageSums, clicks: PageClicks | null): LandingPage {
  const { url, target, keywords, top10, improved, declined, notPreferred } = sums;
  return {
    url,
    target,
    keywords,
    averageRank: rounded(ranks / keywords, figureDecimals),
    top10,
    estimatedClicks: sums.estimatedClicks === null ? null : rounded(sums.estimatedClicks, 2),
    searchVolume: sums.searchVolume === null ? null : rounded(sums.searchVolume, 2),
    improved,
    declined,
    notPreferred,
    measuredClicks: clicks?.clicks ?? null,
    impressions: clicks?.impressions ?? null,
  };
}
