// rank-changes.csv: one row per tracked keyword, market and own target, with its change.

import type { RankChangeRow } from '../../rows/row.ts';
import { rowStatusText } from '../../tracker/observation.ts';
import { classifyDestination } from '../../tracker/targets/destination.ts';
import { byText } from '../../tracker/text-order.ts';
import { ageColumns } from '../formats/age-columns.ts';
import { clickColumns, newestWeeks, positionColumn } from '../formats/click-columns.ts';
import { type CsvColumn, type CsvOptions, columnNotes, csvHeader, lineWriter } from '../formats/csv.ts';
import { checkDay } from '../formats/day-columns.ts';
import { significanceColumns } from '../formats/significance-columns.ts';
import { type Scratch, SortedLines } from '../formats/sorted-lines.ts';
import { destinationDescription, localRankColumn, urlDescription } from '../formats/url-columns.ts';
import { locationColumn, searchColumns } from '../rows/search-columns.ts';

/** The columns of rank-changes.csv, in order. */
const rankChangeColumns: readonly CsvColumn<RankChangeRow>[] = [
  ...searchColumns<RankChangeRow>((row) => row),
  { name: 'target', kind: 'text', description: 'Own target as configured', value: (row) => row.target },
  {
    name: 'status',
    kind: 'text',
    description: rowStatusText,
    value: (row) => row.status,
  },
  {
    name: 'rank',
    kind: 'number',
    description: 'Rank among organic results over all pages; empty unless ranked',
    value: (row) => row.rank,
  },
  { name: 'previous_rank', kind: 'number', description: 'Rank in the baseline', value: (row) => row.previousRank },
  {
    name: 'change',
    kind: 'number',
    description: 'previous_rank - rank: positive is better; empty unless both are ranked and comparable',
    value: (row) => row.change,
  },
  {
    name: 'change_class',
    kind: 'text',
    description: 'improved, declined, unchanged, entered, dropped, first_check or not_comparable (the note says why)',
    value: (row) => row.changeClass,
  },
  {
    name: 'absolute_rank',
    kind: 'number',
    description: 'Position among all elements of the pages; empty where unknown',
    value: (row) => row.absoluteRank,
  },
  { name: 'page', kind: 'number', description: 'Results page of the ranking', value: (row) => row.page },
  { name: 'url', kind: 'text', description: urlDescription, value: (row) => row.url },
  { name: 'previous_url', kind: 'text', description: 'The same in the baseline', value: (row) => row.previousUrl },
  {
    name: 'url_changed',
    kind: 'boolean',
    description: 'Whether the ranking URL changed; empty unless both are known',
    value: (row) => row.urlChanged,
  },
  {
    name: 'best_rank',
    kind: 'number',
    description: 'Best rank in the history of the search, also in checks of other projects',
    value: (row) => row.bestRank,
  },
  { name: 'checked_at', kind: 'date', description: 'When the pages were read, UTC', value: (row) => row.checkedAt },
  {
    name: 'previous_checked_at',
    kind: 'date',
    description: 'When the pages of the baseline were read, UTC',
    value: (row) => row.previousCheckedAt,
  },
  {
    name: 'depth',
    kind: 'number',
    description: 'Requested results pages; if not found, all of them were read',
    value: (row) => row.depth,
  },
  { name: 'serp_features', kind: 'list', description: 'SERP features on the pages', value: (row) => row.serpFeatures },
  {
    name: 'owned_features',
    kind: 'list',
    description: 'SERP features that link to the target; one that a page shows without links is in serp_features alone',
    value: (row) => row.ownedFeatures,
  },
  { name: 'search_volume', kind: 'number', description: 'Searches a month', value: (row) => row.searchVolume },
  { name: 'volume_month', kind: 'text', description: 'Month of the metrics', value: (row) => row.volumeMonth },
  { name: 'cpc', kind: 'number', description: 'Cost a click, USD', value: (row) => row.cpc },
  { name: 'competition', kind: 'number', description: 'Ad competition, 0 to 100', value: (row) => row.competition },
  { name: 'competition_level', kind: 'text', description: 'low, medium or high', value: (row) => row.competitionLevel },
  {
    name: 'intent',
    kind: 'text',
    description: 'commercial, informational, navigational or transactional',
    value: (row) => row.intent,
  },
  {
    name: 'estimated_clicks',
    kind: 'number',
    description: 'Clicks per month: search_volume x click-through rate of the rank; 0 if not found',
    value: (row) => row.estimatedClicks,
  },
  {
    name: 'estimated_clicks_change',
    kind: 'number',
    description: 'Its change from the baseline, at the same volume; empty if not comparable',
    value: (row) => row.estimatedClicksChange,
  },
  { name: 'tags', kind: 'list', description: 'Tags of the keyword', value: (row) => row.tags },
  {
    name: 'note',
    kind: 'text',
    description: 'Why a number is missing or not comparable, and other remarks',
    value: (row) => row.note,
  },
  { name: 'source', kind: 'text', description: 'service/source of the pages', value: (row) => row.source },
  { name: 'run_id', kind: 'number', description: 'Run of the check', value: (row) => row.runId },
  {
    name: 'destination',
    kind: 'text',
    description: destinationDescription,
    value: ({ url }) => (url === null || url === '' ? null : classifyDestination(url)),
  },
  {
    name: 'preferred_url',
    kind: 'text',
    description: 'URL that should rank, from the config; empty where it belongs to another target',
    value: (row) => row.preferredUrl,
  },
  {
    name: 'url_is_preferred',
    kind: 'boolean',
    description: 'Whether the preferred URL ranks; empty without one, or where the ranking page is not known',
    value: (row) => row.urlIsPreferred,
  },
  ...significanceColumns<RankChangeRow>((row) => row.significance),
  checkDay((row) => row.checkedAt),
  ...ageColumns<RankChangeRow>((row) => row.last),
  locationColumn((row) => row),
  ...clickColumns<RankChangeRow>(newestWeeks, (row) => row),
  positionColumn((row) => row.averagePosition),
  localRankColumn((row) => row.localRank ?? null),
];

