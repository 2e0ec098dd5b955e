// volumes.csv: keyword metrics by month, changes, and totals with close variants counted once.

import { difference } from '../../read/row-sums.ts';
import { byText, sumOf } from '../../tracker/figures.ts';
import { getOrInsert } from '../../tracker/maps.ts';
import { variantKey } from '../../tracker/searches.ts';
import { columnsOf, fieldColumns, runDay } from '../formats/columns.ts';
import type { CsvColumn } from '../formats/csv.ts';

/** `total`: a sum over all keywords; `total_grouped`: each group of close variants counts once. */
type VolumeScope = 'total' | 'total_grouped' | 'keyword';

interface VolumeMetrics {
  readonly searchVolume: number | null;
  readonly cpcMicroUsd: number | null;
  readonly competition: number | null;
  readonly competitionLevel: string | null;
  readonly intent: string | null;
  readonly source: string;
  /** UTC milliseconds. */
  readonly observedAt: number;
}

/** A keyword in a month, with its volume a month and a year before. */
export interface VolumeEntry {
  readonly keyword: string;
  /** From `variantWords`. */
  readonly words: string;
  readonly now: VolumeMetrics;
  readonly monthBefore: number | null;
  readonly yearBefore: number | null;
}

/** Facts that all lines of a market and month share. */
interface VolumeFacts {
  readonly project: string;
  readonly country: string;
  readonly language: string;
  /** `2026-11`. */
  readonly month: string;
  readonly warning: string | null;
}

/** One line of the table. */
export interface VolumeRow extends VolumeFacts {
  readonly scope: VolumeScope;
  readonly keyword: string | null;
  readonly searchVolume: number | null;
  readonly monthBefore: number | null;
  readonly changeToMonthBefore: number | null;
  readonly yearBefore: number | null;
  readonly changeToYearBefore: number | null;
  /** Keywords in a sum; for a keyword, its number of close variants including itself. */
  readonly keywords: number;
  readonly variantOf: string | null;
  readonly metrics: VolumeMetrics | null;
}

const { text, number, date } = columnsOf<VolumeRow>();

export const volumeColumns: readonly CsvColumn<VolumeRow>[] = [
  ...fieldColumns((row: VolumeRow) => row, 'project'),
  text('scope', 'total (all keywords), total_grouped (close variants counted once), or keyword', (row) => row.scope),
  text('keyword', 'Tracked keyword, in lines with scope keyword', (row) => row.keyword),
  text('country', 'Country of the market', (row) => row.country),
  text('language', 'Language of the market', (row) => row.language),
  text('month', 'Month of the metrics, newest first', (row) => row.month),
  number('search_volume', 'Searches per month; empty if the service does not know it', (row) => row.searchVolume),
  number(
    'month_before',
    'Volume of the previous month; for a total, of the keywords known in both months',
    (row) => row.monthBefore,
  ),
  number(
    'change_to_month_before',
    'Change from that volume; empty unless both are known',
    (row) => row.changeToMonthBefore,
  ),
  number('year_before', 'Volume of the same month of the previous year, likewise', (row) => row.yearBefore),
  number(
    'change_to_year_before',
    'Change from that volume; empty unless both are known',
    (row) => row.changeToYearBefore,
  ),
  number(
    'keywords',
    'For a total, its number of keywords with a known volume; for a keyword, its number of close variants including itself',
    (row) => row.keywords,
  ),
  text(
    'variant_of',
    'Close variant that total_grouped counts instead of this keyword; empty if it counts this keyword',
    (row) => row.variantOf,
  ),
  number('cpc', 'Cost a click, USD', ({ metrics }) => usd(metrics)),
  number('competition', 'Ad competition, 0 to 100', ({ metrics }) => metrics?.competition ?? null),
  text('competition_level', 'low, medium or high', ({ metrics }) => metrics?.competitionLevel ?? null),
  text('intent', 'commercial, informational, navigational or transactional', ({ metrics }) => metrics?.intent ?? null),
  text('source', 'service/source of the metrics', ({ metrics }) => metrics?.source ?? null),
  date('observed_at', 'When they were bought, UTC', ({ metrics }) => metrics?.observedAt ?? null),
  text('warning', 'Warnings about the whole run: it is suspect, the data is simulated', (row) => row.warning),
  runDay(),
];

