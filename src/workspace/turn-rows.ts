// Cannibalization as a table: one row for each keyword and each of its pages.
import type { CannibalizationAnswer, KeywordRow } from './records.ts';

export interface TurnRow
  extends Pick<
    KeywordRow,
    'keyword' | 'country' | 'language' | 'device' | 'location' | 'target' | 'rank' | 'searchVolume'
  > {
  /** Changes of page of the keyword. */
  readonly changes: number;
  readonly url: string;
  readonly ranksNow: boolean;
  readonly isPreferred: boolean | null;
  /** Dates on which the page ranked. */
  readonly dates: number;
  readonly bestRank: number | null;
  readonly lastDate: string;
}

export function turnRows({ rows }: CannibalizationAnswer): TurnRow[] {
  return rows.flatMap(
    ({ keyword, country, language, device, location, target, rank, searchVolume, flips, pages, url, preferredUrl }) =>
      pages.map((page) => ({
        ...{ keyword, country, language, device, location, target, rank, searchVolume },
        changes: flips,
        url: page.url,
        ranksNow: page.url === url,
        isPreferred: preferredUrl === null ? null : page.url === preferredUrl,
        dates: page.dates,
        bestRank: page.bestRank,
        lastDate: page.last,
      })),
  );
}