/** Name, kind and meaning of each column, for the documentation. */
export const rankChangeColumnNotes = () => columnNotes(rankChangeColumns);

export interface RankChanges {
  add(row: RankChangeRow): void;
  /**
   * Rows by size of traffic change, unknown changes last, ties by project, keyword, country, language, device and
   * target. Call once; a chunk of bytes is valid until the next is requested.
   */
  chunks(): Generator<string | Uint8Array>;
}

/** The sort keys beside size of change and keyword; hundreds of consecutive rows share them. */
type SortKeys = Pick<RankChangeRow, 'project' | 'country' | 'language' | 'device' | 'location' | 'target'>;

/** `scratch`: where the lines of many rows wait to be sorted. */
export function startRankChanges(options: CsvOptions, scratch: Scratch): RankChanges {
  const write = lineWriter(rankChangeColumns, options);
  const order = new RowOrder();
  const lines = new SortedLines((a, b) => order.compare(a, b), scratch);
  return {
    add(row) {
      order.add(row);
      lines.add(write(row));
    },
    *chunks() {
      yield csvHeader(rankChangeColumns, options);
      yield* lines.chunks();
      order.forget();
    },
  };
}

/** The sort keys of rows, by column. */
class RowOrder {
  #sizes: number[] = [];
  #keywords: string[] = [];
  #sortKeys: SortKeys[] = [];

  add(row: RankChangeRow): void {
    this.#sizes.push(row.estimatedClicksChange === null ? -1 : Math.abs(row.estimatedClicksChange));
    this.#keywords.push(row.keyword);
    this.#sortKeys.push(this.#sortKeysFor(row));
  }

  forget(): void {
    this.#sizes = [];
    this.#keywords = [];
    this.#sortKeys = [];
  }

  #sortKeysFor({ project, country, language, device, location, target }: RankChangeRow): SortKeys {
    const last = this.#sortKeys.at(-1);
    const isLast =
      last !== undefined &&
      last.target === target &&
      last.device === device &&
      last.country === country &&
      last.language === language &&
      last.project === project;
    return isLast ? last : { project, country, language, device, location, target };
  }

  compare(a: number, b: number): number {
    const sizes = this.#sizes;
    if (sizes[a] !== sizes[b]) return (sizes[b] ?? 0) - (sizes[a] ?? 0);
    const [keys, other] = [this.#sortKeys[a], this.#sortKeys[b]];
    if (keys === undefined || other === undefined) return 0;
    return (
      byText(keys.project, other.project) ||
      byText(this.#keywords[a] ?? '', this.#keywords[b] ?? '') ||
      byText(keys.country, other.country) ||
      byText(keys.language, other.language) ||
      byText(keys.device, other.device) ||
      byText(keys.target, other.target)
    );
  }
}