/** Close variants with their representative: the first by volume. */
interface VariantGroup {
  readonly first: string;
  count: number;
}

/** The lines of one market and month: both totals, then the keywords by volume. Sorts `entries`. */
export function* volumeRows(facts: VolumeFacts, entries: VolumeEntry[]): Generator<VolumeRow> {
  entries.sort(byVolume);
  const groups = groupVariants(entries);
  yield sumVolumes(facts, 'total', entries);
  yield sumVolumes(
    facts,
    'total_grouped',
    entries.filter(({ keyword }, at) => (groups[at]?.first ?? keyword) === keyword),
  );
  for (let at = 0; at < entries.length; at += 1) {
    const entry = entries[at];
    if (entry !== undefined) yield toRow(facts, entry, groups[at] ?? null);
  }
}

/** The group of each entry; null: no variants. Variants have equal volume, so they are adjacent. */
function groupVariants(entries: readonly VolumeEntry[]): (VariantGroup | null)[] {
  const groups: (VariantGroup | null)[] = [];
  let known = new Map<string, VariantGroup>();
  for (let at = 0; at < entries.length; at += 1) {
    const entry = entries[at];
    const volume = entry?.now.searchVolume ?? null;
    const isLike = (other: VolumeEntry | undefined): boolean => other?.now.searchVolume === volume;
    const hasNeighbour = isLike(entries[at - 1]) || isLike(entries[at + 1]);
    const key = entry === undefined || !hasNeighbour ? null : variantKey(entry.words, entry.now);
    if (entry === undefined || key === null) {
      groups.push(null);
      continue;
    }
    if (!isLike(entries[at - 1])) known = new Map();
    const group = getOrInsert(known, key, () => ({ first: entry.keyword, count: 0 }));
    group.count += 1;
    groups.push(group);
  }
  return groups;
}

function toRow(
  { project, country, language, month, warning }: VolumeFacts,
  { keyword, now, monthBefore, yearBefore }: VolumeEntry,
  group: VariantGroup | null,
): VolumeRow {
  return {
    project,
    country,
    language,
    month,
    warning,
    scope: 'keyword',
    keyword,
    searchVolume: now.searchVolume,
    monthBefore,
    changeToMonthBefore: difference(now.searchVolume, monthBefore),
    yearBefore,
    changeToYearBefore: difference(now.searchVolume, yearBefore),
    keywords: group?.count ?? 1,
    variantOf: group === null || group.first === keyword ? null : group.first,
    metrics: now,
  };
}

function sumVolumes(facts: VolumeFacts, scope: VolumeScope, entries: readonly VolumeEntry[]): VolumeRow {
  const known = entries.filter(({ now }) => now.searchVolume !== null);
  const monthBefore = sumOfBoth(known, (entry) => entry.monthBefore);
  const yearBefore = sumOfBoth(known, (entry) => entry.yearBefore);
  return {
    ...facts,
    scope,
    keyword: null,
    searchVolume: known.length === 0 ? null : sumOf(known, ({ now }) => now.searchVolume ?? 0),
    monthBefore: monthBefore.before,
    changeToMonthBefore: difference(monthBefore.now, monthBefore.before),
    yearBefore: yearBefore.before,
    changeToYearBefore: difference(yearBefore.now, yearBefore.before),
    keywords: known.length,
    variantOf: null,
    metrics: null,
  };
}

/** Sums now and before over the same keywords; null: none. */
function sumOfBoth(entries: readonly VolumeEntry[], before: (entry: VolumeEntry) => number | null) {
  const both = entries.filter((entry) => before(entry) !== null);
  if (both.length === 0) return { now: null, before: null };
  return {
    now: sumOf(both, ({ now }) => now.searchVolume ?? 0),
    before: sumOf(both, (entry) => before(entry) ?? 0),
  };
}

function usd(metrics: VolumeMetrics | null): number | null {
  return metrics === null || metrics.cpcMicroUsd === null ? null : metrics.cpcMicroUsd / 1_000_000;
}

function byVolume(a: VolumeEntry, b: VolumeEntry): number {
  const difference = (b.now.searchVolume ?? -1) - (a.now.searchVolume ?? -1);
  if (difference !== 0) return difference;
  return byText(a.keyword, b.keyword);
}
